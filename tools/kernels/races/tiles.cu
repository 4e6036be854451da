// Missing block barriers around tiles, sums and tables.
#include "races.cuh"

using namespace races;

namespace {

// A tile that other threads read needs a barrier after it is written.
template <bool Fixed>
__device__ void tile_read(const int* in, int* out) {
  SHARED_WORDS(tile, kThreads);
  const int t = threadIdx.x;
  tile[t] = in[t];
  if constexpr (Fixed) __syncthreads();
  out[t] = tile[kThreads - 1 - t];
}

// The next tile may only be written when everybody has read this one.
template <bool Fixed>
__device__ void tile_overwrite(const int* in, int* out) {
  SHARED_WORDS(tile, kThreads);
  const int t = threadIdx.x;
  int sum = 0;
  for (int i = 0; i < 4; ++i) {
    tile[t] = in[i * kThreads + t];
    __syncthreads();
    sum += tile[kThreads - 1 - t];
    if constexpr (Fixed) __syncthreads();
  }
  out[t] = sum;
}

// Two buffers save one barrier a step, not both.
template <bool Fixed>
__device__ void double_buffer(const int* in, int* out) {
  SHARED_WORDS(tile, 2 * kThreads);
  const int t = threadIdx.x;
  int sum = 0;
  for (int i = 0; i < 6; ++i) {
    const int buffer = i % 2 * kThreads;
    tile[buffer + t] = in[i * kThreads + t];
    if (Fixed || i % 2 == 0) __syncthreads();
    sum += tile[buffer + kThreads - 1 - t];
  }
  out[t] = sum;
}

// A count in shared memory that several threads raise has to be raised atomically.
template <bool Fixed>
__device__ void histogram(const int* in, int* out) {
  SHARED_WORDS(bins, 32);
  const int t = threadIdx.x;
  if (t < 32) bins[t] = 0;
  __syncthreads();
  const int bin = in[t] & 31;
  if constexpr (Fixed) {
    ATOMIC_ADD(&bins[bin], 1);
  } else {
    bins[bin] = bins[bin] + 1;
  }
  __syncthreads();
  if (t < 32) out[t] = bins[t];
}

// A tree sum needs a barrier on every level, also in the last warp's steps.
template <bool Fixed>
__device__ void tree_sum(const int* in, int* out) {
  SHARED_WORDS(partial, kThreads);
  const int t = threadIdx.x;
  partial[t] = in[t];
  __syncthreads();
  for (int half = kThreads / 2; half > 0; half /= 2) {
    if (t < half) partial[t] = partial[t] + partial[t + half];
    if constexpr (Fixed) __syncthreads();
  }
  if (t == 0) out[0] = partial[0];
}

// One thread writes, all read.
template <bool Fixed>
__device__ void single_writer(const int* in, int* out) {
  SHARED_WORDS(value, 1);
  const int t = threadIdx.x;
  if (t == 0) value[0] = in[0];
  if constexpr (Fixed) __syncthreads();
  out[t] = value[0] + t;
}

// An in-place scan step reads what the neighbour is about to overwrite.
template <bool Fixed>
__device__ void scan_in_place(const int* in, int* out) {
  SHARED_WORDS(sums, kThreads);
  const int t = threadIdx.x;
  sums[t] = in[t];
  for (int step = 1; step < kThreads; step *= 2) {
    __syncthreads();
    const int left = t >= step ? sums[t - step] : 0;
    if constexpr (Fixed) __syncthreads();
    sums[t] = sums[t] + left;
  }
  __syncthreads();
  out[t] = sums[t];
}

// Every warp's last lane writes the total; only one of them may.
template <bool Fixed>
__device__ void two_writers(const int* in, int* out) {
  SHARED_WORDS(total, 1);
  const int t = threadIdx.x;
  if (Fixed ? t == kThreads - 1 : t % 32 == 31) total[0] = in[t];
  __syncthreads();
  out[t] = total[0];
}

// Atomics order nothing: reading the sum needs a barrier.
template <bool Fixed>
__device__ void atomic_then_read(const int* in, int* out) {
  SHARED_WORDS(sum, 1);
  const int t = threadIdx.x;
  if (t == 0) sum[0] = 0;
  __syncthreads();
  ATOMIC_ADD(&sum[0], in[t]);
  if constexpr (Fixed) __syncthreads();
  out[t] = sum[0];
}

// Exchanging elements in place needs a barrier between reading and writing.
template <bool Fixed>
__device__ void reverse_in_place(const int* in, int* out) {
  SHARED_WORDS(tile, kThreads);
  const int t = threadIdx.x;
  tile[t] = in[t];
  __syncthreads();
  const int other = tile[kThreads - 1 - t];
  if constexpr (Fixed) __syncthreads();
  tile[t] = other;
  __syncthreads();
  out[t] = tile[t];
}

// Two threads of different warps own one half-word each. Updating them through the whole word
// races; storing the halves does not.
template <bool Fixed>
__device__ void half_words(const int* in, int* out) {
  SHARED_WORDS(halves, kThreads / 2);
  const int t = threadIdx.x;
  const int word = t % (kThreads / 2), upper = t / (kThreads / 2);
  if (upper == 0) halves[word] = 0;
  __syncthreads();
  if constexpr (Fixed) {
    STORE_HALF(&halves[word], upper, static_cast<short>(in[t]));
  } else {
    halves[word] = halves[word] | (in[t] & 0xFFFF) << (16 * upper);
  }
  __syncthreads();
  out[t] = halves[word];
}

}  // namespace

RACE_PAIR(tile_read, kThreads)
RACE_PAIR(tile_overwrite, kThreads)
RACE_PAIR(double_buffer, kThreads)
RACE_PAIR(histogram, kThreads)
RACE_PAIR(tree_sum, kThreads)
RACE_PAIR(single_writer, kThreads)
RACE_PAIR(scan_in_place, kThreads)
RACE_PAIR(two_writers, kThreads)
RACE_PAIR(atomic_then_read, kThreads)
RACE_PAIR(reverse_in_place, kThreads)
RACE_PAIR(half_words, kThreads)

void races::add_tiles(Pairs& pairs) {
  pairs.insert(
      pairs.end(),
      {
          {"tile_read", "read-after-write", "error", "barrier before a tile is read",
           tile_read_racy, tile_read_fixed},
          {"tile_overwrite", "write-after-read", "error",
           "second barrier, before the tile is reused", tile_overwrite_racy, tile_overwrite_fixed},
          {"double_buffer", "read-after-write", "error", "barrier of every second step",
           double_buffer_racy, double_buffer_fixed},
          {"histogram", "write-after-read", "error", "atomic update of shared bins", histogram_racy,
           histogram_fixed},
          {"tree_sum", "read-after-write", "error", "barrier on every level of a tree",
           tree_sum_racy, tree_sum_fixed},
          {"single_writer", "read-after-write", "error", "barrier after one thread's write",
           single_writer_racy, single_writer_fixed},
          {"scan_in_place", "write-after-read", "error", "barrier between read and overwrite",
           scan_in_place_racy, scan_in_place_fixed},
          {"two_writers", "write-after-write", "error", "a single writer", two_writers_racy,
           two_writers_fixed},
          {"atomic_then_read", "read-after-write", "error", "barrier after atomics",
           atomic_then_read_racy, atomic_then_read_fixed},
          {"reverse_in_place", "write-after-read", "error", "barrier between read and overwrite",
           reverse_in_place_racy, reverse_in_place_fixed},
          {"half_words", "write-after-read", "error", "stores of single half-words",
           half_words_racy, half_words_fixed},
      });
}
