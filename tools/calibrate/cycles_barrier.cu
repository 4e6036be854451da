// Barriers of all kinds: cost against warps, resident blocks and arrival order.
#include "cycles.cuh"

using namespace cycles;

namespace {

std::vector<Config> blocks_of(std::vector<unsigned> warps, std::vector<unsigned> per_sm) {
  std::vector<Config> list;
  for (unsigned resident : per_sm) {
    for (unsigned n : warps) {
      if (n * resident > 64) continue;
      Config c;
      c.mask = n >= 32 ? 0xffffffffull : (1ull << n) - 1;
      c.blocks = resident == 1 ? 1 : 0;
      c.per_sm = resident;
      c.reps = resident == 1 ? 3 : 12;
      c.shared_bytes = 40960;
      if (resident > 4) c.shared_bytes = 40960;
      list.push_back(c);
    }
  }
  return list;
}

__device__ __forceinline__ void sync(uint32_t id, uint32_t threads) {
  asm volatile("bar.sync %0, %1;" ::"r"(id), "r"(threads) : "memory");
}
__device__ __forceinline__ void arrive(uint32_t id, uint32_t threads) {
  asm volatile("bar.arrive %0, %1;" ::"r"(id), "r"(threads) : "memory");
}
__device__ __forceinline__ void mbarrier_init(uint32_t m, uint32_t count) {
  asm volatile("mbarrier.init.shared.b64 [%0], %1;" ::"r"(m), "r"(count) : "memory");
}
__device__ __forceinline__ void mbarrier_arrive(uint32_t m) {
  asm volatile("{ .reg .b64 t; mbarrier.arrive.shared.b64 t, [%0]; }" ::"r"(m) : "memory");
}
__device__ __forceinline__ bool mbarrier_try(uint32_t m, uint32_t parity) {
  uint32_t done;
  asm volatile("{ .reg .pred p; mbarrier.try_wait.parity.shared.b64 p, [%1], %2; selp.u32 %0, 1, 0, p; }"
               : "=r"(done) : "r"(m), "r"(parity) : "memory");
  return done != 0;
}
__device__ __forceinline__ bool mbarrier_test(uint32_t m, uint32_t parity) {
  uint32_t done;
  asm volatile("{ .reg .pred p; mbarrier.test_wait.parity.shared.b64 p, [%1], %2; selp.u32 %0, 1, 0, p; }"
               : "=r"(done) : "r"(m), "r"(parity) : "memory");
  return done != 0;
}
// Bounded, so that a mistake cannot hang the device.
__device__ __forceinline__ void mbarrier_wait(uint32_t m, uint32_t parity) {
  for (int k = 0; k < 10000 && !mbarrier_try(m, parity); ++k) {
  }
}

const std::vector<unsigned> kWarps{1, 2, 3, 4, 5, 6, 8, 12, 16, 24, 32};

}  // namespace

// __syncthreads of all warps of the block (BAR.SYNC.DEFER_BLOCKING 0).
MICRO("barrier", bar_all, "BAR.SYNC", 32, blocks_of(kWarps, {1, 2, 3, 4}), CODE(),
      CODE(asm volatile("barrier.sync 0;" ::: "memory")), CODE())
// The aligned form that __syncthreads compiles to.
MICRO("barrier", bar_aligned, "BAR.SYNC", 32, blocks_of(kWarps, {1, 2}), CODE(), CODE(__syncthreads()), CODE())
// A named barrier with a thread count.
MICRO("barrier", bar_named, "BAR.SYNC", 32, blocks_of(kWarps, {1, 2}), CODE(), CODE(sync(2, a.threads)), CODE())
// Half of the warps on one named barrier, half on another, at the same time.
MICRO("barrier", bar_two_ids, "BAR.SYNC", 32, blocks_of({2, 4, 8, 16, 32}, {1}),
      CODE(uint32_t id = 2 + (warp & 1)), CODE(sync(id, a.threads / 2)), CODE())
MICRO("barrier", bar_two_ids_halves, "BAR.SYNC", 32, blocks_of({2, 4, 8, 16, 32}, {1}),
      CODE(uint32_t id = 2 + (2 * warp >= a.threads / 32)), CODE(sync(id, a.threads / 2)), CODE())
// Producer and consumer: even warps arrive on 2 and wait on 3, odd warps the other way round.
MICRO("barrier", bar_ping_pong, "BAR.", 32, blocks_of({2, 4, 8, 16, 32}, {1}), CODE(uint32_t odd = warp & 1),
      CODE(if (i & 1) sync(2 + odd, a.threads); else arrive(3 - odd, a.threads)), CODE())
MICRO("barrier", bar_popc, "BAR.RED", 16, blocks_of({1, 2, 4, 8, 16, 32}, {1}), CODE(),
      CODE(asm volatile("{ .reg .pred p; setp.ne.u32 p, %0, 0; barrier.red.popc.u32 %0, 0, p; }" : "+r"(x) :: "memory")),
      CODE(wait_for(x, a)))
// How long a barrier takes when one warp comes late: the others wait meanwhile.
MICRO("barrier", bar_late, "", 1, blocks_of({2, 4, 8, 16, 32}, {1}), CODE(),
      CODE(if (warp == a.count) { for (int k = 0; k < 60; ++k) asm volatile("ex2.approx.ftz.f32 %0, %0;" : "+f"(*(float*)&x)); wait_for(x, a); }
           sample.steps[0] = now();
           asm volatile("barrier.sync 0;" ::: "memory")),
      CODE(if (lane == 0) a.out[blockIdx.x * (blockDim.x >> 5) + warp].steps[0] = sample.steps[0]))
// bar.sync between shared accesses: store, barrier, load.
MICRO("barrier", bar_sts_lds, "BAR.SYNC", 16, blocks_of({1, 2, 4, 8, 16, 32}, {1, 2}),
      CODE(s = base + threadIdx.x * 4),
      CODE(asm volatile("st.volatile.shared.u32 [%0], %0;" ::"r"(s) : "memory");
           asm volatile("barrier.sync 0;" ::: "memory");
           asm volatile("ld.volatile.shared.u32 %0, [%0];" : "+r"(s) :: "memory")), CODE(wait_for(s, a)))

// mbarrier at the end of shared memory. One lane per warp takes part.
#define MBAR base + 40960 - 1024
MICRO("mbarrier", mbar_arrive, "SYNCS", 32, few_warps(),
      CODE(uint32_t m = MBAR + 8 * warp; if (lane == 0) mbarrier_init(m, 1); __syncthreads()),
      CODE(if (lane == 0) mbarrier_arrive(m)), CODE(wait_for(mbarrier_test(m, 0), a)))
MICRO("mbarrier", mbar_test, "SYNCS", 16, few_warps(),
      CODE(uint32_t m = MBAR + 8 * warp; if (lane == 0) mbarrier_init(m, 1); __syncthreads()),
      CODE(x += mbarrier_test(m, 1); wait_for(x, a)), CODE())
MICRO("mbarrier", mbar_try_success, "SYNCS", 16, few_warps(),
      CODE(uint32_t m = MBAR + 8 * warp; if (lane == 0) mbarrier_init(m, 1); __syncthreads()),
      CODE(x += mbarrier_try(m, 1); wait_for(x, a)), CODE())
MICRO("mbarrier", mbar_arrive_wait_one, "", 16, few_warps(),
      CODE(uint32_t m = MBAR + 8 * warp; if (lane == 0) mbarrier_init(m, 1); __syncthreads()),
      CODE(if (lane == 0) mbarrier_arrive(m); __syncwarp(); mbarrier_wait(m, i & 1)), CODE())
// All warps of the block arrive (one lane each) and wait: mbarrier as a block barrier.
MICRO("mbarrier", mbar_block, "", 16, blocks_of({1, 2, 4, 8, 16, 32}, {1}),
      CODE(uint32_t m = MBAR; if (threadIdx.x == 0) mbarrier_init(m, a.threads / 32); __syncthreads()),
      CODE(if (lane == 0) mbarrier_arrive(m); __syncwarp(); mbarrier_wait(m, i & 1)), CODE())
MICRO("mbarrier", mbar_block_threads, "", 16, blocks_of({1, 2, 4, 8, 16, 32}, {1}),
      CODE(uint32_t m = MBAR; if (threadIdx.x == 0) mbarrier_init(m, a.threads); __syncthreads()),
      CODE(mbarrier_arrive(m); mbarrier_wait(m, i & 1)), CODE())
// Clusters of two blocks: barrier and remote shared memory.
extern "C" __global__ void __cluster_dims__(2) cluster_kernel(Args a) {
  extern __shared__ __align__(1024) char shared_memory[];
  Sample sample{};
  sample.enter = now();
  const uint32_t lane = threadIdx.x & 31;
  const uint32_t base = static_cast<uint32_t>(__cvta_generic_to_shared(shared_memory));
  uint32_t s, own = base + lane * 4;
  asm volatile("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(s) : "r"(own), "r"((blockIdx.x & 1) ^ 1));
  *reinterpret_cast<volatile uint32_t*>(shared_memory + (threadIdx.x & 31) * 4) = s;
  asm volatile("barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned;" ::: "memory");
  // The peer's word holds the address in this block: store what the peer should read next.
  uint32_t p = s;
  for (uint32_t rep = 0; rep < a.reps; ++rep) {
    asm volatile("barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned;" ::: "memory");
    sample.t0 = now();
    if (rep == 0) sample.first = sample.t0;
    if (a.count == 0) {
#pragma unroll
      for (int i = 0; i < 16; ++i) asm volatile("barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned;" ::: "memory");
    } else if (a.count == 1) {
#pragma unroll
      for (int i = 0; i < 16; ++i) {
        uint32_t v;
        asm volatile("ld.volatile.shared::cluster.u32 %0, [%1];" : "=r"(v) : "r"(p) : "memory");
        p = s + (v & 0);
        wait_for(v, a);
      }
    } else if (a.count == 2) {
#pragma unroll
      for (int i = 0; i < 16; ++i) {
        uint32_t v;
        asm volatile("ld.volatile.shared::cluster.u32 %0, [%1];" : "=r"(v) : "r"(p + 128 * i) : "memory");
      }
    } else {
#pragma unroll
      for (int i = 0; i < 16; ++i) asm volatile("st.volatile.shared::cluster.u32 [%0], %1;" ::"r"(p + 128 * i), "r"(lane) : "memory");
    }
    sample.t1 = now();
    uint32_t v;
    asm volatile("ld.volatile.shared::cluster.u32 %0, [%1];" : "=r"(v) : "r"(p) : "memory");
    wait_for(v, a);
    sample.t2 = now();
  }
  sample.leave = now();
  asm volatile("barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned;" ::: "memory");
  write_sample(a, sample);
}
static std::vector<Config> cluster_configs() {
  std::vector<Config> list;
  for (uint32_t what : {0, 1, 2, 3}) {
    for (uint64_t mask : {0x1ull, 0xfull, 0xffffull}) {
      Config c;
      c.mask = mask, c.blocks = 2, c.count = what;
      list.push_back(c);
    }
  }
  return list;
}
static const Register register_cluster("cluster", "cluster_kernel", "", 16, cluster_kernel, cluster_configs());
