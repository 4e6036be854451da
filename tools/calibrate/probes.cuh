// Harness of the memory and synchronization probes: what each file of probes needs.
//
// A probe is a host function that launches its kernels and hands each measurement to emit().
// Kernels write clocks to out[kResults...]; out[0] is where wait_for() would store, and never does.
// All times are cycles of the SM clock.
#ifndef SMEMSIM_CALIBRATE_PROBES_CUH
#define SMEMSIM_CALIBRATE_PROBES_CUH

#include <cuda_runtime.h>

#include <cstdint>
#include <string>
#include <vector>

namespace probes {

constexpr int kResults = 64;
constexpr uint64_t kMiB = uint64_t{1} << 20;
constexpr uint64_t kMemoryBytes = 512 * kMiB;
constexpr uint32_t kNever = 0xfedcba98;  // a value that no load returns

// ---- Device side

__device__ __forceinline__ uint64_t sm_clock() {
  uint64_t t;
  asm volatile("mov.u64 %0, %%clock64;" : "=l"(t)::"memory");
  return t;
}
// A shorter instruction than the one for all 64 bits: each probe keeps the one its parameters were set with.
__device__ __forceinline__ uint32_t now() { return static_cast<uint32_t>(sm_clock()); }

__device__ __forceinline__ uint32_t sm_id() {
  uint32_t s;
  asm volatile("mov.u32 %0, %%smid;" : "=r"(s));
  return s;
}
// Waits until x is there: x feeds the predicate of a store that never happens.
__device__ __forceinline__ void wait_for(uint32_t x, uint32_t* out) {
  asm volatile("{ .reg .pred p; setp.eq.u32 p, %0, %2; @p st.volatile.global.u32 [%1], %0; }" ::"r"(x),
               "l"(out), "n"(kNever)
               : "memory");
}
// The same without a store, whose predicate alone takes a place in the memory queue.
__device__ __forceinline__ void wait_without_store(uint32_t x) {
  asm volatile("{ .reg .pred p; setp.eq.u32 p, %0, %1; @p trap; }" ::"r"(x), "n"(kNever) : "memory");
}
// All warps of the block: what they have stored is in L2 and all queues are empty after that pause.
__device__ __forceinline__ void settle(uint32_t cycles) {
  __syncthreads();
  asm volatile("membar.gl;" ::: "memory");
  const uint64_t pause = sm_clock();
  while (sm_clock() - pause < cycles) {
  }
  __syncthreads();
}
// Of a time by sm_clock(): the compiler would read fewer bits of it if fewer were stored.
__device__ __forceinline__ void write_long(uint32_t* out, uint32_t index, uint64_t time) {
  reinterpret_cast<uint64_t*>(out + kResults)[index] = time;
}
__device__ __forceinline__ uint32_t shared_address(const void* p) {
  return static_cast<uint32_t>(__cvta_generic_to_shared(p));
}
__device__ __forceinline__ uint32_t lane_id() { return threadIdx.x & 31; }
__device__ __forceinline__ uint32_t warp_id() { return threadIdx.x >> 5; }
// Of this warp among all of the grid.
__device__ __forceinline__ uint32_t grid_warp() { return blockIdx.x * (blockDim.x >> 5) + warp_id(); }

// The clocks that each warp has read, one warp after another.
template <int count>
__device__ __forceinline__ void write_clocks(const uint32_t (&time)[count], uint32_t* out) {
  if (lane_id() != 0) return;
#pragma unroll
  for (int i = 0; i < count; ++i) out[kResults + grid_warp() * count + i] = time[i];
}

__device__ __forceinline__ uint32_t load_l1(const char* p) {
  uint32_t x;
  asm volatile("ld.global.ca.u32 %0, [%1];" : "=r"(x) : "l"(p) : "memory");
  return x;
}
__device__ __forceinline__ uint32_t load_l2(const char* p) {
  uint32_t x;
  asm volatile("ld.global.cg.u32 %0, [%1];" : "=r"(x) : "l"(p) : "memory");
  return x;
}
__device__ __forceinline__ uint4 load16_l2(const char* p) {
  uint4 v;
  asm volatile("ld.global.cg.v4.u32 {%0,%1,%2,%3}, [%4];"
               : "=r"(v.x), "=r"(v.y), "=r"(v.z), "=r"(v.w)
               : "l"(p)
               : "memory");
  return v;
}
__device__ __forceinline__ void store(char* p, uint32_t x) {
  asm volatile("st.global.u32 [%0], %1;" ::"l"(p), "r"(x) : "memory");
}
__device__ __forceinline__ uint32_t load_shared(uint32_t s) {
  uint32_t x;
  asm volatile("ld.volatile.shared.u32 %0, [%1];" : "=r"(x) : "r"(s) : "memory");
  return x;
}
__device__ __forceinline__ void copy16_past_l1(uint32_t s, const char* p) {
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(s), "l"(p) : "memory");
}
__device__ __forceinline__ void copy16_l1(uint32_t s, const char* p) {
  asm volatile("cp.async.ca.shared.global [%0], [%1], 16;" ::"r"(s), "l"(p) : "memory");
}
__device__ __forceinline__ void copy4_l1(uint32_t s, const char* p) {
  asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(s), "l"(p) : "memory");
}

// A step that the compiler keeps: the result feeds the next one.
__device__ __forceinline__ void alu(uint32_t& x, uint32_t y) {
  asm volatile("lop3.b32 %0, %0, %1, %1, 0x6a;" : "+r"(x) : "r"(y));
}
__device__ __forceinline__ void wait_for_copies() { asm volatile("cp.async.wait_all;" ::: "memory"); }

// ---- Host side

using Values = std::vector<uint32_t>;

struct Device {
  int sms = 0;
  char* memory = nullptr;   // kMemoryBytes, zero at the start
  uint32_t* out = nullptr;  // kResults words, then the results of a kernel
};

// Ends the program when status is an error.
void check(cudaError_t status, const char* what);
// Writes the first bytes of device memory, up to kPrepared, from the host: their lines are in L2 then
// and no SM has used them.
constexpr uint64_t kPrepared = 40 * kMiB;
void prepare(const Device& device, std::size_t bytes);
// Waits for the kernels launched so far; their first `count` results.
Values fetch(const Device& device, std::size_t count);
// Entries start, start + step, ... of results.
Values pick(const Values& results, std::size_t start, std::size_t step);
inline Values fetch_long(const Device& device, std::size_t count) { return pick(fetch(device, 2 * count), 0, 2); }
// Lets a kernel use that much dynamic shared memory.
template <typename Kernel>
void allow_shared(Kernel* kernel, int bytes) {
  check(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes), "shared memory");
}
// Prints a line of CSV. The format gives the parameters: "key=value key=value".
__attribute__((format(printf, 3, 4))) void emit(const char* probe, Values values, const char* format, ...);

struct Probe {
  const char* name;
  const char* meaning;  // and the parameters that distinguish its lines
  void (*run)(const Device&);
};
std::vector<Probe>& all_probes();

struct Register {
  Register(const char* name, const char* meaning, void (*run)(const Device&)) {
    all_probes().push_back({name, meaning, run});
  }
};

}  // namespace probes

// Defines the host function of a probe, in which `device` is what it runs on.
#define PROBE(NAME, MEANING)                                                \
  static void run_##NAME(const probes::Device& device);                     \
  static const probes::Register register_##NAME(#NAME, MEANING, run_##NAME); \
  static void run_##NAME(const probes::Device& device)

#endif
