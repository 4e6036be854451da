// Exclusive prefix sum of 1024 values per block. Blelloch's tree works on words that are a power of
// two apart, which is the worst there is for banks. The loops are kept: unrolled, the step with
// distance 1 would become one 8-byte access where words are not padded.
#include "families.cuh"

using namespace suite;

namespace {

constexpr int kValues = 1024;
constexpr int kThreads = kValues / 2;

struct Unpadded {
  static constexpr int words = kValues;
  __device__ static int at(int i) { return i; }
};
// One unused word after every 32: words that are 32 apart no longer share a bank.
struct Padded {
  static constexpr int words = kValues + kValues / 32;
  __device__ static int at(int i) { return i + i / 32; }
};

template <class Layout>
__device__ void scan(const int* in, int* out) {
  __shared__ int sums[Layout::words];
  const int t = threadIdx.x;
  in += blockIdx.x * kValues;
  out += blockIdx.x * kValues;
  sums[Layout::at(t)] = in[t];
  sums[Layout::at(t + kThreads)] = in[t + kThreads];
  int distance = 1;
#pragma unroll 1
  for (int active = kThreads; active > 0; active /= 2) {  // up: partial sums
    __syncthreads();
    if (t < active) {
      const int left = Layout::at(distance * (2 * t + 1) - 1);
      const int right = Layout::at(distance * (2 * t + 2) - 1);
      sums[right] += sums[left];
    }
    distance *= 2;
  }
  if (t == 0) sums[Layout::at(kValues - 1)] = 0;
#pragma unroll 1
  for (int active = 1; active < kValues; active *= 2) {  // down: sums of all that is to the left
    distance /= 2;
    __syncthreads();
    if (t < active) {
      const int left = Layout::at(distance * (2 * t + 1) - 1);
      const int right = Layout::at(distance * (2 * t + 2) - 1);
      const int before = sums[left];
      sums[left] = sums[right];
      sums[right] += before;
    }
  }
  __syncthreads();
  out[t] = sums[Layout::at(t)];
  out[t + kThreads] = sums[Layout::at(t + kThreads)];
}

// Sum of this lane's value and those of all lanes before it.
__device__ int inclusive_in_warp(int value) {
  const int lane = threadIdx.x % 32;
  for (int distance = 1; distance < 32; distance *= 2) {
    const int before = __shfl_up_sync(0xFFFFFFFFu, value, distance);
    if (lane >= distance) value += before;
  }
  return value;
}

}  // namespace

__global__ void scan_blelloch_naive(const int* in, int* out, BlockClock* clocks) {
  block_clock_begin(clocks);
  scan<Unpadded>(in, out);
  block_clock_end(clocks);
}
__global__ void scan_blelloch_padded(const int* in, int* out, BlockClock* clocks) {
  block_clock_begin(clocks);
  scan<Padded>(in, out);
  block_clock_end(clocks);
}
// Two values per thread; shared memory carries one word per warp.
__global__ void scan_shuffle(const int* in, int* out, BlockClock* clocks) {
  block_clock_begin(clocks);
  __shared__ int warp_sums[kThreads / 32];
  const int t = threadIdx.x, lane = t % 32, warp = t / 32;
  const int2 mine = reinterpret_cast<const int2*>(in + blockIdx.x * kValues)[t];
  const int inclusive = inclusive_in_warp(mine.x + mine.y);
  if (lane == 31) warp_sums[warp] = inclusive;
  __syncthreads();
  if (warp == 0) {
    const int sum = inclusive_in_warp(lane < kThreads / 32 ? warp_sums[lane] : 0);
    if (lane < kThreads / 32) warp_sums[lane] = sum;
  }
  __syncthreads();
  const int before = (warp > 0 ? warp_sums[warp - 1] : 0) + inclusive - mine.x - mine.y;
  reinterpret_cast<int2*>(out + blockIdx.x * kValues)[t] = make_int2(before, before + mine.x);
  block_clock_end(clocks);
}

namespace {

std::string check_scan(Session& session, void (*kernel)(const int*, int*, BlockClock*)) {
  const int blocks = session.pick(4, 132 * 8);
  const std::vector<int> in = random_integers<int>(blocks * kValues, -100, 100, 1);
  std::vector<int> expected(in.size());
  int sum = 0;
  for (std::size_t i = 0; i < in.size(); ++i) {
    if (i % kValues == 0) sum = 0;
    expected[i] = sum;
    sum += in[i];
  }
  const Buffer<int> source(in), target(in.size());
  session.launch(kernel, Shape{dim3(blocks), dim3(kThreads)}, source.get(), target.get());
  return difference(expected, target.download());
}

}  // namespace

void add_scan(Suite& suite) {
  suite.push_back({"scan/blelloch_naive", "scan_blelloch_naive",
                   "tree on words a power of two apart: up to 32-way",
                   [](Session& s) { return check_scan(s, scan_blelloch_naive); }});
  suite.push_back({"scan/blelloch_padded", "scan_blelloch_padded",
                   "one unused word after every 32: nearly conflict-free",
                   [](Session& s) { return check_scan(s, scan_blelloch_padded); }});
  suite.push_back({"scan/shuffle", "scan_shuffle", "registers within a warp, one word per warp",
                   [](Session& s) { return check_scan(s, scan_shuffle); }});
}
