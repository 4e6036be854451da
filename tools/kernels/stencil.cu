// Five-point stencil on a 32x32 tile with a halo of one.
#include "families.cuh"

using namespace suite;

namespace {

constexpr int kTile = 32;
constexpr int kRows = 8;
constexpr int kSide = kTile + 2;

template <int Pitch>
using Tile = float[kSide][Pitch];

template <int Pitch>
__device__ void load_tile(Tile<Pitch>& tile, const float* in, int n) {
  const int x0 = blockIdx.x * kTile - 1, y0 = blockIdx.y * kTile - 1;
  for (int i = threadIdx.y * 32 + threadIdx.x; i < kSide * kSide; i += 32 * kRows) {
    const int r = i / kSide, c = i % kSide, x = x0 + c, y = y0 + r;
    const bool inside = x >= 0 && x < n && y >= 0 && y < n;
    tile[r][c] = inside ? in[y * n + x] : 0.0f;
  }
  __syncthreads();
}

template <int Pitch>
__device__ float laplace(const Tile<Pitch>& tile, int r, int c) {
  return 4 * tile[r][c] - tile[r - 1][c] - tile[r + 1][c] - tile[r][c - 1] - tile[r][c + 1];
}

// Lanes differ in the row, as when a loop nest was parallelised the wrong way round.
template <int Pitch>
__device__ void stencil_columns(const float* in, float* out, int n) {
  __shared__ Tile<Pitch> tile;
  load_tile<Pitch>(tile, in, n);
  const int r = threadIdx.x;
  for (int i = 0; i < kTile; i += kRows) {
    const int c = i + threadIdx.y;
    out[(blockIdx.y * kTile + r) * n + blockIdx.x * kTile + c] = laplace<Pitch>(tile, r + 1, c + 1);
  }
}

}  // namespace

__global__ void stencil_columns_naive(const float* in, float* out, int n, BlockClock* clocks) {
  block_clock_begin(clocks);
  stencil_columns<40>(in, out, n);
  block_clock_end(clocks);
}
__global__ void stencil_columns_padded(const float* in, float* out, int n, BlockClock* clocks) {
  block_clock_begin(clocks);
  stencil_columns<41>(in, out, n);
  block_clock_end(clocks);
}
// Lanes differ in the column: conflict-free whatever the pitch, and coalesced stores.
__global__ void stencil_rows(const float* in, float* out, int n, BlockClock* clocks) {
  block_clock_begin(clocks);
  __shared__ Tile<40> tile;
  load_tile<40>(tile, in, n);
  const int c = threadIdx.x;
  for (int i = 0; i < kTile; i += kRows) {
    const int r = i + threadIdx.y;
    out[(blockIdx.y * kTile + r) * n + blockIdx.x * kTile + c] = laplace<40>(tile, r + 1, c + 1);
  }
  block_clock_end(clocks);
}
// Each thread marches down four rows and keeps its column in registers: 3.5 loads a point, not 5.
__global__ void stencil_marching(const float* in, float* out, int n, BlockClock* clocks) {
  block_clock_begin(clocks);
  __shared__ Tile<40> tile;
  load_tile<40>(tile, in, n);
  constexpr int kMarch = kTile / kRows;
  const int c = threadIdx.x + 1, first = threadIdx.y * kMarch + 1;
  float above = tile[first - 1][c], here = tile[first][c];
  for (int r = first; r < first + kMarch; ++r) {
    const float below = tile[r + 1][c];
    out[(blockIdx.y * kTile + r - 1) * n + blockIdx.x * kTile + c - 1] =
        4 * here - above - below - tile[r][c - 1] - tile[r][c + 1];
    above = here;
    here = below;
  }
  block_clock_end(clocks);
}

namespace {

std::string check_stencil(Session& session,
                          void (*kernel)(const float*, float*, int, BlockClock*)) {
  const int n = session.pick(64, 1024);
  const std::vector<float> in = random_integers<float>(std::size_t(n) * n, -1000, 1000, 1);
  auto at = [&](int y, int x) {
    return x >= 0 && x < n && y >= 0 && y < n ? in[std::size_t(y) * n + x] : 0.0f;
  };
  std::vector<float> expected(in.size());
  for (int y = 0; y < n; ++y) {
    for (int x = 0; x < n; ++x) {
      expected[std::size_t(y) * n + x] =
          4 * at(y, x) - at(y - 1, x) - at(y + 1, x) - at(y, x - 1) - at(y, x + 1);
    }
  }
  const Buffer<float> source(in), target(in.size());
  session.launch(kernel, Shape{dim3(n / kTile, n / kTile), dim3(32, kRows)}, source.get(),
                 target.get(), n);
  return difference(expected, target.download());
}

}  // namespace

void add_stencil(Suite& suite) {
  suite.push_back({"stencil/columns_naive", "stencil_columns_naive",
                   "lanes go down a column, rows of 40 words: 8-way",
                   [](Session& s) { return check_stencil(s, stencil_columns_naive); }});
  suite.push_back({"stencil/columns_padded", "stencil_columns_padded",
                   "rows of 41 words: conflict-free, but global stores stay scattered",
                   [](Session& s) { return check_stencil(s, stencil_columns_padded); }});
  suite.push_back({"stencil/rows", "stencil_rows", "lanes go along a row: conflict-free, coalesced",
                   [](Session& s) { return check_stencil(s, stencil_rows); }});
  suite.push_back({"stencil/marching", "stencil_marching",
                   "a column kept in registers: fewer shared loads",
                   [](Session& s) { return check_stencil(s, stencil_marching); }});
}
