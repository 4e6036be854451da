// Exchange inside a warp. Lanes are not ordered by being in one warp (Volta and later).
#include "races.cuh"

using namespace races;

namespace {

template <bool Fixed>
__device__ void warp_exchange(const int* in, int* out) {
  SHARED_WORDS(tile, 32);
  const int lane = threadIdx.x;
  tile[lane] = in[lane];
  if constexpr (Fixed) __syncwarp();
  out[lane] = tile[lane ^ 1];
}

// The reduction of old textbooks, which counts on lanes in step.
template <bool Fixed>
__device__ void warp_sum(const int* in, int* out) {
  SHARED_WORDS(partial, 64);
  const int lane = threadIdx.x;
  partial[lane] = in[lane];
  partial[lane + 32] = in[lane + 32];
  if constexpr (Fixed) __syncwarp();
  for (int half = 32; half > 0; half /= 2) {
    const int sum = partial[lane] + partial[lane + half];
    if constexpr (Fixed) __syncwarp();
    partial[lane] = sum;
    if constexpr (Fixed) __syncwarp();
    if (half == 1) break;
  }
  if (lane == 0) out[0] = partial[0];
}

// A mask that leaves out the lanes whose data is read.
template <bool Fixed>
__device__ void warp_mask(const int* in, int* out) {
  SHARED_WORDS(tile, 32);
  const int lane = threadIdx.x;
  tile[lane] = in[lane];
  if constexpr (Fixed) {
    __syncwarp();
  } else {
    __syncwarp(lane < 16 ? 0x0000FFFFu : 0xFFFF0000u);
  }
  out[lane] = tile[lane ^ 16];
}

// ldmatrix hands every row to all lanes.
template <bool Fixed>
__device__ void matrix_rows(const int* in, int* out) {
  SHARED_WORDS(tile, 128);
  const int lane = threadIdx.x;
  for (int i = 0; i < 4; ++i) tile[4 * lane + i] = in[4 * lane + i];
  if constexpr (Fixed) __syncwarp();
  std::uint32_t fragment[4];
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
               : "=r"(fragment[0]), "=r"(fragment[1]), "=r"(fragment[2]), "=r"(fragment[3])
               : "r"(SHARED_ADDRESS(&tile[4 * lane]))
               : "memory");
  for (int i = 0; i < 4; ++i) out[4 * lane + i] = static_cast<int>(fragment[i]);
}

// A shuffle makes lanes meet, but promises nothing about memory.
template <bool Fixed>
__device__ void shuffle_is_no_fence(const int* in, int* out) {
  SHARED_WORDS(tile, 32);
  const int lane = threadIdx.x;
  tile[lane] = in[lane];
  const int other = __shfl_xor_sync(0xFFFFFFFFu, lane, 1);
  if constexpr (Fixed) __syncwarp();
  out[lane] = tile[other];
}

// Lanes of one store that hit the same word with different values.
template <bool Fixed>
__device__ void same_store(const int* in, int* out) {
  SHARED_WORDS(slots, 32);
  const int lane = threadIdx.x;
  slots[Fixed ? lane : lane / 2] = in[lane] + lane;
  __syncwarp();
  out[lane] = slots[Fixed ? lane : lane / 2];
}

}  // namespace

RACE_PAIR(warp_exchange, 32)
RACE_PAIR(warp_sum, 32)
RACE_PAIR(warp_mask, 32)
RACE_PAIR(matrix_rows, 32)
RACE_PAIR(shuffle_is_no_fence, 32)
RACE_PAIR(same_store, 32)

void races::add_warps(Pairs& pairs) {
  pairs.insert(
      pairs.end(),
      {
          {"warp_exchange", "read-after-write", "warning", "__syncwarp between lanes",
           warp_exchange_racy, warp_exchange_fixed, 32},
          {"warp_sum", "read-after-write", "warning", "__syncwarp in a warp reduction",
           warp_sum_racy, warp_sum_fixed, 32},
          {"warp_mask", "read-after-write", "warning", "lanes of the mask", warp_mask_racy,
           warp_mask_fixed, 32},
          {"matrix_rows", "read-after-write", "warning", "__syncwarp before ldmatrix",
           matrix_rows_racy, matrix_rows_fixed, 32},
          {"shuffle_is_no_fence", "read-after-write", "warning", "__syncwarp beside a shuffle",
           shuffle_is_no_fence_racy, shuffle_is_no_fence_fixed, 32},
          {"same_store", "same-instruction-write", "warning", "own word for every lane",
           same_store_racy, same_store_fixed, 32},
      });
}
