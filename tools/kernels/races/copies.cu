// cp.async: the copy belongs to the thread that issued it, until that thread has waited for its
// group and a barrier has published it.
#include "races.cuh"

using namespace races;

namespace {

template <bool Fixed>
__device__ void copy_no_wait(const int* in, int* out) {
  SHARED_WORDS(tile, kThreads);
  const int t = threadIdx.x;
  COPY(&tile[t], in + t);
  COMMIT();
  if constexpr (Fixed) WAIT_GROUPS(0);
  __syncthreads();
  out[t] = tile[kThreads - 1 - t];
  WAIT_GROUPS(0);
}

template <bool Fixed>
__device__ void copy_no_wait_own(const int* in, int* out) {
  SHARED_WORDS(tile, kThreads);
  const int t = threadIdx.x;
  COPY(&tile[t], in + t);
  COMMIT();
  if constexpr (Fixed) WAIT_GROUPS(0);
  out[t] = tile[t];
  WAIT_GROUPS(0);
}

template <bool Fixed>
__device__ void copy_no_barrier(const int* in, int* out) {
  SHARED_WORDS(tile, kThreads);
  const int t = threadIdx.x;
  COPY(&tile[t], in + t);
  COMMIT();
  WAIT_GROUPS(0);
  if constexpr (Fixed) __syncthreads();
  out[t] = tile[kThreads - 1 - t];
}

// The first warp copies; the others wait.
template <bool Fixed>
__device__ void copy_wrong_thread(const int* in, int* out) {
  SHARED_WORDS(tile, 32);
  const int t = threadIdx.x;
  if (t < 32) {
    COPY(&tile[t], in + t);
    COMMIT();
    if constexpr (Fixed) WAIT_GROUPS(0);
  } else {
    WAIT_GROUPS(0);
  }
  __syncthreads();
  if (t >= 32) out[t] = tile[t & 31];
}

template <bool Fixed>
__device__ void copy_too_few(const int* in, int* out) {
  SHARED_WORDS(tile, 2 * kThreads);
  const int t = threadIdx.x;
  COPY(&tile[t], in + t);
  COMMIT();
  COPY(&tile[kThreads + t], in + kThreads + t);
  COMMIT();
  WAIT_GROUPS(Fixed ? 0 : 1);
  __syncthreads();
  out[t] = tile[kThreads - 1 - t] + tile[2 * kThreads - 1 - t];
}

// A commit after the wait: the wait covers older groups only.
template <bool Fixed>
__device__ void copy_late_commit(const int* in, int* out) {
  SHARED_WORDS(tile, kThreads);
  const int t = threadIdx.x;
  COPY(&tile[t], in + t);
  if constexpr (Fixed) COMMIT();
  WAIT_GROUPS(0);
  if constexpr (!Fixed) COMMIT();
  __syncthreads();
  out[t] = tile[kThreads - 1 - t];
  WAIT_GROUPS(0);
}

// Refilling a stage that others still read.
template <bool Fixed>
__device__ void copy_overwrite(const int* in, int* out) {
  SHARED_WORDS(tile, kThreads);
  const int t = threadIdx.x;
  int sum = 0;
  for (int i = 0; i < 4; ++i) {
    COPY(&tile[t], in + i * kThreads + t);
    COMMIT();
    WAIT_GROUPS(0);
    __syncthreads();
    sum += tile[kThreads - 1 - t];
    if constexpr (Fixed) __syncthreads();
  }
  out[t] = sum;
}

// Three stages leave one group in flight, not two.
template <bool Fixed>
__device__ void copy_pipeline(const int* in, int* out) {
  constexpr int kStages = 3, kSteps = 8;
  SHARED_WORDS(stages, kStages * kThreads);
  const int t = threadIdx.x;
  for (int s = 0; s < kStages - 1; ++s) {
    COPY(&stages[s * kThreads + t], in + s * kThreads + t);
    COMMIT();
  }
  int sum = 0;
  for (int k = 0; k < kSteps; ++k) {
    WAIT_GROUPS(kStages - (Fixed ? 2 : 1));
    __syncthreads();
    sum += stages[k % kStages * kThreads + kThreads - 1 - t];
    const int next = k + kStages - 1;
    COPY(&stages[next % kStages * kThreads + t], in + next * kThreads + t);
    COMMIT();
  }
  WAIT_GROUPS(0);
  out[t] = sum;
}

}  // namespace

RACE_PAIR(copy_no_wait, kThreads)
RACE_PAIR(copy_no_wait_own, kThreads)
RACE_PAIR(copy_no_barrier, kThreads)
RACE_PAIR(copy_wrong_thread, kThreads)
RACE_PAIR(copy_too_few, kThreads)
RACE_PAIR(copy_late_commit, kThreads)
RACE_PAIR(copy_overwrite, kThreads)
RACE_PAIR(copy_pipeline, kThreads)

void races::add_copies(Pairs& pairs) {
  pairs.insert(
      pairs.end(),
      {
          {"copy_no_wait", "copy-not-waited", "error", "wait before the barrier", copy_no_wait_racy,
           copy_no_wait_fixed},
          {"copy_no_wait_own", "copy-not-waited", "error", "wait before the own data is read",
           copy_no_wait_own_racy, copy_no_wait_own_fixed},
          {"copy_no_barrier", "copy-not-published", "error", "barrier after the wait",
           copy_no_barrier_racy, copy_no_barrier_fixed},
          {"copy_wrong_thread", "copy-wrong-thread", "error", "wait in the threads that copy",
           copy_wrong_thread_racy, copy_wrong_thread_fixed},
          {"copy_too_few", "copy-too-few-groups", "error", "wait for the last group",
           copy_too_few_racy, copy_too_few_fixed},
          {"copy_late_commit", "copy-too-few-groups", "error", "commit before the wait",
           copy_late_commit_racy, copy_late_commit_fixed},
          {"copy_overwrite", "write-after-read", "error", "barrier before a stage is refilled",
           copy_overwrite_racy, copy_overwrite_fixed},
          {"copy_pipeline", "copy-too-few-groups", "error", "wait count of a three-stage pipeline",
           copy_pipeline_racy, copy_pipeline_fixed},
      });
}
