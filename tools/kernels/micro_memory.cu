// Kernels with a single purpose, loads and stores: chains that expose latency, and streams that
// expose throughput. All addresses are known, so every number can be worked out by hand.
#include "families.cuh"
#include "ptx.cuh"

using namespace suite;

namespace {

constexpr int kTable = 1024;   // words of a chain's table
constexpr int kChain = 512;    // links followed
constexpr int kThreads = 256;  // of the streams
constexpr int kUnroll = 16;    // loads per turn of a stream's loop
constexpr int kTurns = 16;
constexpr int kWords = 2048;  // of the streams

// One warp per block; each loaded word is the byte offset of the next. The link of word i is i + 1:
// lanes that start `Ways` words apart stay so, and 32 / Ways banks serve all lanes.
template <int Ways>
__device__ void follow_chain(const std::uint32_t* in, std::uint32_t* out) {
  __shared__ std::uint32_t table[kTable];
  for (int i = 0; i < kTable; i += 32) table[i + threadIdx.x] = in[i + threadIdx.x];
  __syncwarp();
  const std::uint32_t base = ptx::shared_address(table);
  std::uint32_t offset = threadIdx.x * Ways * 4;
  for (int i = 0; i < kChain; ++i) offset = ptx::load_shared(base + offset);
  out[blockIdx.x * 32 + threadIdx.x] = offset;
}

// Independent loads: lanes `Stride` words apart (0: one word for all). The next load is 128 bytes
// on, the same banks again; neighbouring words would be merged into wider loads.
template <int Stride>
__device__ void stream_loads(const std::uint32_t* in, std::uint32_t* out) {
  __shared__ std::uint32_t words[kWords];
  for (int i = 0; i < kWords; i += kThreads) words[i + threadIdx.x] = in[i + threadIdx.x];
  __syncthreads();
  const std::uint32_t address = ptx::shared_address(words + threadIdx.x % 32 * Stride);
  std::uint32_t sum = 0;
  for (int turn = 0; turn < kTurns; ++turn) {
#pragma unroll
    for (int i = 0; i < kUnroll; ++i) sum += ptx::load_shared(address + 128 * i);
  }
  out[blockIdx.x * kThreads + threadIdx.x] = sum;
}

}  // namespace

#define MICRO_PARAMETERS const std::uint32_t *in, std::uint32_t *out, BlockClock *clocks

#define CHAIN(ways)                                           \
  __global__ void micro_chain_##ways##way(MICRO_PARAMETERS) { \
    block_clock_begin(clocks);                                \
    follow_chain<ways>(in, out);                              \
    block_clock_end(clocks);                                  \
  }
CHAIN(1)
CHAIN(8)
CHAIN(32)

#define LOADS(name, stride)                             \
  __global__ void micro_load_##name(MICRO_PARAMETERS) { \
    block_clock_begin(clocks);                          \
    stream_loads<stride>(in, out);                      \
    block_clock_end(clocks);                            \
  }
LOADS(broadcast, 0)
LOADS(1way, 1)
LOADS(2way, 2)
LOADS(4way, 4)
LOADS(8way, 8)
LOADS(16way, 16)
LOADS(32way, 32)

// 8-byte loads of neighbouring pairs: two wavefronts each.
__global__ void micro_load_8bytes(MICRO_PARAMETERS) {
  block_clock_begin(clocks);
  __shared__ __align__(16) std::uint32_t words[kWords];
  for (int i = 0; i < kWords; i += kThreads) words[i + threadIdx.x] = in[i + threadIdx.x];
  __syncthreads();
  const std::uint32_t address = ptx::shared_address(words + threadIdx.x % 32 * 2);
  std::uint32_t sum = 0;
  for (int turn = 0; turn < kTurns; ++turn) {
#pragma unroll
    for (int i = 0; i < kUnroll; ++i) {
      const uint2 v = ptx::load_shared2(address + 256 * i);
      sum += v.x + 3 * v.y;
    }
  }
  out[blockIdx.x * kThreads + threadIdx.x] = sum;
  block_clock_end(clocks);
}

// 16-byte loads of neighbouring quadruples: four wavefronts each.
__global__ void micro_load_16bytes(MICRO_PARAMETERS) {
  block_clock_begin(clocks);
  __shared__ __align__(16) std::uint32_t words[kWords];
  for (int i = 0; i < kWords; i += kThreads) words[i + threadIdx.x] = in[i + threadIdx.x];
  __syncthreads();
  const std::uint32_t address = ptx::shared_address(words + threadIdx.x % 32 * 4);
  std::uint32_t sum = 0;
  for (int turn = 0; turn < kTurns; ++turn) {
#pragma unroll
    for (int i = 0; i < kUnroll; ++i) {
      const uint4 v = ptx::load_shared4(address + 512 * i);
      sum += v.x + 3 * v.y + 5 * v.z + 7 * v.w;
    }
  }
  out[blockIdx.x * kThreads + threadIdx.x] = sum;
  block_clock_end(clocks);
}

// A load, a little arithmetic, a store to the same word; again and again. The store's address is
// the load's plus a zero that only the input knows: otherwise the compiler keeps the word in a
// register.
__global__ void micro_load_store(MICRO_PARAMETERS) {
  block_clock_begin(clocks);
  __shared__ std::uint32_t words[kThreads];
  words[threadIdx.x] = in[threadIdx.x];
  const std::uint32_t source = ptx::shared_address(words + threadIdx.x);
  const std::uint32_t target = source + in[kThreads];
#pragma unroll 16
  for (int i = 0; i < kUnroll * kTurns; ++i) {
    ptx::store_shared(target, ptx::load_shared(source) * 3 + 1);
  }
  out[blockIdx.x * kThreads + threadIdx.x] = ptx::load_shared(source);
  block_clock_end(clocks);
}

// Stores only: every thread rewrites its own words, then reads back what it wrote last.
__global__ void micro_store(MICRO_PARAMETERS) {
  block_clock_begin(clocks);
  __shared__ std::uint32_t words[kUnroll][kThreads];
  const std::uint32_t first = in[threadIdx.x],
                      address = ptx::shared_address(&words[0][threadIdx.x]);
  for (int turn = 0; turn < kTurns; ++turn) {
#pragma unroll
    for (int i = 0; i < kUnroll; ++i) ptx::store_shared(address + 4 * kThreads * i, first + turn);
  }
  std::uint32_t sum = 0;
  for (int i = 0; i < kUnroll; ++i) sum += words[i][threadIdx.x] * (i + 1);
  out[blockIdx.x * kThreads + threadIdx.x] = sum;
  block_clock_end(clocks);
}

namespace {

using Kernel = void (*)(MICRO_PARAMETERS);
using Words = std::vector<std::uint32_t>;

// Every block computes the same; `expect` says what thread t must find.
std::string check_micro(Session& session, Kernel kernel, int threads, const Words& in,
                        const std::function<std::uint32_t(int)>& expect) {
  const int blocks = session.pick(2, 132 * 4);
  Words expected(std::size_t(blocks) * threads);
  for (std::size_t i = 0; i < expected.size(); ++i) expected[i] = expect(i % threads);
  const Buffer<std::uint32_t> source(in), target(expected.size());
  session.launch(kernel, Shape{dim3(blocks), dim3(threads)}, source.get(), target.get());
  return difference(expected, target.download());
}

std::string check_chain(Session& session, Kernel kernel, int ways) {
  Words table(kTable);
  for (int i = 0; i < kTable; ++i) table[i] = (i + 1) % kTable * 4;
  return check_micro(session, kernel, 32, table,
                     [=](int t) { return (t * ways + kChain) % kTable * 4; });
}

// `width` words per load with factors 1, 3, 5, 7.
std::string check_stream(Session& session, Kernel kernel, int stride, int width) {
  const Words in = random_integers<std::uint32_t>(kWords, 0, 1000000, 1);
  return check_micro(session, kernel, kThreads, in, [&](int t) {
    std::uint32_t sum = 0;
    for (int i = 0; i < kUnroll * width; ++i) {
      const int word = i % width;
      sum += in[t % 32 * stride + i / width * width * 32 + word] * (2 * word + 1);
    }
    return sum * kTurns;
  });
}

std::string check_load_store(Session& session) {
  Words in = random_integers<std::uint32_t>(kThreads, 0, 1000000, 1);
  in.push_back(0);
  return check_micro(session, micro_load_store, kThreads, in, [&](int t) {
    std::uint32_t value = in[t];
    for (int i = 0; i < kUnroll * kTurns; ++i) value = value * 3 + 1;
    return value;
  });
}

std::string check_store(Session& session) {
  const Words in = random_integers<std::uint32_t>(kThreads, 0, 1000000, 1);
  return check_micro(session, micro_store, kThreads, in,
                     [&](int t) { return (in[t] + kTurns - 1) * (kUnroll * (kUnroll + 1) / 2); });
}

}  // namespace

void add_micro_memory(Suite& suite) {
#define ADD_CHAIN(ways, what)                                                    \
  suite.push_back({"micro/chain_" #ways "way", "micro_chain_" #ways "way", what, \
                   [](Session& s) { return check_chain(s, micro_chain_##ways##way, ways); }});
  ADD_CHAIN(1, "one warp follows pointers, conflict-free: pure latency")
  ADD_CHAIN(8, "one warp follows pointers, 8-way")
  ADD_CHAIN(32, "one warp follows pointers, 32-way")
#define ADD_LOADS(name, stride, what)                              \
  suite.push_back({"micro/load_" #name, "micro_load_" #name, what, \
                   [](Session& s) { return check_stream(s, micro_load_##name, stride, 1); }});
  ADD_LOADS(broadcast, 0, "independent loads of one word by all lanes")
  ADD_LOADS(1way, 1, "independent loads, conflict-free")
  ADD_LOADS(2way, 2, "independent loads, lanes 2 words apart")
  ADD_LOADS(4way, 4, "independent loads, lanes 4 words apart")
  ADD_LOADS(8way, 8, "independent loads, lanes 8 words apart")
  ADD_LOADS(16way, 16, "independent loads, lanes 16 words apart")
  ADD_LOADS(32way, 32, "independent loads, lanes 32 words apart")
  suite.push_back({"micro/load_8bytes", "micro_load_8bytes", "8-byte loads, conflict-free",
                   [](Session& s) { return check_stream(s, micro_load_8bytes, 2, 2); }});
  suite.push_back({"micro/load_16bytes", "micro_load_16bytes", "16-byte loads, conflict-free",
                   [](Session& s) { return check_stream(s, micro_load_16bytes, 4, 4); }});
  suite.push_back(
      {"micro/load_store", "micro_load_store", "load, add, store in turn", check_load_store});
  suite.push_back({"micro/store", "micro_store", "independent stores, conflict-free", check_store});
}
