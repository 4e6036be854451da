// C = A * B^T with one result per thread: B's tile is read down a column, since lanes differ in the
// row of B. Then the same product with wider loads.
//
// The tile of B is volatile in the first three: otherwise the compiler sees that a thread's four
// next words are neighbours where rows are aligned, and loads them at once, as the float4 variants
// do.
#include "families.cuh"
#include "reference.cuh"

using namespace suite;

namespace {

constexpr int kTile = 32;

template <int Pitch>
struct Rows {
  static constexpr int words = kTile * Pitch;
  __device__ static int at(int row, int k) { return row * Pitch + k; }
};
struct Swizzled {
  static constexpr int words = kTile * kTile;
  __device__ static int at(int row, int k) { return row * kTile + (k ^ row); }
};

template <class LayoutB>
__device__ void multiply_columns(const float* a, const float* b, float* c, int n, int depth) {
  __shared__ float tile_a[kTile][kTile];
  __shared__ volatile float tile_b[LayoutB::words];
  const int tx = threadIdx.x, ty = threadIdx.y;
  const int row = blockIdx.y * kTile + ty, column = blockIdx.x * kTile + tx;
  float sum = 0;
#pragma unroll 1
  for (int k0 = 0; k0 < depth; k0 += kTile) {
    tile_a[ty][tx] = a[row * depth + k0 + tx];
    tile_b[LayoutB::at(ty, tx)] = b[(blockIdx.x * kTile + ty) * depth + k0 + tx];
    __syncthreads();
    for (int k = 0; k < kTile; ++k) {
      sum += tile_a[ty][k] * tile_b[LayoutB::at(tx, k)];  // lanes: one word of A, a column of B
    }
    __syncthreads();
  }
  c[row * n + column] = sum;
}

// The same with four steps of k per load. Eight lanes form a pass of a 16-byte load.
template <int Pitch>
__device__ void multiply_vectors(const float* a, const float* b, float* c, int n, int depth) {
  __shared__ __align__(16) float tile_a[kTile][kTile];
  __shared__ __align__(16) float tile_b[kTile][Pitch];
  const int tx = threadIdx.x, ty = threadIdx.y;
  const int row = blockIdx.y * kTile + ty, column = blockIdx.x * kTile + tx;
  float sum = 0;
#pragma unroll 1
  for (int k0 = 0; k0 < depth; k0 += kTile) {
    tile_a[ty][tx] = a[row * depth + k0 + tx];
    tile_b[ty][tx] = b[(blockIdx.x * kTile + ty) * depth + k0 + tx];
    __syncthreads();
    for (int k = 0; k < kTile; k += 4) {
      const float4 u = *reinterpret_cast<const float4*>(&tile_a[ty][k]);
      const float4 v = *reinterpret_cast<const float4*>(&tile_b[tx][k]);
      sum += u.x * v.x + u.y * v.y + u.z * v.z + u.w * v.w;
    }
    __syncthreads();
  }
  c[row * n + column] = sum;
}

}  // namespace

__global__ void __launch_bounds__(1024)
    matmul_column_naive(const float* a, const float* b, float* c, int n, int depth,
                        BlockClock* clocks) {
  block_clock_begin(clocks);
  multiply_columns<Rows<32>>(a, b, c, n, depth);
  block_clock_end(clocks);
}
__global__ void __launch_bounds__(1024)
    matmul_column_padded(const float* a, const float* b, float* c, int n, int depth,
                         BlockClock* clocks) {
  block_clock_begin(clocks);
  multiply_columns<Rows<33>>(a, b, c, n, depth);
  block_clock_end(clocks);
}
__global__ void __launch_bounds__(1024)
    matmul_column_swizzled(const float* a, const float* b, float* c, int n, int depth,
                           BlockClock* clocks) {
  block_clock_begin(clocks);
  multiply_columns<Swizzled>(a, b, c, n, depth);
  block_clock_end(clocks);
}
__global__ void __launch_bounds__(1024)
    matmul_float4_naive(const float* a, const float* b, float* c, int n, int depth,
                        BlockClock* clocks) {
  block_clock_begin(clocks);
  multiply_vectors<32>(a, b, c, n, depth);
  block_clock_end(clocks);
}
__global__ void __launch_bounds__(1024)
    matmul_float4_padded(const float* a, const float* b, float* c, int n, int depth,
                         BlockClock* clocks) {
  block_clock_begin(clocks);
  multiply_vectors<36>(a, b, c, n, depth);
  block_clock_end(clocks);
}

namespace {

using Kernel = void (*)(const float*, const float*, float*, int, int, BlockClock*);

std::string check_matmul(Session& session, Kernel kernel) {
  const int n = session.pick(64, 768), depth = 64;
  const std::vector<float> a = random_integers<float>(n * depth, -4, 4, 1);
  const std::vector<float> b = random_integers<float>(n * depth, -4, 4, 2);
  const Buffer<float> device_a(a), device_b(b), device_c(n * n);
  session.launch(kernel, Shape{dim3(n / kTile, n / kTile), dim3(kTile, kTile)}, device_a.get(),
                 device_b.get(), device_c.get(), n, depth);
  return difference(multiply_by_transpose(a, b, n, n, depth), device_c.download());
}

}  // namespace

void add_matmul(Suite& suite) {
  suite.push_back({"matmul/column_naive", "matmul_column_naive",
                   "B's tile read down a column, rows of 32 words: 32-way",
                   [](Session& s) { return check_matmul(s, matmul_column_naive); }});
  suite.push_back({"matmul/column_padded", "matmul_column_padded",
                   "rows of 33 words: conflict-free",
                   [](Session& s) { return check_matmul(s, matmul_column_padded); }});
  suite.push_back({"matmul/column_swizzled", "matmul_column_swizzled",
                   "k xor row: conflict-free without extra memory",
                   [](Session& s) { return check_matmul(s, matmul_column_swizzled); }});
  suite.push_back({"matmul/float4_naive", "matmul_float4_naive",
                   "16-byte loads down a column, rows of 128 bytes: 8-way",
                   [](Session& s) { return check_matmul(s, matmul_float4_naive); }});
  suite.push_back({"matmul/float4_padded", "matmul_float4_padded",
                   "rows of 144 bytes: aligned to 16 bytes and conflict-free",
                   [](Session& s) { return check_matmul(s, matmul_float4_padded); }});
}
