// C = A * B^T in half precision on tensor cores (mma.sync m16n8k16), operands through ldmatrix.
// A tile row is 64 halves = 128 bytes: the eight rows of one 8x8 matrix start in the same bank.
#include "families.cuh"
#include "ptx.cuh"
#include "reference.cuh"
#include "tensor_tile.cuh"

using namespace suite;

namespace {

using namespace tensor_tile;

constexpr int kTile = kSide;   // a block computes 64 x 64 results; also the step along k
constexpr int kThreads = 128;  // 2 x 2 warps of 32 x 32 results

// This warp's 32 x 32 results: 2 x 4 mma tiles of 16 x 8.
template <class Layout>
__device__ void accumulate(const __half* tile_a, const __half* tile_b, int warp_row,
                           int warp_column, float (&sum)[2][4][4]) {
  const int lane = threadIdx.x % 32;
  for (int k = 0; k < kTile / 16; ++k) {
    std::uint32_t a[2][4], b[2][4];
    for (int i = 0; i < 2; ++i) {
      // Matrices: rows 0-7 and 8-15 of the first 8 columns, then of the second 8.
      const int row = warp_row + 16 * i + lane % 16;
      ptx::load_matrix4(a[i], ptx::shared_address(tile_a + Layout::at(row, 2 * k + lane / 16)));
      // B is stored as columns: both k halves of 8 columns, then of the next 8.
      const int column = warp_column + 16 * i + lane / 16 * 8 + lane % 8;
      ptx::load_matrix4(b[i],
                        ptx::shared_address(tile_b + Layout::at(column, 2 * k + lane / 8 % 2)));
    }
    for (int i = 0; i < 2; ++i) {
      for (int j = 0; j < 4; ++j) {
        ptx::mma_16x8x16(sum[i][j], a[i], b[j / 2][j % 2 * 2], b[j / 2][j % 2 * 2 + 1]);
      }
    }
  }
}

// Lane 4g + t holds columns 2t, 2t+1 of rows g and g + 8 of each 16 x 8 tile.
__device__ void store_from_registers(__half* c, int n, int warp_row, int warp_column,
                                     const float (&sum)[2][4][4]) {
  const int lane = threadIdx.x % 32;
  for (int i = 0; i < 2; ++i) {
    for (int j = 0; j < 4; ++j) {
      __half* at = c + (warp_row + 16 * i + lane / 4) * n + warp_column + 8 * j + lane % 4 * 2;
      *reinterpret_cast<std::uint32_t*>(at) = pack(sum[i][j][0], sum[i][j][1]);
      *reinterpret_cast<std::uint32_t*>(at + 8 * n) = pack(sum[i][j][2], sum[i][j][3]);
    }
  }
}

// stmatrix gathers the results into whole rows, which leave as 16-byte stores.
template <class Layout>
__device__ void store_through_shared(__half* staging, __half* c, int n, int warp_row,
                                     int warp_column, const float (&sum)[2][4][4]) {
  const int lane = threadIdx.x % 32;
  for (int i = 0; i < 2; ++i) {
    for (int j = 0; j < 4; j += 2) {
      const std::uint32_t r[4] = {
          pack(sum[i][j][0], sum[i][j][1]), pack(sum[i][j][2], sum[i][j][3]),
          pack(sum[i][j + 1][0], sum[i][j + 1][1]), pack(sum[i][j + 1][2], sum[i][j + 1][3])};
      const int row = warp_row + 16 * i + lane % 16, chunk = warp_column / 8 + j + lane / 16;
      ptx::store_matrix4(ptx::shared_address(staging + Layout::at(row, chunk)), r);
    }
  }
  __syncthreads();
  for (int first = 0; first < kTile * kChunks; first += kThreads) {
    const int i = first + threadIdx.x;
    const int row = i / kChunks, chunk = i % kChunks;
    *reinterpret_cast<uint4*>(c + row * n + chunk * 8) =
        *reinterpret_cast<const uint4*>(staging + Layout::at(row, chunk));
  }
}

template <class Layout, bool Stmatrix>
__device__ void multiply(const __half* a, const __half* b, __half* c, int n, int depth) {
  __shared__ __align__(128) __half tile_a[Layout::halves];
  __shared__ __align__(128) __half tile_b[Layout::halves];
  const int warp = threadIdx.x / 32;
  const int warp_row = warp / 2 * 32, warp_column = warp % 2 * 32;
  a += blockIdx.y * kTile * depth;
  b += blockIdx.x * kTile * depth;
  c += blockIdx.y * kTile * n + blockIdx.x * kTile;
  float sum[2][4][4] = {};
#pragma unroll 1
  for (int k0 = 0; k0 < depth; k0 += kTile) {
    fetch<Layout, kThreads>(tile_a, a + k0, depth);
    fetch<Layout, kThreads>(tile_b, b + k0, depth);
    ptx::copy_async_commit();
    ptx::copy_async_wait<0>();
    __syncthreads();
    accumulate<Layout>(tile_a, tile_b, warp_row, warp_column, sum);
    __syncthreads();
  }
  if (Stmatrix) {
    store_through_shared<Layout>(tile_a, c, n, warp_row, warp_column, sum);
  } else {
    store_from_registers(c, n, warp_row, warp_column, sum);
  }
}

}  // namespace

#define TENSOR_PARAMETERS \
  const __half *a, const __half *b, __half *c, int n, int depth, BlockClock *clocks

__global__ void __launch_bounds__(kThreads) matmul_tensor_naive(TENSOR_PARAMETERS) {
  block_clock_begin(clocks);
  multiply<Rows<64>, false>(a, b, c, n, depth);
  block_clock_end(clocks);
}
__global__ void __launch_bounds__(kThreads) matmul_tensor_padded(TENSOR_PARAMETERS) {
  block_clock_begin(clocks);
  multiply<Rows<72>, false>(a, b, c, n, depth);
  block_clock_end(clocks);
}
__global__ void __launch_bounds__(kThreads) matmul_tensor_swizzled(TENSOR_PARAMETERS) {
  block_clock_begin(clocks);
  multiply<Swizzled, false>(a, b, c, n, depth);
  block_clock_end(clocks);
}
__global__ void __launch_bounds__(kThreads) matmul_tensor_stmatrix_naive(TENSOR_PARAMETERS) {
  block_clock_begin(clocks);
  multiply<Rows<64>, true>(a, b, c, n, depth);
  block_clock_end(clocks);
}
__global__ void __launch_bounds__(kThreads) matmul_tensor_stmatrix_swizzled(TENSOR_PARAMETERS) {
  block_clock_begin(clocks);
  multiply<Swizzled, true>(a, b, c, n, depth);
  block_clock_end(clocks);
}

namespace {

using Kernel = void (*)(TENSOR_PARAMETERS);

std::string check_tensor(Session& session, Kernel kernel) {
  const int n = session.pick(128, 1280), depth = 256;
  // |sum| <= 256 * 4 = 1024: exact in half precision.
  const std::vector<float> a = random_integers<float>(n * depth, -2, 2, 1);
  const std::vector<float> b = random_integers<float>(n * depth, -2, 2, 2);
  const Buffer<__half> device_a(random_integers<__half>(n * depth, -2, 2, 1));
  const Buffer<__half> device_b(random_integers<__half>(n * depth, -2, 2, 2));
  const Buffer<__half> device_c(n * n);
  session.launch(kernel, Shape{dim3(n / kTile, n / kTile), dim3(kThreads)}, device_a.get(),
                 device_b.get(), device_c.get(), n, depth);
  return difference(multiply_by_transpose(a, b, n, n, depth), device_c.download());
}

}  // namespace

void add_matmul_tensor(Suite& suite) {
  suite.push_back({"matmul_tensor/naive", "matmul_tensor_naive",
                   "ldmatrix from rows of 128 bytes: 8-way",
                   [](Session& s) { return check_tensor(s, matmul_tensor_naive); }});
  suite.push_back({"matmul_tensor/padded", "matmul_tensor_padded",
                   "rows of 144 bytes: conflict-free",
                   [](Session& s) { return check_tensor(s, matmul_tensor_padded); }});
  suite.push_back({"matmul_tensor/swizzled", "matmul_tensor_swizzled",
                   "chunk xor row: conflict-free without extra memory",
                   [](Session& s) { return check_tensor(s, matmul_tensor_swizzled); }});
  suite.push_back({"matmul_tensor/stmatrix_naive", "matmul_tensor_stmatrix_naive",
                   "results staged by stmatrix, rows of 128 bytes: 8-way both ways",
                   [](Session& s) { return check_tensor(s, matmul_tensor_stmatrix_naive); }});
  suite.push_back({"matmul_tensor/stmatrix_swizzled", "matmul_tensor_stmatrix_swizzled",
                   "the same, swizzled: conflict-free both ways",
                   [](Session& s) { return check_tensor(s, matmul_tensor_stmatrix_swizzled); }});
}
