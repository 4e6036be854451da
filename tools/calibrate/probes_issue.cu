// Probes of what a warp does behind a barrier, and of which warp issues next.
#include "probes.cuh"

#include <algorithm>
#include <map>

using namespace probes;

namespace {

// A step that the compiler keeps: the result feeds the next one.
__device__ __forceinline__ void alu(uint32_t& x, uint32_t y) {
  asm volatile("lop3.b32 %0, %0, %1, %1, 0x6a;" : "+r"(x) : "r"(y));
}
__device__ __forceinline__ void fma(float& x, float y, float z) {
  asm volatile("fma.rn.f32 %0, %0, %1, %2;" : "+f"(x) : "f"(y), "f"(z));
}

// ---- Clocks before a barrier, behind it, and then after each step; one warp comes late.
enum Then { kThenAlu, kThenAlu4, kThenLoadShared, kThenUseShared, kThenStoreShared, kThenLoad, kThenStore, kThenShuffle,
            kThenSpecial, kThenBarrier, kThenRegister, kThenBranch, kThenCopy,
            kThenVote, kThenCount, kThenDouble, kThenMatrix, kThenUniform, kThenHalf, kThenMultiply, kThenEnd };
const char* const kThenNames[] = {"alu", "alu4", "lds", "lds_use", "sts", "ldg", "stg", "shfl", "ex2", "bar", "s2r", "branch",
                                  "copy", "vote", "popc", "dfma", "mma", "uniform", "hfma2", "ffma"};
constexpr int kStamps = 12;

template <int then>
__global__ void barrier_run_ahead(char* memory, uint32_t* out, int late) {
  __shared__ uint32_t words[1024];
  words[threadIdx.x] = threadIdx.x;
  const uint32_t s = shared_address(words) + threadIdx.x * 4;
  char* const p = memory + threadIdx.x * 4;
  uint32_t time[kStamps], x = threadIdx.x, y = 0;
  const uint32_t odd = load_l2(memory);  // not a parameter, which would be loaded again behind the barrier
#pragma unroll 1
  for (int rep = 0; rep < 3; ++rep) {
    __syncthreads();
    if (warp_id() == 0) {
      for (const uint32_t begin = now(); now() - begin < late;) {
      }
    }
    time[0] = now();
    __syncthreads();
    if constexpr (then == kThenAlu) time[1] = now();
    if constexpr (then == kThenAlu4) {
      alu(x, odd), alu(x, odd), alu(x, odd), alu(x, odd);
      time[1] = now();
    }
    if constexpr (then == kThenLoadShared || then == kThenUseShared) y = load_shared(s);
    if constexpr (then == kThenUseShared) wait_for(y, out);
    if constexpr (then == kThenStoreShared) asm volatile("st.volatile.shared.u32 [%0], %1;" ::"r"(s), "r"(x) : "memory");
    if constexpr (then == kThenLoad) y = load_l2(p);
    if constexpr (then == kThenStore) store(p, x);
    if constexpr (then == kThenShuffle) asm volatile("shfl.sync.bfly.b32 %0, %1, 1, 31, 0xffffffff;" : "=r"(y) : "r"(x));
    if constexpr (then == kThenSpecial) {
      float f = __uint_as_float(x);
      asm volatile("ex2.approx.ftz.f32 %0, %0;" : "+f"(f));
      y = __float_as_uint(f);
    }
    if constexpr (then == kThenBarrier) __syncthreads();
    if constexpr (then == kThenRegister) asm volatile("mov.u32 %0, %%smid;" : "=r"(y));
    if constexpr (then == kThenBranch) {
      if (odd == rep + 5) {
#pragma unroll 1
        for (uint32_t k = 0; k < odd; ++k) store(p + k, x);
      }
    }
    if constexpr (then == kThenVote) asm volatile("{ .reg .pred p; setp.eq.u32 p, %1, 5; vote.sync.ballot.b32 %0, p, 0xffffffff; }" : "=r"(y) : "r"(x));
    if constexpr (then == kThenCount) asm volatile("popc.b32 %0, %1;" : "=r"(y) : "r"(x));
    if constexpr (then == kThenDouble) {
      double d = __hiloint2double(x, x);
      asm volatile("fma.rn.f64 %0, %0, %0, %0;" : "+d"(d));
      y = __double2loint(d);
    }
    if constexpr (then == kThenMatrix) {
      float c[4] = {};
      asm volatile("mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5}, {%6}, {%0,%1,%2,%3};"
                   : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3]) : "r"(x), "r"(x), "r"(x));
      y = __float_as_uint(c[0]);
    }
    if constexpr (then == kThenUniform) {
      uint32_t k = odd;
#pragma unroll 1
      for (int i = 0; i < 1; ++i) asm volatile("redux.sync.add.u32 %0, %1, 0xffffffff;" : "=r"(y) : "r"(k));
    }
    if constexpr (then == kThenHalf) asm volatile("fma.rn.f16x2 %0, %1, %1, %1;" : "=r"(y) : "r"(x));
    if constexpr (then == kThenMultiply) asm volatile("mad.lo.u32 %0, %1, %1, %1;" : "=r"(y) : "r"(x));
    if constexpr (then == kThenCopy) copy16_past_l1(shared_address(words) + threadIdx.x * 16 % 4096, memory + threadIdx.x * 16);
    if constexpr (then > kThenAlu4) time[1] = now();
#pragma unroll
    for (int i = 2; i < kStamps; ++i) {
      alu(x, odd);
      time[i] = now();
    }
    wait_for(x ^ y, out);
    if constexpr (then == kThenCopy) wait_for_copies();
  }
  if (lane_id() != 0) return;
#pragma unroll
  for (int i = 0; i < kStamps; ++i) out[kResults + grid_warp() * kStamps + i] = time[i];
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
  if constexpr (then < kThenEnd) {
    for (const int warps : {8, 16}) {
      for (const int late : {0, 600}) {
        barrier_run_ahead<then><<<1, warps * 32>>>(device.memory, device.out, late);
        char parameters[80];
        std::snprintf(parameters, sizeof parameters, "then=%s warps=%d late=%d", kThenNames[then], warps, late);
        emit_clocks("barrier_run_ahead", fetch(device, warps * kStamps), kStamps, ~uint64_t{0}, parameters);
      }
    }
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
  if (lane_id() != 0) return;
#pragma unroll
  for (int i = 0; i <= kTurns; ++i) out[kResults + grid_warp() * (kTurns + 1) + i] = time[i];
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

// ---- Accesses that a predicate of their own switches off in all lanes.
enum Off { kOffLoad4, kOffLoad16, kOffStore4, kOffStore16, kOffGlobalLoad, kOffGlobalStore, kNoAccess, kOffs };
const char* const kOffNames[] = {"lds32", "lds128", "sts32", "sts128", "ldg", "stg", "none"};

template <int off>
__global__ void off_rates(char* memory, uint32_t* out) {
  __shared__ __align__(16) uint32_t words[4096];
  words[threadIdx.x] = 0;
  volatile uint32_t* const w = words + threadIdx.x;
  volatile char* const p = memory + 4096 + threadIdx.x * 4;
  uint32_t bits = load_l2(memory + 8) == kNever, x = 0, time = 0;  // zero
#pragma unroll 1
  for (int rep = 0; rep < 3; ++rep) {
    __syncthreads();
    const uint32_t start = now();
#pragma unroll
    for (int i = 0; i < 32; ++i) {
      const bool on = bits == uint32_t(i + 1);
      if (off == kNoAccess && on) x += i;
      if (off == kOffLoad4 && on) x = w[i];
      if (off == kOffLoad16 && on) asm volatile("ld.volatile.shared.v4.u32 {%0,%0,%0,%0}, [%1];" : "=r"(x) : "r"(shared_address(words) + threadIdx.x * 16));
      if (off == kOffStore4 && on) w[i] = bits;
      if (off == kOffStore16 && on) asm volatile("st.volatile.shared.v4.u32 [%0], {%1,%1,%1,%1};" ::"r"(shared_address(words) + threadIdx.x * 16), "r"(bits));
      if (off == kOffGlobalLoad && on) x = *reinterpret_cast<volatile uint32_t*>(p + i * 128);
      if (off == kOffGlobalStore && on) *reinterpret_cast<volatile uint32_t*>(p + i * 128) = bits;
    }
    wait_for(x, out);
    __syncthreads();
    time = now() - start;
  }
  if (lane_id() == 0) out[kResults + grid_warp()] = time;
}

template <int off>
void off_all(const Device& device) {
  if constexpr (off < kOffs) {
    for (const int warps : {1, 2, 4, 8, 16, 32}) {
      off_rates<off><<<1, warps * 32>>>(device.memory, device.out);
      emit("off_rates", fetch(device, warps), "access=%s warps=%d", kOffNames[off], warps);
    }
    off_all<off + 1>(device);
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

// ---- Taken branches over one instruction, one after another.
template <int between>
__global__ void jump_rates(uint32_t* out, uint32_t odd) {
  uint32_t x = threadIdx.x, time = 0;
#pragma unroll 1
  for (int rep = 0; rep < 3; ++rep) {
    __syncthreads();
    const uint32_t start = now();
    asm volatile("{ .reg .pred p; setp.ne.u32 p, %0, 7; " : : "r"(odd));
#define JUMP(n) asm volatile("@p bra.uni J%=; st.volatile.global.u32 [%1], %0; J%=: " : "+r"(x) : "l"(out) : "memory"); \
    if (between > 0) alu(x, odd); if (between > 1) { alu(x, odd); alu(x, odd); alu(x, odd); }
    JUMP(0) JUMP(1) JUMP(2) JUMP(3) JUMP(4) JUMP(5) JUMP(6) JUMP(7) JUMP(8) JUMP(9) JUMP(10) JUMP(11) JUMP(12) JUMP(13) JUMP(14) JUMP(15)
    asm volatile("}");
    __syncthreads();
    time = now() - start;
  }
  wait_for(x, out);
  if (lane_id() == 0) out[kResults + grid_warp()] = time;
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
  if (lane_id() != 0) return;
#pragma unroll
  for (int i = 0; i <= kTurns; ++i) out[kResults + grid_warp() * (kTurns + 1) + i] = time[i];
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

// ---- Phases of a kernel as it is often written: load, store to shared memory, meet, load, reckon.
constexpr int kPhases = 7;
const char* const kPhaseNames[] = {"begin", "load", "sts", "barrier", "lds", "alu", "store"};

__global__ void kernel_phases(const char* in, char* to, uint32_t* out, uint32_t own) {
  __shared__ uint32_t words[2048];
  uint32_t time[kPhases + 1], x[16], y = 0;
  time[0] = now();
  const char* p = in + own * blockIdx.x + threadIdx.x * 4;
  const uint32_t s = shared_address(words) + threadIdx.x * 4;
  const uint32_t odd = load_l2(in + 8);
  wait_for(odd, out);
  time[1] = now();
#pragma unroll
  for (int i = 0; i < 8; ++i) x[i] = load_l1(p + i * 1024);
#pragma unroll
  for (int i = 0; i < 8; ++i) y ^= x[i];
  wait_for(y, out);
  time[2] = now();
#pragma unroll
  for (int i = 0; i < 8; ++i) asm volatile("st.volatile.shared.u32 [%0], %1;" ::"r"(s + i * 1024), "r"(x[i]) : "memory");
  time[3] = now();
  __syncthreads();
  x[0] = load_shared(s);
  wait_for(x[0], out);
  time[4] = now();
#pragma unroll
  for (int i = 0; i < 16; ++i) x[i] = load_shared(shared_address(words) + lane_id() * 4 + i * 128);
#pragma unroll
  for (int i = 0; i < 16; ++i) y ^= x[i];
  wait_for(y, out);
  time[5] = now();
#pragma unroll
  for (int i = 0; i < 128; ++i) alu(y, odd);
  wait_for(y, out);
  time[6] = now();
  store(to + (blockIdx.x * blockDim.x + threadIdx.x) * 4, y);
  time[7] = now();
  if (lane_id() != 0) return;
  uint32_t* result = out + kResults + grid_warp() * (kPhases + 2);
#pragma unroll
  for (int i = 0; i <= kPhases; ++i) result[i] = time[i];
  result[kPhases + 1] = sm_id();
}

// ---- The first loads of a launch, and later ones: each warp loads whole lines of its own, round by round.
constexpr int kRounds = 4;

template <int loads>
__global__ void launch_burst(const char* memory, uint32_t* out) {
  uint32_t time[kRounds + 1];
  const char* p = memory + grid_warp() * (loads * kRounds * uint64_t{128}) + lane_id() * 4;
  time[0] = now();
#pragma unroll
  for (int round = 0; round < kRounds; ++round) {
    uint32_t x[loads], y = 0;
#pragma unroll
    for (int i = 0; i < loads; ++i) x[i] = load_l1(p + (round * loads + i) * 128);
#pragma unroll
    for (int i = 0; i < loads; ++i) y ^= x[i];
    wait_for(y, out);
    time[round + 1] = now();
  }
  if (lane_id() != 0) return;
#pragma unroll
  for (int i = 0; i < kRounds; ++i) out[kResults + grid_warp() * kRounds + i] = time[i + 1] - time[i];
}

template <int loads>
void burst(const Device& device) {
  for (const int run : {0, 1}) {
    for (const int per_sm : {0, 1, 2, 4}) {
      for (const int warps : {1, 4, 8, 16}) {
        const int blocks = per_sm == 0 ? 1 : per_sm * device.sms;
        const uint64_t bytes = uint64_t(blocks) * warps * loads * kRounds * 128;
        if (bytes > kPrepared) continue;  // more than was prepared
        prepare(device, kPrepared);
        launch_burst<loads><<<blocks, warps * 32>>>(device.memory, device.out);
        const Values all = fetch(device, std::size_t(blocks) * warps * kRounds);
        for (int round = 0; round < kRounds; ++round) {
          emit("launch_burst", pick(all, round, kRounds), "run=%d loads=%d per_sm=%d warps=%d round=%d", run, loads,
               per_sm, warps, round);
        }
      }
    }
  }
}

// Latency of loads one after another, `stride` bytes apart.
__global__ void sampled_latencies(const char* memory, uint32_t* out, uint64_t stride, int samples) {
  for (int i = 0; i < samples; ++i) {
    const uint32_t start = now();
    wait_for(load_l1(memory + i * stride), out);
    const uint32_t end = now();
    if (lane_id() == 0) out[kResults + i] = end - start;
  }
}

__global__ void write_words(uint32_t* to) { to[blockIdx.x * blockDim.x + threadIdx.x] = 0; }

}  // namespace

PROBE(residency, "a launch's loads by what prepared the memory: bytes, by, launch, round") {
  uint64_t offset = 64 * kMiB;
  for (const uint64_t bytes : {uint64_t{64} << 10, kMiB, 8 * kMiB, 32 * kMiB}) {
    for (const char* by : {"host", "memset", "kernel", "device", "nothing"}) {
      char* region = nullptr;
      check(cudaMalloc(&region, bytes), "malloc");
      static const std::vector<char> host(32 * kMiB, 1);
      if (by[0] == 'h') check(cudaMemcpy(region, host.data(), bytes, cudaMemcpyHostToDevice), "copy");
      if (by[0] == 'm') check(cudaMemset(region, 0, bytes), "memset");
      if (by[0] == 'k') write_words<<<bytes / 1024, 256>>>(reinterpret_cast<uint32_t*>(region));
      if (by[0] == 'd') check(cudaMemcpy(region, device.memory + offset, bytes, cudaMemcpyDeviceToDevice), "copy");
      for (int launch = 0; launch < 3; ++launch) {
        const int blocks = bytes / (4 * kRounds * 128 * 8);
        launch_burst<4><<<blocks, 256>>>(region, device.out);
        const Values all = fetch(device, std::size_t(blocks) * 8 * kRounds);
        for (int round = 0; round < kRounds; ++round) {
          emit("residency", pick(all, round, kRounds), "bytes=%llu by=%s launch=%d round=%d", (unsigned long long)bytes,
               by, launch, round);
        }
      }
      cudaFree(region);
    }
  }
}
// Sampled lines of a buffer that the host has filled, by what share of it lies in front of them.
PROBE(host_copies, "latency of first loads behind a copy from the host: bytes, set (before the copy), quarter (of the buffer)") {
  static const std::vector<char> host(64 * kMiB, 1);
  constexpr int kSamples = 1024;
  for (const int set : {0, 1}) {
    for (const uint64_t bytes : {kMiB / 16, kMiB / 4, kMiB / 2, kMiB, 2 * kMiB, 3 * kMiB, 4 * kMiB, 8 * kMiB, 16 * kMiB, 48 * kMiB}) {
      char* region = nullptr;
      check(cudaMalloc(&region, bytes), "malloc");
      if (set) check(cudaMemset(region, 0xff, bytes), "memset");
      check(cudaMemcpy(region, host.data(), bytes, cudaMemcpyHostToDevice), "copy");
      const int samples = std::min<uint64_t>(kSamples, bytes / 512);
      sampled_latencies<<<1, 32>>>(region, device.out, bytes / samples, samples);
      const Values all = fetch(device, samples);
      for (int quarter = 0; quarter < 4; ++quarter) {
        emit("host_copies", Values(all.begin() + samples * quarter / 4, all.begin() + samples * (quarter + 1) / 4),
             "bytes=%llu set=%d quarter=%d", (unsigned long long)bytes, set, quarter);
      }
      cudaFree(region);
    }
  }
}
PROBE(barrier_run_ahead, "clocks around a block barrier to which warp 0 comes late: then, warps, late, warp, clock") {
  run_ahead<0>(device);
}
PROBE(issue_order, "clocks of warps that do the same, one each 8 steps: body, mask (warps), warp, clock") {
  order<0>(device);
}
PROBE(off_rates, "32 accesses a warp that a predicate switches off: access, warps") { off_all<0>(device); }
PROBE(loop_rates, "32 turns of a loop of FFMA: length (FFMA a turn), warps, blocks") {
  loops<4>(device), loops<8>(device), loops<16>(device), loops<32>(device), loops<64>(device);
}
PROBE(jump_rates, "16 taken branches: between (steps), warps") {
  for (const int warps : {1, 2, 4, 8, 12, 16, 32}) {
    jump_rates<0><<<1, warps * 32>>>(device.out, 5);
    emit("jump_rates", fetch(device, warps), "between=0 warps=%d", warps);
    jump_rates<1><<<1, warps * 32>>>(device.out, 5);
    emit("jump_rates", fetch(device, warps), "between=1 warps=%d", warps);
    jump_rates<2><<<1, warps * 32>>>(device.out, 5);
    emit("jump_rates", fetch(device, warps), "between=4 warps=%d", warps);
  }
}
PROBE(outer_products, "clocks of warps that form outer products in registers, one each: rows, columns, mask, warp, clock") {
  outer<4, 4>(device);
  outer<8, 4>(device);
  outer<8, 8>(device);
}
PROBE(kernel_phases, "phases of 8 warps, third launch: own (bytes apart in memory), blocks, order (of the block on its SM), phase") {
  prepare(device, kPrepared);
  for (const uint32_t own : {0, 8192}) {
    for (const int blocks : {1, device.sms, 2 * device.sms, 4 * device.sms, 8 * device.sms}) {
      for (int run = 0; run < 3; ++run) {
        kernel_phases<<<blocks, 256>>>(device.memory, device.memory + 128 * kMiB, device.out, own);
        check(cudaDeviceSynchronize(), "kernel");
      }
      const int words = kPhases + 2;
      const Values all = fetch(device, std::size_t(blocks) * 8 * words);
      std::map<uint32_t, std::vector<std::pair<uint32_t, int>>> sms;  // begin and number of its blocks
      for (int block = 0; block < blocks; ++block) {
        const uint32_t* first = all.data() + std::size_t(block) * 8 * words;
        uint32_t begin = first[0];
        for (int warp = 1; warp < 8; ++warp) begin = std::min(begin, first[warp * words]);
        sms[first[kPhases + 1]].push_back({begin, block});
      }
      std::map<int, std::vector<Values>> orders;
      for (auto& [sm, list] : sms) {
        std::sort(list.begin(), list.end());
        for (std::size_t order = 0; order < list.size(); ++order) {
          std::vector<Values>& phases = orders.try_emplace(order, kPhases + 1).first->second;
          phases[kPhases].push_back(list[order].first - list[0].first);
          for (int warp = 0; warp < 8; ++warp) {
            const uint32_t* t = all.data() + (std::size_t(list[order].second) * 8 + warp) * words;
            for (int k = 0; k < kPhases; ++k) phases[k].push_back(t[k + 1] - t[k]);
          }
        }
      }
      for (auto& [order, phases] : orders) {
        emit("kernel_phases", phases[kPhases], "own=%u blocks=%d order=%d phase=start", own, blocks, order);
        for (int k = 0; k < kPhases; ++k) {
          emit("kernel_phases", phases[k], "own=%u blocks=%d order=%d phase=%s", own, blocks, order, kPhaseNames[k]);
        }
      }
    }
  }
}
PROBE(launch_burst, "rounds of loads from L2 from the start of a launch: run, loads (of a warp), per_sm (blocks), warps, round") {
  burst<1>(device);
  burst<4>(device);
  burst<8>(device);
}
