// Barriers that not all threads reach, and named barriers that meet the wrong threads. Threads that
// leave the kernel count as arrived on hardware, so these run to their end on sm_70 and later; the
// one that does not is marked.
#include "races.cuh"

using namespace races;

namespace {

// Half of the warps go around the barrier.
template <bool Fixed>
__device__ void skipped_barrier(const int* in, int* out) {
  SHARED_WORDS(tile, kThreads);
  const int t = threadIdx.x;
  tile[t] = in[t];
  if (Fixed || t < kThreads / 2) __syncthreads();
  out[t] = tile[t];
}

// Odd lanes never come: the even ones wait for them at the barrier, and they for the even ones at
// the end of the branch.
template <bool Fixed>
__device__ void divergent_lanes(const int* in, int* out) {
  SHARED_WORDS(tile, 32);
  const int t = threadIdx.x;
  tile[t] = in[t];
  __syncthreads();
  int value = 0;
  if (t % 2 == 0) {
    value = tile[t];
    if constexpr (!Fixed) __syncthreads();
    tile[t] = value + 1;
  }
  if constexpr (Fixed) __syncthreads();
  __syncwarp();
  out[t] = tile[t] + value;
}

// Threads past the end return before the barrier that the others reach.
template <bool Fixed>
__device__ void early_return(const int* in, int* out) {
  SHARED_WORDS(tile, kThreads);
  const int t = threadIdx.x, used = kThreads - 40;
  if (!Fixed && t >= used) return;
  if (t < used) tile[t] = in[t];
  __syncthreads();
  if (t < used) out[t] = tile[used - 1 - t];
}

// Warps that run a loop with a barrier a different number of times.
template <bool Fixed>
__device__ void loop_trips(const int* in, int* out) {
  SHARED_WORDS(tile, kThreads);
  const int t = threadIdx.x;
  const int trips = Fixed ? 4 : 1 + t / 32;
  int sum = 0;
  for (int i = 0; i < trips; ++i) {
    tile[t] = in[t] + i;
    __syncthreads();
    sum += tile[t];
  }
  out[t] = sum;
}

// Warps meet at different barrier instructions.
template <bool Fixed>
__device__ void two_barriers(const int* in, int* out) {
  SHARED_WORDS(tile, kThreads);
  const int t = threadIdx.x;
  tile[t] = in[t];
  if constexpr (Fixed) {
    __syncthreads();
    out[t] = tile[kThreads - 1 - t];
  } else if (t < kThreads / 2) {
    __syncthreads();
    out[t] = tile[kThreads - 1 - t];
  } else {
    const int own = tile[t];
    __syncthreads();
    out[t] = tile[kThreads - 1 - t] + own - own;
  }
}

// Pairs of warps that exchange data, but meet by the wrong rule.
template <bool Fixed>
__device__ void named_mix_up(const int* in, int* out) {
  SHARED_WORDS(tile, kThreads);
  const int t = threadIdx.x, warp = t / 32;
  tile[t] = in[t];
  NAMED_SYNC(1 + (Fixed ? warp / 2 : warp % 2), 64);
  out[t] = tile[t ^ 32];
}

// Each warp alone fulfils the count.
template <bool Fixed>
__device__ void named_count(const int* in, int* out) {
  SHARED_WORDS(tile, 64);
  const int t = threadIdx.x;
  tile[t] = in[t];
  NAMED_SYNC(1, Fixed ? 64 : 32);
  out[t] = tile[t ^ 32];
}

// The producer refills the buffer without hearing that it is free.
template <bool Fixed>
__device__ void named_no_free(const int* in, int* out) {
  SHARED_WORDS(tile, 32);
  const int t = threadIdx.x, lane = t % 32;
  constexpr int kSteps = 4;
  if (t < 32) {
    for (int i = 0; i < kSteps; ++i) {
      if (Fixed && i > 0) NAMED_SYNC(2, 64);
      tile[lane] = in[32 * i + lane];
      // bar.sync instead of bar.arrive: the racy one must not run ahead by more than a step.
      NAMED_SYNC(1, 64);
    }
  } else {
    int sum = 0;
    for (int i = 0; i < kSteps; ++i) {
      NAMED_SYNC(1, 64);
      sum += tile[31 - lane];
      if (Fixed && i + 1 < kSteps) NAMED_ARRIVE(2, 64);
    }
    out[lane] = sum;
  }
}

}  // namespace

RACE_PAIR(skipped_barrier, kThreads)
RACE_PAIR(divergent_lanes, 32)
RACE_PAIR(early_return, kThreads)
RACE_PAIR(loop_trips, kThreads)
RACE_PAIR(two_barriers, kThreads)
RACE_PAIR(named_mix_up, kThreads)
RACE_PAIR(named_count, 64)
RACE_PAIR(named_no_free, 64)

void races::add_barriers(Pairs& pairs) {
  pairs.insert(
      pairs.end(),
      {
          {"skipped_barrier", "barrier-partial", "error", "barrier outside the branch",
           skipped_barrier_racy, skipped_barrier_fixed},
          {"divergent_lanes", "barrier-partial", "error", "barrier outside the lanes' branch",
           divergent_lanes_racy, divergent_lanes_fixed, 32, 1, 0, false},
          {"early_return", "barrier-partial", "warning", "threads that stay until the barrier",
           early_return_racy, early_return_fixed},
          {"loop_trips", "barrier-partial", "error", "equal trip counts around a barrier",
           loop_trips_racy, loop_trips_fixed},
          {"two_barriers", "barrier-divergent", "warning", "one barrier for both branches",
           two_barriers_racy, two_barriers_fixed},
          {"named_mix_up", "read-after-write", "error", "barrier id of the pair", named_mix_up_racy,
           named_mix_up_fixed},
          {"named_count", "read-after-write", "error", "count of a named barrier", named_count_racy,
           named_count_fixed, 64},
          {"named_no_free", "read-after-write", "error", "barrier that hands the buffer back",
           named_no_free_racy, named_no_free_fixed, 64},
      });
}
