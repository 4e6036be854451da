// Probes of the two halves of L2: how fast an SM gets at the lines of the one that it is next to and of
// the far one, each alone and beside the other.
#include "probes.cuh"

#include <cstdio>
#include <utility>

using namespace probes;

namespace {

constexpr int kPiece = 4096;  // bytes that lie in one half: probe half_bits
constexpr int kLine = 128;
constexpr int kPieces = kPrepared / kPiece;
constexpr int kSideSamples = 16;             // pieces by which an SM finds its side
constexpr int kUsed = kPiece / kLine - 2;    // lines of a piece that are measured; the others find the halves
constexpr int kMost = 960;                   // lines of one half for one SM
enum Place { kNear, kFar };

__global__ void piece_latencies(const char* memory, uint32_t* out) {
  for (int piece = 0; piece < kPieces; ++piece) {
    const uint32_t start = now();
    wait_for(load_l2(memory + uint64_t(piece) * kPiece + kUsed * kLine), out);
    if (lane_id() == 0) out[kResults + piece] = now() - start;
  }
}

__global__ void side_latencies(const char* memory, uint32_t* out) {
  const uint32_t sm = sm_id();
  for (int i = 0; i < kSideSamples; ++i) {
    const uint32_t start = now();
    wait_for(load_l2(memory + uint64_t(sm * kSideSamples + i) * kPiece + (kUsed + 1) * kLine), out);
    if (lane_id() == 0) out[kResults + sm * kSideSamples + i] = now() - start;
  }
}

// Which half of L2 holds a piece, and which one an SM is next to: alike or not.
struct Halves {
  std::vector<char> pieces, sms;
  Place place(int piece, int sm) const { return pieces[piece] == sms[sm] ? kNear : kFar; }
};

Halves find_halves(const Device& device) {
  constexpr uint32_t kFarFrom = 410;  // cycles; half_bits: up to 373 near, from 482 far
  prepare(device, kPrepared);
  piece_latencies<<<1, 32>>>(device.memory, device.out);
  const Values pieces = fetch(device, kPieces);
  side_latencies<<<device.sms, 32>>>(device.memory, device.out);
  const Values sides = fetch(device, device.sms * kSideSamples);
  Halves halves;
  for (int piece = 0; piece < kPieces; ++piece) halves.pieces.push_back(pieces[piece] > kFarFrom);
  for (int sm = 0; sm < device.sms; ++sm) {
    int other = 0;  // samples by which the SM is not on the side of the one that saw all pieces
    for (int i = 0; i < kSideSamples; ++i) {
      const int sample = sm * kSideSamples + i;
      other += (sides[sample] > kFarFrom) != (pieces[sample] > kFarFrom);
    }
    halves.sms.push_back(other * 2 > kSideSamples);
  }
  return halves;
}

// Offsets of lines for each SM: kMost in its half, kMost in the far one.
std::vector<uint32_t> lines_of_sms(const Device& device) {
  const Halves halves = find_halves(device);
  std::vector<uint32_t> table(device.sms * 2 * kMost);
  for (int sm = 0; sm < device.sms; ++sm) {
    std::size_t filled[2] = {0, 0};
    for (int piece = sm; piece < kPieces; piece += device.sms) {
      const int place = halves.place(piece, sm);
      for (int line = 0; line < kUsed && filled[place] < kMost; ++line) {
        table[(sm * 2 + place) * kMost + filled[place]++] = piece * kPiece + line * kLine;
      }
    }
    if (filled[kNear] < kMost || filled[kFar] < kMost) std::fprintf(stderr, "probes: SM %d has %zu near lines, %zu far\n", sm, filled[0], filled[1]);
  }
  return table;
}

// ---- A burst of loads: all lines of a piece at once, by one warp or by eight, the SM's own piece or one
// that all SMs load.
constexpr int kBurst = 24;

template <int warps>
__global__ void half_bursts(const char* memory, const uint32_t* pieces, uint32_t* out) {
  constexpr int kLoads = kBurst / warps;
  const char* p = memory + pieces[sm_id()] + warp_id() * kLine + lane_id() * 4;
  uint32_t x[kLoads], y = 0;
  __syncthreads();
  const uint32_t start = now();
#pragma unroll
  for (int i = 0; i < kLoads; ++i) x[i] = load_l2(p + i * warps * kLine);
#pragma unroll
  for (int i = 0; i < kLoads; ++i) y ^= x[i];
  wait_without_store(y);
  const uint32_t time = now() - start;
  if (lane_id() != 0) return;
  out[kResults + grid_warp() * 2] = time;
  out[kResults + grid_warp() * 2 + 1] = sm_id();
}

template <int warps>
void bursts(const Device& device) {
  uint32_t* pieces = nullptr;
  check(cudaMalloc(&pieces, device.sms * sizeof(uint32_t)), "malloc");
  const Halves halves = find_halves(device);
  int next = 0;  // piece that no one has loaded
  for (const int common : {0, 1}) {
    for (const int blocks : {1, device.sms / 4, device.sms}) {
      Values times[2];
      for (int rep = 0; rep < 6; ++rep) {
        const int first = next;
        next += common ? 1 : device.sms;
        std::vector<uint32_t> offsets(device.sms);
        for (int sm = 0; sm < device.sms; ++sm) offsets[sm] = (first + (common ? 0 : sm)) * kPiece;
        check(cudaMemcpy(pieces, offsets.data(), offsets.size() * sizeof(uint32_t), cudaMemcpyHostToDevice), "copy");
        half_bursts<warps><<<blocks, warps * 32>>>(device.memory, pieces, device.out);
        const Values all = fetch(device, std::size_t(blocks) * warps * 2);
        if (rep == 0) continue;  // new code
        for (int w = 0; w < blocks * warps; ++w) {
          const int sm = all[2 * w + 1];
          times[halves.place(offsets[sm] / kPiece, sm)].push_back(all[2 * w]);
        }
      }
      for (const Place place : {kNear, kFar}) {
        if (times[place].empty()) continue;
        emit("half_bursts", times[place], "warps=%d blocks=%d common=%d place=%s", warps, blocks, common, place == kNear ? "near" : "far");
      }
    }
  }
  cudaFree(pieces);
}

constexpr int kLines = 8;  // of a warp and round
constexpr int kMostRounds = 3;

// What one half of the warps of a block does: an access touches `words` words of `sectors` sectors of a line.
struct Half {
  bool stores;
  int sectors, words;
  Place place;
};
bool same(const Half& a, const Half& b) {
  return a.stores == b.stores && a.sectors == b.sectors && a.words == b.words && a.place == b.place;
}

__global__ void __launch_bounds__(1024) half_rates(char* memory, const uint32_t* table, uint32_t* arrived, uint32_t* out, Half even, Half odd, int rounds) {
  __shared__ uint32_t first;
  const Half mine = warp_id() % 2 == 0 ? even : odd;
  const uint32_t index = even.place == odd.place ? warp_id() : warp_id() / 2;
  const uint32_t* lines = table + (sm_id() * 2 + mine.place) * kMost + index * kLines * rounds;
  const uint32_t word = lane_id() % (mine.sectors * mine.words);
  const uint32_t lane = word / mine.words * 32 + word % mine.words * 4;
  uint32_t offset[kMostRounds * kLines];
#pragma unroll
  for (int i = 0; i < kMostRounds * kLines; ++i) offset[i] = i < rounds * kLines ? lines[i] + lane : 0;
  __syncthreads();
  if (threadIdx.x == 0) {  // all blocks begin together
    atomicAdd(arrived, 1);
    while (*reinterpret_cast<volatile uint32_t*>(arrived) < gridDim.x) {
    }
  }
  __syncthreads();
  if (threadIdx.x == 0) first = now();
  __syncthreads();
  const uint32_t start = first;
#pragma unroll
  for (int round = 0; round < kMostRounds; ++round) {
    if (round >= rounds) break;
    if (mine.stores) {
#pragma unroll
      for (int i = 0; i < kLines; ++i) store(memory + offset[round * kLines + i], i);
    } else {
      uint32_t x[kLines], y = 0;
#pragma unroll
      for (int i = 0; i < kLines; ++i) x[i] = load_l2(memory + offset[round * kLines + i]);
#pragma unroll
      for (int i = 0; i < kLines; ++i) y ^= x[i];
      wait_for(y, out);
    }
  }
  if (mine.stores) asm volatile("membar.gl;" ::: "memory");
  const uint32_t time = now() - start;
  if (lane_id() == 0) out[kResults + grid_warp()] = time;
}

}  // namespace

// The latency of a burst does not depend on its lines when one SM loads; when all do, far lines queue.
PROBE(half_bursts, "first uses of 24 lines of a piece until all have come: warps, blocks, common (1: all SMs load the same), place") {
  bursts<1>(device);
  bursts<8>(device);
}

// Loads of whole lines of the far half take 13 cycles each and of one or two sectors 6.5, beside near
// ones as well as alone; near ones 3.3. Stores: 1.65 cycles a sector to the near half and 3.4 to the far
// one; to parts of sectors 1.7 more for each line, near. Rests on it: l2_far_total, l2_far_piece,
// store_share, store_partial.
PROBE(half_rates, "first uses of lines by all SMs at once: blocks, warps, rounds (of 8 lines a warp), access, sectors of a line, words of a sector, place, beside (what the odd warps do, or the even ones), again (1: the second time)") {
  const std::vector<uint32_t> table = lines_of_sms(device);
  uint32_t* lines = nullptr;
  uint32_t* arrived = nullptr;
  check(cudaMalloc(&lines, table.size() * sizeof(uint32_t)), "malloc");
  check(cudaMalloc(&arrived, sizeof(uint32_t)), "malloc");
  check(cudaMemcpy(lines, table.data(), table.size() * sizeof(uint32_t), cudaMemcpyHostToDevice), "copy");
  std::vector<std::pair<Half, Half>> pairs;
  for (const bool stores : {false, true}) {
    for (const int sectors : {1, 2, 4}) {
      for (const int words : {1, 2, 4, 8}) {
        if (!stores && words < 8) continue;  // sectors are loaded whole
        const Half near{stores, sectors, words, kNear}, far{stores, sectors, words, kFar};
        pairs.insert(pairs.end(), {{near, near}, {far, far}, {near, far}});
      }
    }
  }
  for (const Place load : {kNear, kFar}) {
    for (const Place store : {kNear, kFar}) pairs.push_back({{false, 4, 8, load}, {true, 4, 8, store}});
  }
  for (const int blocks : {1, device.sms}) {
    for (const int warps : {8, 32}) {
      for (const int rounds : {1, 3}) {
        for (const auto& pair : pairs) {
          prepare(device, kPrepared);
          for (const int again : {0, 1}) {
            check(cudaMemset(arrived, 0, sizeof(uint32_t)), "memset");
            half_rates<<<blocks, warps * 32>>>(device.memory, lines, arrived, device.out, pair.first, pair.second, rounds);
            const Values all = fetch(device, std::size_t(blocks) * warps);
            const auto print = [&](const Half& half, const Half& other, const Values& values) {
              const auto name = [](const Half& h) { return h.stores ? "store" : "load"; };
              const auto place = [](const Half& h) { return h.place == kNear ? "near" : "far"; };
              emit("half_rates", values, "blocks=%d warps=%d rounds=%d access=%s sectors=%d words=%d place=%s beside=%s_%s again=%d", blocks,
                   warps, rounds, name(half), half.sectors, half.words, place(half), name(other), place(other), again);
            };
            if (same(pair.first, pair.second)) {
              print(pair.first, pair.second, all);
            } else {
              print(pair.first, pair.second, pick(all, 0, 2));
              print(pair.second, pair.first, pick(all, 1, 2));
            }
            if (pair.first.stores || pair.second.stores) break;  // only loads leave copies in the near half
          }
        }
      }
    }
  }
  cudaFree(lines);
  cudaFree(arrived);
}
