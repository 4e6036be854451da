// Probes of whole launches: what their first loads find, and how resident blocks get on beside each other.
#include "probes.cuh"

#include <algorithm>
#include <map>
#include <utility>

using namespace probes;

namespace {

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

// ---- When blocks begin, in one time for all SMs: each counts its clock's cycles up to a tick of the
// global timer, and then up to one `kTicks` later, by which the host knows the cycles of a nanosecond.
constexpr int kTicks = 64;

__device__ __forceinline__ uint64_t global_timer() {
  uint64_t t;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(t)::"memory");
  return t;
}

__global__ void launch_skew(uint32_t* out) {
  const uint64_t start = sm_clock();
  if (threadIdx.x != 0) return;
  uint64_t ticks[2], clocks[2];
  for (int k = 0; k < 2; ++k) {
    uint64_t before = global_timer();
    for (int tick = 0; tick < (k == 0 ? 1 : kTicks);) {
      const uint64_t now = global_timer();
      tick += now != before;
      before = now;
    }
    clocks[k] = sm_clock() - start;
    ticks[k] = before;
  }
  for (int k = 0; k < 2; ++k) {
    write_long(out, blockIdx.x * 5 + 2 * k, ticks[k]);
    write_long(out, blockIdx.x * 5 + 2 * k + 1, clocks[k]);
  }
  write_long(out, blockIdx.x * 5 + 4, sm_id());
}

// 64-bit results: fetch_long() has the lower halves.
std::vector<uint64_t> fetch_whole(const Device& device, std::size_t count) {
  const Values halves = fetch(device, 2 * count);
  std::vector<uint64_t> out(count);
  for (std::size_t i = 0; i < count; ++i) out[i] = halves[2 * i] | uint64_t{halves[2 * i + 1]} << 32;
  return out;
}

}  // namespace

// All SMs begin within 100 cycles, of which the timer's ticks are 33. No parameter rests on it.
PROBE(launch_skew, "cycles from the first block of all SMs to the begin of the first block of each: per_sm (blocks), warps, run") {
  for (const int per_sm : {1, 4}) {
    for (const int warps : {1, 8}) {
      for (int run = 0; run < 6; ++run) {
        const int blocks = per_sm * device.sms;
        launch_skew<<<blocks, warps * 32>>>(device.out);
        const std::vector<uint64_t> all = fetch_whole(device, std::size_t(blocks) * 5);
        std::map<uint64_t, double> begins;  // cycles, of each SM
        for (int b = 0; b < blocks; ++b) {
          const uint64_t* one = all.data() + b * 5;
          const double per_ns = double(one[3] - one[1]) / double(one[2] - one[0]);
          const double begin = double(one[0] - all[0]) * per_ns - double(one[1]) + 1e6;
          const auto [entry, added] = begins.try_emplace(one[4], begin);
          if (!added) entry->second = std::min(entry->second, begin);
        }
        double first = begins.begin()->second;
        for (const auto& [sm, begin] : begins) first = std::min(first, begin);
        Values since;
        for (const auto& [sm, begin] : begins) since.push_back(uint32_t(begin - first));
        emit("launch_skew", since, "per_sm=%d warps=%d run=%d", per_sm, warps, run);
      }
    }
  }
}

// Where a buffer lies that the host has filled: all of it in L2 if its lines were there before, else
// what came last, the rest in DRAM. Why prepare() sets memory first.
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
// All warps begin with one word that all of them load past L1. Rests on it: hot_line (phase begin, by
// the number of warps).
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
// How long loads of a whole launch take, first ones and later ones: what l2_total, l2_far_total and
// l2_far_extra say together. No parameter rests on it alone.
PROBE(launch_burst, "rounds of loads from L2 from the start of a launch: run, loads (of a warp), per_sm (blocks), warps, round") {
  burst<1>(device);
  burst<4>(device);
  burst<8>(device);
}
