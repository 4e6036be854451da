// Bitonic sort of 1024 keys per block. The loops are kept: unrolled, neighbours would be loaded by
// one 8-byte access where words are not padded.
#include <algorithm>

#include "families.cuh"

using namespace suite;

namespace {

constexpr int kKeys = 1024;

struct Unpadded {
  static constexpr int words = kKeys;
  __device__ static int at(int i) { return i; }
};
struct Padded {
  static constexpr int words = kKeys + kKeys / 32;
  __device__ static int at(int i) { return i + i / 32; }
};

// A thread compares one pair of keys. Pairs that are closer than 32 keys put two lanes in a bank.
template <class Layout>
__device__ void sort_pairs(const int* in, int* out) {
  __shared__ int keys[Layout::words];
  const int t = threadIdx.x;
  in += blockIdx.x * kKeys;
  out += blockIdx.x * kKeys;
  keys[Layout::at(t)] = in[t];
  keys[Layout::at(t + kKeys / 2)] = in[t + kKeys / 2];
#pragma unroll 1
  for (int size = 2; size <= kKeys; size *= 2) {
#pragma unroll 1
    for (int distance = size / 2; distance > 0; distance /= 2) {
      __syncthreads();
      const int i = 2 * t - (t & (distance - 1));
      int &low = keys[Layout::at(i)], &high = keys[Layout::at(i + distance)];
      const int a = low, b = high;
      const bool ascending = (i & size) == 0;
      if ((a > b) == ascending) {
        low = b;
        high = a;
      }
    }
  }
  __syncthreads();
  out[t] = keys[Layout::at(t)];
  out[t + kKeys / 2] = keys[Layout::at(t + kKeys / 2)];
}

}  // namespace

__global__ void sort_bitonic_naive(const int* in, int* out, BlockClock* clocks) {
  block_clock_begin(clocks);
  sort_pairs<Unpadded>(in, out);
  block_clock_end(clocks);
}
__global__ void sort_bitonic_padded(const int* in, int* out, BlockClock* clocks) {
  block_clock_begin(clocks);
  sort_pairs<Padded>(in, out);
  block_clock_end(clocks);
}
// A thread keeps one key; partners within a warp meet through shuffles, others through shared
// memory, word by word.
__global__ void __launch_bounds__(kKeys)
    sort_bitonic_shuffle(const int* in, int* out, BlockClock* clocks) {
  block_clock_begin(clocks);
  __shared__ int keys[kKeys];
  const int t = threadIdx.x;
  int key = in[blockIdx.x * kKeys + t];
  for (int size = 2; size <= kKeys; size *= 2) {
    for (int distance = size / 2; distance > 0; distance /= 2) {
      int other;
      if (distance < 32) {
        other = __shfl_xor_sync(0xFFFFFFFFu, key, distance);
      } else {
        __syncthreads();
        keys[t] = key;
        __syncthreads();
        other = keys[t ^ distance];
      }
      const bool keep_smaller = ((t & distance) == 0) == ((t & size) == 0);
      key = keep_smaller ? min(key, other) : max(key, other);
    }
  }
  out[blockIdx.x * kKeys + t] = key;
  block_clock_end(clocks);
}

namespace {

std::string check_sort(Session& session, void (*kernel)(const int*, int*, BlockClock*),
                       int threads) {
  const int blocks = session.pick(4, 132 * 4);
  const std::vector<int> in = random_integers<int>(blocks * kKeys, -1000000, 1000000, 1);
  std::vector<int> expected = in;
  for (int block = 0; block < blocks; ++block) {
    std::sort(expected.begin() + block * kKeys, expected.begin() + (block + 1) * kKeys);
  }
  const Buffer<int> source(in), target(in.size());
  session.launch(kernel, Shape{dim3(blocks), dim3(threads)}, source.get(), target.get());
  return difference(expected, target.download());
}

}  // namespace

void add_sort(Suite& suite) {
  suite.push_back({"sort/bitonic_naive", "sort_bitonic_naive",
                   "a pair per thread: 2-way while partners are closer than 32",
                   [](Session& s) { return check_sort(s, sort_bitonic_naive, kKeys / 2); }});
  suite.push_back({"sort/bitonic_padded", "sort_bitonic_padded",
                   "padding after 32 words: mends the closest pairs only",
                   [](Session& s) { return check_sort(s, sort_bitonic_padded, kKeys / 2); }});
  suite.push_back({"sort/bitonic_shuffle", "sort_bitonic_shuffle",
                   "close partners through shuffles: conflict-free",
                   [](Session& s) { return check_sort(s, sort_bitonic_shuffle, kKeys); }});
}
