// Probes of what kernels do with tiles: load them, wide or narrow, and work on them; and how fast an SM
// takes in lines by copies through L1.
#include "probes.cuh"

#include <algorithm>
#include <map>

using namespace probes;

namespace {

// ---- Steps of a matrix product: load a tile, store it to shared memory, barrier, load it from there
// and multiply, barrier. Six clocks a step.
constexpr int kSteps = 6, kClocks = 6, kWarps = 8;

struct Narrow {  // 8 words a thread, whole lines
  static constexpr int kWidth = 1, kLoads = 8;
};
struct Wide {  // 2 times 4 words a thread
  static constexpr int kWidth = 4, kLoads = 2;
};

// `row_lanes`: lanes that read next to each other; rows are `pitch` bytes apart, and the next step lies
// behind, in the row.
template <class Kind>
__global__ void __launch_bounds__(32 * kWarps) tile_phases(const char* memory, uint32_t* out, uint64_t block_stride, int row_lanes, int pitch) {
  __shared__ __align__(16) float tile[32 * kWarps * 8];
  const int width = 4 * Kind::kWidth, thread = threadIdx.x;
  const char* p = memory + blockIdx.x * block_stride + uint64_t(thread / row_lanes) * pitch + thread % row_lanes * width;
  const uint64_t rows = uint64_t(32 * kWarps / row_lanes) * pitch;
  const uint32_t base = shared_address(tile);
  float sum[16] = {};
  uint32_t time[kSteps * kClocks];
#pragma unroll
  for (int step = 0; step < kSteps; ++step) {
    uint32_t* t = time + step * kClocks;
    const char* q = p + step * row_lanes * width;
    t[0] = now();
    uint4 v[Kind::kLoads];
#pragma unroll
    for (int i = 0; i < Kind::kLoads; ++i) {
      if constexpr (Kind::kWidth == 4) {
        asm volatile("ld.global.v4.u32 {%0,%1,%2,%3}, [%4];"
                     : "=r"(v[i].x), "=r"(v[i].y), "=r"(v[i].z), "=r"(v[i].w)
                     : "l"(q + i * rows)
                     : "memory");
      } else {
        v[i].x = load_l1(q + i * rows);
      }
    }
    t[1] = now();
#pragma unroll
    for (int i = 0; i < Kind::kLoads; ++i) wait_without_store(v[i].x);
    t[2] = now();
#pragma unroll
    for (int i = 0; i < Kind::kLoads; ++i) {
      const uint32_t to = base + (i * 32 * kWarps + thread) * width;
      if constexpr (Kind::kWidth == 4) {
        asm volatile("st.shared.v4.u32 [%0], {%1,%2,%3,%4};" ::"r"(to), "r"(v[i].x), "r"(v[i].y), "r"(v[i].z), "r"(v[i].w) : "memory");
      } else {
        asm volatile("st.shared.u32 [%0], %1;" ::"r"(to), "r"(v[i].x) : "memory");
      }
    }
    t[3] = now();
    __syncthreads();
    t[4] = now();
#pragma unroll
    for (int k = 0; k < 8; ++k) {
      float a[4], b[4];
      asm volatile("ld.shared.v4.f32 {%0,%1,%2,%3}, [%4];"
                   : "=f"(a[0]), "=f"(a[1]), "=f"(a[2]), "=f"(a[3])
                   : "r"(base + k * 512 + thread / 16 * 16)
                   : "memory");
      asm volatile("ld.shared.v4.f32 {%0,%1,%2,%3}, [%4];"
                   : "=f"(b[0]), "=f"(b[1]), "=f"(b[2]), "=f"(b[3])
                   : "r"(base + 4096 + k * 512 + thread % 16 * 16)
                   : "memory");
#pragma unroll
      for (int j = 0; j < 16; ++j) sum[j] = fmaf(a[j / 4], b[j % 4], sum[j]);
    }
    t[5] = now();
    __syncthreads();
  }
  float all = 0;
#pragma unroll
  for (int j = 0; j < 16; ++j) all += sum[j];
  wait_for(__float_as_uint(all), out);
  if (lane_id() != 0) return;
  uint32_t* to = out + kResults + grid_warp() * (kSteps * kClocks + 1);
#pragma unroll
  for (int i = 0; i < kSteps * kClocks; ++i) to[i] = time[i];
  to[kSteps * kClocks] = sm_id();
}

template <class Kind>
void tiles(const Device& device, const char* name, int row_lanes, int pitch) {
  const char* const clocks[] = {"begin", "issued", "loaded", "stored", "met", "multiplied"};
  constexpr int kWords = kSteps * kClocks + 1;
  for (const int own : {1, 0}) {
    for (const int per_sm : {0, 1, 3}) {
      const int blocks = per_sm == 0 ? 1 : per_sm * device.sms;
      const uint64_t block_stride = own ? uint64_t(32 * kWarps / row_lanes) * pitch * Kind::kLoads : 0;
      prepare(device, std::max<uint64_t>(2 * kMiB, block_stride * blocks));
      tile_phases<Kind><<<blocks, 32 * kWarps>>>(device.memory, device.out, block_stride, row_lanes, pitch);
      const Values all = fetch(device, std::size_t(blocks) * kWarps * kWords);
      std::map<uint32_t, uint32_t> first;  // clock of each SM
      for (int w = 0; w < blocks * kWarps; ++w) {
        const uint32_t sm = all[w * kWords + kWords - 1], at = all[w * kWords];
        const auto [entry, added] = first.try_emplace(sm, at);
        if (!added && int32_t(at - entry->second) < 0) entry->second = at;
      }
      for (int k = 0; k < kSteps * kClocks; ++k) {
        Values since;
        for (int w = 0; w < blocks * kWarps; ++w) since.push_back(all[w * kWords + k] - first[all[w * kWords + kWords - 1]]);
        emit("tile_phases", since, "kind=%s row_lanes=%d own=%d per_sm=%d step=%d clock=%s", name, row_lanes, own, per_sm, k / kClocks,
             clocks[k % kClocks]);
      }
    }
  }
}

// ---- Copies through L1 without a wait in between: of lines that are not there, and once more.
constexpr int kFillCopies = 16;

template <int bytes>
__global__ void copy_fills(const char* memory, uint32_t* out, int pitch) {
  extern __shared__ __align__(128) char dynamic[];
  const uint32_t s = shared_address(dynamic) + threadIdx.x * pitch;
  const char* p = memory + (uint64_t{blockIdx.x} * kFillCopies * blockDim.x + threadIdx.x) * bytes;
  uint32_t time[2];
  __shared__ uint32_t first;
#pragma unroll 1
  for (int rep = 0; rep < 2; ++rep) {
    __syncthreads();
    if (threadIdx.x == 0) first = now();
    __syncthreads();
#pragma unroll
    for (int i = 0; i < kFillCopies; ++i) {
      const char* q = p + uint64_t(i) * blockDim.x * bytes;
      asm volatile("cp.async.ca.shared.global [%0], [%1], %2;" ::"r"(s), "l"(q), "n"(bytes) : "memory");
    }
    wait_for_copies();
    time[rep] = now() - first;
  }
  write_clocks(time, out);
}

// ---- Half of the warps keep the data stage busy with shared loads while the others take in lines.
enum Taking { kNone, kLoad4, kLoad4PastL1, kLoad16, kCopy16, kCopy16PastL1 };
const char* const kTakingNames[] = {"none", "load4", "load4_past_l1", "load16", "copy16", "copy16_past_l1"};
constexpr int kTakes = 8, kTakingRounds = 6, kSharedLoads = 512, kBesideWarps = 16;

// `step`: bytes from an access to the next; 0: all of a warp are the same, which stay in L1.
template <int taking>
__global__ void lds_beside_loads(const char* memory, uint32_t* out, int step) {
  __shared__ uint32_t words[1024];
  extern __shared__ __align__(128) char dynamic[];
  for (int i = threadIdx.x; i < 1024; i += blockDim.x) words[i] = 0;
  const bool takes = warp_id() / 4 % 2 != 0;  // each sub-core has warps of both
  const char* p = memory + warp_id() * (kTakes * kTakingRounds * 512) + lane_id() * (taking >= kLoad16 ? 16 : 4);
  const uint32_t s = shared_address(words) + lane_id() * 4, to = shared_address(dynamic) + threadIdx.x * 16;
  __syncthreads();
  const uint32_t start = now();
  uint32_t x = 0;
  if (!takes) {
#pragma unroll 1
    for (int i = 0; i < kSharedLoads / 16; ++i) {
#pragma unroll
      for (int k = 0; k < 16; ++k) x ^= load_shared(s + k * 128);
    }
  } else {
#pragma unroll 1
    for (int round = 0; round < kTakingRounds; ++round) {
      uint4 v[kTakes] = {};
#pragma unroll
      for (int i = 0; i < kTakes; ++i) {
        const char* q = p + (round * kTakes + i) * step;
        if constexpr (taking == kLoad4) v[i].x = load_l1(q);
        if constexpr (taking == kLoad4PastL1) v[i].x = load_l2(q);
        if constexpr (taking == kLoad16) {
          asm volatile("ld.global.ca.v4.u32 {%0,%1,%2,%3}, [%4];"
                       : "=r"(v[i].x), "=r"(v[i].y), "=r"(v[i].z), "=r"(v[i].w)
                       : "l"(q)
                       : "memory");
        }
        if constexpr (taking == kCopy16) copy16_l1(to, q);
        if constexpr (taking == kCopy16PastL1) copy16_past_l1(to, q);
      }
      if constexpr (taking >= kCopy16) wait_for_copies();
#pragma unroll
      for (int i = 0; i < kTakes; ++i) x ^= v[i].x ^ v[i].y ^ v[i].z ^ v[i].w;
      wait_without_store(x);
    }
  }
  wait_without_store(x);
  const uint32_t time[1] = {now() - start};
  write_clocks(time, out);
}

template <int taking>
void beside(const Device& device) {
  for (const int step : {512, 128, 0}) {
    if ((taking == kNone && step != 0) || (step == 128 && taking >= kLoad16)) continue;
    for (const int run : {0, 1, 2}) {
      prepare(device, 2 * kMiB);
      lds_beside_loads<taking><<<1, kBesideWarps * 32, kBesideWarps * 512>>>(device.memory, device.out, step);
      const Values all = fetch(device, kBesideWarps);
      Values shared, taken;
      for (int w = 0; w < kBesideWarps; ++w) (w / 4 % 2 != 0 ? taken : shared).push_back(all[w]);
      emit("lds_beside_loads", shared, "taking=%s step=%d run=%d of=lds", kTakingNames[taking], step, run);
      emit("lds_beside_loads", taken, "taking=%s step=%d run=%d of=taking", kTakingNames[taking], step, run);
    }
  }
}

void fills(const Device& device, void (*kernel)(const char*, uint32_t*, int), int bytes, int pitch) {
  constexpr int kMostWarps = 16;
  allow_shared(kernel, kMostWarps * 32 * pitch);
  for (const int blocks : {1, device.sms}) {
    for (const int warps : {4, 8, kMostWarps}) {
      prepare(device, std::max<uint64_t>(2 * kMiB, uint64_t(blocks) * kFillCopies * warps * 32 * bytes));
      kernel<<<blocks, warps * 32, warps * 32 * pitch>>>(device.memory, device.out, pitch);
      const Values all = fetch(device, std::size_t(blocks) * warps * 2);
      for (const int again : {0, 1}) {
        emit("copy_fills", pick(all, again, 2), "bytes=%d pitch=%d blocks=%d warps=%d again=%d", bytes, pitch, blocks, warps, again);
      }
    }
  }
}

}  // namespace

// No parameter rests on it: it is replayed.
PROBE(tile_phases, "clocks of 8 warps a block since the first of the SM: kind=narrow|wide, row_lanes, own, per_sm (blocks; 0: one block), step, clock") {
  tiles<Narrow>(device, "narrow", 32, kSteps * 128);
  tiles<Wide>(device, "wide", 32, kSteps * 512);
  tiles<Wide>(device, "wide", 4, kSteps * 64);
}

// With lines in L1 16 warps take 2.7, 3.7 and 4.7 cycles for a copy of 4, 8 and 16 bytes, 9 with pitch 32.
// Rests on it: one wavefront more for 4 and 8 bytes.
PROBE(copy_fills, "16 copies through L1 of each warp until all are there: bytes, pitch (in shared memory), blocks, warps, again (1: lines in L1)") {
  for (const int pitch : {4, 32, 128}) fills(device, copy_fills<4>, 4, pitch);
  for (const int pitch : {8, 32}) fills(device, copy_fills<8>, 8, pitch);
  for (const int pitch : {16, 32, 48, 128}) fills(device, copy_fills<16>, 16, pitch);
}

// The shared loads take 4,400 cycles alone, 1.0 to 1.5 more for each line that loads take in, 1.5 for copies
// through L1 and 0.6 for those past it, which they do not hold up. Rests on it: copy_line_cycles, and
// that copies through L1 pass the data stage when their lines have come.
PROBE(lds_beside_loads, "8 warps of 512 shared loads while 8 others take in 48 times a line or four: taking, step (bytes; 0: the same again), run (0: new code), of=lds|taking") {
  beside<kNone>(device);
  beside<kLoad4>(device);
  beside<kLoad4PastL1>(device);
  beside<kLoad16>(device);
  beside<kCopy16>(device);
  beside<kCopy16PastL1>(device);
}
