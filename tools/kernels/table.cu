// Look-ups in tables of bytes and halves with random indices. Several entries share a word, and
// lanes that read the same word are served together: small entries conflict less.
#include "families.cuh"

using namespace suite;

namespace {

constexpr int kThreads = 256;
constexpr int kPerThread = 16;
constexpr int kPerBlock = kThreads * kPerThread;
constexpr int kBytes = 256;
constexpr int kHalves = 1024;

template <class Entry>
__device__ void look_up_bytes(const unsigned char* table, const unsigned char* in,
                              unsigned char* out) {
  __shared__ Entry entries[kBytes];
  entries[threadIdx.x] = table[threadIdx.x];
  __syncthreads();
  for (int i = 0; i < kPerThread; ++i) {
    const int at = blockIdx.x * kPerBlock + i * kThreads + threadIdx.x;
    out[at] = static_cast<unsigned char>(entries[in[at]]);
  }
}

template <class Entry>
__device__ void look_up_halves(const __half* table, const unsigned short* in, __half* out) {
  __shared__ Entry entries[kHalves];
  for (int first = 0; first < kHalves; first += kThreads) {
    const int i = first + threadIdx.x;
    entries[i] = static_cast<Entry>(table[i]);
  }
  __syncthreads();
  for (int i = 0; i < kPerThread; ++i) {
    const int at = blockIdx.x * kPerBlock + i * kThreads + threadIdx.x;
    out[at] = static_cast<__half>(entries[in[at]]);
  }
}

}  // namespace

#define BYTE_PARAMETERS \
  const unsigned char *table, const unsigned char *in, unsigned char *out, BlockClock *clocks
#define HALF_PARAMETERS \
  const __half *table, const unsigned short *in, __half *out, BlockClock *clocks

__global__ void table_byte_as_words(BYTE_PARAMETERS) {
  block_clock_begin(clocks);
  look_up_bytes<unsigned int>(table, in, out);
  block_clock_end(clocks);
}
__global__ void table_byte_packed(BYTE_PARAMETERS) {
  block_clock_begin(clocks);
  look_up_bytes<unsigned char>(table, in, out);
  block_clock_end(clocks);
}
// 32 copies, one per bank: whatever the indices, each lane stays in its own bank.
__global__ void table_byte_replicated(BYTE_PARAMETERS) {
  block_clock_begin(clocks);
  __shared__ unsigned int copies[kBytes / 4][32];  // four entries per word
  const int lane = threadIdx.x % 32;
  for (int w = threadIdx.x / 32; w < kBytes / 4; w += kThreads / 32) {
    copies[w][lane] = reinterpret_cast<const unsigned int*>(table)[w];
  }
  __syncthreads();
  for (int i = 0; i < kPerThread; ++i) {
    const int at = blockIdx.x * kPerBlock + i * kThreads + threadIdx.x, index = in[at];
    out[at] = reinterpret_cast<const unsigned char*>(&copies[index / 4][lane])[index % 4];
  }
  block_clock_end(clocks);
}
__global__ void table_half_as_words(HALF_PARAMETERS) {
  block_clock_begin(clocks);
  look_up_halves<float>(table, in, out);
  block_clock_end(clocks);
}
__global__ void table_half_packed(HALF_PARAMETERS) {
  block_clock_begin(clocks);
  look_up_halves<__half>(table, in, out);
  block_clock_end(clocks);
}

namespace {

template <class Entry, class Index>
std::string check_table(Session& session,
                        void (*kernel)(const Entry*, const Index*, Entry*, BlockClock*),
                        int entries) {
  const int blocks = session.pick(4, 132 * 8);
  const std::vector<Entry> table = random_integers<Entry>(entries, 0, 255, 1);
  const std::vector<Index> in = random_integers<Index>(blocks * kPerBlock, 0, entries - 1, 2);
  std::vector<Entry> expected(in.size());
  for (std::size_t i = 0; i < in.size(); ++i) expected[i] = table[in[i]];
  const Buffer<Entry> device_table(table), target(in.size());
  const Buffer<Index> source(in);
  session.launch(kernel, Shape{dim3(blocks), dim3(kThreads)}, device_table.get(), source.get(),
                 target.get());
  return difference(expected, target.download());
}

}  // namespace

void add_table(Suite& suite) {
  suite.push_back({"table/byte_as_words", "table_byte_as_words",
                   "256 entries of 4 bytes: 8 entries per bank",
                   [](Session& s) { return check_table(s, table_byte_as_words, kBytes); }});
  suite.push_back({"table/byte_packed", "table_byte_packed",
                   "256 entries of 1 byte: 2 words per bank, never more than 2-way",
                   [](Session& s) { return check_table(s, table_byte_packed, kBytes); }});
  suite.push_back({"table/byte_replicated", "table_byte_replicated",
                   "a copy per bank: always conflict-free, for 8 KiB",
                   [](Session& s) { return check_table(s, table_byte_replicated, kBytes); }});
  suite.push_back({"table/half_as_words", "table_half_as_words",
                   "1024 entries of 4 bytes: 32 words per bank",
                   [](Session& s) { return check_table(s, table_half_as_words, kHalves); }});
  suite.push_back({"table/half_packed", "table_half_packed",
                   "1024 entries of 2 bytes: 16 words per bank",
                   [](Session& s) { return check_table(s, table_half_packed, kHalves); }});
}
