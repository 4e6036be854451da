// Harness of the cycle microbenchmarks: one kernel per test, timed per warp with the SM clock.
//
// A kernel is declared with MICRO(name, opcode, steps, setup, step, end). It runs
//     setup; for each repetition { barrier; t0 = clock; steps x step; t1 = clock; end; t2 = clock }
// in the warps of `Args::mask`; the block's other warps leave at once. measure-cycles checks in the
// disassembly that `opcode` (a regular expression) occurs exactly `steps` times between t0 and t1.
#ifndef SMEMSIM_CALIBRATE_CYCLES_CUH
#define SMEMSIM_CALIBRATE_CYCLES_CUH

#include <cuda_runtime.h>

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace cycles {

// Clocks of one warp; lower 32 bits of the SM's cycle counter.
struct Sample {
  uint32_t enter;     // first instruction of the kernel
  uint32_t first;     // t0 of the first repetition
  uint32_t t0, t1, t2;  // of the last repetition
  uint32_t leave;     // after the last repetition
  uint32_t sm, slot;  // %smid and %warpid
  uint32_t steps[24];  // clocks that a probe took; unused entries are 0
};

struct Args {
  Sample* out;           // one per warp of the grid
  uint64_t mask;         // warps of each block that run the test
  uint64_t roles;        // tests with two roles: warps of the second one
  uint32_t threads;      // 32 * number of warps in mask
  uint32_t reps;
  uint32_t lane_stride;  // bytes between lanes in shared memory
  uint32_t warp_stride;  // bytes between warps
  uint32_t never;        // a value that no result has
  uint32_t count;        // test-specific
  char* global;          // device memory
  uint64_t global_stride;  // test-specific, bytes
  uint32_t size;         // test-specific, bytes
  uint32_t keep;         // lanes below this one take part where a test says so
};

__device__ __forceinline__ uint32_t now() {
  uint64_t t;
  asm volatile("mov.u64 %0, %%clock64;" : "=l"(t)::"memory");
  return static_cast<uint32_t>(t);
}

// Waits until x is there: x feeds a predicate of a store that never happens.
__device__ __forceinline__ void wait_for(uint32_t x, const Args& a) {
  asm volatile(
      "{ .reg .pred p; setp.eq.u32 p, %0, %1; @p st.volatile.global.u32 [%2], %0; }" ::"r"(x),
      "r"(a.never), "l"(a.out)
      : "memory");
}

__device__ __forceinline__ void meet(uint32_t threads) {
  asm volatile("bar.sync 1, %0;" ::"r"(threads) : "memory");
}

__device__ __forceinline__ uint32_t warp_of_block() { return threadIdx.x >> 5; }

__device__ __forceinline__ void write_sample(const Args& a, const Sample& s) {
  if ((threadIdx.x & 31) != 0) return;
  Sample* out = a.out + blockIdx.x * (blockDim.x >> 5) + warp_of_block();
  uint32_t sm, slot;
  asm volatile("mov.u32 %0, %%smid;" : "=r"(sm));
  asm volatile("mov.u32 %0, %%warpid;" : "=r"(slot));
  out->enter = s.enter, out->first = s.first, out->leave = s.leave;
  out->t0 = s.t0, out->t1 = s.t1, out->t2 = s.t2;
  out->sm = sm, out->slot = slot;
}

// ---- Host side

// One launch of a kernel: which warps, how many blocks, and what the numbers mean.
struct Config {
  uint64_t mask = 1;
  uint64_t roles = 0;
  unsigned block_warps = 0;   // 0 = up to the highest warp of the mask
  unsigned blocks = 1;        // 0 = one per SM
  unsigned per_sm = 1;        // with blocks = 0: that many per SM
  uint32_t lane_stride = 4, warp_stride = 0, shared_bytes = 48 << 10;
  uint32_t reps = 3, count = 0, size = 0, keep = 32;
  uint64_t global_stride = 0, footprint = 1 << 20;
  std::string fill = "none";  // what device memory holds first: none, chain (next pointers)
  std::string note;           // distinguishes configurations in the result
};

struct Test {
  std::string group, name, opcode;
  int steps;
  void (*kernel)(Args);
  std::vector<Config> configs;
};

std::vector<Test>& all_tests();

struct Register {
  Register(const char* group, const char* name, const char* opcode, int steps,
           void (*kernel)(Args), std::vector<Config> configs) {
    all_tests().push_back({group, name, opcode, steps, kernel, std::move(configs)});
  }
};

// Lone warp, pairs within and across sub-cores, one sub-core filling up, and all four filling up.
inline std::vector<Config> warp_sweep(Config base = {}) {
  std::vector<Config> list;
  for (uint64_t mask : {0x1ull, 0x3ull, 0x7ull, 0xfull, 0x11ull, 0x1111ull, 0x11111111ull, 0x33ull,
                        0xffull, 0xffffull, 0xffffffffull}) {
    base.mask = mask;
    list.push_back(base);
  }
  return list;
}
inline std::vector<Config> few_warps(Config base = {}) {
  std::vector<Config> list;
  for (uint64_t mask : {0x1ull, 0x11ull, 0x1111ull, 0xfull, 0xffffull}) {
    base.mask = mask;
    list.push_back(base);
  }
  return list;
}
// Conflict degrees 1..32 for 4-byte accesses, each with the given warp masks.
inline std::vector<Config> ways_sweep(std::vector<uint64_t> masks, uint32_t unit = 4) {
  std::vector<Config> list;
  for (uint32_t ways : {1, 2, 4, 8, 16, 32}) {
    for (uint64_t mask : masks) {
      Config c;
      c.lane_stride = unit * ways;
      c.mask = mask;
      list.push_back(c);
    }
  }
  return list;
}
inline std::vector<Config> join(std::vector<Config> a, const std::vector<Config>& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

}  // namespace cycles

// Names available to the code of a test: a (Args), lane, warp, s (the lane's shared address),
// base (of the block's dynamic shared memory), x (a register that `end` usually waits for), i (step).
#define MICRO_BODY(NAME, STEPS, SETUP, STEP, END)                                             \
  extern "C" __global__ void __launch_bounds__(1024, 1) NAME(cycles::Args a) {                \
    extern __shared__ __align__(1024) char shared_memory[];                                   \
    cycles::Sample sample{};                                                                  \
    sample.enter = cycles::now();                                                             \
    const uint32_t lane = threadIdx.x & 31, warp = cycles::warp_of_block();                   \
    const uint32_t base = static_cast<uint32_t>(__cvta_generic_to_shared(shared_memory));     \
    uint32_t s = base + lane * a.lane_stride + warp * a.warp_stride;                          \
    uint32_t x = threadIdx.x;                                                                 \
    (void)lane, (void)base, (void)s;                                                          \
    for (uint32_t o = threadIdx.x * 4; o < 40960; o += blockDim.x * 4)                        \
      *reinterpret_cast<volatile uint32_t*>(shared_memory + o) = base + o;                    \
    __syncthreads();                                                                          \
    SETUP;                                                                                    \
    if ((a.mask >> warp & 1) == 0) return;                                                    \
    _Pragma("unroll 1") for (uint32_t rep = 0; rep < a.reps; ++rep) {                         \
      cycles::meet(a.threads);                                                                \
      sample.t0 = cycles::now();                                                              \
      if (rep == 0) sample.first = sample.t0;                                                 \
      _Pragma("unroll") for (int i = 0; i < STEPS; ++i) {                                     \
        STEP;                                                                                 \
      }                                                                                       \
      sample.t1 = cycles::now();                                                              \
      END;                                                                                    \
      sample.t2 = cycles::now();                                                              \
    }                                                                                         \
    sample.leave = cycles::now();                                                             \
    cycles::wait_for(x, a);                                                                   \
    cycles::write_sample(a, sample);                                                          \
  }

#define MICRO(GROUP, NAME, OPCODE, STEPS, CONFIGS, SETUP, STEP, END)    \
  MICRO_BODY(NAME, STEPS, CODE(SETUP), CODE(STEP), CODE(END))           \
  static const cycles::Register register_##NAME(GROUP, #NAME, OPCODE, STEPS, NAME, CONFIGS);

#define CODE(...) __VA_ARGS__

#endif
