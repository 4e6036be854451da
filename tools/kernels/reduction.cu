// The five classic steps of a sum over a block. Each block writes one partial sum. The loops are
// kept, so that every step of one goes through the same instructions.
#include "families.cuh"

using namespace suite;

namespace {
constexpr int kThreads = 256;
}

// Only every 2s-th lane works: warps diverge, yet the active lanes also share banks.
__global__ void reduction_interleaved_divergent(const float* in, float* out, BlockClock* clocks) {
  block_clock_begin(clocks);
  __shared__ float sums[kThreads];
  const int t = threadIdx.x;
  sums[t] = in[blockIdx.x * kThreads + t];
  __syncthreads();
#pragma unroll 1
  for (int s = 1; s < kThreads; s *= 2) {
    if (t % (2 * s) == 0) sums[t] += sums[t + s];
    __syncthreads();
  }
  if (t == 0) out[blockIdx.x] = sums[0];
  block_clock_end(clocks);
}

// Neighbouring lanes work, on words 2s apart: 2-way, 4-way, then 8-way.
__global__ void reduction_interleaved_strided(const float* in, float* out, BlockClock* clocks) {
  block_clock_begin(clocks);
  __shared__ float sums[kThreads];
  const int t = threadIdx.x;
  sums[t] = in[blockIdx.x * kThreads + t];
  __syncthreads();
#pragma unroll 1
  for (int s = 1; s < kThreads; s *= 2) {
    const int i = 2 * s * t;
    if (i < kThreads) sums[i] += sums[i + s];
    __syncthreads();
  }
  if (t == 0) out[blockIdx.x] = sums[0];
  block_clock_end(clocks);
}

// Neighbouring lanes work on neighbouring words: conflict-free.
__global__ void reduction_sequential(const float* in, float* out, BlockClock* clocks) {
  block_clock_begin(clocks);
  __shared__ float sums[kThreads];
  const int t = threadIdx.x;
  sums[t] = in[blockIdx.x * kThreads + t];
  __syncthreads();
#pragma unroll 1
  for (int s = kThreads / 2; s > 0; s /= 2) {
    if (t < s) sums[t] += sums[t + s];
    __syncthreads();
  }
  if (t == 0) out[blockIdx.x] = sums[0];
  block_clock_end(clocks);
}

// The first addition happens on the way in: twice the data for the same shared accesses.
__global__ void reduction_first_add(const float* in, float* out, BlockClock* clocks) {
  block_clock_begin(clocks);
  __shared__ float sums[kThreads];
  const int t = threadIdx.x;
  const float* mine = in + blockIdx.x * 2 * kThreads + t;
  sums[t] = mine[0] + mine[kThreads];
  __syncthreads();
#pragma unroll 1
  for (int s = kThreads / 2; s > 0; s /= 2) {
    if (t < s) sums[t] += sums[t + s];
    __syncthreads();
  }
  if (t == 0) out[blockIdx.x] = sums[0];
  block_clock_end(clocks);
}

// Warps add through registers; shared memory carries one word per warp.
__global__ void reduction_shuffle(const float* in, float* out, BlockClock* clocks) {
  block_clock_begin(clocks);
  __shared__ float sums[kThreads / 32];
  const int t = threadIdx.x, lane = t % 32;
  const float* mine = in + blockIdx.x * 2 * kThreads + t;
  float sum = mine[0] + mine[kThreads];
  for (int s = 16; s > 0; s /= 2) sum += __shfl_down_sync(0xFFFFFFFFu, sum, s);
  if (lane == 0) sums[t / 32] = sum;
  __syncthreads();
  if (t < 32) {
    sum = lane < kThreads / 32 ? sums[lane] : 0.0f;
    for (int s = kThreads / 64; s > 0; s /= 2) sum += __shfl_down_sync(0xFFFFFFFFu, sum, s);
    if (t == 0) out[blockIdx.x] = sum;
  }
  block_clock_end(clocks);
}

namespace {

std::string check_reduction(Session& session, void (*kernel)(const float*, float*, BlockClock*),
                            int values_per_block) {
  const int blocks = session.pick(4, 132 * 16);
  const std::vector<float> in =
      random_integers<float>(std::size_t(blocks) * values_per_block, -100, 100, 1);
  std::vector<float> expected(blocks, 0.0f);
  for (std::size_t i = 0; i < in.size(); ++i) expected[i / values_per_block] += in[i];
  const Buffer<float> source(in), target(blocks);
  session.launch(kernel, Shape{dim3(blocks), dim3(kThreads)}, source.get(), target.get());
  return difference(expected, target.download());
}

}  // namespace

void add_reduction(Suite& suite) {
  suite.push_back({"reduction/interleaved_divergent", "reduction_interleaved_divergent",
                   "every 2s-th lane works: divergent warps", [](Session& s) {
                     return check_reduction(s, reduction_interleaved_divergent, kThreads);
                   }});
  suite.push_back({"reduction/interleaved_strided", "reduction_interleaved_strided",
                   "neighbouring lanes on words 2s apart: up to 8-way", [](Session& s) {
                     return check_reduction(s, reduction_interleaved_strided, kThreads);
                   }});
  suite.push_back({"reduction/sequential", "reduction_sequential",
                   "neighbouring lanes on neighbouring words: conflict-free",
                   [](Session& s) { return check_reduction(s, reduction_sequential, kThreads); }});
  suite.push_back({"reduction/first_add", "reduction_first_add",
                   "adds once while loading: half the blocks' work", [](Session& s) {
                     return check_reduction(s, reduction_first_add, 2 * kThreads);
                   }});
  suite.push_back({"reduction/shuffle", "reduction_shuffle",
                   "registers within a warp, one shared word per warp",
                   [](Session& s) { return check_reduction(s, reduction_shuffle, 2 * kThreads); }});
}
