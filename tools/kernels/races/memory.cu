// Bytes that nobody wrote, and bytes that the block does not own.
#include "races.cuh"

using namespace races;

namespace {

// The halo's last element is left out when the tile is filled.
template <bool Fixed>
__device__ void halo_unwritten(const int* in, int* out) {
  SHARED_WORDS(tile, kThreads + 1);
  const int t = threadIdx.x;
  tile[t] = in[t];
  if (Fixed && t == 0) tile[kThreads] = in[kThreads];
  __syncthreads();
  out[t] = tile[t] + tile[t + 1];
}

// The index runs one past the allocation. The next bytes exist, since memory is given out in larger
// pieces, so nothing traps.
template <bool Fixed>
__device__ void halo_outside(const int* in, int* out) {
  volatile int* tile = ptx::dynamic_shared<int>();
  const int t = threadIdx.x;
  tile[t + 1] = in[t];
  if (t == 0) tile[0] = 0;
  if (t == kThreads - 1) tile[kThreads + (Fixed ? 1 : 2)] = in[t];
  __syncthreads();
  out[t] = tile[t] + tile[t + 1];
}

// Shared memory is not zeroed.
template <bool Fixed>
__device__ void sum_not_zeroed(const int* in, int* out) {
  SHARED_WORDS(sum, 1);
  const int t = threadIdx.x;
  if (Fixed && t == 0) sum[0] = 0;
  __syncthreads();
  ATOMIC_ADD(&sum[0], in[t]);
  __syncthreads();
  out[t] = sum[0];
}

}  // namespace

RACE_PAIR(halo_unwritten, kThreads)
RACE_PAIR(halo_outside, kThreads)
RACE_PAIR(sum_not_zeroed, kThreads)

void races::add_memory(Pairs& pairs) {
  pairs.insert(pairs.end(),
               {
                   {"halo_unwritten", "uninitialised-read", "warning",
                    "store of the last halo element", halo_unwritten_racy, halo_unwritten_fixed},
                   {"halo_outside", "out-of-window", "error", "index within the allocation",
                    halo_outside_racy, halo_outside_fixed, kThreads, 1, 4 * (kThreads + 2)},
                   {"sum_not_zeroed", "uninitialised-read", "warning",
                    "zero before the first addition", sum_not_zeroed_racy, sum_not_zeroed_fixed},
               });
}
