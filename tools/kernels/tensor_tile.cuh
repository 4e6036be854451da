// 64 x 64 tiles of halves for ldmatrix, shared by the tensor-core families. A row is 128 bytes, so
// unpadded the eight rows of an 8x8 matrix all start in the same bank.
#ifndef SMEMSIM_KERNELS_TENSOR_TILE_CUH
#define SMEMSIM_KERNELS_TENSOR_TILE_CUH

#include <cuda_fp16.h>

#include <cstdint>

#include "ptx.cuh"

namespace tensor_tile {

constexpr int kSide = 64;
constexpr int kChunks = 8;  // a row is 8 chunks of 8 halves (16 bytes)

// Place of a chunk in a tile, in halves.
template <int Pitch>
struct Rows {
  static constexpr int halves = kSide * Pitch;
  __device__ static int at(int row, int chunk) { return row * Pitch + chunk * 8; }
};
struct Swizzled {
  static constexpr int halves = kSide * kSide;
  __device__ static int at(int row, int chunk) { return row * kSide + ((chunk ^ (row & 7)) * 8); }
};

// Starts the copy of a tile by all `Threads` threads of the block; `pitch` in halves.
template <class Layout, int Threads>
__device__ inline void fetch(__half* tile, const __half* global, int pitch) {
  for (int first = 0; first < kSide * kChunks; first += Threads) {
    const int i = first + threadIdx.x;
    const int row = i / kChunks, chunk = i % kChunks;
    ptx::copy_async_cg(ptx::shared_address(tile + Layout::at(row, chunk)),
                       global + row * pitch + chunk * 8);
  }
}

__device__ inline std::uint32_t pack(float low, float high) {
  const __half2 two = __floats2half2_rn(low, high);
  return *reinterpret_cast<const std::uint32_t*>(&two);
}

}  // namespace tensor_tile

#endif
