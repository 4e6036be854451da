// Global memory: latency and bandwidth of L1, L2 and DRAM; issue of loads and stores; atomics.
#include "cycles.cuh"

using namespace cycles;

namespace {

__device__ __forceinline__ const char* follow_l1(const char* p) {
  const char* n;
  asm volatile("ld.global.ca.u64 %0, [%1];" : "=l"(n) : "l"(p) : "memory");
  return n;
}
__device__ __forceinline__ const char* follow_l2(const char* p) {
  const char* n;
  asm volatile("ld.global.cg.u64 %0, [%1];" : "=l"(n) : "l"(p) : "memory");
  return n;
}
__device__ __forceinline__ uint32_t load(const char* p) {
  uint32_t x;
  asm volatile("ld.global.ca.u32 %0, [%1];" : "=r"(x) : "l"(p) : "memory");
  return x;
}
__device__ __forceinline__ uint32_t load2(const char* p) {
  uint32_t x, y;
  asm volatile("ld.global.ca.v2.u32 {%0,%1}, [%2];" : "=r"(x), "=r"(y) : "l"(p) : "memory");
  return x ^ y;
}
__device__ __forceinline__ uint32_t load4(const char* p) {
  uint32_t x, y, z, w;
  asm volatile("ld.global.ca.v4.u32 {%0,%1,%2,%3}, [%4];" : "=r"(x), "=r"(y), "=r"(z), "=r"(w) : "l"(p) : "memory");
  return x ^ y ^ z ^ w;
}
__device__ __forceinline__ uint4 load4_l2(const char* p) {
  uint4 v;
  asm volatile("ld.global.cg.v4.u32 {%0,%1,%2,%3}, [%4];" : "=r"(v.x), "=r"(v.y), "=r"(v.z), "=r"(v.w) : "l"(p) : "memory");
  return v;
}

Config chain(uint64_t stride, uint64_t footprint, const char* note, uint32_t reps = 3) {
  Config c;
  c.fill = "chain", c.global_stride = stride, c.footprint = footprint, c.note = note, c.reps = reps;
  return c;
}
// Lanes `stride` bytes apart; warps and steps read the same few lines (L1 hits after the first time).
std::vector<Config> lanes(std::vector<uint64_t> strides, std::vector<uint64_t> masks) {
  std::vector<Config> list;
  for (uint64_t stride : strides) {
    for (uint64_t mask : masks) {
      Config c;
      c.global_stride = stride, c.mask = mask, c.shared_bytes = 40960;
      list.push_back(c);
    }
  }
  return list;
}
// Streams: every warp of every block reads its own 32 KiB.
std::vector<Config> streams(const char* note, unsigned blocks, std::vector<uint64_t> masks) {
  std::vector<Config> list;
  for (uint64_t mask : masks) {
    Config c;
    const bool cold = std::string(note) == "dram";
    c.mask = mask, c.blocks = blocks, c.note = note, c.shared_bytes = 40960;
    c.reps = cold ? 1 : 3;
    c.count = cold ? ~0u : 511;  // regions of 32 KiB: 16 MiB stay in L2
    list.push_back(c);
  }
  return list;
}
const std::vector<uint64_t> kLoad{0x1, 0xf, 0xff, 0xffff, 0xffffffff};

}  // namespace

// ---- Latency: chains of pointers; all lanes of a warp read the same address.
MICRO("global", ldg_chain_l1, "LDG", 64,
      (std::vector<Config>{chain(128, 8192, "l1"), chain(32, 2048, "l1"), chain(8, 512, "l1"), chain(4096, 128 << 10, "l1")}),
      CODE(const char* p = a.global), CODE(p = follow_l1(p)), CODE(wait_for((uint32_t)(uint64_t)p, a)))
MICRO("global", ldg_chain_l2, "LDG", 64,
      (std::vector<Config>{chain(128, 8192, "l2"), chain(4096, 256 << 10, "l2"), chain(512, 4 << 20, "l2"),
                           chain(65536, 4 << 20, "l2"), chain(1 << 20, 64 << 20, "l2")}),
      CODE(const char* p = a.global), CODE(p = follow_l2(p)), CODE(wait_for((uint32_t)(uint64_t)p, a)))
MICRO("global", ldg_chain_dram, "LDG", 64,
      (std::vector<Config>{chain(65536, uint64_t{1} << 30, "dram", 1), chain(4096 + 128, uint64_t{1} << 29, "dram", 1),
                           chain(uint64_t{1} << 20, uint64_t{1} << 30, "dram", 1)}),
      CODE(const char* p = a.global), CODE(p = follow_l2(p)), CODE(wait_for((uint32_t)(uint64_t)p, a)))
// Each access of an L2 chain by itself: near and far slices.
MICRO("global", ldg_l2_steps, "LDG", 20, (std::vector<Config>{chain(4096, 256 << 10, "l2"), chain(128, 8192, "l2")}),
      CODE(const char* p = a.global; uint32_t t[20]),
      CODE(p = follow_l2(p); wait_for((uint32_t)(uint64_t)p, a); t[i] = now()),
      CODE(for (int k = 0; k < 20; ++k) if (lane == 0) a.out[warp].steps[k] = t[k]))
// Latency of a whole-warp load by width and by lines touched, in L1: loads that each wait. Strides
// are multiples of the width: others fault.
#define G (a.global + lane * a.global_stride)
#define LATENCY(NAME, OPCODE, LOAD, STRIDES)                                                             \
  MICRO("global", NAME, OPCODE, 16, lanes(STRIDES, {0x1}), CODE(const char* g = G),                      \
        CODE(x = LOAD(g); wait_for(x, a)), CODE())
LATENCY(ldg32_l1_latency, "LDG.E", load, CODE({0, 4, 8, 16, 32, 64, 128, 256}))
LATENCY(ldg64_l1_latency, "LDG.E.64", load2, CODE({0, 8, 16, 32, 64, 128, 256}))
LATENCY(ldg128_l1_latency, "LDG.E.128", load4, CODE({0, 16, 32, 64, 128, 256}))

// ---- Throughput out of L1.
#define THROUGH(NAME, OPCODE, LOAD, STRIDES)                                                    \
  MICRO("global", NAME, OPCODE, 64, lanes(STRIDES, kLoad), CODE(const char* g = G),             \
        CODE(x ^= LOAD(g + 128 * i)), CODE(wait_for(x, a)))
THROUGH(ldg32_l1, "LDG.E", load, CODE({0, 4, 8, 16, 32, 64, 128, 132}))
THROUGH(ldg64_l1, "LDG.E.64", load2, CODE({8, 16, 128}))
THROUGH(ldg128_l1, "LDG.E.128", load4, CODE({0, 16, 32, 128}))
// Issue clocks.
#define GPROBE(NAME, OPCODE, STRIDES, STEP)                                                      \
  MICRO("global", NAME, OPCODE, 20, lanes(STRIDES, {0x1, 0xf}),                                  \
        CODE(const char* g = G; uint32_t t[20]), CODE(STEP; t[i] = now()),                       \
        CODE(wait_for(x, a); for (int k = 0; k < 20; ++k) if (lane == 0)                         \
             a.out[blockIdx.x * (blockDim.x >> 5) + warp].steps[k] = t[k]))
GPROBE(ldg32_probe, "LDG", CODE({4, 128}), asm volatile("ld.volatile.global.u32 %0, [%1];" : "=r"(x) : "l"(g) : "memory"))
GPROBE(ldg128_probe, "LDG", CODE({16, 128}),
       uint4 v; asm volatile("ld.volatile.global.v4.u32 {%0,%1,%2,%3}, [%4];" : "=r"(v.x), "=r"(v.y), "=r"(v.z), "=r"(v.w) : "l"(g) : "memory"))
GPROBE(stg32_probe, "STG", CODE({4, 128}), asm volatile("st.volatile.global.u32 [%0], %1;" ::"l"(g), "r"(lane) : "memory"))

// ---- Stores and atomics.
MICRO("global", stg32, "STG", 64, lanes({4, 128}, kLoad), CODE(char* g = (char*)G + warp * 8192),
      CODE(asm volatile("st.volatile.global.u32 [%0], %1;" ::"l"(g + 128 * (i % 16)), "r"(lane) : "memory")), CODE(wait_for(x, a)))
MICRO("global", stg128, "STG", 64, lanes({16}, kLoad), CODE(char* g = (char*)G + warp * 8192),
      CODE(asm volatile("st.volatile.global.v4.u32 [%0], {%1,%1,%1,%1};" ::"l"(g + 512 * (i % 16)), "r"(lane) : "memory")), CODE(wait_for(x, a)))
MICRO("global", red_global, "(RED|ATOMG)", 32, lanes({0, 4}, {0x1, 0xf, 0xffff}), CODE(char* g = (char*)G),
      CODE(asm volatile("red.global.add.u32 [%0], %1;" ::"l"(g), "r"(lane) : "memory")), CODE(wait_for(x, a)))
MICRO("global", atom_global_chain, "ATOMG", 16, lanes({0, 4}, {0x1}), CODE(char* g = (char*)G),
      CODE(asm volatile("atom.global.add.u32 %0, [%1], %2;" : "=r"(x) : "l"(g), "r"(lane) : "memory"); wait_for(x, a)), CODE())

// ---- Bandwidth of L2 and DRAM: 64 loads of 512 bytes a warp, all different lines.
#define STREAM(NAME, NOTE)                                                                               \
  MICRO("stream", NAME, "LDG.E.128", 64,                                                                 \
        join(streams(NOTE, 1, kLoad), join(streams(NOTE, 0, kLoad), streams(NOTE, 33, {0xffff}))),       \
        CODE(const char* g = a.global + lane * 16 +                                                      \
             static_cast<uint64_t>((blockIdx.x * 32 + warp) & a.count) * (64 * 512)),                              \
        CODE(uint4 v = load4_l2(g + i * 512); x ^= v.x ^ v.y ^ v.z ^ v.w), CODE(wait_for(x, a)))
STREAM(stream_l2, "l2")
STREAM(stream_dram, "dram")

// ---- Stores: what an SM sends out and what L2 takes. Whole sectors, and one word of 32 sectors each.
#define STORE_REGION (a.global + static_cast<uint64_t>((blockIdx.x * 32 + warp) & a.count) * (64 * 512))
MICRO("stream", stream_store, "STG.E.128", 64,
      join(streams("l2", 1, kLoad), join(streams("l2", 0, kLoad), streams("l2", 33, {0xffff}))),
      CODE(char* g = STORE_REGION + lane * 16),
      CODE(asm volatile("st.volatile.global.v4.u32 [%0], {%1,%1,%1,%1};" ::"l"(g + i * 512), "r"(lane) : "memory")),
      CODE(wait_for(x, a)))
MICRO("stream", stream_store_scattered, "STG.E", 64,
      join(streams("l2", 1, kLoad), streams("l2", 0, kLoad)),
      CODE(char* g = STORE_REGION + lane * 1024),
      CODE(asm volatile("st.volatile.global.u32 [%0], %1;" ::"l"(g + i * 4), "r"(lane) : "memory")),
      CODE(wait_for(x, a)))
// First use of lines that another kernel or a copy left in L2: 64 lines, 128 bytes apart, each once.
MICRO("global", ldg_first_use, "LDG", 64, (std::vector<Config>{chain(128, 8192, "l2", 1), chain(4096, 256 << 10, "l2", 1)}),
      CODE(const char* p = a.global), CODE(p = follow_l2(p)), CODE(wait_for((uint32_t)(uint64_t)p, a)))
