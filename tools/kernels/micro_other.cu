// Kernels with a single purpose, everything else: asynchronous copies, barriers and atomics.
#include "families.cuh"
#include "ptx.cuh"

using namespace suite;

namespace {

constexpr int kThreads = 128;
constexpr int kCopies = 8;  // copies per thread between two waits
constexpr int kRounds = 16;
constexpr int kBarriers = 256;
constexpr int kAtomics = 64;

struct Ca {
  template <int Bytes>
  __device__ static void copy(std::uint32_t shared, const void* global) {
    ptx::copy_async_ca<Bytes>(shared, global);
  }
};
struct Cg {
  template <int Bytes>
  __device__ static void copy(std::uint32_t shared, const void* global) {
    static_assert(Bytes == 16, "the bypass of L1 copies 16 bytes");
    ptx::copy_async_cg(shared, global);
  }
};

// Each thread copies `Bytes` bytes to its own slot, kCopies times per round, each round over the
// last. Slots of neighbouring lanes are `Pitch` bytes apart.
template <class Way, int Bytes, int Pitch>
__device__ void copy_async(const std::uint32_t* in, std::uint32_t* out) {
  unsigned char* slots = ptx::dynamic_shared<unsigned char>();
  constexpr int kWidth = Bytes / 4;  // in words
  for (int round = 0; round < kRounds; ++round) {
#pragma unroll
    for (int i = 0; i < kCopies; ++i) {
      const int element = (round * kCopies + i) * kThreads + threadIdx.x;
      Way::template copy<Bytes>(ptx::shared_address(slots + (i * kThreads + threadIdx.x) * Pitch),
                                in + element * kWidth);
    }
    ptx::copy_async_commit();
    ptx::copy_async_wait<0>();
  }
  std::uint32_t sum = 0;
  for (int i = 0; i < kCopies; ++i) {
    for (int w = 0; w < kWidth; ++w) {
      sum +=
          reinterpret_cast<const std::uint32_t*>(slots + (i * kThreads + threadIdx.x) * Pitch)[w] *
          (w + 1);
    }
  }
  out[blockIdx.x * kThreads + threadIdx.x] = sum;
}

// Adds in[t] kAtomics times to word t of the warp, or to the one word of `Target`.
template <class Target>
__device__ void add_atomically(const std::uint32_t* in, std::uint32_t* out) {
  __shared__ std::uint32_t words[kThreads / 32][32 * 32];
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  for (int i = 0; i < 32 * 32; i += 32) words[warp][i + lane] = 0;
  __syncwarp();
  std::uint32_t* target = &words[warp][Target::word(lane)];
  const std::uint32_t value = in[threadIdx.x];
#pragma unroll 16
  for (int i = 0; i < kAtomics; ++i) atomicAdd(target, value + i);
  __syncwarp();
  out[blockIdx.x * kThreads + threadIdx.x] = *target;
}
struct OwnWord {
  static __host__ __device__ int word(int lane) { return lane; }
};
struct SameBank {
  static __host__ __device__ int word(int lane) { return lane * 32; }
};
struct SameWord {
  static __host__ __device__ int word(int) { return 0; }
};

}  // namespace

#define MICRO_PARAMETERS const std::uint32_t *in, std::uint32_t *out, BlockClock *clocks

#define MICRO_KERNEL(name, ...)            \
  __global__ void name(MICRO_PARAMETERS) { \
    block_clock_begin(clocks);             \
    __VA_ARGS__(in, out);                  \
    block_clock_end(clocks);               \
  }
MICRO_KERNEL(micro_copy_cg16, copy_async<Cg, 16, 16>)
MICRO_KERNEL(micro_copy_ca16, copy_async<Ca, 16, 16>)
MICRO_KERNEL(micro_copy_ca8, copy_async<Ca, 8, 8>)
MICRO_KERNEL(micro_copy_ca4, copy_async<Ca, 4, 4>)
MICRO_KERNEL(micro_copy_ca4_strided, copy_async<Ca, 4, 32>)
MICRO_KERNEL(micro_copy_cg16_strided, copy_async<Cg, 16, 128>)
MICRO_KERNEL(micro_atomic_own_word, add_atomically<OwnWord>)
MICRO_KERNEL(micro_atomic_same_bank, add_atomically<SameBank>)
MICRO_KERNEL(micro_atomic_same_word, add_atomically<SameWord>)

// The old value is the next addend: a chain of returning atomics.
__global__ void micro_atomic_chain(MICRO_PARAMETERS) {
  block_clock_begin(clocks);
  __shared__ std::uint32_t words[kThreads];
  words[threadIdx.x] = in[threadIdx.x];
  std::uint32_t value = 1;
  for (int i = 0; i < kAtomics; ++i) value = atomicAdd(&words[threadIdx.x], value);
  out[blockIdx.x * kThreads + threadIdx.x] = value;
  block_clock_end(clocks);
}
// Nothing but barriers of the whole block.
__global__ void micro_barriers(MICRO_PARAMETERS) {
  block_clock_begin(clocks);
#pragma unroll 16
  for (int i = 0; i < kBarriers; ++i) __syncthreads();
  out[blockIdx.x * kThreads + threadIdx.x] = in[threadIdx.x];
  block_clock_end(clocks);
}

namespace {

using Kernel = void (*)(MICRO_PARAMETERS);
using Words = std::vector<std::uint32_t>;

std::string check_micro(Session& session, Kernel kernel, const Words& in, unsigned dynamic_bytes,
                        const std::function<std::uint32_t(int)>& expect) {
  const int blocks = session.pick(2, 132 * 4);
  Words expected(std::size_t(blocks) * kThreads);
  for (std::size_t i = 0; i < expected.size(); ++i) expected[i] = expect(i % kThreads);
  const Buffer<std::uint32_t> source(in), target(expected.size());
  session.launch(kernel, Shape{dim3(blocks), dim3(kThreads), dynamic_bytes}, source.get(),
                 target.get());
  return difference(expected, target.download());
}

std::string check_copy(Session& session, Kernel kernel, int bytes, int pitch) {
  const int width = bytes / 4;
  const Words in =
      random_integers<std::uint32_t>(kRounds * kCopies * kThreads * width, 0, 1000000, 1);
  return check_micro(session, kernel, in, kCopies * kThreads * pitch, [&](int t) {
    std::uint32_t sum = 0;
    for (int i = 0; i < kCopies; ++i) {  // the last round is what stays
      const int element = ((kRounds - 1) * kCopies + i) * kThreads + t;
      for (int w = 0; w < width; ++w) sum += in[element * width + w] * (w + 1);
    }
    return sum;
  });
}

template <class Target>
std::string check_atomic(Session& session, Kernel kernel) {
  const Words in = random_integers<std::uint32_t>(kThreads, 0, 1000, 1);
  return check_micro(session, kernel, in, 0, [&](int t) {
    std::uint32_t sum = 0;
    for (int lane = 0; lane < 32; ++lane) {
      if (Target::word(lane) != Target::word(t % 32)) continue;
      sum += in[t / 32 * 32 + lane] * kAtomics + kAtomics * (kAtomics - 1) / 2;
    }
    return sum;
  });
}

std::string check_atomic_chain(Session& session) {
  const Words in = random_integers<std::uint32_t>(kThreads, 0, 1000000, 1);
  return check_micro(session, micro_atomic_chain, in, 0, [&](int t) {
    std::uint32_t word = in[t], value = 1;
    for (int i = 0; i < kAtomics; ++i) {
      const std::uint32_t old = word;
      word += value;
      value = old;
    }
    return value;
  });
}

std::string check_barriers(Session& session) {
  const Words in = random_integers<std::uint32_t>(kThreads, 0, 1000000, 1);
  return check_micro(session, micro_barriers, in, 0, [&](int t) { return in[t]; });
}

}  // namespace

void add_micro_other(Suite& suite) {
#define ADD_COPY(name, bytes, pitch, what)               \
  suite.push_back({"micro/" #name, "micro_" #name, what, \
                   [](Session& s) { return check_copy(s, micro_##name, bytes, pitch); }});
  ADD_COPY(copy_cg16, 16, 16, "cp.async.cg of 16 bytes, dense")
  ADD_COPY(copy_ca16, 16, 16, "cp.async.ca of 16 bytes, dense")
  ADD_COPY(copy_ca8, 8, 8, "cp.async.ca of 8 bytes, dense")
  ADD_COPY(copy_ca4, 4, 4, "cp.async.ca of 4 bytes, dense")
  ADD_COPY(copy_ca4_strided, 4, 32, "cp.async.ca of 4 bytes to words 32 bytes apart")
  ADD_COPY(copy_cg16_strided, 16, 128, "cp.async.cg of 16 bytes to places 128 bytes apart")
#define ADD_ATOMIC(name, target, what)                   \
  suite.push_back({"micro/" #name, "micro_" #name, what, \
                   [](Session& s) { return check_atomic<target>(s, micro_##name); }});
  ADD_ATOMIC(atomic_own_word, OwnWord, "atomic adds, a word and a bank per lane")
  ADD_ATOMIC(atomic_same_bank, SameBank, "atomic adds, a word per lane in one bank: 32-way")
  ADD_ATOMIC(atomic_same_word, SameWord, "atomic adds of all lanes to one word: 32-way")
  suite.push_back({"micro/atomic_chain", "micro_atomic_chain", "a chain of returning atomic adds",
                   check_atomic_chain});
  suite.push_back({"micro/barriers", "micro_barriers", "block barriers only", check_barriers});
}
