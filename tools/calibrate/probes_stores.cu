// Probes of stores to global memory: rates, what waits behind them, and loads beside them.
#include "probes.cuh"

#include <algorithm>
#include <map>

using namespace probes;

namespace {

// ---- 64 stores per warp, 64 KiB from warp to warp; twice, of which the second counts.
__global__ void store_rates(char* memory, uint32_t* out, int lane_stride, int step, int bytes) {
  char* p = memory + (static_cast<uint64_t>(grid_warp()) << 16) + lane_id() * static_cast<uint64_t>(lane_stride);
  for (int rep = 0; rep < 2; ++rep) {
    __syncthreads();
    const uint32_t start = now();
#pragma unroll 16
    for (int i = 0; i < 64; ++i) {
      char* q = p + static_cast<uint64_t>(step) * i;
      if (bytes == 4) {
        asm volatile("st.volatile.global.u32 [%0], %1;" ::"l"(q), "r"(i) : "memory");
      } else {
        asm volatile("st.volatile.global.v4.u32 [%0], {%1,%1,%1,%1};" ::"l"(q), "r"(i) : "memory");
      }
    }
    __syncthreads();
    const uint32_t end = now();
    if (rep == 1 && threadIdx.x == 0) out[kResults + blockIdx.x] = end - start;
  }
}

// ---- The same where `fill` stores in a row write neighbouring words, so that they fill sectors.
__global__ void store_fill(char* memory, uint32_t* out, int lane_stride, int fill) {
  char* const p = memory + (static_cast<uint64_t>(grid_warp()) << 16) + lane_id() * static_cast<uint64_t>(lane_stride);
  for (int rep = 0; rep < 2; ++rep) {
    __syncthreads();
    const uint32_t start = now();
#pragma unroll 16
    for (int i = 0; i < 64; ++i) store(p + i / fill * 32 * lane_stride % 65536 + i % fill * 4, i);
    __syncthreads();
    const uint32_t end = now();
    if (rep == 1 && threadIdx.x == 0) out[kResults + blockIdx.x] = end - start;
  }
}

// ---- A burst after a pause that empties all queues. Writing a register waits until its store has read it.
constexpr int kBurstTimes = 4;  // issued, first register free, all registers free, shared load done

template <int stores>
__global__ void store_burst(char* memory, uint32_t* out, int lane_stride, int step) {
  __shared__ uint32_t words[1024];
  const uint32_t lane = lane_id();
  char* p = memory + warp_id() * 65536 + lane * lane_stride;
  uint32_t x[stores];
  uint64_t start, issued, first_free, all_free, loaded, time[kBurstTimes];
  for (int i = 0; i < stores; ++i) x[i] = lane + i;
  words[threadIdx.x % 1024] = 0;
#pragma unroll 1
  for (int rep = 0; rep < 3; ++rep) {
    __syncthreads();
    const uint64_t pause = sm_clock();
    do {
      start = sm_clock();
    } while (start - pause < 20000);
    __syncthreads();
    start = sm_clock();
#pragma unroll
    for (int i = 0; i < stores; ++i) store(p + step * i, x[i]);
    issued = sm_clock();
    asm volatile("add.u32 %0, %0, 1;" : "+r"(x[0])::"memory");
    first_free = sm_clock();
#pragma unroll
    for (int i = 1; i < stores; ++i) asm volatile("add.u32 %0, %0, 1;" : "+r"(x[i])::"memory");
    all_free = sm_clock();
    if (load_shared(shared_address(words + lane)) == 77) memory[0] = 1;
    loaded = sm_clock();
    time[0] = issued - start, time[1] = first_free - start, time[2] = all_free - start, time[3] = loaded - start;
  }
  if (lane != 0) return;
  for (int i = 0; i < kBurstTimes; ++i) write_long(out, warp_id() * kBurstTimes + i, time[i]);
}

// ---- The first `storing` warps store; the others make a chain of 16 shared loads.
__global__ void lds_beside_stores(char* memory, uint32_t* out, int storing, int stores, int whole_lines) {
  __shared__ uint32_t words[1024];
  const uint32_t warp = warp_id(), lane = lane_id();
  const uint32_t s = shared_address(words + threadIdx.x % 1024);
  char* p = memory + warp * 65536 + (whole_lines ? lane * 4 : lane * 128);
  words[threadIdx.x % 1024] = 0;
  __syncthreads();
  const uint64_t start = sm_clock();
  uint64_t end;
  if (warp < storing) {
    for (int i = 0; i < stores; ++i) store(p + (whole_lines ? 128 * i : 4 * i), i);
    end = sm_clock();
  } else {
    uint32_t x = 0;
#pragma unroll 1
    for (int i = 0; i < 16; ++i) x = load_shared(s + x);
    if (x == 77) memory[0] = 1;
    end = sm_clock();
  }
  if (lane == 0) write_long(out, warp, end - start);
}

// ---- Loads, stores, or a copy of 4 KiB per warp; scattered stores write 4 bytes of each of 32 lines.
enum Mode { kLoads = 1, kStores = 2 };

__global__ void loads_and_stores(const char* from, char* to, uint32_t* out, int mode, int scattered) {
  const uint64_t region = grid_warp() * uint64_t{4096};
  const uint32_t lane = lane_id();
  const char* p = from + region + lane * 4;
  char* q = to + region;
  __syncthreads();
  const uint32_t start = now();
  uint32_t x = 0;
#pragma unroll
  for (int h = 0; h < 4; ++h) {
    uint32_t v[8];
#pragma unroll
    for (int i = 0; i < 8; ++i) {
      v[i] = i;
      if (mode & kLoads) v[i] = load_l2(p + (h * 8 + i) * 128);
    }
    if (mode & kLoads) {
      for (int i = 0; i < 8; ++i) x ^= v[i];
      wait_for(x, out);
    }
#pragma unroll
    for (int i = 0; i < 8; ++i) {
      const int k = h * 8 + i;
      if (mode & kStores) store(scattered ? q + lane * 128 + k * 4 : q + lane * 4 + k * 128, v[i]);
    }
  }
  __syncthreads();
  const uint32_t end = now();
  if (threadIdx.x != 0) return;
  uint32_t* result = out + kResults + blockIdx.x * 3;
  result[0] = sm_id(), result[1] = start, result[2] = end;
}

// From the start of an SM's first block to the end of its last one, for each SM.
Values sm_times(const Values& results) {
  struct Span {
    uint32_t origin;
    int32_t first, last;  // from origin
  };
  std::map<uint32_t, Span> spans;
  for (std::size_t k = 0; k + 2 < results.size(); k += 3) {
    Span& span = spans.try_emplace(results[k], Span{results[k + 1], 0, 0}).first->second;
    span.first = std::min(span.first, static_cast<int32_t>(results[k + 1] - span.origin));
    span.last = std::max(span.last, static_cast<int32_t>(results[k + 2] - span.origin));
  }
  Values times;
  for (const auto& [sm, span] : spans) times.push_back(static_cast<uint32_t>(span.last - span.first));
  return times;
}

// For each block of so many warps, which have written `count` clocks each: from the first clock of any
// warp to the last one with number `until`.
Values block_spans(const Values& clocks, int warps, int count, int until) {
  Values spans;
  for (const uint32_t* t = clocks.data(); t != clocks.data() + clocks.size(); t += warps * count) {
    uint32_t first = t[0], last = 0;
    for (int warp = 1; warp < warps; ++warp) first = std::min(first, t[warp * count]);
    for (int warp = 0; warp < warps; ++warp) last = std::max(last, t[warp * count + until] - first);
    spans.push_back(last);
  }
  return spans;
}

// ---- A run of stores of 8 warps, with nothing before it: issued, all registers free, all in L2.
constexpr int kRunTimes = 3;

template <int stores>
__global__ void store_run(char* memory, uint32_t* out, int lane_stride, int warp_stride, int step, int block_stride) {
  char* p = memory + blockIdx.x * uint64_t(block_stride) + lane_id() * lane_stride + warp_id() * warp_stride;
  uint32_t x[stores], time[kRunTimes + 1];
  for (int i = 0; i < stores; ++i) x[i] = lane_id() + i;
#pragma unroll 1
  for (int rep = 0; rep < 3; ++rep) {
    settle(4000);
    time[0] = now();
#pragma unroll
    for (int i = 0; i < stores; ++i) store(p + i * step, x[i]);
    time[1] = now();
#pragma unroll
    for (int i = 0; i < stores; ++i) asm volatile("add.u32 %0, %0, 1;" : "+r"(x[i]));
    wait_for(x[stores - 1], out);
    time[2] = now();
    asm volatile("membar.gl;" ::: "memory");
    time[3] = now();
    __syncthreads();
  }
  write_clocks(time, out);
}

template <int stores>
void run(const Device& device, int blocks, int lane_stride, int warp_stride, int step, int block_stride) {
  store_run<stores><<<blocks, 256>>>(device.memory, device.out, lane_stride, warp_stride, step, block_stride);
  const Values all = fetch(device, std::size_t(blocks) * 8 * (kRunTimes + 1));
  const char* const until[] = {"issued", "free", "drained"};
  for (int k = 0; k < kRunTimes; ++k) {
    emit("store_run", block_spans(all, 8, kRunTimes + 1, k + 1), "blocks=%d stores=%d lane_stride=%d step=%d until=%s", blocks, stores, lane_stride, step, until[k]);
  }
}

__device__ __forceinline__ void fma(float& x) { asm volatile("fma.rn.f32 %0, %0, %0, %0;" : "+f"(x)); }

// ---- Stores of a warp that fill its lines in `fill` steps, `spacing` FFMA apart; warps have lines of
// their own or all the same.
template <int fill, int spacing>
__global__ void store_merge(char* memory, uint32_t* out, int warp_stride) {
  constexpr int kStores = 64;
  char* p = memory + blockIdx.x * uint64_t{1 << 17} + warp_id() * warp_stride + lane_id() * fill * 4;
  float x = lane_id();
  uint32_t start = 0, end = 0;
  for (int rep = 0; rep < 2; ++rep) {
    settle(6000);
    start = now();
#pragma unroll
    for (int i = 0; i < kStores; ++i) {
      store(p + i / fill * 128 * fill + i % fill * 4, __float_as_uint(x));
#pragma unroll
      for (int j = 0; j < spacing; ++j) fma(x);
    }
    asm volatile("membar.gl;" ::: "memory");
    end = now();
  }
  if (lane_id() != 0) return;
  out[kResults + grid_warp() * 2] = start;
  out[kResults + grid_warp() * 2 + 1] = end;
}

template <int fill, int spacing>
void merge(const Device& device) {
  for (const int blocks : {1, device.sms}) {
    for (const int warps : {1, 2, 4, 8, 16}) {
      for (const bool same : {false, true}) {
        store_merge<fill, spacing><<<blocks, warps * 32>>>(device.memory, device.out, same ? 0 : 8192);
        const Values all = fetch(device, std::size_t(blocks) * warps * 2);
        emit("store_merge", block_spans(all, warps, 2, 1), "fill=%d spacing=%d blocks=%d warps=%d same=%d", fill, spacing * 4, blocks, warps, same);
      }
    }
  }
}

// ---- What comes behind stores of 32 lines each.
enum Behind { kBehindS2r, kBehindLds, kBehindLdg, kBehindShfl, kBehindBarrier, kBehinds };
const char* const kBehindNames[] = {"s2r", "lds", "ldg", "shfl", "barrier"};

template <int stores, int behind>
__global__ void behind_stores(char* memory, uint32_t* out) {
  __shared__ uint32_t words[1024];
  words[threadIdx.x] = threadIdx.x;
  char* p = memory + lane_id() * 256 + warp_id() * 4;
  const uint32_t s = shared_address(words) + lane_id() * 4;
  uint32_t x[stores], start = 0, end = 0, y = 0;
  for (int i = 0; i < stores; ++i) x[i] = lane_id() + i;
#pragma unroll 1
  for (int rep = 0; rep < 3; ++rep) {
    settle(4000);
    start = now();
#pragma unroll
    for (int i = 0; i < stores; ++i) store(p + i * 32, x[i]);
    if constexpr (behind == kBehindS2r) asm volatile("mov.u32 %0, %%smid;" : "=r"(y)::"memory");
    if constexpr (behind == kBehindLds) y = load_shared(s);
    if constexpr (behind == kBehindLdg) y = load_l1(memory + kMiB + threadIdx.x * 4);
    if constexpr (behind == kBehindShfl) asm volatile("shfl.sync.bfly.b32 %0, %1, 1, 31, -1;" : "=r"(y) : "r"(s));
    if constexpr (behind == kBehindBarrier) __syncthreads();
    wait_without_store(y);
    end = now();
    for (int i = 0; i < stores; ++i) asm volatile("add.u32 %0, %0, 1;" : "+r"(x[i]));
  }
  if (x[0] == kNever) out[0] = x[0];
  if (lane_id() != 0) return;
  out[kResults + warp_id() * 2] = start;
  out[kResults + warp_id() * 2 + 1] = end;
}

template <int stores, int behind = 0>
void behind_all(const Device& device) {
  for (const int warps : {4, 8, 16}) {
    behind_stores<stores, behind><<<1, warps * 32>>>(device.memory, device.out);
    const Values all = fetch(device, warps * 2);
    uint32_t first = all[0];
    for (int warp = 1; warp < warps; ++warp) first = std::min(first, all[2 * warp]);
    Values ends;
    for (int warp = 0; warp < warps; ++warp) ends.push_back(all[2 * warp + 1] - first);
    emit("behind_stores", ends, "behind=%s stores=%d warps=%d", kBehindNames[behind], stores, warps);
  }
  if constexpr (behind + 1 < kBehinds) behind_all<stores, behind + 1>(device);
}

}  // namespace

// Time of a block's 64 stores per warp until all have issued. With 32 warps a store takes what limits
// it: one SM 32 bytes a cycle, or a cycle for each sector and each line not written whole; all SMs what
// L2 and DRAM take. Rests on it, with one SM: store_bytes, store_sector, store_line.
PROBE(store_rates, "64 stores a warp: blocks, warps, bytes, lane_stride, step, lines and sectors of an instruction") {
  struct Pattern {
    int lane_stride, step, bytes, lines, sectors;
  };
  const Pattern patterns[] = {{4, 128, 4, 1, 4},      {8, 256, 4, 2, 8},      {32, 1024, 4, 8, 32},
                              {64, 1024, 4, 16, 32},  {128, 4, 4, 32, 32},    {16, 512, 16, 4, 16},
                              {32, 1024, 16, 8, 32},  {128, 16, 16, 32, 32},  {4, 0, 4, 1, 4}};
  for (const int blocks : {1, device.sms / 4, device.sms}) {
    for (const int warps : {1, 4, 16, 32}) {
      for (const Pattern& p : patterns) {
        store_rates<<<blocks, warps * 32>>>(device.memory, device.out, p.lane_stride, p.step, p.bytes);
        emit("store_rates", fetch(device, blocks),
             "blocks=%d warps=%d bytes=%d lane_stride=%d step=%d lines=%d sectors=%d", blocks, warps, p.bytes,
             p.lane_stride, p.step, p.lines, p.sectors);
      }
    }
  }
}

// With all SMs and as many stores in a row as fill the sectors (lane_stride / 4) everything written stays in
// L2; with fewer, and in store_rates, up to 276 MiB do not. No parameter rests on
// it alone.
PROBE(store_fill, "64 stores a warp: blocks, warps, lane_stride, fill (stores in a row to neighbouring words)") {
  struct Pattern {
    int lane_stride, fill;
  };
  for (const int blocks : {1, device.sms}) {
    for (const int warps : {16, 32}) {
      for (const Pattern& p : {Pattern{4, 1}, Pattern{8, 1}, Pattern{8, 2}, Pattern{16, 1}, Pattern{16, 2}, Pattern{16, 4},
                               Pattern{32, 1}, Pattern{32, 2}, Pattern{32, 4}, Pattern{32, 8}, Pattern{64, 1},
                               Pattern{64, 4}, Pattern{64, 16}, Pattern{128, 1}, Pattern{128, 8}, Pattern{128, 32}}) {
        store_fill<<<blocks, warps * 32>>>(device.memory, device.out, p.lane_stride, p.fill);
        emit("store_fill", fetch(device, blocks), "blocks=%d warps=%d lane_stride=%d fill=%d", blocks, warps, p.lane_stride,
             p.fill);
      }
    }
  }
}

// What waits behind the stores of one SM. The shared load of the last time passes the data stage behind
// all of them: what it does not wait for has left the data stage (store_buffer). Registers are free some
// stores earlier (store_window). Rests on it: store_buffer, store_window.
PROBE(store_burst, "after a pause: lines, sectors, warps, stores (a warp), until=issued|first_free|all_free|loaded") {
  struct Pattern {
    int lane_stride, step, lines, sectors;
  };
  struct Burst {
    int stores;
    void (*kernel)(char*, uint32_t*, int, int);
  };
  const char* const until[kBurstTimes] = {"issued", "first_free", "all_free", "loaded"};
  const Burst bursts[] = {
      {1, store_burst<1>}, {2, store_burst<2>}, {4, store_burst<4>}, {8, store_burst<8>}, {12, store_burst<12>}};
  for (const Pattern& p : {Pattern{128, 4, 32, 32}, Pattern{4, 128, 1, 4}, Pattern{32, 1024, 8, 32}}) {
    for (const int warps : {1, 4, 8, 16}) {
      for (const Burst& burst : bursts) {
        burst.kernel<<<1, warps * 32>>>(device.memory, device.out, p.lane_stride, p.step);
        const Values all = fetch_long(device, warps * kBurstTimes);
        for (int i = 0; i < kBurstTimes; ++i) {
          emit("store_burst", pick(all, i, kBurstTimes), "lines=%d sectors=%d warps=%d stores=%d until=%s", p.lines,
               p.sectors, warps, burst.stores, until[i]);
        }
      }
    }
  }
}

// Shared loads of 16 - storing warps while other warps store: no later than alone as long as the stores
// fit behind the data stage. Rests on it: store_buffer, and that stores and shared loads share that stage.
PROBE(lds_beside_stores, "16 warps: lines (of a store), storing (warps), stores (each), role=store|load (16 loads)") {
  constexpr int kWarps = 16;
  for (const int whole_lines : {0, 1}) {
    for (const int storing : {0, 1, 4, 8}) {
      for (const int stores : {2, 8}) {
        for (int run = 0; run < 2; ++run) {  // the second counts
          lds_beside_stores<<<1, kWarps * 32>>>(device.memory, device.out, storing, stores, whole_lines);
        }
        const Values all = fetch_long(device, kWarps);
        const auto middle = all.begin() + storing;
        for (const bool load : {false, true}) {
          emit("lds_beside_stores", load ? Values(middle, all.end()) : Values(all.begin(), middle),
               "lines=%d storing=%d stores=%d role=%s", whole_lines ? 1 : 32, storing, stores,
               load ? "load" : "store");
        }
      }
    }
  }
}

// Time of an SM for its blocks of 8 warps: what L2 serves of loads and stores together.
// No parameter rests on it alone: l2_far_total, l2_total and store_share say the same.
PROBE(loads_and_stores, "4 KiB a warp: run (0: output just set), mode=load|store|copy, scattered (stores), blocks") {
  const char* const names[] = {"", "load", "store", "copy"};
  char* const to = device.memory + 128 * kMiB;
  for (const int run : {0, 1}) {
    for (const int mode : {1, 2, 3}) {
      for (const int scattered : {0, 1}) {
        if (mode == kLoads && scattered) continue;
        for (const int blocks : {1, device.sms, 2 * device.sms, 4 * device.sms, 8 * device.sms}) {
          if (run == 0) check(cudaMemset(to, 255, 64 * kMiB), "memset");
          prepare(device, kPrepared);
          loads_and_stores<<<blocks, 256>>>(device.memory, to, device.out, mode, scattered);
          emit("loads_and_stores", sm_times(fetch(device, 3 * blocks)), "run=%d mode=%s scattered=%d blocks=%d", run,
               names[mode], scattered, blocks);
        }
      }
    }
  }
}

// Stores wait to leave the SM, and then for L2. With one SM 4 stores to 32 lines are read after 750
// cycles; with all SMs as well, though L2 takes half as long again. Rests on it: store_buffer, store_way.
PROBE(store_run, "8 warps, the last of them: blocks, stores (a warp), lane_stride, step, until=issued|free|drained") {
  for (const int blocks : {1, device.sms}) {
    run<1>(device, blocks, 128, 4096, 4, 1 << 18);
    run<4>(device, blocks, 128, 4096, 4, 1 << 18);
    run<8>(device, blocks, 128, 4096, 4, 1 << 18);
    run<16>(device, blocks, 128, 16384, 32, 1 << 18);
    run<8>(device, blocks, 32, 1024, 4, 1 << 18);
    run<16>(device, blocks, 8, 16384, 256, 1 << 18);
    run<32>(device, blocks, 8, 16384, 256, 1 << 18);
    run<16>(device, blocks, 4, 2048, 128, 1 << 18);
    run<32>(device, blocks, 4, 4096, 128, 1 << 18);
    run<64>(device, blocks, 4, 8192, 128, 1 << 18);
  }
}

// Until all is in L2. Where the lines that the warps write at a time are few, a store goes along with
// one before it to the same lines. Rests on it: store_merge_lines, store_merge_cycles.
PROBE(store_merge, "64 stores a warp that fill lines: fill (steps), spacing (cycles between them), blocks, warps, same (1: all to the same lines)") {
  merge<1, 0>(device), merge<1, 8>(device);
  merge<2, 0>(device), merge<2, 8>(device), merge<2, 32>(device);
  merge<4, 0>(device), merge<4, 8>(device), merge<4, 32>(device);
  merge<8, 0>(device), merge<8, 8>(device);
}

// A special register comes when the stores before it have been read, shared and global loads when the
// data stage has passed them on, a barrier at once. No parameter rests on it.
PROBE(behind_stores, "each warp, behind stores of 32 lines: behind, stores, warps") {
  behind_all<1>(device);
  behind_all<4>(device);
  behind_all<8>(device);
}
