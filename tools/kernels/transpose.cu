// Matrix transpose through a shared tile: rows in, columns out. Reading a column of a tile whose
// rows are 32 words long puts all lanes into one bank.
#include "families.cuh"

using namespace suite;

namespace {

constexpr int kTile = 32;
constexpr int kRows = 8;  // a block is 32 x 8 threads; each thread moves kTile / kRows elements

// Where tile element (row, column) lives.
template <int Pitch>
struct Rows {
  static constexpr int words = kTile * Pitch;
  __device__ static int at(int row, int column) { return row * Pitch + column; }
};
// No extra memory: each row is rotated by xor, so that a column visits every bank once.
struct Swizzled {
  static constexpr int words = kTile * kTile;
  __device__ static int at(int row, int column) { return row * kTile + (column ^ row); }
};

template <class Layout>
__device__ void transpose(const float* in, float* out, int n) {
  __shared__ float tile[Layout::words];
  const int x = blockIdx.x * kTile, y = blockIdx.y * kTile;
  for (int i = 0; i < kTile; i += kRows) {
    const int r = i + threadIdx.y;
    tile[Layout::at(r, threadIdx.x)] = in[(y + r) * n + x + threadIdx.x];
  }
  __syncthreads();
  for (int i = 0; i < kTile; i += kRows) {
    const int r = i + threadIdx.y;
    out[(x + r) * n + y + threadIdx.x] = tile[Layout::at(threadIdx.x, r)];
  }
}

// A tile of 32 rows by 64 columns.
template <int Pitch>
__device__ void transpose_wide(const float* in, float* out, int n) {
  __shared__ float tile[kTile][Pitch];
  const int x = blockIdx.x * 64, y = blockIdx.y * kTile;
  for (int i = 0; i < kTile; i += kRows) {
    const int r = i + threadIdx.y;
    tile[r][threadIdx.x] = in[(y + r) * n + x + threadIdx.x];
    tile[r][threadIdx.x + 32] = in[(y + r) * n + x + threadIdx.x + 32];
  }
  __syncthreads();
  for (int i = 0; i < 64; i += kRows) {
    const int c = i + threadIdx.y;
    out[(x + c) * n + y + threadIdx.x] = tile[threadIdx.x][c];
  }
}

// Half precision moves two columns per lane, so that each access is still one 4-byte word.
template <int Pitch>  // in pairs of columns
__device__ void transpose_half(const __half* in, __half* out, int n) {
  __shared__ __half2 tile[kTile][Pitch];
  const int x = blockIdx.x * 64, y = blockIdx.y * kTile;
  for (int i = 0; i < kTile; i += kRows) {
    const int r = i + threadIdx.y;
    tile[r][threadIdx.x] = reinterpret_cast<const __half2*>(in + (y + r) * n + x)[threadIdx.x];
  }
  __syncthreads();
  for (int i = 0; i < 32; i += kRows) {
    const int pair = i + threadIdx.y;
    const __half2 two = tile[threadIdx.x][pair];
    out[(x + 2 * pair) * n + y + threadIdx.x] = __low2half(two);
    out[(x + 2 * pair + 1) * n + y + threadIdx.x] = __high2half(two);
  }
}

}  // namespace

__global__ void transpose_naive(const float* in, float* out, int n, BlockClock* clocks) {
  block_clock_begin(clocks);
  transpose<Rows<32>>(in, out, n);
  block_clock_end(clocks);
}
__global__ void transpose_padded(const float* in, float* out, int n, BlockClock* clocks) {
  block_clock_begin(clocks);
  transpose<Rows<33>>(in, out, n);
  block_clock_end(clocks);
}
__global__ void transpose_swizzled(const float* in, float* out, int n, BlockClock* clocks) {
  block_clock_begin(clocks);
  transpose<Swizzled>(in, out, n);
  block_clock_end(clocks);
}
__global__ void transpose_wide_naive(const float* in, float* out, int n, BlockClock* clocks) {
  block_clock_begin(clocks);
  transpose_wide<64>(in, out, n);
  block_clock_end(clocks);
}
__global__ void transpose_wide_padded(const float* in, float* out, int n, BlockClock* clocks) {
  block_clock_begin(clocks);
  transpose_wide<65>(in, out, n);
  block_clock_end(clocks);
}
__global__ void transpose_half_naive(const __half* in, __half* out, int n, BlockClock* clocks) {
  block_clock_begin(clocks);
  transpose_half<32>(in, out, n);
  block_clock_end(clocks);
}
__global__ void transpose_half_padded(const __half* in, __half* out, int n, BlockClock* clocks) {
  block_clock_begin(clocks);
  transpose_half<33>(in, out, n);
  block_clock_end(clocks);
}

namespace {

template <class T>
std::string check_transpose(Session& session, void (*kernel)(const T*, T*, int, BlockClock*),
                            int tile_columns) {
  const int n = session.pick(128, 1024);
  const std::vector<T> in = random_integers<T>(std::size_t(n) * n, -1000, 1000, 1);
  std::vector<T> expected(in.size());
  for (int y = 0; y < n; ++y) {
    for (int x = 0; x < n; ++x) expected[x * n + y] = in[y * n + x];
  }
  const Buffer<T> source(in), target(in.size());
  const Shape shape{dim3(n / tile_columns, n / kTile), dim3(32, kRows)};
  session.launch(kernel, shape, source.get(), target.get(), n);
  return difference(expected, target.download());
}

}  // namespace

void add_transpose(Suite& suite) {
  suite.push_back({"transpose/naive", "transpose_naive",
                   "32x32 tile, rows of 32 words: column reads are 32-way",
                   [](Session& s) { return check_transpose(s, transpose_naive, 32); }});
  suite.push_back({"transpose/padded", "transpose_padded",
                   "rows of 33 words: conflict-free for one word per row",
                   [](Session& s) { return check_transpose(s, transpose_padded, 32); }});
  suite.push_back({"transpose/swizzled", "transpose_swizzled",
                   "column xor row: conflict-free without extra memory",
                   [](Session& s) { return check_transpose(s, transpose_swizzled, 32); }});
  suite.push_back({"transpose/wide_naive", "transpose_wide_naive",
                   "32x64 tile, rows of 64 words: column reads are 32-way",
                   [](Session& s) { return check_transpose(s, transpose_wide_naive, 64); }});
  suite.push_back({"transpose/wide_padded", "transpose_wide_padded",
                   "32x64 tile, rows of 65 words: conflict-free",
                   [](Session& s) { return check_transpose(s, transpose_wide_padded, 64); }});
  suite.push_back({"transpose/half_naive", "transpose_half_naive",
                   "half precision, two columns per lane, rows of 32 words: 32-way",
                   [](Session& s) { return check_transpose(s, transpose_half_naive, 64); }});
  suite.push_back({"transpose/half_padded", "transpose_half_padded",
                   "half precision, rows of 33 words: conflict-free",
                   [](Session& s) { return check_transpose(s, transpose_half_padded, 64); }});
}
