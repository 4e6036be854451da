// Warps with different jobs. First producers and consumers in one block, which meet at named
// barriers; then blocks of a cluster, which read each other's shared memory.
#include "families.cuh"
#include "ptx.cuh"

using namespace suite;

namespace {

constexpr int kTile = 32;
constexpr int kTiles = 8;      // tiles per block
constexpr int kThreads = 256;  // four producer and four consumer warps
constexpr int kHalf = kThreads / 2;
constexpr int kCluster = 4;

// Transposes kTiles tiles of 32 x 32. Barrier 1 + b: stage b is full; 3 + b: stage b is empty.
template <int Pitch>
__device__ void transpose_tiles(const float* in, float* out) {
  __shared__ float stages[2][kTile][Pitch];
  in += blockIdx.x * kTiles * kTile * kTile;
  out += blockIdx.x * kTiles * kTile * kTile;
  const int lane = threadIdx.x % 32, warp = threadIdx.x % kHalf / 32;
  if (threadIdx.x < kHalf) {
    for (int i = 0; i < kTiles; ++i) {
      const int b = i % 2;
      if (i >= 2) ptx::named_barrier_sync(3 + b, kThreads);
      for (int first = 0; first < kTile; first += 4) {
        const int r = first + warp;
        stages[b][r][lane] = in[(i * kTile + r) * kTile + lane];
      }
      ptx::named_barrier_arrive(1 + b, kThreads);
    }
  } else {
    for (int i = 0; i < kTiles; ++i) {
      const int b = i % 2;
      ptx::named_barrier_sync(1 + b, kThreads);
      for (int first = 0; first < kTile; first += 4) {
        const int r = first + warp;
        out[(i * kTile + r) * kTile + lane] = stages[b][lane][r];
      }
      // Only as often as a producer waits, so that no barrier is left half full.
      if (i + 2 < kTiles) ptx::named_barrier_arrive(3 + b, kThreads);
    }
  }
}

// Each block transposes the tile of the next block of its cluster, straight from there.
template <int Pitch>
__device__ void transpose_neighbour(const float* in, float* out) {
  float* tile = ptx::dynamic_shared<float>();
  in += blockIdx.x * kTile * kTile;
  const unsigned rank = ptx::cluster_rank(), next = (rank + 1) % kCluster;
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  for (int first = 0; first < kTile; first += kThreads / 32) {
    const int r = first + warp;
    tile[r * Pitch + lane] = in[r * kTile + lane];
  }
  ptx::cluster_sync();
  out += (blockIdx.x - rank + next) * kTile * kTile;
  for (int first = 0; first < kTile; first += kThreads / 32) {
    const int r = first + warp;
    out[r * kTile + lane] = ptx::load_remote(ptx::shared_address(tile + lane * Pitch + r), next);
  }
  ptx::cluster_sync();  // no block may leave while its memory is being read
}

}  // namespace

__global__ void __launch_bounds__(kThreads)
    specialised_naive(const float* in, float* out, BlockClock* clocks) {
  block_clock_begin(clocks);
  transpose_tiles<32>(in, out);
  block_clock_end(clocks);
}
__global__ void __launch_bounds__(kThreads)
    specialised_padded(const float* in, float* out, BlockClock* clocks) {
  block_clock_begin(clocks);
  transpose_tiles<33>(in, out);
  block_clock_end(clocks);
}
__global__ void __launch_bounds__(kThreads)
    cluster_neighbour_naive(const float* in, float* out, BlockClock* clocks) {
  block_clock_begin(clocks);
  transpose_neighbour<32>(in, out);
  block_clock_end(clocks);
}
__global__ void __launch_bounds__(kThreads)
    cluster_neighbour_padded(const float* in, float* out, BlockClock* clocks) {
  block_clock_begin(clocks);
  transpose_neighbour<33>(in, out);
  block_clock_end(clocks);
}

namespace {

std::string check_tiles(Session& session, void (*kernel)(const float*, float*, BlockClock*),
                        int tiles_per_block, unsigned dynamic_bytes, unsigned cluster) {
  const int blocks = session.pick(4, 132 * 4), tiles = blocks * tiles_per_block;
  const std::vector<float> in =
      random_integers<float>(std::size_t(tiles) * kTile * kTile, -1000, 1000, 1);
  std::vector<float> expected(in.size());
  for (int tile = 0; tile < tiles; ++tile) {
    const std::size_t base = std::size_t(tile) * kTile * kTile;
    for (int y = 0; y < kTile; ++y) {
      for (int x = 0; x < kTile; ++x) expected[base + x * kTile + y] = in[base + y * kTile + x];
    }
  }
  const Buffer<float> source(in), target(in.size());
  session.launch(kernel, Shape{dim3(blocks), dim3(kThreads), dynamic_bytes, cluster}, source.get(),
                 target.get());
  return difference(expected, target.download());
}

}  // namespace

void add_specialised(Suite& suite) {
  suite.push_back({"specialised/naive", "specialised_naive",
                   "producer and consumer warps, named barriers, column reads 32-way",
                   [](Session& s) { return check_tiles(s, specialised_naive, kTiles, 0, 1); }});
  suite.push_back({"specialised/padded", "specialised_padded",
                   "the same with rows of 33 words: conflict-free",
                   [](Session& s) { return check_tiles(s, specialised_padded, kTiles, 0, 1); }});
  suite.push_back({"cluster/neighbour_naive", "cluster_neighbour_naive",
                   "columns of another block's tile, rows of 32 words: 32-way there",
                   [](Session& s) {
                     return check_tiles(s, cluster_neighbour_naive, 1, kTile * 32 * 4, kCluster);
                   }});
  suite.push_back({"cluster/neighbour_padded", "cluster_neighbour_padded",
                   "the same with rows of 33 words: conflict-free", [](Session& s) {
                     return check_tiles(s, cluster_neighbour_padded, 1, kTile * 33 * 4, kCluster);
                   }});
}
