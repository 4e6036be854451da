// Probes of what a warp does behind a barrier, and of which warp issues next.
#include "probes.cuh"

#include <algorithm>
#include <cstdio>

using namespace probes;

namespace {

__device__ __forceinline__ void fma(float& x, float y, float z) {
  asm volatile("fma.rn.f32 %0, %0, %1, %2;" : "+f"(x) : "f"(y), "f"(z));
}

// ---- Clocks before a barrier, behind it, and then after each step; one warp comes late.
enum Then { kAlu, kAluFour, kFfma, kImad, kHfma2, kDfma, kMma, kVote, kLds, kLdsUse, kSts, kLdg, kStg, kShfl, kEx2, kPopc,
            kRedux, kS2r, kBar, kBra, kCopy, kThens };
const char* const kThenNames[] = {"alu", "alu4", "ffma", "imad", "hfma2", "dfma", "mma", "vote", "lds", "lds_use", "sts",
                                  "ldg", "stg", "shfl", "ex2", "popc", "redux", "s2r", "bar", "bra", "copy"};
constexpr int kStamps = 12;

// One instruction; s: a shared address of the thread, p: a global one, odd: 0, but not for the compiler.
template <int then>
__device__ __forceinline__ uint32_t instruction(uint32_t x, uint32_t s, char* p, uint32_t odd, uint32_t* out) {
  uint32_t y = 0;
  if constexpr (then == kAluFour) alu(y, odd), alu(y, odd), alu(y, odd), alu(y, odd);
  if constexpr (then == kFfma) asm volatile("fma.rn.f32 %0, %1, %1, %1;" : "=r"(y) : "r"(x));
  if constexpr (then == kImad) asm volatile("mad.lo.u32 %0, %1, %1, %1;" : "=r"(y) : "r"(x));
  if constexpr (then == kHfma2) asm volatile("fma.rn.f16x2 %0, %1, %1, %1;" : "=r"(y) : "r"(x));
  if constexpr (then == kDfma) {
    double d = __hiloint2double(x, x);
    asm volatile("fma.rn.f64 %0, %0, %0, %0;" : "+d"(d));
    y = __double2loint(d);
  }
  if constexpr (then == kMma) {
    float c[4] = {};
    asm volatile("mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%4}, {%4}, {%0,%1,%2,%3};"
                 : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
                 : "r"(x));
    y = __float_as_uint(c[0]);
  }
  if constexpr (then == kVote) {
    asm volatile("{ .reg .pred p; setp.eq.u32 p, %1, 5; vote.sync.ballot.b32 %0, p, 0xffffffff; }" : "=r"(y) : "r"(x));
  }
  if constexpr (then == kLds || then == kLdsUse) y = load_shared(s);
  if constexpr (then == kLdsUse) wait_for(y, out);
  if constexpr (then == kSts) asm volatile("st.volatile.shared.u32 [%0], %1;" ::"r"(s), "r"(x) : "memory");
  if constexpr (then == kLdg) y = load_l2(p);
  if constexpr (then == kStg) store(p, x);
  if constexpr (then == kShfl) asm volatile("shfl.sync.bfly.b32 %0, %1, 1, 31, 0xffffffff;" : "=r"(y) : "r"(x));
  if constexpr (then == kEx2) asm volatile("ex2.approx.ftz.f32 %0, %1;" : "=r"(y) : "r"(x));
  if constexpr (then == kPopc) asm volatile("popc.b32 %0, %1;" : "=r"(y) : "r"(x));
  if constexpr (then == kRedux) asm volatile("redux.sync.add.u32 %0, %1, 0xffffffff;" : "=r"(y) : "r"(x));
  if constexpr (then == kS2r) asm volatile("mov.u32 %0, %%smid;" : "=r"(y));
  if constexpr (then == kBar) __syncthreads();
  if constexpr (then == kBra) {
    if (odd == 5) {
#pragma unroll 1
      for (uint32_t k = 0; k < odd; ++k) store(p + k, x);
    }
  }
  if constexpr (then == kCopy) copy16_past_l1(s, p);
  return y;
}

template <int then>
__global__ void barrier_run_ahead(char* memory, uint32_t* out, int late) {
  __shared__ __align__(16) uint32_t words[2048];
  words[threadIdx.x] = threadIdx.x;
  const uint32_t s = shared_address(words) + threadIdx.x * 16;
  uint32_t time[kStamps], x = threadIdx.x, y = 0;
  // Not a parameter, which would be loaded again behind the barrier.
  const uint32_t odd = load_l2(memory + kMemoryBytes - 64);
#pragma unroll 1
  for (int rep = 0; rep < 3; ++rep) {
    __syncthreads();
    if (warp_id() == 0) {
      for (const uint32_t begin = now(); now() - begin < late;) {
      }
    }
    time[0] = now();
    __syncthreads();
    y = instruction<then>(x, s, memory + threadIdx.x * 16, odd, out);
    time[1] = now();
#pragma unroll
    for (int i = 2; i < kStamps; ++i) {
      alu(x, odd);
      time[i] = now();
    }
    wait_for(x ^ y, out);
    if constexpr (then == kCopy) wait_for_copies();
  }
  write_clocks(time, out);
}

// One line for each warp and clock, from the first clock of all.
void emit_clocks(const char* probe, const Values& all, int stamps, uint64_t mask, const char* parameters) {
  uint32_t first = ~0u;
  for (std::size_t k = 0; k < all.size(); k += stamps) {
    if (mask >> (k / stamps) & 1) first = std::min(first, all[k]);
  }
  for (std::size_t k = 0; k < all.size(); ++k) {
    if (!(mask >> (k / stamps) & 1)) continue;
    emit(probe, {all[k] - first}, "%s warp=%d clock=%d", parameters, int(k / stamps), int(k % stamps));
  }
}

template <int then>
void run_ahead(const Device& device) {
  if constexpr (then < kThens) {
    constexpr int kWarps = 8, kLate = 600;
    barrier_run_ahead<then><<<1, kWarps * 32>>>(device.memory, device.out, kLate);
    char parameters[80];
    std::snprintf(parameters, sizeof parameters, "then=%s late=%d", kThenNames[then], kLate);
    emit_clocks("barrier_run_ahead", fetch(device, kWarps * kStamps), kStamps, ~uint64_t{0}, parameters);
    run_ahead<then + 1>(device);
  }
}

// ---- Warps that do the same, with a clock after each eight steps.
enum Body { kIndependent, kChain, kMultiply, kBoth, kLoadAndAlu, kLoadChain, kInteger, kSpecial, kBodies };
const char* const kBodyNames[] = {"alu", "alu_chain", "ffma", "ffma_alu", "lds_alu", "lds_chain", "imad", "ex2_ffma"};
constexpr int kTurns = 10;

template <int body>
__global__ void issue_order(uint32_t* out, uint64_t mask, uint32_t threads, uint32_t odd, float g) {
  __shared__ uint32_t words[1024];
  words[threadIdx.x % 1024] = shared_address(words) + threadIdx.x * 4;
  uint32_t s = shared_address(words) + threadIdx.x * 4;
  uint32_t time[kTurns + 1], x[4] = {threadIdx.x, 1, 2, 3};
  float f[4] = {g, g + 1, g + 2, g + 3};
  __syncthreads();
  if (!(mask >> warp_id() & 1)) return;
#pragma unroll 1
  for (int rep = 0; rep < 3; ++rep) {
    asm volatile("bar.sync 1, %0;" ::"r"(threads) : "memory");
    time[0] = now();
#pragma unroll
    for (int turn = 0; turn < kTurns; ++turn) {
      uint32_t y = 0;
      if constexpr (body == kLoadAndAlu || body == kLoadChain) y = load_shared(s);
      if constexpr (body == kLoadChain) s = y;
#pragma unroll
      for (int i = 0; i < 8; ++i) {
        if constexpr (body == kIndependent || body == kLoadAndAlu) alu(x[i % 4], odd);
        if constexpr (body == kChain || body == kLoadChain) alu(x[0], odd);
        if constexpr (body == kMultiply) fma(f[i % 4], g, g);
        if constexpr (body == kBoth) i % 2 ? fma(f[i % 4], g, g) : alu(x[i % 4], odd);
        if constexpr (body == kInteger) asm volatile("mad.lo.u32 %0, %0, %1, %1;" : "+r"(x[i % 4]) : "r"(odd));
        if constexpr (body == kSpecial) {
          if (i == 0) asm volatile("ex2.approx.ftz.f32 %0, %0;" : "+f"(f[0]));
          else fma(f[1 + i % 3], g, g);
        }
      }
      if constexpr (body == kLoadAndAlu) wait_for(y, out);
      time[turn + 1] = now();
    }
    wait_for(x[0] ^ x[1] ^ x[2] ^ x[3] ^ __float_as_uint(f[0] + f[1] + f[2] + f[3]), out);
  }
  write_clocks(time, out);
}

template <int body>
void order(const Device& device) {
  if constexpr (body < kBodies) {
    for (const uint64_t mask : {0x1ull, 0x11ull, 0x1111ull, 0x11111111ull, 0xffffull}) {
      const int warps = mask == 0x11111111 ? 32 : 16, active = __builtin_popcountll(mask);
      issue_order<body><<<1, warps * 32>>>(device.out, mask, active * 32, 12345, 1.5f);
      char parameters[80];
      std::snprintf(parameters, sizeof parameters, "body=%s mask=%llx", kBodyNames[body], (unsigned long long)mask);
      emit_clocks("issue_order", fetch(device, warps * (kTurns + 1)), kTurns + 1, mask, parameters);
    }
    order<body + 1>(device);
  }
}

// ---- Loops of FFMA with many warps: what the front end sustains.
template <int length>
__global__ void loop_rates(uint32_t* out, float g) {
  constexpr int turns = 32;
  float f[8] = {g, g + 1, g + 2, g + 3, g + 4, g + 5, g + 6, g + 7};
  uint32_t time = 0;
#pragma unroll 1
  for (int rep = 0; rep < 3; ++rep) {
    __syncthreads();
    const uint32_t start = now();
#pragma unroll 1
    for (int turn = 0; turn < turns; ++turn) {
#pragma unroll
      for (int i = 0; i < length; ++i) fma(f[i % 8], g, g);
    }
    __syncthreads();
    time = now() - start;
  }
  float sum = 0;
  for (int i = 0; i < 8; ++i) sum += f[i];
  wait_for(__float_as_uint(sum), out);
  if (lane_id() == 0) out[kResults + grid_warp()] = time;
}
template <int length>
void loops(const Device& device) {
  for (const int warps : {1, 4, 8, 16, 32}) {
    for (const int blocks : {1, 2 * device.sms}) {
      if (blocks > 1 && warps < 16) continue;
      loop_rates<length><<<blocks, warps * 32>>>(device.out, 1.5f);
      emit("loop_rates", fetch(device, warps * blocks), "length=%d warps=%d blocks=%d", length, warps, blocks);
    }
  }
}

// ---- Outer products of registers, as in the inner loop of a matrix product; a clock after each.
template <int rows, int columns>
__global__ void outer_products(uint32_t* out, uint64_t mask, uint32_t threads) {
  __shared__ float4 words[256];
  reinterpret_cast<float*>(words)[threadIdx.x] = 1.f;
  reinterpret_cast<float*>(words)[threadIdx.x + 512] = 1.f;
  float sum[rows][columns] = {};
  uint32_t time[kTurns + 1];
  __syncthreads();
  if (!(mask >> warp_id() & 1)) return;
#pragma unroll 1
  for (int rep = 0; rep < 3; ++rep) {
    asm volatile("bar.sync 1, %0;" ::"r"(threads) : "memory");
    time[0] = now();
#pragma unroll
    for (int turn = 0; turn < kTurns; ++turn) {
      float4 a[rows / 4], b[columns / 4];
#pragma unroll
      for (int i = 0; i < rows / 4; ++i) a[i] = words[turn * 4 + i];
#pragma unroll
      for (int i = 0; i < columns / 4; ++i) b[i] = words[turn * 4 + i + 64 + lane_id() % 4];
#pragma unroll
      for (int i = 0; i < rows; ++i) {
#pragma unroll
        for (int j = 0; j < columns; ++j) {
          sum[i][j] += (&a[i / 4].x)[i % 4] * (&b[j / 4].x)[j % 4];
        }
      }
      time[turn + 1] = now();
    }
  }
  float all = 0;
  for (int i = 0; i < rows; ++i) for (int j = 0; j < columns; ++j) all += sum[i][j];
  wait_for(__float_as_uint(all), out);
  write_clocks(time, out);
}

template <int rows, int columns>
void outer(const Device& device) {
  for (const uint64_t mask : {0x1ull, 0x11ull, 0x1111ull, 0xffffull}) {
    outer_products<rows, columns><<<1, 512>>>(device.out, mask, __builtin_popcountll(mask) * 32);
    char parameters[80];
    std::snprintf(parameters, sizeof parameters, "rows=%d columns=%d mask=%llx", rows, columns, (unsigned long long)mask);
    emit_clocks("outer_products", fetch(device, 16 * (kTurns + 1)), kTurns + 1, mask, parameters);
  }
}

// ---- A chain of two FFMA a step: inline, or in a function that is called.
__device__ __forceinline__ float two_steps(float x, float y) {
  fma(x, y, y);
  fma(x, y, y);
  return x;
}
__device__ __noinline__ float called(float x, float y) { return two_steps(x, y); }
constexpr int kCallSteps = 32;

template <bool calls>
__global__ void function_calls(uint32_t* out, float y) {
  float x = y;
  uint32_t time = 0;
  for (int rep = 0; rep < 3; ++rep) {
    __syncthreads();
    const uint32_t start = now();
#pragma unroll
    for (int i = 0; i < kCallSteps; ++i) x = calls ? called(x, y) : two_steps(x, y);
    wait_for(__float_as_uint(x), out);
    time = now() - start;
  }
  if (lane_id() == 0) out[kResults + grid_warp()] = time;
}

}  // namespace

// What issues before a barrier is complete. Clock 0 is before the barrier, clock 1 behind one
// instruction. Rests on it: barrier_run_ahead, and which instructions are held (sass.cpp).
PROBE(barrier_run_ahead, "clocks around a block barrier to which warp 0 comes late: then, late, warp, clock") {
  run_ahead<0>(device);
}
// How warps of a sub-core (a warp's number mod 4) share it. Rests on it: fair_issue.
PROBE(issue_order, "clocks of warps that do the same, one each 8 steps: body, mask (warps), warp, clock") {
  order<0>(device);
}
// With one warp all that an FFMA takes beyond a cycle comes from its registers; ptxas chooses them, so
// the machine code belongs to the result. Rests on it: register_ports, register_slack.
PROBE(outer_products, "clocks of warps that form outer products in registers, one each: rows, columns, mask, warp, clock") {
  outer<4, 4>(device);
  outer<8, 4>(device);
  outer<8, 8>(device);
}
PROBE(loop_rates, "32 turns of a loop of FFMA: length (FFMA a turn), warps, blocks") {
  loops<4>(device), loops<8>(device), loops<16>(device), loops<32>(device), loops<64>(device);
}
// A step takes 54 cycles more with a call; the model's stall counts and two taken branches are 32 of
// them. Rests on it: return_extra.
PROBE(function_calls, "32 steps of two FFMA: calls (1: each in a function), warps") {
  for (const int warps : {1, 4, 8, 16}) {
    function_calls<false><<<1, warps * 32>>>(device.out, 1.5f);
    emit("function_calls", fetch(device, warps), "calls=0 warps=%d", warps);
    function_calls<true><<<1, warps * 32>>>(device.out, 1.5f);
    emit("function_calls", fetch(device, warps), "calls=1 warps=%d", warps);
  }
}
