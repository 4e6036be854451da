// Shared-memory instructions: latency (dependent chains), issue and throughput, queue depth.
#include "cycles.cuh"

using namespace cycles;

namespace {

// Every word of shared memory holds its own address, so a load's result is the next address.
__device__ __forceinline__ uint32_t load(uint32_t s) {
  uint32_t x;
  asm volatile("ld.volatile.shared.u32 %0, [%1];" : "=r"(x) : "r"(s) : "memory");
  return x;
}
__device__ __forceinline__ uint32_t load2(uint32_t s) {
  uint32_t x, y;
  asm volatile("ld.volatile.shared.v2.u32 {%0, %1}, [%2];" : "=r"(x), "=r"(y) : "r"(s) : "memory");
  return x;
}
__device__ __forceinline__ uint32_t load4(uint32_t s) {
  uint32_t x, y, z, w;
  asm volatile("ld.volatile.shared.v4.u32 {%0, %1, %2, %3}, [%4];"
               : "=r"(x), "=r"(y), "=r"(z), "=r"(w) : "r"(s) : "memory");
  return x;
}
__device__ __forceinline__ uint32_t load_byte(uint32_t s) {
  uint32_t x;
  asm volatile("ld.volatile.shared.u8 %0, [%1];" : "=r"(x) : "r"(s) : "memory");
  return x;
}
__device__ __forceinline__ void store(uint32_t s, uint32_t x) {
  asm volatile("st.volatile.shared.u32 [%0], %1;" ::"r"(s), "r"(x) : "memory");
}
__device__ __forceinline__ void store2(uint32_t s, uint32_t x) {
  asm volatile("st.volatile.shared.v2.u32 [%0], {%1, %1};" ::"r"(s), "r"(x) : "memory");
}
__device__ __forceinline__ void store4(uint32_t s, uint32_t x) {
  asm volatile("st.volatile.shared.v4.u32 [%0], {%1, %1, %1, %1};" ::"r"(s), "r"(x) : "memory");
}
__device__ __forceinline__ uint32_t atomic_add(uint32_t s, uint32_t v) {
  uint32_t x;
  asm volatile("atom.shared.add.u32 %0, [%1], %2;" : "=r"(x) : "r"(s), "r"(v) : "memory");
  return x;
}
__device__ __forceinline__ uint32_t atomic_exch(uint32_t s, uint32_t v) {
  uint32_t x;
  asm volatile("atom.shared.exch.b32 %0, [%1], %2;" : "=r"(x) : "r"(s), "r"(v) : "memory");
  return x;
}
__device__ __forceinline__ uint32_t atomic_cas(uint32_t s, uint32_t c, uint32_t v) {
  uint32_t x;
  asm volatile("atom.shared.cas.b32 %0, [%1], %2, %3;"
               : "=r"(x) : "r"(s), "r"(c), "r"(v) : "memory");
  return x;
}
__device__ __forceinline__ uint32_t matrix1(uint32_t s) {
  uint32_t x;
  asm volatile("ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%0}, [%1];"
               : "=r"(x) : "r"(s) : "memory");
  return x;
}
__device__ __forceinline__ uint32_t matrix2(uint32_t s, uint32_t& y) {
  uint32_t x;
  asm volatile("ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%0, %1}, [%2];"
               : "=r"(x), "=r"(y) : "r"(s) : "memory");
  return x;
}
__device__ __forceinline__ uint32_t matrix4(uint32_t s, uint32_t& y) {
  uint32_t x, z, w;
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
               : "=r"(x), "=r"(y), "=r"(z), "=r"(w) : "r"(s) : "memory");
  y = y ^ z ^ w;
  return x;
}

const std::vector<uint64_t> kSome{0x1, 0xf, 0x1111, 0xffff};
const Config kBy16 = [] { Config c; c.lane_stride = 16; return c; }();
const Config kBy8 = [] { Config c; c.lane_stride = 8; return c; }();

}  // namespace

// ---- Latency. Chains under load: each warp runs its own.
MICRO("shared", lds32_chain, "LDS ", 64, join(ways_sweep({1}), join(ways_sweep(kSome), warp_sweep())),
      CODE(), CODE(s = load(s)), CODE(wait_for(s, a)))
MICRO("shared", lds64_chain, "LDS\\.64 ", 64, join(ways_sweep({1}, 8), warp_sweep(kBy8)),
      CODE(), CODE(s = load2(s)), CODE(wait_for(s, a)))
MICRO("shared", lds128_chain, "LDS\\.128 ", 64, join(ways_sweep({1}, 16), warp_sweep(kBy16)),
      CODE(), CODE(s = load4(s)), CODE(wait_for(s, a)))
MICRO("shared", lds8_chain, "LDS\\.U8 ", 64, few_warps(), CODE(), CODE(s = load_byte(s)),
      CODE(wait_for(s, a)))
MICRO("shared", atoms_chain, "ATOMS\\.", 64, join(ways_sweep({1}), warp_sweep()), CODE(),
      CODE(s = atomic_add(s, 0u * i + a.count)), CODE(wait_for(s, a)))
MICRO("shared", atoms_exch_chain, "ATOMS\\.", 64, few_warps(), CODE(uint32_t keep = s),
      CODE(s = atomic_exch(s, keep)), CODE(wait_for(s, a)))
MICRO("shared", atoms_cas_chain, "ATOMS\\.", 64, join(ways_sweep({1}), few_warps()),
      CODE(uint32_t keep = s), CODE(s = atomic_cas(s, keep, keep)), CODE(wait_for(s, a)))
// The matrix rows hold addresses; a lane's result is some lane's address, good enough to go on with
// as all are valid rows. One dependent ALU instruction aligns it.
MICRO("shared", ldsm1_chain, "LDSM\\.16\\.M88 ", 32, few_warps(kBy16), CODE(),
      CODE(s = matrix1(s) & 0x3ff0), CODE(wait_for(s, a)))
MICRO("shared", ldsm2_chain, "LDSM\\.16\\.M88\\.2 ", 32, few_warps(kBy16), CODE(uint32_t y = 0),
      CODE(s = matrix2(s, y) & 0x3ff0), CODE(wait_for(s + y, a)))
MICRO("shared", ldsm4_chain, "LDSM\\.16\\.M88\\.4 ", 32, few_warps(kBy16), CODE(uint32_t y = 0),
      CODE(s = matrix4(s, y) & 0x3ff0), CODE(wait_for(s + y, a)))
// Store, then load of the same word by the same warp.
MICRO("shared", sts_lds_chain, "STS ", 32, join(ways_sweep({1}), few_warps()), CODE(),
      CODE(store(s, s); s = load(s)), CODE(wait_for(s, a)))
MICRO("shared", sts128_lds_chain, "STS\\.128 ", 32, few_warps(kBy16), CODE(),
      CODE(store4(s, s); s = load(s)), CODE(wait_for(s, a)))
// Load, then store of the loaded value: register dependence into a store.
MICRO("shared", lds_sts_chain, "LDS ", 32, few_warps(), CODE(), CODE(s = load(s); store(s, s)),
      CODE(wait_for(s, a)))

// ---- Independent instructions.
MICRO("shared", lds32, "LDS ", 96, join(ways_sweep({1, 0x11, 0x1111, 0xf, 0xffff, 0x3, 0x3333}), warp_sweep()),
      CODE(), CODE(load(s)), CODE(wait_for(load(s), a)))
MICRO("shared", lds64, "LDS\\.64 ", 96, join(ways_sweep({1, 0x1111, 0xffff}, 8), warp_sweep(kBy8)),
      CODE(), CODE(load2(s)), CODE(wait_for(load(s), a)))
MICRO("shared", lds128, "LDS\\.128 ", 96, join(ways_sweep({1, 0x1111, 0xffff}, 16), warp_sweep(kBy16)),
      CODE(), CODE(load4(s)), CODE(wait_for(load(s), a)))
MICRO("shared", lds32_uniform, "LDS ", 96, warp_sweep(), CODE(uint32_t u = base + a.count), CODE(load(u)),
      CODE(wait_for(load(s), a)))
MICRO("shared", lds32_uniform_offsets, "LDS ", 96, few_warps(), CODE(uint32_t u = base + a.count),
      CODE(load(u + 4 * i)), CODE(wait_for(load(s), a)))
MICRO("shared", sts32, "STS ", 96, join(ways_sweep({1, 0x11, 0x1111, 0xf, 0xffff}), warp_sweep()),
      CODE(), CODE(store(s, x)), CODE(wait_for(load(s), a)))
MICRO("shared", sts64, "STS\\.64 ", 96, warp_sweep(kBy8), CODE(), CODE(store2(s, x)),
      CODE(wait_for(load(s), a)))
MICRO("shared", sts128, "STS\\.128 ", 96, join(ways_sweep({1, 0x1111, 0xffff}, 16), warp_sweep(kBy16)),
      CODE(), CODE(store4(s, x)), CODE(wait_for(load(s), a)))
MICRO("shared", atoms, "ATOMS\\.", 96, join(ways_sweep({1, 0x1111, 0xf, 0xffff}), warp_sweep()), CODE(),
      CODE(x ^= atomic_exch(s, lane)), CODE(wait_for(x, a)))
MICRO("shared", atoms_red, "ATOMS\\.", 96, few_warps(), CODE(),
      CODE(asm volatile("red.shared.add.u32 [%0], %1;" ::"r"(s), "r"(lane) : "memory")),
      CODE(wait_for(load(s), a)))
MICRO("shared", atoms_cas, "ATOMS\\.", 96, few_warps(), CODE(),
      CODE(x ^= atomic_cas(s, lane, lane)), CODE(wait_for(x, a)))
MICRO("shared", ldsm1, "LDSM\\.16\\.M88 ", 72, warp_sweep(kBy16), CODE(), CODE(x ^= matrix1(s + 512 * i)),
      CODE(wait_for(x, a)))
MICRO("shared", ldsm2, "LDSM\\.16\\.M88\\.2 ", 64, few_warps(kBy16), CODE(uint32_t y = 0),
      CODE(x ^= matrix2(s + 512 * i, y); x ^= y), CODE(wait_for(x, a)))
MICRO("shared", ldsm4, "LDSM\\.16\\.M88\\.4 ", 48, warp_sweep(kBy16), CODE(uint32_t y = 0),
      CODE(x ^= matrix4(s + 512 * i, y); x ^= y), CODE(wait_for(x, a)))
MICRO("shared", stsm1, "STSM\\.16\\.M88 ", 96, few_warps(kBy16), CODE(),
      CODE(asm volatile("stmatrix.sync.aligned.m8n8.x1.shared.b16 [%0], {%1};" ::"r"(s), "r"(x)
                        : "memory")), CODE(wait_for(load(s), a)))
MICRO("shared", stsm4, "STSM\\.16\\.M88\\.4 ", 96, warp_sweep(kBy16), CODE(),
      CODE(asm volatile("stmatrix.sync.aligned.m8n8.x4.shared.b16 [%0], {%1, %1, %1, %1};" ::"r"(s),
                        "r"(x) : "memory")), CODE(wait_for(load(s), a)))
MICRO("shared", lds_sts_mix, "(LDS|STS) ", 96, warp_sweep(), CODE(),
      CODE(if (i & 1) store(s, x); else load(s)), CODE(wait_for(load(s), a)))
MICRO("shared", lds128_lds32_mix, "LDS", 96, warp_sweep(kBy16), CODE(),
      CODE(if (i & 1) load4(s); else load(s)), CODE(wait_for(load(s), a)))

// ---- Issue times of back-to-back instructions: a clock after each one.
#define PROBE(NAME, OPCODE, CONFIGS, STEP)                                                       \
  MICRO("probe", NAME, OPCODE, 20, CONFIGS, CODE(uint32_t t[20]),                                \
        CODE(STEP; t[i] = now()),                                                                \
        CODE(wait_for(load(s), a); for (int k = 0; k < 20; ++k) if (lane == 0)                   \
             a.out[blockIdx.x * (blockDim.x >> 5) + warp].steps[k] = t[k]))
PROBE(lds32_probe, "LDS ", warp_sweep(), load(s))
PROBE(lds64_probe, "LDS\\.64 ", warp_sweep(kBy8), load2(s))
PROBE(lds128_probe, "LDS\\.128 ", warp_sweep(kBy16), load4(s))
PROBE(lds32_conflict8_probe, "LDS ", ways_sweep({1, 0xf}), load(s))
PROBE(sts32_probe, "STS ", warp_sweep(), store(s, x))
PROBE(sts128_probe, "STS\\.128 ", warp_sweep(kBy16), store4(s, x))
PROBE(empty_probe, "", few_warps(), (void)0)
MICRO("probe", empty, "", 1, few_warps(), CODE(), CODE(), CODE(wait_for(s, a)))
