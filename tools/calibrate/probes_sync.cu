// Probes of fences, clusters and bulk copies.
#include "probes.cuh"

#include <cstdio>

using namespace probes;

namespace {

// ---- Phases of a kernel: PHASE() ends one; write_phases() stores how long each took, per warp.
#define PHASE() time[phase++] = now()
#define FENCE() asm volatile("fence.acq_rel.gpu;" ::: "memory")

template <int phases>
__device__ __forceinline__ void write_phases(uint32_t* out, const uint32_t (&time)[phases + 1]) {
  if (lane_id() != 0) return;
  uint32_t* result = out + kResults + grid_warp() * phases;
#pragma unroll
  for (int i = 0; i < phases; ++i) result[i] = time[i + 1] - time[i];
}
// One line of CSV for each phase.
template <int phases>
void emit_phases(const char* probe, const Values& all, const char* parameters, const char* const (&names)[phases]) {
  for (int i = 0; i < phases; ++i) emit(probe, pick(all, i, phases), "%s phase=%02d_%s", parameters, i, names[i]);
}

const char* const kFencePhases[] = {
    "fence", "fence", "fence", "load", "fence_after_load", "fence", "barrier", "fence", "fence", "store",
    "fence_after_store", "fence", "store_and_pause", "fence_after_pause", "load", "fence_sc_after_load", "store",
    "fence_sc_after_store", "fence_system", "fence_block"};
constexpr int kFences = sizeof kFencePhases / sizeof *kFencePhases;

__global__ void fences(const char* from, char* to, uint32_t* out) {
  uint32_t time[kFences + 1];
  int phase = 0;
  const uint64_t thread = blockIdx.x * blockDim.x + threadIdx.x;
  const char* p = from + thread * 4;
  char* q = to + thread * 64;
  PHASE(); FENCE(); PHASE(); FENCE(); PHASE(); FENCE(); PHASE();
  uint32_t x = load_l1(p);
  wait_for(x, out);
  PHASE(); FENCE(); PHASE(); FENCE(); PHASE();
  __syncthreads();
  PHASE(); FENCE(); PHASE(); FENCE(); PHASE();
  store(q, x);
  PHASE(); FENCE(); PHASE(); FENCE(); PHASE();
  store(q + 4, x);
  for (const uint32_t pause = now(); now() - pause < 1500;) {
  }
  PHASE(); FENCE(); PHASE();
  x = load_l1(p + kMiB);
  wait_for(x, out);
  PHASE(); asm volatile("fence.sc.gpu;" ::: "memory"); PHASE();
  store(q + 8, x);
  PHASE(); asm volatile("fence.sc.gpu;" ::: "memory"); PHASE();
  __threadfence_system();
  PHASE(); __threadfence_block(); PHASE();
  write_phases<kFences>(out, time);
}

// ---- Clusters of four blocks, each reading from the next one.
__device__ __forceinline__ void cluster_arrive() { asm volatile("barrier.cluster.arrive.aligned;" ::: "memory"); }
__device__ __forceinline__ void cluster_wait() { asm volatile("barrier.cluster.wait.aligned;" ::: "memory"); }
__device__ __forceinline__ uint32_t load_remote(uint32_t s) {
  uint32_t x;
  asm volatile("ld.volatile.shared::cluster.u32 %0, [%1];" : "=r"(x) : "r"(s) : "memory");
  return x;
}
__device__ __forceinline__ uint32_t in_next_block(uint32_t s) {
  uint32_t r;
  asm volatile("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(r) : "r"(s), "r"(((blockIdx.x & 3) + 1) & 3));
  return r;
}

const char* const kClusterPhases[] = {"remote_load", "remote_load", "remote_load", "remote_load",
                                      "remote_load_store", "remote_load_store", "remote_load_store",
                                      "arrive_after_stores", "wait", "arrive", "wait", "load", "load_again",
                                      "arrive_after_loads", "wait"};
constexpr int kClusters = sizeof kClusterPhases / sizeof *kClusterPhases;

__global__ void __cluster_dims__(4) cluster_phases(const char* from, char* to, uint32_t* out, int generic) {
  __shared__ uint32_t words[1056];
  uint32_t time[kClusters + 1];
  int phase = 0;
  words[threadIdx.x] = threadIdx.x;
  cluster_arrive();
  cluster_wait();
  const uint32_t remote = in_next_block(shared_address(words) + threadIdx.x * 4);
  uint64_t pointer;
  asm volatile("mapa.u64 %0, %1, %2;" : "=l"(pointer)
               : "l"(reinterpret_cast<uint64_t>(words + threadIdx.x)), "r"(((blockIdx.x & 3) + 1) & 3));
  const uint64_t word = (blockIdx.x * 256 + threadIdx.x) * uint64_t{4};
  uint32_t x = 0;
  PHASE();
#pragma unroll
  for (int i = 0; i < 7; ++i) {
    if (generic) asm volatile("ld.volatile.u32 %0, [%1];" : "=r"(x) : "l"(pointer) : "memory");
    else x = load_remote(remote);
    if (i >= 4) store(to + word + ((i - 4) << 20), x);
    wait_for(x, out);
    PHASE();
  }
  cluster_arrive(); PHASE(); cluster_wait(); PHASE();
  cluster_arrive(); PHASE(); cluster_wait(); PHASE();
#pragma unroll
  for (int i = 0; i < 2; ++i) {
    wait_for(load_l1(from + word), out);
    PHASE();
  }
  cluster_arrive(); PHASE(); cluster_wait(); PHASE();
  write_phases<kClusters>(out, time);
}

enum Remote { kRemoteLoad4, kRemoteStore4, kRemoteLoad16 };

__global__ void __cluster_dims__(4) remote_loads(uint32_t* out, int lane_stride, int access) {
  extern __shared__ __align__(128) char dynamic[];
  uint32_t time = 0;
  cluster_arrive();
  cluster_wait();
  const uint32_t remote = in_next_block(shared_address(dynamic) + lane_id() * lane_stride);
  for (int rep = 0; rep < 3; ++rep) {
    __syncthreads();
    const uint32_t start = now();
    uint32_t x = 0;
#pragma unroll
    for (int i = 0; i < 16; ++i) {
      if (access == kRemoteLoad4) {
        x ^= load_remote(remote + 4 * i);
      } else if (access == kRemoteStore4) {
        asm volatile("st.volatile.shared::cluster.u32 [%0], %1;" ::"r"(remote + 4 * i), "r"(i) : "memory");
      } else {
        uint4 v;
        asm volatile("ld.volatile.shared::cluster.v4.u32 {%0,%1,%2,%3}, [%4];"
                     : "=r"(v.x), "=r"(v.y), "=r"(v.z), "=r"(v.w) : "r"(remote + 16 * i) : "memory");
        x ^= v.x ^ v.y ^ v.z ^ v.w;
      }
    }
    if (access == kRemoteStore4) x ^= load_remote(remote);
    wait_for(x, out);
    time = now() - start;
  }
  cluster_arrive();
  cluster_wait();
  if (lane_id() == 0) out[kResults + grid_warp()] = time;
}

// ---- Bulk copies of L2 lines, by one lane in a loop or by `copies` lanes with one instruction.
__device__ __forceinline__ void bulk_copy(uint32_t s, const char* p, int bytes, uint32_t barrier) {
  asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(s),
               "l"(p), "r"(bytes), "r"(barrier) : "memory");
}

__global__ void bulk_issue(const char* memory, uint32_t* out, int warps, int copies, int bytes, int lanes) {
  extern __shared__ __align__(128) char dynamic[];
  __shared__ __align__(8) uint64_t barriers[4];
  const uint32_t warp = warp_id(), lane = lane_id();
  const uint32_t barrier = shared_address(barriers), s = shared_address(dynamic);
  uint64_t start, issued, done;
  if (threadIdx.x == 0) {
    asm volatile("mbarrier.init.shared.b64 [%0], 1;" ::"r"(barrier));
    asm volatile("fence.proxy.async;");
  }
  __syncthreads();
  for (int rep = 0; rep < 3; ++rep) {
    if (threadIdx.x == 0) {
      asm volatile("mbarrier.arrive.expect_tx.shared.b64 _, [%0], %1;" ::"r"(barrier), "r"(warps * copies * bytes));
    }
    __syncthreads();
    start = sm_clock();
    if (warp < warps) {
      if (lanes == 1) {
        if (lane == 0) {
#pragma unroll 1
          for (int i = 0; i < copies; ++i) {
            const uint32_t at = (warp * copies + i) * bytes;
            bulk_copy(s + at, memory + at, bytes, barrier);
          }
        }
      } else if (lane < copies) {
        const uint32_t at = (warp * copies + lane) * bytes;
        bulk_copy(s + at, memory + at, bytes, barrier);
      }
    }
    issued = sm_clock();
    for (uint32_t complete = 0; !complete;) {
      asm volatile("{ .reg .pred p; mbarrier.try_wait.parity.shared.b64 p, [%1], %2; selp.u32 %0, 1, 0, p; }"
                   : "=r"(complete) : "r"(barrier), "r"(rep & 1) : "memory");
    }
    done = sm_clock();
    __syncthreads();
  }
  if (lane != 0) return;
  write_long(out, warp * 2, issued - start);
  write_long(out, warp * 2 + 1, done - start);
}

}  // namespace

// Fences of a warp between accesses. fence_after_load is what one costs with a global access of the
// warp since the last one. Rests on it: fence_latency (fence_block), fence_gpu_latency, fence_gpu_extra.
PROBE(fences, "fence.acq_rel.gpu and others, by what came before: run, blocks, warps, phase") {
  for (const int run : {0, 1}) {
    for (const int blocks : {1, device.sms}) {
      for (const int warps : {1, 8}) {
        prepare(device, 4 * kMiB);
        fences<<<blocks, warps * 32>>>(device.memory, device.memory + 64 * kMiB, device.out);
        char parameters[100];
        std::snprintf(parameters, sizeof parameters, "run=%d blocks=%d warps=%d", run, blocks, warps);
        emit_phases<kFences>("fences", fetch(device, blocks * warps * kFences), parameters, kFencePhases);
      }
    }
  }
}

// A kernel of clusters of four blocks in phases. An arrival releases, so it takes as long as a fence.
// Rests on it: cluster_latency (the second wait), remote_latency (remote loads).
PROBE(cluster_phases, "clusters of 4 blocks of 8 warps: address=shared|generic (of remote loads), blocks, phase") {
  prepare(device, 4 * kMiB);
  for (const int generic : {0, 1}) {
    for (const int blocks : {4, 32, 128, 1056}) {
      cluster_phases<<<blocks, 256>>>(device.memory, device.memory + 64 * kMiB, device.out, generic);
      char parameters[100];
      std::snprintf(parameters, sizeof parameters, "address=%s blocks=%d", generic ? "generic" : "shared", blocks);
      emit_phases<kClusters>("cluster_phases", fetch(device, blocks * 8 * kClusters), parameters, kClusterPhases);
    }
  }
}

// 16 accesses a warp to the shared memory of the next block; stores end with a load behind them. With 16
// warps a load takes remote_sector for each sector and remote_line for each line that its lanes touch.
// Rests on it: remote_sector, remote_line.
PROBE(remote_loads, "16 remote accesses a warp: access, blocks (clusters of 4), warps, lane_stride") {
  const char* const names[] = {"load4", "store4", "load16"};
  for (const int access : {kRemoteLoad4, kRemoteStore4, kRemoteLoad16}) {
    for (const int blocks : {4, 128}) {
      for (const int warps : {1, 8, 16}) {
        for (const int lane_stride : {0, 4, 8, 16, 32, 64, 128, 132, 256}) {
          if (access == kRemoteLoad16 && lane_stride % 16 != 0) continue;
          remote_loads<<<blocks, warps * 32, 16384>>>(device.out, lane_stride, access);
          emit("remote_loads", fetch(device, blocks * warps), "access=%s blocks=%d warps=%d lane_stride=%d",
               names[access], blocks, warps, lane_stride);
        }
      }
    }
  }
}

// Bulk copies issued by `warps` warps at once. A warp takes much longer for each than the SM, which is
// seen with four warps. Rests on it: bulk_issue.
PROBE(bulk_issue, "bulk copies: lanes (1: a loop), warps, copies (a warp), bytes, until=issued|done") {
  allow_shared(bulk_issue, 160 << 10);
  for (const int lanes : {1, 32}) {
    for (const int warps : {1, 2, 4}) {
      for (const int copies : {1, 2, 4, 8, 16, 32}) {
        for (const int bytes : {128, 1024}) {
          if (warps * copies * bytes > 150000) continue;
          const int dynamic = warps * copies * bytes + 128;
          bulk_issue<<<1, 128, dynamic>>>(device.memory, device.out, warps, copies, bytes, lanes);
          const Values all = fetch_long(device, warps * 2);
          for (const int done : {0, 1}) {
            emit("bulk_issue", pick(all, done, 2), "lanes=%d warps=%d copies=%d bytes=%d until=%s", lanes, warps,
                 copies, bytes, done ? "done" : "issued");
          }
        }
      }
    }
  }
}
