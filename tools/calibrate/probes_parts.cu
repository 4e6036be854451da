// Probes of warps whose lanes leave a loop at different times.
#include "probes.cuh"

using namespace probes;

namespace {

constexpr int kRow = 33;  // words of a lane: each in its own bank
constexpr uint32_t kEmpty = ~0u, kTaken = 0x40000000;

// Puts a key into the first empty word from `slot` on, as hash tables do.
__device__ __forceinline__ void insert(uint32_t* row, uint32_t key) {
  uint32_t slot = 0;
  for (;;) {
    const uint32_t old = atomicCAS(row + slot, kEmpty, key);
    if (old == kEmpty || old == key) break;
    slot = (slot + 1) & 31;
  }
}

// Lane l finds `step` * (l % kinds) words taken. The second key follows without a barrier.
__global__ void parted_loops(uint32_t* out, int kinds, int step) {
  extern __shared__ uint32_t rows[];
  uint32_t* row = rows + threadIdx.x * kRow;
  const int taken = step * (lane_id() % kinds);
  for (int i = 0; i < 32; ++i) row[i] = i < taken ? kTaken : kEmpty;
  __syncthreads();
  uint32_t time[3];
  time[0] = now();
  insert(row, 2 * threadIdx.x);
  time[1] = now();
  insert(row, 2 * threadIdx.x + 1);
  __syncwarp();
  time[2] = now();
  for (int k = 2; k >= 0; --k) time[k] -= time[0];
  if (row[31] == 77) out[0] = 1;
  write_clocks(time, out);
}

}  // namespace

// Where lanes leave a loop at different times, ptxas places a YIELD in it, and a turn takes 200 to 250
// cycles whether one part of the warp still loops or eight do. No parameter rests on it.
PROBE(parted_loops, "two insertions by a warp, lane l past step * (l % kinds) words: kinds, step, warps, until=first|second (of lane 0; both of all lanes)") {
  constexpr int kMostWarps = 8;
  allow_shared(parted_loops, kMostWarps * 32 * kRow * 4);
  for (const int warps : {1, kMostWarps}) {
    for (const int kinds : {1, 2, 4, 8}) {
      for (const int step : {1, 3}) {
        for (int run = 0; run < 2; ++run) {  // the second counts
          parted_loops<<<1, warps * 32, warps * 32 * kRow * 4>>>(device.out, kinds, step);
        }
        const Values all = fetch(device, warps * 3);
        emit("parted_loops", pick(all, 1, 3), "kinds=%d step=%d warps=%d until=first", kinds, step, warps);
        emit("parted_loops", pick(all, 2, 3), "kinds=%d step=%d warps=%d until=second", kinds, step, warps);
      }
    }
  }
}
