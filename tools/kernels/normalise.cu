// Softmax and layer normalisation of rows of 1024 values, one block per row. The slow forms give
// each thread four neighbouring values and reduce over strided words; the fixed forms give it every
// 256th value and reduce with shuffles.
#include <algorithm>

#include "families.cuh"

using namespace suite;

namespace {

constexpr int kThreads = 256;
constexpr int kPerThread = 4;
constexpr int kColumns = kThreads * kPerThread;

struct Maximum {
  __device__ static float apply(float a, float b) { return fmaxf(a, b); }
};
struct Sum {
  __device__ static float apply(float a, float b) { return a + b; }
};

struct Slow {
  __device__ static int index(int i) { return threadIdx.x * kPerThread + i; }  // 4-way

  template <class Operation>
  __device__ static float reduce(float value) {
    __shared__ float partial[kThreads];
    const int t = threadIdx.x;
    __syncthreads();  // the previous reduction has been read
    partial[t] = value;
    __syncthreads();
#pragma unroll 1
    for (int s = 1; s < kThreads; s *= 2) {
      const int i = 2 * s * t;
      if (i < kThreads) partial[i] = Operation::apply(partial[i], partial[i + s]);
      __syncthreads();
    }
    return partial[0];
  }
};

struct Fast {
  __device__ static int index(int i) { return threadIdx.x + kThreads * i; }

  template <class Operation>
  __device__ static float reduce(float value) {
    __shared__ float partial[kThreads / 32];
    const int t = threadIdx.x;
    for (int s = 16; s > 0; s /= 2) {
      value = Operation::apply(value, __shfl_xor_sync(0xFFFFFFFFu, value, s));
    }
    __syncthreads();
    if (t % 32 == 0) partial[t / 32] = value;
    __syncthreads();
    value = partial[t % (kThreads / 32)];
    for (int s = kThreads / 64; s > 0; s /= 2) {
      value = Operation::apply(value, __shfl_xor_sync(0xFFFFFFFFu, value, s));
    }
    return value;
  }
};

// The row is staged in shared memory, so that global accesses are coalesced in both forms.
__device__ void load_row(float* row, const float* in) {
  for (int i = 0; i < kPerThread; ++i) {
    row[threadIdx.x + kThreads * i] = in[blockIdx.x * kColumns + threadIdx.x + kThreads * i];
  }
  __syncthreads();
}
__device__ void store_row(float* out, const float* row) {
  __syncthreads();
  for (int i = 0; i < kPerThread; ++i) {
    out[blockIdx.x * kColumns + threadIdx.x + kThreads * i] = row[threadIdx.x + kThreads * i];
  }
}

// The loops are kept: unrolled, four neighbouring words would merge into one 16-byte access.
template <class Way>
__device__ void softmax(const float* in, float* out) {
  __shared__ float row[kColumns];
  load_row(row, in);
  float largest = -INFINITY;
#pragma unroll 1
  for (int i = 0; i < kPerThread; ++i) largest = fmaxf(largest, row[Way::index(i)]);
  largest = Way::template reduce<Maximum>(largest);
  float sum = 0;
#pragma unroll 1
  for (int i = 0; i < kPerThread; ++i) {
    const float weight = __expf(row[Way::index(i)] - largest);
    row[Way::index(i)] = weight;
    sum += weight;
  }
  const float scale = 1.0f / Way::template reduce<Sum>(sum);
#pragma unroll 1
  for (int i = 0; i < kPerThread; ++i) row[Way::index(i)] *= scale;
  store_row(out, row);
}

template <class Way>
__device__ void layernorm(const float* in, float* out) {
  __shared__ float row[kColumns];
  load_row(row, in);
  float sum = 0;
#pragma unroll 1
  for (int i = 0; i < kPerThread; ++i) sum += row[Way::index(i)];
  const float mean = Way::template reduce<Sum>(sum) / kColumns;
  float squares = 0;
#pragma unroll 1
  for (int i = 0; i < kPerThread; ++i) {
    const float distance = row[Way::index(i)] - mean;
    squares += distance * distance;
  }
  const float scale = rsqrtf(Way::template reduce<Sum>(squares) / kColumns + 1e-5f);
#pragma unroll 1
  for (int i = 0; i < kPerThread; ++i) row[Way::index(i)] = (row[Way::index(i)] - mean) * scale;
  store_row(out, row);
}

}  // namespace

__global__ void softmax_neighbours(const float* in, float* out, BlockClock* clocks) {
  block_clock_begin(clocks);
  softmax<Slow>(in, out);
  block_clock_end(clocks);
}
__global__ void softmax_striped(const float* in, float* out, BlockClock* clocks) {
  block_clock_begin(clocks);
  softmax<Fast>(in, out);
  block_clock_end(clocks);
}
__global__ void layernorm_neighbours(const float* in, float* out, BlockClock* clocks) {
  block_clock_begin(clocks);
  layernorm<Slow>(in, out);
  block_clock_end(clocks);
}
__global__ void layernorm_striped(const float* in, float* out, BlockClock* clocks) {
  block_clock_begin(clocks);
  layernorm<Fast>(in, out);
  block_clock_end(clocks);
}

namespace {

void host_softmax(const float* in, double* out) {
  const double largest = *std::max_element(in, in + kColumns);
  double sum = 0;
  for (int i = 0; i < kColumns; ++i) sum += out[i] = std::exp(in[i] - largest);
  for (int i = 0; i < kColumns; ++i) out[i] /= sum;
}

void host_layernorm(const float* in, double* out) {
  double mean = 0, variance = 0;
  for (int i = 0; i < kColumns; ++i) mean += in[i] / double(kColumns);
  for (int i = 0; i < kColumns; ++i) variance += (in[i] - mean) * (in[i] - mean) / kColumns;
  for (int i = 0; i < kColumns; ++i) out[i] = (in[i] - mean) / std::sqrt(variance + 1e-5);
}

std::string check_rows(Session& session, void (*kernel)(const float*, float*, BlockClock*),
                       void (*host)(const float*, double*), double tolerance) {
  const int blocks = session.pick(4, 132 * 8);
  const std::vector<float> in = random_reals<float>(std::size_t(blocks) * kColumns, -5, 5, 1);
  std::vector<double> expected(in.size());
  for (std::size_t i = 0; i < in.size(); i += kColumns) host(&in[i], &expected[i]);
  const Buffer<float> source(in), target(in.size());
  session.launch(kernel, Shape{dim3(blocks), dim3(kThreads)}, source.get(), target.get());
  return difference(expected, target.download(), tolerance);
}

}  // namespace

void add_normalise(Suite& suite) {
  // The largest softmax weights are near 0.01.
  suite.push_back(
      {"softmax/neighbours", "softmax_neighbours",
       "four neighbouring values per thread: 4-way; strided reductions: up to 8-way",
       [](Session& s) { return check_rows(s, softmax_neighbours, host_softmax, 1e-6); }});
  suite.push_back({"softmax/striped", "softmax_striped",
                   "every 256th value per thread and shuffle reductions",
                   [](Session& s) { return check_rows(s, softmax_striped, host_softmax, 1e-6); }});
  suite.push_back(
      {"layernorm/neighbours", "layernorm_neighbours",
       "four neighbouring values per thread: 4-way; strided reductions: up to 8-way",
       [](Session& s) { return check_rows(s, layernorm_neighbours, host_layernorm, 1e-4); }});
  suite.push_back({"layernorm/striped", "layernorm_striped",
                   "every 256th value per thread and shuffle reductions", [](Session& s) {
                     return check_rows(s, layernorm_striped, host_layernorm, 1e-4);
                   }});
}
