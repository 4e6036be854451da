// mbarriers, bulk copies (TMA) with their own proxy, and shared memory of other blocks.
#include "races.cuh"

using namespace races;

namespace {

constexpr int kBytes = 4 * kThreads;

// An mbarrier must be initialised before others use it. The user only looks once, so that the racy
// one cannot wait for ever.
template <bool Fixed>
__device__ void mbarrier_early_use(const int* in, int* out) {
  SHARED_MBARRIERS(object, 1);
  const int t = threadIdx.x;
  if (t == 0) MBARRIER_INIT(object, 1);
  if constexpr (Fixed) __syncthreads();
  unsigned done;
  MBARRIER_TEST(done, object, 1);
  out[t] = done != 0 ? in[t] : -in[t];
}

// One elected lane arrives: that releases its own writes only.
template <bool Fixed>
__device__ void mbarrier_elected(const int* in, int* out) {
  SHARED_MBARRIERS(object, 1);
  SHARED_WORDS(tile, 32);
  const int t = threadIdx.x, lane = t % 32;
  if (t == 0) MBARRIER_INIT(object, 1);
  __syncthreads();
  if (t < 32) {
    tile[lane] = in[lane];
    if constexpr (Fixed) __syncwarp();
    if (lane == 0) MBARRIER_ARRIVE(object);
  } else {
    MBARRIER_WAIT(object, 0);
    out[lane] = tile[31 - lane];
  }
}

// Waiting for the phase before the first one returns at once.
template <bool Fixed>
__device__ void mbarrier_parity(const int* in, int* out) {
  SHARED_MBARRIERS(object, 1);
  SHARED_WORDS(tile, 32);
  const int t = threadIdx.x, lane = t % 32;
  if (t == 0) MBARRIER_INIT(object, 32);
  __syncthreads();
  if (t < 32) {
    // Long enough that the racy consumer comes first: a trace shows the phase that a wait saw.
    __nanosleep(100000);
    tile[lane] = in[lane];
    MBARRIER_ARRIVE(object);
  } else {
    MBARRIER_WAIT(object, Fixed ? 0 : 1);
    out[lane] = tile[31 - lane];
  }
}

// A buffer goes there and back; the racy producer does not wait for it to come back. Every object
// has one phase here, so that nobody can be overtaken and wait for ever.
template <bool Fixed>
__device__ void mbarrier_no_free(const int* in, int* out) {
  SHARED_MBARRIERS(full, 2);
  SHARED_MBARRIERS(free, 1);
  SHARED_WORDS(tile, 32);
  const int t = threadIdx.x, lane = t % 32;
  if (t == 0) {
    MBARRIER_INIT(&full[0], 32);
    MBARRIER_INIT(&full[1], 32);
    MBARRIER_INIT(&free[0], 32);
  }
  __syncthreads();
  if (t < 32) {
    for (int i = 0; i < 2; ++i) {
      if (Fixed && i == 1) MBARRIER_WAIT(&free[0], 0);
      tile[lane] = in[32 * i + lane];
      MBARRIER_ARRIVE(&full[i]);
    }
  } else {
    int sum = 0;
    for (int i = 0; i < 2; ++i) {
      MBARRIER_WAIT(&full[i], 0);
      sum += tile[31 - lane];
      if (i == 0) MBARRIER_ARRIVE(&free[0]);
    }
    out[lane] = sum;
  }
}

// A barrier does not wait for a bulk copy.
template <bool Fixed>
__device__ void bulk_no_wait(const int* in, int* out) {
  SHARED_MBARRIERS(object, 1);
  SHARED_WORDS(tile, kThreads);
  const int t = threadIdx.x;
  if (t == 0) {
    MBARRIER_INIT(object, 1);
    FENCE_ASYNC();  // the copy engine must see it
  }
  __syncthreads();
  if (t == 0) {
    MBARRIER_EXPECT(object, kBytes);
    BULK_LOAD(tile, in, kBytes, object);
  }
  if constexpr (Fixed) {
    MBARRIER_WAIT(object, 0);
  } else {
    __syncthreads();
  }
  out[t] = tile[t];
  MBARRIER_WAIT(object, 0);  // nobody may leave while the copy is under way
}

// Only the first warp waits for the copy.
template <bool Fixed>
__device__ void bulk_wait_by_one(const int* in, int* out) {
  SHARED_MBARRIERS(object, 1);
  SHARED_WORDS(tile, kThreads);
  const int t = threadIdx.x;
  if (t == 0) {
    MBARRIER_INIT(object, 1);
    FENCE_ASYNC();  // the copy engine must see it
  }
  __syncthreads();
  if (t == 0) {
    MBARRIER_EXPECT(object, kBytes);
    BULK_LOAD(tile, in, kBytes, object);
  }
  if (Fixed || t < 32) MBARRIER_WAIT(object, 0);
  out[t] = tile[t];
  __syncthreads();
}

// Ordinary stores reach a bulk copy only through a proxy fence.
template <bool Fixed>
__device__ void bulk_no_fence(const int* in, int* out) {
  SHARED_WORDS(tile, kThreads);
  const int t = threadIdx.x;
  tile[t] = in[t];
  if constexpr (Fixed) FENCE_ASYNC();
  __syncthreads();
  if (t == 0) {
    BULK_STORE(out, tile, kBytes);
    BULK_COMMIT();
    BULK_WAIT_READ();
  }
}

// The source of a bulk store must stay until the store has read it.
template <bool Fixed>
__device__ void bulk_overwrite(const int* in, int* out) {
  SHARED_WORDS(tile, kThreads);
  const int t = threadIdx.x;
  for (int i = 0; i < 2; ++i) {
    tile[t] = in[i * kThreads + t];
    FENCE_ASYNC();
    __syncthreads();
    if (t == 0) {
      BULK_STORE(out + i * kThreads, tile, kBytes);
      BULK_COMMIT();
      if constexpr (Fixed) BULK_WAIT_READ();
    }
    __syncthreads();
  }
  if (t == 0) BULK_WAIT_READ();
}

// Reading another block's shared memory needs a cluster barrier after the write there.
template <bool Fixed>
__device__ void cluster_read(const int* in, int* out) {
  SHARED_WORDS(tile, 32);
  const int t = threadIdx.x;
  const unsigned rank = ptx::cluster_rank();
  tile[t] = in[32 * rank + t];
  if constexpr (Fixed) CLUSTER_SYNC();
  int other;
  LOAD_REMOTE(other, &tile[t], rank ^ 1);
  out[32 * blockIdx.x + t] = other;
  CLUSTER_SYNC();  // no block may leave while its memory is being read
}

}  // namespace

RACE_PAIR(mbarrier_early_use, kThreads)
RACE_PAIR(mbarrier_elected, 64)
RACE_PAIR(mbarrier_parity, 64)
RACE_PAIR(mbarrier_no_free, 64)
RACE_PAIR(bulk_no_wait, kThreads)
RACE_PAIR(bulk_wait_by_one, kThreads)
RACE_PAIR(bulk_no_fence, kThreads)
RACE_PAIR(bulk_overwrite, kThreads)
RACE_PAIR(cluster_read, 32)

void races::add_mbarriers(Pairs& pairs) {
  pairs.insert(
      pairs.end(),
      {
          {"mbarrier_early_use", "mbarrier-init-race", "error", "barrier after the initialisation",
           mbarrier_early_use_racy, mbarrier_early_use_fixed},
          {"mbarrier_elected", "read-after-write", "error", "__syncwarp before an elected arrival",
           mbarrier_elected_racy, mbarrier_elected_fixed, 64},
          {"mbarrier_parity", "read-after-write", "error", "parity of the phase",
           mbarrier_parity_racy, mbarrier_parity_fixed, 64},
          {"mbarrier_no_free", "read-after-write", "error", "wait for the buffer to come back",
           mbarrier_no_free_racy, mbarrier_no_free_fixed, 64},
          {"bulk_no_wait", "copy-not-waited", "error", "wait on the mbarrier of a bulk copy",
           bulk_no_wait_racy, bulk_no_wait_fixed},
          {"bulk_wait_by_one", "copy-not-published", "error", "wait in every warp that reads",
           bulk_wait_by_one_racy, bulk_wait_by_one_fixed},
          {"bulk_no_fence", "missing-proxy-fence", "error", "proxy fence before a bulk store",
           bulk_no_fence_racy, bulk_no_fence_fixed},
          {"bulk_overwrite", "copy-not-waited", "error", "wait before the source is reused",
           bulk_overwrite_racy, bulk_overwrite_fixed},
          {"cluster_read", "read-after-write", "error", "cluster barrier before a remote read",
           cluster_read_racy, cluster_read_fixed, 32, 2},
      });
}
