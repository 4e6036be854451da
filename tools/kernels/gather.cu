// Sparse matrix times vector: the vector sits in shared memory and each row gathers eight values
// from it. What it costs depends on the columns, that is, on the data.
#include "families.cuh"

using namespace suite;

namespace {

constexpr int kColumns = 4096;
constexpr int kPerRow = 8;
constexpr int kThreads = 256;  // and rows per block

struct Plain {
  __device__ static int at(int i) { return i; }
};
// The low five bits are xored with the next five: columns 32 apart fall in different banks.
struct Hashed {
  __device__ static int at(int i) { return i ^ (i / 32 % 32); }
};

// Entry e of row r is at [e][r], so that indices and values load coalesced.
template <class Layout>
__device__ void multiply(const float* x, const int* columns, const float* values, float* out,
                         int rows) {
  __shared__ float vector[kColumns];
  for (int first = 0; first < kColumns; first += kThreads) {
    const int i = first + threadIdx.x;
    vector[Layout::at(i)] = x[i];
  }
  __syncthreads();
  const int row = blockIdx.x * kThreads + threadIdx.x;
  float sum = 0;
  for (int e = 0; e < kPerRow; ++e) {
    sum += values[e * rows + row] * vector[Layout::at(columns[e * rows + row])];
  }
  out[row] = sum;
}

}  // namespace

#define GATHER_PARAMETERS \
  const float *x, const int *columns, const float *values, float *out, int rows, BlockClock *clocks

__global__ void gather_strided_naive(GATHER_PARAMETERS) {
  block_clock_begin(clocks);
  multiply<Plain>(x, columns, values, out, rows);
  block_clock_end(clocks);
}
__global__ void gather_strided_hashed(GATHER_PARAMETERS) {
  block_clock_begin(clocks);
  multiply<Hashed>(x, columns, values, out, rows);
  block_clock_end(clocks);
}
__global__ void gather_random(GATHER_PARAMETERS) {
  block_clock_begin(clocks);
  multiply<Plain>(x, columns, values, out, rows);
  block_clock_end(clocks);
}

namespace {

std::string check_gather(Session& session, void (*kernel)(GATHER_PARAMETERS), bool strided) {
  const int blocks = session.pick(4, 132 * 8), rows = blocks * kThreads;
  const std::vector<float> x = random_integers<float>(kColumns, -50, 50, 1);
  const std::vector<float> values = random_integers<float>(rows * kPerRow, -50, 50, 2);
  std::vector<int> columns = random_integers<int>(rows * kPerRow, 0, kColumns - 1, 3);
  if (strided) {  // as from a grid that is 32 points wide: neighbouring rows are 32 columns apart
    for (int e = 0; e < kPerRow; ++e) {
      for (int row = 0; row < rows; ++row) columns[e * rows + row] = (row * 32 + e * 5) % kColumns;
    }
  }
  std::vector<float> expected(rows, 0.0f);
  for (int e = 0; e < kPerRow; ++e) {
    for (int row = 0; row < rows; ++row) {
      expected[row] += values[e * rows + row] * x[columns[e * rows + row]];
    }
  }
  const Buffer<float> device_x(x), device_values(values), target(rows);
  const Buffer<int> device_columns(columns);
  session.launch(kernel, Shape{dim3(blocks), dim3(kThreads)}, device_x.get(), device_columns.get(),
                 device_values.get(), target.get(), rows);
  return difference(expected, target.download());
}

}  // namespace

void add_gather(Suite& suite) {
  suite.push_back({"gather/strided_naive", "gather_strided_naive",
                   "columns of neighbouring rows 32 apart: 32-way",
                   [](Session& s) { return check_gather(s, gather_strided_naive, true); }});
  suite.push_back({"gather/strided_hashed", "gather_strided_hashed",
                   "the same columns, words placed by xor: conflict-free",
                   [](Session& s) { return check_gather(s, gather_strided_hashed, true); }});
  suite.push_back({"gather/random", "gather_random", "random columns: 3- to 4-way by chance",
                   [](Session& s) { return check_gather(s, gather_random, false); }});
}
