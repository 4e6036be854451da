// Probes of lines that all SMs ask for at the same time: whole, by loads, and piece by piece, by copies
// past L1.
#include "probes.cuh"

#include <algorithm>

using namespace probes;

namespace {

// ---- Loads of whole lines, a clock as each arrives. Warps take turns: load i of warp w is line
// i * warps + w of the block's.
template <int count>
__global__ void same_lines(const char* memory, uint32_t* out, uint64_t block_stride) {
  const uint32_t warps = blockDim.x / 32;
  const char* p = memory + blockIdx.x * block_stride + warp_id() * 128 + lane_id() * 4;
  uint32_t x[count], time[count + 1];
  time[0] = now();
#pragma unroll
  for (int i = 0; i < count; ++i) x[i] = load_l1(p + i * (warps * 128));
#pragma unroll
  for (int i = 0; i < count; ++i) {
    wait_without_store(x[i]);
    time[i + 1] = now();
  }
#pragma unroll
  for (int i = count; i >= 0; --i) time[i] -= time[0];
  write_clocks(time, out);
}

template <int count>
void lines(const Device& device, int warps) {
  for (const int own : {0, 1}) {
    for (const int blocks : {1, device.sms / 4, device.sms, 4 * device.sms}) {
      const uint64_t block_stride = own ? uint64_t{count} * warps * 128 : 0;
      prepare(device, std::max<uint64_t>(4 * kMiB, block_stride * blocks));
      for (const int run : {0, 1}) {
        same_lines<count><<<blocks, warps * 32>>>(device.memory, device.out, block_stride);
        const Values all = fetch(device, std::size_t(blocks) * warps * (count + 1));
        for (int line = 1; line <= count; line *= 2) {
          emit("same_lines", pick(all, line, count + 1), "warps=%d lines=%d blocks=%d own=%d run=%d line=%d", warps, count, blocks,
               own, run, line);
        }
      }
    }
  }
}

// ---- Copies of 16 bytes a lane past L1, 8 at a time. With `pitch` bytes from lane to lane in shared
// memory a line is asked for whole (16), in two, four or eight pieces. Blocks copy the same, the same
// but each begins elsewhere, or each its own.
constexpr int kCopies = 8;
constexpr int kPieceThreads = 128;
constexpr int kPieceRounds = 16;
constexpr uint64_t kRoundBytes = uint64_t{kCopies} * kPieceThreads * 16;
enum Share { kSame, kTurned, kOwn };
const char* const kShareNames[] = {"same", "turned", "own"};

__global__ void line_pieces(const char* memory, uint32_t* out, int share, int pitch, int rounds) {
  extern __shared__ __align__(128) char dynamic[];
  const uint32_t s = shared_address(dynamic) + threadIdx.x * pitch;
  const char* p = memory + threadIdx.x * 16 + (share == kOwn ? blockIdx.x * (rounds * kRoundBytes) : 0);
  const uint32_t turn = share == kTurned ? blockIdx.x : 0;
  const uint32_t start = now();
  for (int round = 0; round < rounds; ++round) {
    const char* q = p + (round + turn) % rounds * kRoundBytes;
#pragma unroll
    for (int i = 0; i < kCopies; ++i) {
      copy16_past_l1(s + i * (kPieceThreads * pitch), q + i * (kPieceThreads * 16));
    }
    wait_for_copies();
  }
  const uint32_t time = now() - start;
  if (threadIdx.x == 0) out[kResults + blockIdx.x] = time;
}

}  // namespace

// What all SMs load takes about what each one's own lines take. No parameter rests on it.
PROBE(same_lines, "since a warp's begin, until its load has come: warps, lines (loads of a warp), blocks, own (0: all blocks load the same), run, line") {
  lines<32>(device, 1);
  lines<8>(device, 8);
  lines<2>(device, 8);
}

// One SM: a cycle a request: 25 cycles a copy with pitch 48 (24 requests), 33 with 32, 64 and 128 (32). All SMs, own lines, again: 1.7.
// The same lines: at first 5.4 (rounds=1), as the slice that has most of the 128 lines serves one request
// a cycle; 2.5 over 16 rounds, as SMs fall out of step. Rests on it: copy_request_cycles,
// copy_request_bytes, slice_request, sm_drift.
PROBE(line_pieces, "rounds of 8 copies of 4 warps a block: share=same|turned|own, blocks, pitch (in shared memory; 16: lines are asked for whole, 128: in eight pieces), rounds, run") {
  constexpr int kMostPitch = 128;
  allow_shared(line_pieces, kCopies * kPieceThreads * kMostPitch);
  const auto measure = [&](int pitch, int blocks, Share share, int rounds) {
    prepare(device, (share == kOwn ? blocks : 1) * rounds * kRoundBytes);
    for (const int run : {0, 1}) {
      line_pieces<<<blocks, kPieceThreads, kCopies * kPieceThreads * pitch>>>(device.memory, device.out, share, pitch, rounds);
      emit("line_pieces", fetch(device, blocks), "share=%s blocks=%d pitch=%d rounds=%d run=%d", kShareNames[share], blocks, pitch,
           rounds, run);
    }
  };
  for (const int pitch : {16, 32, 48, 64, 128}) {
    for (const int blocks : {1, device.sms / 4, device.sms / 2, device.sms}) {
      for (const Share share : {kSame, kTurned, kOwn}) measure(pitch, blocks, share, share == kOwn ? 8 : kPieceRounds);
    }
  }
  for (const int pitch : {16, 32, 48}) {  // up to four blocks on an SM
    for (const int blocks : {1, device.sms, 2 * device.sms, 4 * device.sms}) {
      for (const Share share : {kSame, kTurned, kOwn}) {
        for (const int rounds : {1, 4}) measure(pitch, blocks, share, rounds);
      }
    }
  }
}
