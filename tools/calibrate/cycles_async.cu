// Asynchronous copies: cp.async through L1 and around it, bulk (TMA) copies, and what they do to
// shared loads that run at the same time.
#include "cycles.cuh"

using namespace cycles;

namespace {

__device__ __forceinline__ uint32_t load(uint32_t s) {
  uint32_t x;
  asm volatile("ld.volatile.shared.u32 %0, [%1];" : "=r"(x) : "r"(s) : "memory");
  return x;
}
template <int Bytes>
__device__ __forceinline__ void copy_ca(uint32_t s, const char* g) {
  asm volatile("cp.async.ca.shared.global [%0], [%1], %2;" ::"r"(s), "l"(g), "n"(Bytes) : "memory");
}
__device__ __forceinline__ void copy_cg(uint32_t s, const char* g) {
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(s), "l"(g) : "memory");
}
__device__ __forceinline__ void commit_wait() {
  asm volatile("cp.async.commit_group; cp.async.wait_group 0;" ::: "memory");
}
__device__ __forceinline__ void mbarrier_init(uint32_t m, uint32_t count) {
  asm volatile("mbarrier.init.shared.b64 [%0], %1;" ::"r"(m), "r"(count) : "memory");
}
__device__ __forceinline__ void mbarrier_expect(uint32_t m, uint32_t bytes) {
  asm volatile("{ .reg .b64 t; mbarrier.arrive.expect_tx.shared.b64 t, [%0], %1; }" ::"r"(m), "r"(bytes) : "memory");
}
__device__ __forceinline__ bool mbarrier_try(uint32_t m, uint32_t parity) {
  uint32_t done;
  asm volatile("{ .reg .pred p; mbarrier.try_wait.parity.shared.b64 p, [%1], %2; selp.u32 %0, 1, 0, p; }"
               : "=r"(done) : "r"(m), "r"(parity) : "memory");
  return done != 0;
}
__device__ __forceinline__ void mbarrier_wait(uint32_t m, uint32_t parity) {
  for (int k = 0; k < 10000 && !mbarrier_try(m, parity); ++k) {
  }
}
__device__ __forceinline__ void bulk_load(uint32_t s, const char* g, uint32_t bytes, uint32_t m) {
  asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(s),
               "l"(g), "r"(bytes), "r"(m) : "memory");
}

// A 16-byte lane stride for both sides, so that a warp moves 512 contiguous bytes.
std::vector<Config> copies(uint32_t unit, std::vector<uint64_t> masks = {0x1, 0x11, 0x1111, 0xf, 0xff, 0xffff}) {
  std::vector<Config> list;
  for (uint64_t mask : masks) {
    Config c;
    c.mask = mask, c.lane_stride = unit, c.warp_stride = 32 * unit;
    c.global_stride = unit, c.note = "contiguous";
    list.push_back(c);
    c.global_stride = 128, c.note = "line per lane";  // 32 lines a warp
    list.push_back(c);
  }
  return list;
}
// Copying warps (roles) beside loading warps.
std::vector<Config> concurrent(uint32_t unit) {
  std::vector<Config> list;
  for (uint64_t roles : {0x0ull, 0x10ull, 0xf0ull, 0xff00ull}) {
    for (uint64_t loaders : {0xfull, 0xf000full}) {
      Config c;
      c.mask = loaders | roles, c.roles = roles, c.lane_stride = 4;
      c.global_stride = unit, c.count = unit, c.reps = 4;
      list.push_back(c);
    }
  }
  return list;
}
std::vector<Config> bulk_sizes(std::vector<uint32_t> sizes, unsigned blocks, std::vector<uint32_t> counts = {1}) {
  std::vector<Config> list;
  for (uint32_t size : sizes) {
    for (uint32_t count : counts) {
      Config c;
      c.size = size, c.count = count, c.blocks = blocks, c.shared_bytes = 200 << 10, c.reps = 4;
      list.push_back(c);
    }
  }
  return list;
}

}  // namespace

// ---- cp.async: latency of one (warm), issue of many, then the wait.
#define GLOBAL (a.global + lane * a.global_stride + warp * 4096)
#define COPY(NAME, OPCODE, CALL, UNIT)                                                                       \
  MICRO("async", NAME##_latency, OPCODE, 1, copies(UNIT, {0x1, 0xf, 0xffff}), CODE(const char* g = GLOBAL), \
        CODE(CALL), CODE(commit_wait()))                                                                     \
  MICRO("async", NAME, OPCODE, 24, copies(UNIT), CODE(const char* g = GLOBAL), CODE(CALL),                   \
        CODE(commit_wait()))                                                                                 \
  MICRO("async", NAME##_long, OPCODE, 192, copies(UNIT, {0x1, 0xf, 0xffff}), CODE(const char* g = GLOBAL),  \
        CODE(CALL), CODE(commit_wait()))
COPY(cp_ca4, "LDGSTS", copy_ca<4>(s, g), 4)
COPY(cp_ca8, "LDGSTS", copy_ca<8>(s, g), 8)
COPY(cp_ca16, "LDGSTS", copy_ca<16>(s, g), 16)
COPY(cp_cg16, "LDGSTS", copy_cg(s, g), 16)
// The wait and the commit alone.
MICRO("async", cp_commit_wait, "LDGDEPBAR", 32, few_warps(), CODE(), CODE(commit_wait()), CODE())
// Steps (issue clocks) of back-to-back copies.
#define COPY_PROBE(NAME, CALL, UNIT)                                                              \
  MICRO("async", NAME, "LDGSTS", 20, copies(UNIT, {0x1, 0xf}),                                    \
        CODE(uint32_t t[20]; const char* g = GLOBAL), CODE(CALL; t[i] = now()),                   \
        CODE(commit_wait(); for (int k = 0; k < 20; ++k) if (lane == 0)                           \
             a.out[blockIdx.x * (blockDim.x >> 5) + warp].steps[k] = t[k]))
COPY_PROBE(cp_ca16_probe, copy_ca<16>(s, g), 16)
COPY_PROBE(cp_ca4_probe, copy_ca<4>(s, g), 4)
COPY_PROBE(cp_cg16_probe, copy_cg(s, g), 16)

// ---- Loads of shared memory beside copies: the loaders' time per load is t1 - t0 over steps.
#define BESIDE(NAME, CALL, UNIT)                                                                    \
  MICRO("async_mix", NAME, "", 1, concurrent(UNIT),                                               \
        CODE(const char* g = GLOBAL; const bool copier = a.roles >> warp & 1;                       \
             uint32_t d = base + 8192 + warp * 1024 + lane * a.count),                              \
        CODE(if (i == 0) { if (copier) {                                                            \
               _Pragma("unroll 1") for (int k = 0; k < 8; ++k) {                                    \
                 _Pragma("unroll") for (int j = 0; j < 16; ++j) { uint32_t s = d; CALL; } commit_wait(); } \
             } else { _Pragma("unroll 1") for (int k = 0; k < 16; ++k) {                            \
                 _Pragma("unroll") for (int j = 0; j < 64; ++j) load(s); } } }),                    \
        CODE(wait_for(load(s), a)))
BESIDE(lds_beside_ca16, copy_ca<16>(s, g), 16)
BESIDE(lds_beside_ca4, copy_ca<4>(s, g), 4)
BESIDE(lds_beside_cg16, copy_cg(s, g), 16)
// Beside plain global loads (which fill L1 and return through the same unit).
MICRO("async_mix", lds_beside_ldg, "", 1, concurrent(16),
      CODE(const char* g = GLOBAL; const bool copier = a.roles >> warp & 1),
      CODE(if (i == 0) { if (copier) {
             _Pragma("unroll 1") for (int k = 0; k < 16; ++k) {
               _Pragma("unroll") for (int j = 0; j < 8; ++j) { uint4 v;
                 asm volatile("ld.volatile.global.v4.u32 {%0,%1,%2,%3}, [%4];" : "=r"(v.x), "=r"(v.y), "=r"(v.z), "=r"(v.w) : "l"(g + 512 * j) : "memory");
                 x ^= v.x; } wait_for(x, a); }
           } else { _Pragma("unroll 1") for (int k = 0; k < 16; ++k) {
               _Pragma("unroll") for (int j = 0; j < 64; ++j) load(s); } } }),
      CODE(wait_for(load(s), a)))

// ---- Bulk copies by one thread: `count` copies of `size` bytes, then the wait for all of them.
#define BULK_SETUP                                                                                 \
  CODE(uint32_t m = base + (199 << 10); if (threadIdx.x == 0) mbarrier_init(m, 1);                 \
       asm volatile("fence.proxy.async;" ::: "memory"); __syncthreads(); uint32_t parity = 0;      \
       const char* g = a.global + static_cast<uint64_t>(blockIdx.x) * a.global_stride)
MICRO("bulk", bulk_load_one, "UBLKCP", 1,
      bulk_sizes({16, 32, 64, 128, 256, 512, 1024, 2048, 4096, 8192, 16384, 32768, 65536}, 1), BULK_SETUP,
      CODE(if (lane == 0) { mbarrier_expect(m, a.size); bulk_load(base, g, a.size, m); }),
      CODE(mbarrier_wait(m, parity); parity ^= 1))
MICRO("bulk", bulk_load_many, "", 1,
      join(bulk_sizes({128, 512, 1024, 2048, 4096, 8192, 16384}, 1, {2, 4, 8}),
           bulk_sizes({1024, 4096, 16384}, 0, {8})), BULK_SETUP,
      CODE(if (lane == 0) { mbarrier_expect(m, a.size * a.count);
             for (uint32_t k = 0; k < a.count; ++k) bulk_load(base + k * a.size, g + k * a.size, a.size, m); }),
      CODE(mbarrier_wait(m, parity); parity ^= 1))
MICRO("bulk", bulk_store_one, "", 1, bulk_sizes({16, 128, 1024, 4096, 16384, 65536}, 1),
      CODE(),
      CODE(if (lane == 0) asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;"
                                       ::"l"(a.global), "r"(base), "r"(a.size) : "memory")),
      CODE(if (lane == 0) asm volatile("cp.async.bulk.commit_group; cp.async.bulk.wait_group 0;" ::: "memory")))
MICRO("bulk", bulk_store_read, "", 1, bulk_sizes({16, 128, 1024, 4096, 16384, 65536}, 1),
      CODE(),
      CODE(if (lane == 0) asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;"
                                       ::"l"(a.global), "r"(base), "r"(a.size) : "memory")),
      CODE(if (lane == 0) asm volatile("cp.async.bulk.commit_group; cp.async.bulk.wait_group.read 0;" ::: "memory")))
// Loads of shared memory beside a bulk copy of 64 KiB by another warp (role).
MICRO("bulk", lds_beside_bulk, "", 1,
      [] { std::vector<Config> list; for (uint64_t roles : {0x0ull, 0x10ull}) { Config c; c.mask = 0xf | roles;
           c.roles = roles; c.size = 65536; c.shared_bytes = 200 << 10; c.reps = 4; list.push_back(c); } return list; }(),
      CODE(BULK_SETUP; const bool copier = a.roles >> warp & 1),
      CODE(if (i == 0) { if (copier) { if (lane == 0) { mbarrier_expect(m, a.size); bulk_load(base + 65536, g, a.size, m); }
             mbarrier_wait(m, parity); parity ^= 1; }
           else { _Pragma("unroll 1") for (int k = 0; k < 16; ++k) {
               _Pragma("unroll") for (int j = 0; j < 64; ++j) load(s); } } }),
      CODE(wait_for(load(s), a)))
