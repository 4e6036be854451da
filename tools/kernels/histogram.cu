// Histograms of 256 bins with shared-memory atomics. Lanes that hit the same bank wait for each
// other, and unlike in loads the same address does not merge.
#include "families.cuh"

using namespace suite;

namespace {
constexpr int kThreads = 256;
constexpr int kBins = 256;
constexpr int kPerThread = 16;
constexpr int kPerBlock = kThreads * kPerThread;
constexpr int kWarps = kThreads / 32;
}  // namespace

// One histogram for the whole block, one count at a time.
__global__ void histogram_block(const unsigned char* in, int* out, BlockClock* clocks) {
  block_clock_begin(clocks);
  __shared__ int bins[kBins];
  bins[threadIdx.x] = 0;
  __syncthreads();
  for (int i = 0; i < kPerThread; ++i) {
    atomicAdd(&bins[in[blockIdx.x * kPerBlock + i * kThreads + threadIdx.x]], 1);
  }
  __syncthreads();
  out[blockIdx.x * kBins + threadIdx.x] = bins[threadIdx.x];
  block_clock_end(clocks);
}

// The same kernel under a name of its own: nine of ten inputs are equal, so a warp queues up on one
// word.
__global__ void histogram_block_skewed(const unsigned char* in, int* out, BlockClock* clocks) {
  block_clock_begin(clocks);
  __shared__ int bins[kBins];
  bins[threadIdx.x] = 0;
  __syncthreads();
  for (int i = 0; i < kPerThread; ++i) {
    atomicAdd(&bins[in[blockIdx.x * kPerBlock + i * kThreads + threadIdx.x]], 1);
  }
  __syncthreads();
  out[blockIdx.x * kBins + threadIdx.x] = bins[threadIdx.x];
  block_clock_end(clocks);
}

// A histogram per warp: warps no longer meet, lanes of one warp still do.
__global__ void histogram_warp_skewed(const unsigned char* in, int* out, BlockClock* clocks) {
  block_clock_begin(clocks);
  __shared__ int bins[kWarps][kBins];
  for (int w = 0; w < kWarps; ++w) bins[w][threadIdx.x] = 0;
  __syncthreads();
  for (int i = 0; i < kPerThread; ++i) {
    atomicAdd(&bins[threadIdx.x / 32][in[blockIdx.x * kPerBlock + i * kThreads + threadIdx.x]], 1);
  }
  __syncthreads();
  int sum = 0;
  for (int w = 0; w < kWarps; ++w) sum += bins[w][threadIdx.x];
  out[blockIdx.x * kBins + threadIdx.x] = sum;
  block_clock_end(clocks);
}

// The lanes with the same value elect one that adds their number: no two lanes share an address.
__global__ void histogram_aggregated_skewed(const unsigned char* in, int* out, BlockClock* clocks) {
  block_clock_begin(clocks);
  __shared__ int bins[kBins];
  bins[threadIdx.x] = 0;
  __syncthreads();
  for (int i = 0; i < kPerThread; ++i) {
    const int value = in[blockIdx.x * kPerBlock + i * kThreads + threadIdx.x];
    const unsigned equal = __match_any_sync(0xFFFFFFFFu, value);
    if (__ffs(equal) - 1 == static_cast<int>(threadIdx.x % 32)) {
      atomicAdd(&bins[value], __popc(equal));
    }
  }
  __syncthreads();
  out[blockIdx.x * kBins + threadIdx.x] = bins[threadIdx.x];
  block_clock_end(clocks);
}

// Integer weights: a plain atomic add of a value (adding the constant 1 is a special instruction).
__global__ void histogram_weighted_int(const unsigned char* in, int* out, BlockClock* clocks) {
  block_clock_begin(clocks);
  __shared__ int bins[kBins];
  bins[threadIdx.x] = 0;
  __syncthreads();
  for (int i = 0; i < kPerThread; ++i) {
    const int value = in[blockIdx.x * kPerBlock + i * kThreads + threadIdx.x];
    atomicAdd(&bins[value], value % 7);
  }
  __syncthreads();
  out[blockIdx.x * kBins + threadIdx.x] = bins[threadIdx.x];
  block_clock_end(clocks);
}

// Float weights: shared memory has no float add, so this is a loop of load and compare-and-swap
// that repeats while lanes collide.
__global__ void histogram_weighted_float(const unsigned char* in, int* out, BlockClock* clocks) {
  block_clock_begin(clocks);
  __shared__ float bins[kBins];
  bins[threadIdx.x] = 0;
  __syncthreads();
  for (int i = 0; i < kPerThread; ++i) {
    const int value = in[blockIdx.x * kPerBlock + i * kThreads + threadIdx.x];
    atomicAdd(&bins[value], static_cast<float>(value % 7));
  }
  __syncthreads();
  out[blockIdx.x * kBins + threadIdx.x] = static_cast<int>(bins[threadIdx.x]);
  block_clock_end(clocks);
}

namespace {

using Kernel = void (*)(const unsigned char*, int*, BlockClock*);

std::string check_histogram(Session& session, Kernel kernel, bool skewed, bool weighted) {
  const int blocks = session.pick(4, 132 * 8);
  Random random(1);
  std::vector<unsigned char> in(std::size_t(blocks) * kPerBlock);
  for (unsigned char& value : in) {
    const bool common = skewed && random.integer(0, 9) != 0;
    value = common ? 77 : static_cast<unsigned char>(random.integer(0, kBins - 1));
  }
  std::vector<int> expected(std::size_t(blocks) * kBins, 0);
  for (std::size_t i = 0; i < in.size(); ++i) {
    expected[i / kPerBlock * kBins + in[i]] += weighted ? in[i] % 7 : 1;
  }
  const Buffer<unsigned char> source(in);
  const Buffer<int> target(expected.size());
  session.launch(kernel, Shape{dim3(blocks), dim3(kThreads)}, source.get(), target.get());
  return difference(expected, target.download());
}

}  // namespace

void add_histogram(Suite& suite) {
  suite.push_back({"histogram/block", "histogram_block", "one histogram per block, uniform input",
                   [](Session& s) { return check_histogram(s, histogram_block, false, false); }});
  suite.push_back(
      {"histogram/block_skewed", "histogram_block_skewed",
       "the same, 90 % of the input in one bin: lanes queue on one word",
       [](Session& s) { return check_histogram(s, histogram_block_skewed, true, false); }});
  suite.push_back({"histogram/warp_skewed", "histogram_warp_skewed",
                   "one histogram per warp: warps part, lanes still queue", [](Session& s) {
                     return check_histogram(s, histogram_warp_skewed, true, false);
                   }});
  suite.push_back({"histogram/aggregated_skewed", "histogram_aggregated_skewed",
                   "equal lanes elect one that adds for all: no shared address", [](Session& s) {
                     return check_histogram(s, histogram_aggregated_skewed, true, false);
                   }});
  suite.push_back({"histogram/weighted_float", "histogram_weighted_float",
                   "float atomicAdd: a compare-and-swap loop", [](Session& s) {
                     return check_histogram(s, histogram_weighted_float, false, true);
                   }});
  suite.push_back(
      {"histogram/weighted_int", "histogram_weighted_int", "the same with an integer atomic add",
       [](Session& s) { return check_histogram(s, histogram_weighted_int, false, true); }});
}
