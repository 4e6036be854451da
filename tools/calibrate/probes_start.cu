// Probes of how kernels begin: special registers and constants, which every warp asks for first, code
// that no SM has run, and the first loads of blocks that start together.
#include "probes.cuh"

#include <algorithm>
#include <cstdio>
#include <map>

using namespace probes;

namespace {

// ---- What the warps of one block do at the same time: each half of them `kSteps` of one kind.
enum Kind { kNothing, kS2r, kLdc, kLdcOff, kLds, kLdg, kPopc };
const char* const kKindNames[] = {"nothing", "s2r", "ldc", "ldc_off", "lds", "ldg", "popc"};
constexpr int kSteps = 32;
__constant__ uint32_t constants[1024];

// zero: 0, but not for the compiler; it also keeps LDC from becoming a uniform ULDC.
template <int kind>
__device__ __forceinline__ uint32_t steps(uint32_t zero, uint32_t shared, const char* memory) {
  uint32_t v[kSteps], x = 0;
#pragma unroll
  for (int i = 0; i < kSteps; ++i) {
    v[i] = 0;
    if constexpr (kind == kS2r) asm volatile("mov.u32 %0, %%smid;" : "=r"(v[i]));
    if constexpr (kind == kLdc) v[i] = constants[zero + i * 4];
    if constexpr (kind == kLdcOff) {
      if (zero != 0) v[i] = constants[zero + i * 4];
    }
    if constexpr (kind == kLds) v[i] = load_shared(shared + i * 128);
    if constexpr (kind == kLdg) v[i] = load_l1(memory + i * 128);
    if constexpr (kind == kPopc) asm volatile("popc.b32 %0, %1;" : "=r"(v[i]) : "r"(zero + i));
  }
#pragma unroll
  for (int i = 0; i < kSteps; ++i) x ^= v[i];
  return x;
}

template <int even, int odd>
__global__ void special_rates(const char* memory, uint32_t* out, uint32_t zero, uint32_t mask) {
  __shared__ uint32_t words[32 * kSteps];
  for (int i = threadIdx.x; i < 32 * kSteps; i += blockDim.x) words[i] = 0;
  const uint32_t s = shared_address(words) + lane_id() * 4;
  const uint32_t index = threadIdx.x * zero;
  uint64_t start = 0, end = 0;
  for (int rep = 0; rep < 3; ++rep) {
    __syncthreads();
    if ((mask >> warp_id() & 1) == 0) continue;
    start = sm_clock();
    const bool is_odd = warp_id() / 4 % 2 != 0;  // each sub-core has warps of both
    const uint32_t x = is_odd ? steps<odd>(index, s, memory) : steps<even>(index, s, memory);
    wait_without_store(x);
    end = sm_clock();
  }
  if (lane_id() != 0) return;
  write_long(out, warp_id() * 2, start);
  write_long(out, warp_id() * 2 + 1, end);
}

template <int even, int odd>
void rates(const Device& device) {
  for (const uint32_t mask : {0xffu, 0xffffu, 0xffffffffu}) {
    special_rates<even, odd><<<1, 1024>>>(device.memory, device.out, 0, mask);
    const Values all = fetch_long(device, 64);
    uint32_t first = 0, last[2] = {0, 0};
    for (int warp = 0; warp < 32; ++warp) {
      if (mask >> warp & 1) first = warp == 0 ? all[0] : std::min(first, all[2 * warp]);
    }
    for (int warp = 0; warp < 32; ++warp) {
      if (mask >> warp & 1) last[warp / 4 % 2] = std::max(last[warp / 4 % 2], all[2 * warp + 1] - first);
    }
    emit("special_rates", {last[0]}, "even=%s odd=%s mask=%x of=even", kKindNames[even], kKindNames[odd], mask);
    emit("special_rates", {last[1]}, "even=%s odd=%s mask=%x of=odd", kKindNames[even], kKindNames[odd], mask);
  }
}

// ---- Straight code of FFMA, one an issue slot, with a clock each kStretch instructions; id: for code
// that no SM has run. First the warps may wait for a chain of loads; in the middle they may jump.
constexpr int kStretch = 32;
constexpr int kStretches = 24;
constexpr int kJumpAt = 12;
constexpr int kAtOnce = 0, kWaiting = -1;  // else: a jump over as many instructions

__device__ __forceinline__ void stretch(float (&x)[4], float y, int count) {
#pragma unroll
  for (int i = 0; i < count; ++i) asm volatile("fma.rn.f32 %0, %0, %1, %1;" : "+f"(x[i % 4]) : "f"(y));
}

template <int id, int before>
__global__ void fetch_supply(const char* memory, uint32_t* out, float y, uint32_t zero) {
  uint32_t time[kStretches + 1];
  float x[4] = {1, 2, 3, id};
  if constexpr (before == kWaiting) {
    uint32_t offset = 0;
#pragma unroll 1
    for (int i = 0; i < 8; ++i) offset = load_l2(memory + offset) * zero;
    x[0] += offset;
    wait_for(offset, out);
  }
  time[0] = now();
#pragma unroll
  for (int s = 0; s < kStretches; ++s) {
    if (before > 0 && s == kJumpAt && zero != 0) stretch(x, y, before);
    stretch(x, y, kStretch);
    time[s + 1] = now();
  }
  wait_for(__float_as_uint(x[0] + x[1] + x[2] + x[3]), out);
  if (lane_id() != 0) return;
#pragma unroll
  for (int s = 0; s < kStretches; ++s) out[kResults + grid_warp() * kStretches + s] = time[s + 1] - time[s];
}

template <int id, int before>
void supply(const Device& device, int blocks, int warps) {
  const std::string begin = before == kAtOnce ? "once" : before == kWaiting ? "waiting" : "jump" + std::to_string(before);
  for (const int run : {0, 1}) {
    fetch_supply<id, before><<<blocks, warps * 32>>>(device.memory, device.out, 1.5f, 0);
    const Values all = fetch(device, std::size_t(blocks) * warps * kStretches);
    for (int s = 0; s < kStretches; ++s) {
      emit("fetch_supply", pick(all, s, kStretches), "begin=%s blocks=%d warps=%d run=%d stretch=%d", begin.c_str(), blocks,
           warps, run, s);
    }
  }
}

// ---- Small kernels as they are written, with clocks; id: for code that no SM has run.
constexpr int kClocks = 8;  // and the SM behind them
constexpr uint64_t kPhaseBytes = 8 * kMiB;

template <int count>
__device__ __forceinline__ void write_phases(const uint32_t (&time)[count], uint32_t* out) {
  if (lane_id() != 0) return;
  uint32_t* to = out + kResults + grid_warp() * (kClocks + 1);
#pragma unroll
  for (int i = 0; i < count; ++i) to[i] = time[i];
  to[kClocks] = sm_id();
}

// One load, barrier, one store.
template <int id>
__global__ void phases_one(const char* in, char* to, uint32_t* out) {
  __shared__ uint32_t words[256];
  uint32_t time[6];
  time[0] = now();
  const uint64_t offset = (uint64_t{blockIdx.x} * blockDim.x + threadIdx.x) * 4;
  const uint32_t x = load_l1(in + offset);
  time[1] = now();
  wait_for(x, out);
  time[2] = now();
  words[threadIdx.x] = x;
  __syncthreads();
  const uint32_t y = words[threadIdx.x ^ 33];
  wait_for(y, out);
  time[3] = now();
  store(to + offset, y + id);
  time[4] = now();
  __syncthreads();
  time[5] = now();
  write_phases(time, out);
}

// Four loads, barrier, four stores: a tile that is turned.
template <int id>
__global__ void phases_four(const char* in, char* to, uint32_t* out) {
  __shared__ uint32_t tile[32 * 33];
  uint32_t time[6], x[4];
  const int column = threadIdx.x % 32, row = threadIdx.x / 32;
  time[0] = now();
  const uint64_t offset = uint64_t{blockIdx.x} * 4096 + row * 128 + column * 4;
#pragma unroll
  for (int i = 0; i < 4; ++i) x[i] = load_l1(in + offset + i * 1024);
  time[1] = now();
  wait_for(x[0] ^ x[1] ^ x[2] ^ x[3], out);
  time[2] = now();
#pragma unroll
  for (int i = 0; i < 4; ++i) tile[(row + 8 * i) * 33 + column] = x[i];
  __syncthreads();
#pragma unroll
  for (int i = 0; i < 4; ++i) x[i] = tile[column * 33 + row + 8 * i] + id;
  wait_for(x[0] ^ x[1] ^ x[2] ^ x[3], out);
  time[3] = now();
#pragma unroll
  for (int i = 0; i < 4; ++i) store(to + offset + i * 1024, x[i]);
  time[4] = now();
  __syncthreads();
  time[5] = now();
  write_phases(time, out);
}

using PhaseKernel = void (*)(const char*, char*, uint32_t*);

void phases(const Device& device, const char* name, PhaseKernel kernel, int per_sm) {
  const char* const clocks[] = {"begin", "issued", "loaded", "exchanged", "stored", "end"};
  char* const to = device.memory + 128 * kMiB;
  const int blocks = per_sm == 0 ? 1 : per_sm * device.sms;
  for (const int run : {0, 1}) {
    prepare(device, kPhaseBytes);
    check(cudaMemset(to, 255, kPhaseBytes), "memset");
    kernel<<<blocks, 256>>>(device.memory, to, device.out);
    const int words = kClocks + 1;
    const Values all = fetch(device, std::size_t(blocks) * 8 * words);
    std::map<uint32_t, std::vector<int>> sms;  // blocks in the order of their numbers
    for (int block = 0; block < blocks; ++block) sms[all[block * 8 * words + kClocks]].push_back(block);
    std::map<int, std::vector<Values>> orders;
    for (const auto& [sm, list] : sms) {
      uint32_t first = all[list[0] * 8 * words];
      for (const int block : list) {
        for (int warp = 0; warp < 8; ++warp) first = std::min(first, all[(block * 8 + warp) * words]);
      }
      for (std::size_t order = 0; order < list.size(); ++order) {
        std::vector<Values>& times = orders.try_emplace(order, 6).first->second;
        for (int warp = 0; warp < 8; ++warp) {
          for (int k = 0; k < 6; ++k) times[k].push_back(all[(list[order] * 8 + warp) * words + k] - first);
        }
      }
    }
    for (auto& [order, times] : orders) {
      for (int k = 0; k < 6; ++k) {
        emit("launch_phases", times[k], "kernel=%s per_sm=%d run=%d order=%d clock=%s", name, per_sm, run, order, clocks[k]);
      }
    }
  }
}

}  // namespace

// Rests on it: special_interval.
PROBE(special_rates, "32 steps of a warp, from the first start to the last end: even and odd (what warps do, by warp / 4), mask (warps), of") {
  rates<kS2r, kS2r>(device);
  rates<kLdc, kLdc>(device);
  rates<kLdcOff, kLdcOff>(device);
  rates<kLds, kLds>(device);
  rates<kLdg, kLdg>(device);
  rates<kS2r, kNothing>(device);
  rates<kLdc, kNothing>(device);
  rates<kLds, kNothing>(device);
  rates<kLdg, kNothing>(device);
  rates<kPopc, kNothing>(device);
  rates<kS2r, kLdc>(device);
  rates<kS2r, kLds>(device);
  rates<kLdc, kLds>(device);
  rates<kS2r, kLdg>(device);
  rates<kLdc, kLdg>(device);
  rates<kS2r, kPopc>(device);
}

PROBE(fetch_supply, "32 FFMA of straight code: begin=once|waiting (behind loads)|jumpN (over N instructions, at stretch 12), blocks, warps, run (0: new code), stretch") {
  supply<0, kAtOnce>(device, 1, 1);
  supply<1, kAtOnce>(device, 1, 4);
  supply<2, kAtOnce>(device, 1, 8);
  supply<3, kAtOnce>(device, device.sms, 1);
  supply<4, kAtOnce>(device, device.sms, 8);
  supply<5, kWaiting>(device, 1, 1);
  supply<6, kWaiting>(device, device.sms, 1);
  supply<7, 8>(device, 1, 1);
  supply<8, 16>(device, 1, 1);
  supply<9, 32>(device, 1, 1);
  supply<10, 64>(device, 1, 1);
  supply<11, 128>(device, 1, 1);
  supply<12, 256>(device, 1, 1);
  supply<13, 1024>(device, 1, 1);
  supply<14, 64>(device, 1, 8);
  supply<15, 1024>(device, 1, 8);
  supply<16, 1024>(device, device.sms, 1);
  supply<17, 1024>(device, device.sms, 8);
}

// Blocks that an SM gets at once, the first time (run=0: code that no SM has run) and again. Rests on it:
// launch_code (six blocks of 8 warps begin together), launch_stagger.
PROBE(launch_phases, "clocks of 8 warps a block since the first of the SM: kernel, per_sm (blocks; 0: one block), run, order (of the block), clock") {
  phases(device, "one", phases_one<0>, 0);
  phases(device, "one", phases_one<1>, 1);
  phases(device, "one", phases_one<2>, 4);
  phases(device, "one", phases_one<3>, 8);
  phases(device, "four", phases_four<0>, 0);
  phases(device, "four", phases_four<1>, 1);
  phases(device, "four", phases_four<2>, 4);
  phases(device, "four", phases_four<3>, 8);
}
