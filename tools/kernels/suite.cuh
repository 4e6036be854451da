// What every kernel family shares: registration, launching, inputs, checking and block clocks.
#ifndef SMEMSIM_KERNELS_SUITE_CUH
#define SMEMSIM_KERNELS_SUITE_CUH

#include <cuda_fp16.h>
#include <cuda_runtime.h>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <vector>

namespace suite {

// ---- Block clocks ------------------------------------------------------------------------------

// When and where one block ran. Clocks of different SMs are not comparable.
struct BlockClock {
  long long begin = 0;
  long long end = 0;
  int smid = 0;
  int unused = 0;
};

__device__ inline bool is_first_thread() {
  return threadIdx.x == 0 && threadIdx.y == 0 && threadIdx.z == 0;
}

__device__ inline unsigned block_number() {
  return blockIdx.x + gridDim.x * (blockIdx.y + gridDim.y * blockIdx.z);
}

#ifndef SMEMSIM_KERNELS_EMULATED
__device__ inline int sm_number() {
  int smid;
  asm volatile("mov.u32 %0, %%smid;" : "=r"(smid));
  return smid;
}
#endif

// Stores at once instead of keeping the time in registers, so that nothing stays live in the
// kernel. Without a clock buffer, which is the normal case, this is one uniform branch.
__device__ inline void block_clock_begin(BlockClock* clocks) {
  if (clocks != nullptr && is_first_thread()) {
    clocks[block_number()].begin = clock64();
    clocks[block_number()].smid = sm_number();
  }
}

// The barrier exists only while clocks are taken: the untimed kernel has no extra instruction.
__device__ inline void block_clock_end(BlockClock* clocks) {
  if (clocks != nullptr) {
    __syncthreads();
    if (is_first_thread()) clocks[block_number()].end = clock64();
  }
}

// ---- CUDA calls --------------------------------------------------------------------------------

inline void check(cudaError_t status, const char* call) {
  if (status != cudaSuccess) {
    throw std::runtime_error(std::string(call) + ": " + cudaGetErrorString(status));
  }
}

// Device memory that starts as all ones bits: NaN for floats and -1 for integers, so that an output
// which a kernel forgot to write can never look right.
template <class T>
class Buffer {
 public:
  explicit Buffer(std::size_t count) : count_(count) {
    check(cudaMalloc(reinterpret_cast<void**>(&data_), bytes()), "cudaMalloc");
    check(cudaMemset(data_, 0xFF, bytes()), "cudaMemset");
  }
  explicit Buffer(const std::vector<T>& host) : Buffer(host.size()) {
    check(cudaMemcpy(data_, host.data(), bytes(), cudaMemcpyHostToDevice), "cudaMemcpy to device");
  }
  ~Buffer() { cudaFree(data_); }
  Buffer(const Buffer&) = delete;
  Buffer& operator=(const Buffer&) = delete;

  T* get() const { return data_; }
  std::vector<T> download() const {
    std::vector<T> host(count_);
    check(cudaMemcpy(host.data(), data_, bytes(), cudaMemcpyDeviceToHost), "cudaMemcpy to host");
    return host;
  }

 private:
  std::size_t bytes() const { return count_ * sizeof(T); }
  T* data_ = nullptr;
  std::size_t count_;
};

struct Shape {
  dim3 grid;
  dim3 block;
  unsigned dynamic_bytes = 0;
  unsigned cluster = 1;  // blocks per cluster, along x
};

// One run of one variant: its options, and the clocks of its blocks.
class Session {
 public:
  Session(bool full, bool timed) : full_(full), timed_(timed) {}

  // The size of something: `small` for a quick look, `full` to fill every SM a few times.
  int pick(int small, int full) const { return full_ ? full : small; }

  // Launches, waits and checks. Every kernel takes its clock buffer as last parameter.
  template <class... Parameters, class... Arguments>
  void launch(void (*kernel)(Parameters...), const Shape& shape, Arguments... arguments) {
    check(cudaFuncSetAttribute(reinterpret_cast<const void*>(kernel),
                               cudaFuncAttributeMaxDynamicSharedMemorySize,
                               static_cast<int>(shape.dynamic_bytes)),
          "cudaFuncSetAttribute");
    cudaLaunchAttribute attribute{};
    attribute.id = cudaLaunchAttributeClusterDimension;
    attribute.val.clusterDim.x = shape.cluster;
    attribute.val.clusterDim.y = 1;
    attribute.val.clusterDim.z = 1;
    cudaLaunchConfig_t config{};
    config.gridDim = shape.grid;
    config.blockDim = shape.block;
    config.dynamicSmemBytes = shape.dynamic_bytes;
    config.attrs = &attribute;
    config.numAttrs = shape.cluster > 1 ? 1 : 0;

    const std::size_t blocks = std::size_t{shape.grid.x} * shape.grid.y * shape.grid.z;
    Buffer<BlockClock> clock_buffer(timed_ ? blocks : 1);
    BlockClock* clock_argument = timed_ ? clock_buffer.get() : nullptr;
    check(cudaLaunchKernelEx(&config, kernel, arguments..., clock_argument), "launch");
    check(cudaDeviceSynchronize(), "cudaDeviceSynchronize");
    if (timed_) clocks_ = clock_buffer.download();
  }

  const std::vector<BlockClock>& clocks() const { return clocks_; }

 private:
  bool full_;
  bool timed_;
  std::vector<BlockClock> clocks_;
};

// ---- Inputs and checking -----------------------------------------------------------------------

// A small fixed generator: the same inputs on every machine and in every run.
class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed * 0x9E3779B97F4A7C15u + 1) {}
  std::uint32_t next() {
    state_ ^= state_ << 13;
    state_ ^= state_ >> 7;
    state_ ^= state_ << 17;
    return static_cast<std::uint32_t>((state_ * 0x2545F4914F6CDD1Du) >> 32);
  }
  int integer(int low, int high) {  // both included
    return low + static_cast<int>(next() % static_cast<std::uint32_t>(high - low + 1));
  }
  double real(double low, double high) { return low + (high - low) * (next() / 4294967296.0); }

 private:
  std::uint64_t state_;
};

template <class T>
T from_double(double value) {
  if constexpr (std::is_same_v<T, __half>) {
    return __float2half(static_cast<float>(value));
  } else {
    return static_cast<T>(value);
  }
}

template <class T>
double to_double(T value) {
  if constexpr (std::is_same_v<T, __half>) {
    return static_cast<double>(__half2float(value));
  } else {
    return static_cast<double>(value);
  }
}

// Whole numbers keep sums exact in float and half, so that results can be compared bit for bit.
template <class T>
std::vector<T> random_integers(std::size_t count, int low, int high, std::uint64_t seed) {
  Random random(seed);
  std::vector<T> values(count);
  for (T& value : values) value = from_double<T>(random.integer(low, high));
  return values;
}

template <class T>
std::vector<T> random_reals(std::size_t count, double low, double high, std::uint64_t seed) {
  Random random(seed);
  std::vector<T> values(count);
  for (T& value : values) value = from_double<T>(random.real(low, high));
  return values;
}

// Empty when every value is within `tolerance` of the expected one; otherwise what is wrong.
template <class T, class U>
std::string difference(const std::vector<T>& expected, const std::vector<U>& got,
                       double tolerance = 0) {
  if (expected.size() != got.size()) return "internal: sizes differ";
  std::size_t wrong = 0, first = 0;
  for (std::size_t i = 0; i < expected.size(); ++i) {
    const double error = std::fabs(to_double(expected[i]) - to_double(got[i]));
    if (error <= tolerance) continue;  // false for NaN
    if (wrong++ == 0) first = i;
  }
  if (wrong == 0) return "";
  return "index " + std::to_string(first) + ": expected " +
         std::to_string(to_double(expected[first])) + ", got " +
         std::to_string(to_double(got[first])) + " (" + std::to_string(wrong) + " of " +
         std::to_string(expected.size()) + " wrong)";
}

// ---- Registration ------------------------------------------------------------------------------

struct Variant {
  const char* name;                          // family/variant
  const char* kernel;                        // name of its one kernel function
  const char* what;                          // one line: what it does, and what it costs or avoids
  std::function<std::string(Session&)> run;  // what is wrong with the result, or nothing
};

using Suite = std::vector<Variant>;

}  // namespace suite

#endif
