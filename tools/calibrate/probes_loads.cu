// Probes of loads and copies of global memory.
#include "probes.cuh"

#include <algorithm>

using namespace probes;

namespace {

// ---- First use of a sector: one load at a time, then the same once more past L1.
constexpr int kTouches = 20;

__global__ void first_touch(const char* memory, uint32_t* out, uint64_t block_stride, uint64_t stride) {
  const char* p = memory + blockIdx.x * block_stride + threadIdx.x * 4;
  uint32_t first[kTouches], again[kTouches];
#pragma unroll
  for (int i = 0; i < kTouches; ++i) {
    const uint32_t start = now();
    wait_for(load_l1(p + stride * i), out);
    first[i] = now() - start;
  }
#pragma unroll
  for (int i = 0; i < kTouches; ++i) {
    const uint32_t start = now();
    wait_for(load_l2(p + stride * i), out);
    again[i] = now() - start;
  }
  if (threadIdx.x != 0) return;
  uint32_t* result = out + kResults + blockIdx.x * (2 * kTouches);
#pragma unroll
  for (int i = 0; i < kTouches; ++i) result[i] = first[i], result[kTouches + i] = again[i];
}

// ---- Which bits of an address choose its half of L2. Step 0 loads the base, step k bit k + 6 above.
constexpr int kBitSteps = 16;

__global__ void half_bits(const char* base, uint32_t* out) {
  uint32_t time[kBitSteps];
#pragma unroll
  for (int k = 0; k < kBitSteps; ++k) {
    const uint32_t start = now();
    wait_for(load_l2(base + (k == 0 ? 0 : uint64_t{1} << (k + 6))), out);
    time[k] = now() - start;
  }
  if (threadIdx.x != 0) return;
#pragma unroll
  for (int k = 0; k < kBitSteps; ++k) out[kResults + blockIdx.x * kBitSteps + k] = time[k];
}

// ---- Throughput of loads and copies out of L2; each warp repeats four places of its own.
enum Access { kLoad4, kCopy16PastL1, kLoad16 };

__global__ void load_rates(const char* memory, uint32_t* out, int lane_stride, int step, int access,
                           uint64_t warp_stride) {
  extern __shared__ __align__(128) char dynamic[];
  const uint32_t s = shared_address(dynamic) + threadIdx.x * 16;
  const char* p = memory + grid_warp() * warp_stride + lane_id() * static_cast<uint64_t>(lane_stride);
  uint32_t time = 0;
  for (int rep = 0; rep < 3; ++rep) {
    __syncthreads();
    const uint32_t start = now();
    uint32_t x = 0;
#pragma unroll 8
    for (int i = 0; i < 64; ++i) {
      const char* q = p + static_cast<uint64_t>(i % 4) * step;
      if (access == kLoad4) {
        x ^= load_l2(q);
      } else if (access == kCopy16PastL1) {
        copy16_past_l1(s, q);
      } else {
        const uint4 v = load16_l2(q);
        x ^= v.x ^ v.y ^ v.z ^ v.w;
      }
    }
    if (access == kCopy16PastL1) wait_for_copies();
    else wait_for(x, out);
    __syncthreads();
    time = now() - start;
  }
  if (threadIdx.x == 0) out[kResults + blockIdx.x] = time;
}

// ---- Streams in batches of eight, of lines that all blocks use or of the block's own.
enum Stream { kStreamLoad4, kStreamLoad16, kStreamCopy16, kStreamCopy16PastL1, kStreamCopy4 };

template <int stream>
__global__ void shared_lines(const char* memory, uint32_t* out, uint64_t block_stride, int rounds, int unit,
                             int shared_stride) {
  extern __shared__ __align__(128) char dynamic[];
  const uint32_t s = shared_address(dynamic) + threadIdx.x * shared_stride;
  const char* p = memory + blockIdx.x * block_stride + threadIdx.x * unit;
  uint32_t x = 0;
  const uint32_t start = now();
  for (int round = 0; round < rounds; ++round) {
    uint4 v[8] = {};
#pragma unroll
    for (int i = 0; i < 8; ++i) {
      const char* q = p + static_cast<uint64_t>(round * 8 + i) * blockDim.x * unit;
      const uint32_t to = s + i * (blockDim.x * shared_stride);
      if constexpr (stream == kStreamLoad4) v[i].x = load_l1(q);
      if constexpr (stream == kStreamLoad16) v[i] = load16_l2(q);
      if constexpr (stream == kStreamCopy16) copy16_l1(to, q);
      if constexpr (stream == kStreamCopy16PastL1) copy16_past_l1(to, q);
      if constexpr (stream == kStreamCopy4) copy4_l1(to, q);
    }
    if constexpr (stream == kStreamLoad4 || stream == kStreamLoad16) {
      for (int i = 0; i < 8; ++i) x ^= v[i].x ^ v[i].y ^ v[i].z ^ v[i].w;
      wait_for(x, out);
    } else {
      asm volatile("cp.async.commit_group; cp.async.wait_group 0;" ::: "memory");
    }
  }
  const uint32_t time = now() - start;
  if (threadIdx.x == 0) out[kResults + blockIdx.x] = time;
}

struct StreamKind {
  void (*kernel)(const char*, uint32_t*, uint64_t, int, int, int);
  const char* name;
  int unit, shared_stride;  // bytes of a lane in global memory; from lane to lane in shared memory
  bool long_too;
};
const StreamKind kStreams[] = {
    {shared_lines<kStreamLoad4>, "load4", 4, 4, true},
    {shared_lines<kStreamLoad16>, "load16", 16, 16, true},
    {shared_lines<kStreamCopy16>, "copy16", 16, 16, true},
    {shared_lines<kStreamCopy16PastL1>, "copy16_past_l1", 16, 16, true},
    {shared_lines<kStreamCopy16PastL1>, "copy16_past_l1", 16, 128, false},
    {shared_lines<kStreamCopy4>, "copy4", 4, 4, false},
    {shared_lines<kStreamCopy4>, "copy4", 4, 32, false},
};
constexpr int kStreamThreads = 128;

// ---- Copies past L1 and through it: rows of 16-byte chunks, with pitches on both sides.
template <bool past_l1>
__global__ void copies(const char* memory, uint32_t* out, int row_chunks, int global_pitch, int shared_pitch,
                       int swizzled, uint64_t warp_stride, uint64_t block_stride) {
  extern __shared__ __align__(128) char dynamic[];
  const uint32_t lane = lane_id(), warp = warp_id();
  const uint32_t row = lane / row_chunks, chunk = lane % row_chunks;
  const uint32_t period = 8 / row_chunks > 0 ? 8 / row_chunks : 1;
  const uint32_t place = swizzled ? (chunk ^ ((row / period) % row_chunks)) : chunk;
  const uint32_t s = shared_address(dynamic) + (warp * (32 / row_chunks) + row) * shared_pitch + place * 16;
  const char* p = memory + blockIdx.x * block_stride + warp * warp_stride +
                  row * static_cast<uint64_t>(global_pitch) + chunk * 16;
  uint32_t time = 0;
  for (int rep = 0; rep < 3; ++rep) {
    __syncthreads();
    const uint32_t start = now();
#pragma unroll 8
    for (int i = 0; i < 32; ++i) {
      const char* q = p + static_cast<uint64_t>(i % 4) * (32 / row_chunks) * global_pitch;
      past_l1 ? copy16_past_l1(s, q) : copy16_l1(s, q);
    }
    wait_for_copies();
    __syncthreads();
    time = now() - start;
  }
  if (threadIdx.x == 0) out[kResults + blockIdx.x] = time;
}

}  // namespace

// Latency of a load, by use: of the block's first line, of the next ones, and of those again.
// Rests on it: l2_latency, l2_spread (again: range over lines and SMs), l2_far_extra (next: two groups).
PROBE(first_touch, "latency of single loads of lines in L2: blocks, stride, use=first|next|again") {
  for (const int blocks : {1, 32, 4 * device.sms}) {
    for (const int stride : {128, 4096}) {
      if (stride == 4096 && blocks > 32) continue;  // more than was prepared
      prepare(device, 4 * kMiB);
      first_touch<<<blocks, 32>>>(device.memory, device.out, uint64_t{kTouches} * stride, stride);
      const Values all = fetch(device, blocks * 2 * kTouches);
      Values values[3];
      for (std::size_t k = 0; k < all.size(); ++k) {
        const bool again = k / kTouches % 2 != 0, first = k % kTouches == 0;
        if (!again || !first) values[again ? 2 : first ? 0 : 1].push_back(all[k]);
      }
      const char* const uses[] = {"first", "next", "again"};
      for (int use = 0; use < 3; ++use) {
        emit("first_touch", values[use], "blocks=%d stride=%d use=%s", blocks, stride, uses[use]);
      }
    }
  }
}

// First use of lines that differ from the base in one address bit, by all SMs at once. SMs fall in two
// sides by the time of bit 12; a bit that chooses the half shows the same order of the two sides, one
// that does not shows the opposite. The first run is cold. Rests on it: l2_half_mask, l2_far_extra.
PROBE(half_bits, "first use of base + 2^bit by all SMs: run, base, bit (0: the base), side (0: near for bit 12)") {
  constexpr int kReference = 12 - 6;
  for (const int run : {0, 1}) {
    for (const uint64_t base : {uint64_t{0}, kMiB}) {
      prepare(device, 4 * kMiB);
      half_bits<<<device.sms, 32>>>(device.memory + base, device.out);
      const Values all = fetch(device, device.sms * kBitSteps);
      Values reference = pick(all, kReference, kBitSteps);
      std::sort(reference.begin(), reference.end());
      const uint32_t middle = (reference[device.sms / 10] + reference[device.sms * 9 / 10]) / 2;
      for (int k = 0; k < kBitSteps; ++k) {
        Values sides[2];
        for (int b = 0; b < device.sms; ++b) {
          sides[all[b * kBitSteps + kReference] > middle].push_back(all[b * kBitSteps + k]);
        }
        for (const int side : {0, 1}) {
          emit("half_bits", sides[side], "run=%d base=%llu bit=%d side=%d", run,
               static_cast<unsigned long long>(base), k == 0 ? 0 : k + 6, side);
        }
      }
    }
  }
}

// 64 loads or copies a warp that hit L2, by lines and sectors of one instruction: with all SMs, cycles
// are (32 * sectors + l2_line * lines) * SMs / l2_total an instruction. Rests on it: l2_total, l2_line.
PROBE(load_rates, "64 loads a warp that hit L2: blocks, warps, access, lines and sectors of an instruction") {
  struct Pattern {
    int lane_stride, step, warp_stride, lines, sectors;
  };
  const Pattern patterns[] = {{4, 128, 512, 1, 4},     {16, 512, 2048, 4, 16},  {32, 1024, 4096, 8, 32},
                              {64, 2048, 8192, 16, 32}, {128, 32, 4096, 32, 32}};
  const char* const names[] = {"load4", "copy16_past_l1", "load16"};
  for (const int blocks : {1, device.sms / 4, device.sms / 2, device.sms}) {
    for (const int warps : {8, 32}) {
      for (const int access : {kLoad4, kLoad16, kCopy16PastL1}) {
        for (const Pattern& p : patterns) {
          if (access != kLoad4 && p.lane_stride < 16) continue;
          if (static_cast<uint64_t>(blocks) * warps * p.warp_stride > 30 * kMiB) continue;  // would not stay in L2
          load_rates<<<blocks, warps * 32, 16384>>>(device.memory, device.out, p.lane_stride, p.step, access,
                                                    p.warp_stride);
          emit("load_rates", fetch(device, blocks), "blocks=%d warps=%d access=%s lines=%d sectors=%d", blocks, warps,
               names[access], p.lines, p.sectors);
        }
      }
    }
  }
}

// Streams of 4 warps a block that all blocks read from the same lines (own=0) or each from its own
// (own=1): first uses, then long ones (rounds=16). With four blocks on every SM the long ones show what
// all SMs get of common lines; copies ask again for what is on its way. Rests on it: l2_shared_total,
// shared_lines.
PROBE(shared_lines, "a block's stream: run, access, unit, shared_stride, blocks, own, rounds (of 8 accesses)") {
  allow_shared(shared_lines<kStreamCopy16PastL1>, 160 << 10);
  for (const int run : {0, 1}) {
    for (const int blocks : {1, 2, 33, device.sms, 4 * device.sms}) {
      for (const int own : {0, 1}) {
        const auto measure = [&](const StreamKind& s, int rounds) {
          const uint64_t block_stride = own ? uint64_t{8} * rounds * kStreamThreads * s.unit : 0;
          s.kernel<<<blocks, kStreamThreads, 8 * kStreamThreads * s.shared_stride>>>(
              device.memory, device.out, block_stride, rounds, s.unit, s.shared_stride);
          emit("shared_lines", fetch(device, blocks),
               "run=%d access=%s unit=%d shared_stride=%d blocks=%d own=%d rounds=%d", run, s.name, s.unit,
               s.shared_stride, blocks, own, rounds);
        };
        for (const StreamKind& s : kStreams) {
          prepare(device, 24 * kMiB);
          measure(s, s.unit == 4 ? 4 : 2);
        }
        for (const StreamKind& s : kStreams) {
          if (!own && s.long_too) measure(s, 16);
        }
      }
    }
  }
}

// 32 copies of 16 bytes a lane per warp: rows of row_bytes, with their distance in global and shared
// memory; warps repeat four places of their own. Copies through L1 hit it.
// Copies that repeat what is on its way take less than others: line_pieces has those.
PROBE(copies_past_l1, "32 copies a warp: past_l1, blocks, warps, row_bytes, global_pitch, shared_pitch, swizzled") {
  constexpr int kMostCopied = 200 << 10;
  struct Rows {
    int chunks, global_pitch, shared_pitch, swizzled;
  };
  const Rows patterns[] = {
      {32, 512, 512, 0}, {8, 128, 128, 0}, {8, 128, 144, 0}, {8, 128, 128, 1}, {8, 1024, 128, 0}, {8, 1024, 144, 0},
      {8, 1024, 128, 1}, {4, 64, 64, 0},   {4, 64, 80, 0},   {4, 1024, 64, 0}, {4, 1024, 80, 0},  {4, 1024, 64, 1},
      {2, 32, 32, 0},    {2, 32, 48, 0},   {2, 1024, 32, 0}, {2, 1024, 48, 0}, {2, 1024, 32, 1},  {1, 16, 128, 0},
      {1, 16, 32, 0},    {1, 16, 48, 0},   {1, 32, 16, 0},   {1, 32, 32, 0},   {1, 128, 16, 0},   {4, 80, 64, 0},
      {8, 144, 128, 0}};
  allow_shared(copies<true>, kMostCopied);
  allow_shared(copies<false>, kMostCopied);
  for (const int blocks : {1, device.sms}) {
    for (const int warps : {1, 8, 24}) {
      for (const Rows& r : patterns) {
        const int rows = 32 / r.chunks;
        const uint64_t warp_stride = uint64_t{4} * rows * r.global_pitch, block_stride = warp_stride * warps;
        const int bytes = warps * rows * r.shared_pitch + 128;
        if (block_stride * blocks > 128 * kMiB || bytes > kMostCopied) continue;
        for (const int past_l1 : {1, 0}) {
          (past_l1 ? copies<true> : copies<false>)<<<blocks, warps * 32, bytes>>>(
              device.memory, device.out, r.chunks, r.global_pitch, r.shared_pitch, r.swizzled, warp_stride,
              block_stride);
          emit("copies_past_l1", fetch(device, blocks),
               "past_l1=%d blocks=%d warps=%d row_bytes=%d global_pitch=%d shared_pitch=%d swizzled=%d", past_l1,
               blocks, warps, r.chunks * 16, r.global_pitch, r.shared_pitch, r.swizzled);
        }
      }
    }
  }
}
