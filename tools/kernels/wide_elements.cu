// Elements wider than a bank: doubles stored down a column, and 16-byte vectors read down a column.
// Wide accesses are served in halves or quarters of a warp, so other paddings help than for words.
#include "families.cuh"

using namespace suite;

namespace {

constexpr int kTile = 32;
constexpr int kRows = 8;

// Transposes a double matrix: coalesced rows in, stored down a column, read along a row.
template <int Pitch>
__device__ void transpose_double(const double* in, double* out, int n) {
  __shared__ double tile[kTile][Pitch];
  const int x = blockIdx.x * kTile, y = blockIdx.y * kTile;
  for (int i = 0; i < kTile; i += kRows) {
    const int r = i + threadIdx.y;
    tile[threadIdx.x][r] = in[(y + r) * n + x + threadIdx.x];
  }
  __syncthreads();
  for (int i = 0; i < kTile; i += kRows) {
    const int r = i + threadIdx.y;
    out[(x + r) * n + y + threadIdx.x] = tile[r][threadIdx.x];
  }
}

// Transposes 32 rows of 8 vectors per block.
template <int RowBytes>
__device__ void transpose_vectors(const float4* in, float4* out) {
  __shared__ __align__(16) unsigned char rows[kTile][RowBytes];
  auto at = [&](int row, int vector) { return reinterpret_cast<float4*>(rows[row]) + vector; };
  in += blockIdx.x * 256;
  out += blockIdx.x * 256;
  const int t = threadIdx.x;
  *at(t / 8, t % 8) = in[t];
  __syncthreads();
  out[t] = *at(t % 32, t / 32);
}

}  // namespace

__global__ void double_column_naive(const double* in, double* out, int n, BlockClock* clocks) {
  block_clock_begin(clocks);
  transpose_double<32>(in, out, n);
  block_clock_end(clocks);
}
__global__ void double_column_padded(const double* in, double* out, int n, BlockClock* clocks) {
  block_clock_begin(clocks);
  transpose_double<33>(in, out, n);
  block_clock_end(clocks);
}
__global__ void vector_copy_row128(const float4* in, float4* out, BlockClock* clocks) {
  block_clock_begin(clocks);
  transpose_vectors<128>(in, out);
  block_clock_end(clocks);
}
__global__ void vector_copy_row144(const float4* in, float4* out, BlockClock* clocks) {
  block_clock_begin(clocks);
  transpose_vectors<144>(in, out);
  block_clock_end(clocks);
}

namespace {

std::string check_double(Session& session,
                         void (*kernel)(const double*, double*, int, BlockClock*)) {
  const int n = session.pick(64, 1024);
  const std::vector<double> in = random_integers<double>(std::size_t(n) * n, -1000, 1000, 1);
  std::vector<double> expected(in.size());
  for (int y = 0; y < n; ++y) {
    for (int x = 0; x < n; ++x) expected[x * n + y] = in[y * n + x];
  }
  const Buffer<double> source(in), target(in.size());
  session.launch(kernel, Shape{dim3(n / kTile, n / kTile), dim3(kTile, kRows)}, source.get(),
                 target.get(), n);
  return difference(expected, target.download());
}

std::string check_vectors(Session& session, void (*kernel)(const float4*, float4*, BlockClock*)) {
  const int blocks = session.pick(4, 132 * 8);
  const std::vector<float> in = random_integers<float>(blocks * 1024, -1000, 1000, 1);
  std::vector<float> expected(in.size());
  for (int block = 0; block < blocks; ++block) {
    for (int i = 0; i < 1024; ++i) {  // row, vector and component of an input word
      const int row = i / 32, vector = i / 4 % 8, component = i % 4;
      expected[block * 1024 + (vector * 32 + row) * 4 + component] = in[block * 1024 + i];
    }
  }
  const Buffer<float> source(in), target(in.size());
  session.launch(kernel, Shape{dim3(blocks), dim3(256)},
                 reinterpret_cast<const float4*>(source.get()),
                 reinterpret_cast<float4*>(target.get()));
  return difference(expected, target.download());
}

}  // namespace

void add_wide_elements(Suite& suite) {
  suite.push_back({"double/column_naive", "double_column_naive",
                   "doubles stored down a column, rows of 32: 16-way in each half warp",
                   [](Session& s) { return check_double(s, double_column_naive); }});
  suite.push_back({"double/column_padded", "double_column_padded",
                   "rows of 33 doubles: conflict-free",
                   [](Session& s) { return check_double(s, double_column_padded); }});
  suite.push_back({"vector_copy/row128", "vector_copy_row128",
                   "float4 read down a column, rows of 128 bytes: 8-way in each quarter warp",
                   [](Session& s) { return check_vectors(s, vector_copy_row128); }});
  suite.push_back({"vector_copy/row144", "vector_copy_row144", "rows of 144 bytes: conflict-free",
                   [](Session& s) { return check_vectors(s, vector_copy_row144); }});
}
