// Probes of L2, stores, fences, clusters and copies, from which the cycle model's parameters follow.
//   probes --list     names, with what each measures
//   probes [NAME...]  CSV on standard output: one line per measurement; all probes without a name
// Columns: probe, parameters ("key=value key=value"), n, least, p10, median, p90, most; the last five
// are cycles of the SM clock over n blocks, warps or accesses. Where a comment says "rests on" it
// names rows of src/sim/cycle/cycle_parameters.def.
//   nvcc -std=c++17 -O3 -arch=sm_90 -o probes probes*.cu
// Exit codes: 0 ok, 2 usage, 4 no usable GPU or a CUDA error.
#include "probes.cuh"

#include <algorithm>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace probes {

std::vector<Probe>& all_probes() {
  static std::vector<Probe> probes;
  return probes;
}

void check(cudaError_t status, const char* what) {
  if (status == cudaSuccess) return;
  std::fprintf(stderr, "probes: %s: %s\n", what, cudaGetErrorString(status));
  std::exit(4);
}

void prepare(const Device& device, std::size_t bytes) {
  static const std::vector<char> host(kPrepared, 1);
  // A copy alone would go past L2 where lines are not there yet.
  check(cudaMemset(device.memory, 255, std::min(bytes, host.size())), "memset");
  check(cudaMemcpy(device.memory, host.data(), std::min(bytes, host.size()), cudaMemcpyHostToDevice), "copy");
  check(cudaDeviceSynchronize(), "copy");
}

Values fetch(const Device& device, std::size_t count) {
  check(cudaGetLastError(), "launch");
  check(cudaDeviceSynchronize(), "kernel");
  Values values(count);
  check(cudaMemcpy(values.data(), device.out + kResults, count * sizeof(uint32_t), cudaMemcpyDeviceToHost),
        "results");
  return values;
}

Values pick(const Values& results, std::size_t start, std::size_t step) {
  Values values;
  for (std::size_t k = start; k < results.size(); k += step) values.push_back(results[k]);
  return values;
}

void emit(const char* probe, Values values, const char* format, ...) {
  char parameters[200];
  va_list arguments;
  va_start(arguments, format);
  std::vsnprintf(parameters, sizeof parameters, format, arguments);
  va_end(arguments);
  if (values.empty()) return;
  std::sort(values.begin(), values.end());
  const std::size_t n = values.size();
  std::printf("%s,%s,%zu,%u,%u,%u,%u,%u\n", probe, parameters, n, values[0], values[n / 10], values[n / 2],
              values[n * 9 / 10], values[n - 1]);
  std::fflush(stdout);
}

constexpr std::size_t kOutBytes = 16 * kMiB;

static Device open_device() {
  Device device;
  cudaDeviceProp properties{};
  check(cudaGetDeviceProperties(&properties, 0), "device");
  if (properties.major != 9) {
    std::fprintf(stderr, "probes: %s has compute capability %d.%d; 9.0 is needed\n", properties.name,
                 properties.major, properties.minor);
    std::exit(4);
  }
  device.sms = properties.multiProcessorCount;
  check(cudaMalloc(&device.memory, kMemoryBytes), "memory");
  check(cudaMalloc(&device.out, kOutBytes), "memory");
  check(cudaMemset(device.memory, 0, kMemoryBytes), "memset");
  check(cudaMemset(device.out, 0, kOutBytes), "memset");
  std::fprintf(stderr, "probes: %s, %d SMs\n", properties.name, device.sms);
  return device;
}

static const Probe* find(const char* name) {
  for (const Probe& probe : all_probes()) {
    if (std::strcmp(probe.name, name) == 0) return &probe;
  }
  return nullptr;
}

}  // namespace probes

using namespace probes;

namespace {

// ---- MATCH of `values` different values; chained ones wait for the result before.
__global__ void match_values(uint32_t* out, int values, int chained) {
  uint32_t key = lane_id() % values, x = 0, time[3];
  for (int rep = 0; rep < 3; ++rep) {
    __syncthreads();
    const uint32_t start = now();
#pragma unroll
    for (int i = 0; i < 8; ++i) {
      uint32_t y;
      asm volatile("match.any.sync.b32 %0, %1, 0xffffffff;" : "=r"(y) : "r"(key) : "memory");
      if (chained) {
        asm volatile("and.b32 %0, %1, 0;" : "=r"(x) : "r"(y));
        key += x;
      } else {
        x ^= y;
      }
    }
    wait_for(x, out);
    time[rep] = now() - start;
  }
  if (lane_id() == 0) out[kResults + warp_id()] = time[2];
}

// ---- 16 divisions in a row; lanes below zero_lanes divide zero, which the fast path leaves to a call.
__global__ void division_slow_path(float* sink, uint32_t* out, float numerator, float denominator, int zero_lanes) {
  uint64_t time = 0;
  float sum = 0;
  const bool zero = lane_id() < zero_lanes;
  const float first = zero ? 0.f : numerator;
#pragma unroll 1
  for (int rep = 0; rep < 4; ++rep) {
    const uint64_t start = sm_clock();
    float x = first;
#pragma unroll 1
    for (int i = 0; i < 16; ++i) {
      x = x / denominator;
      sum += x;
      x = zero ? 0.f : numerator + x;
    }
    time = sm_clock() - start;
  }
  sink[threadIdx.x] = sum;
  if (lane_id() == 0) write_long(out, warp_id(), time);
}

// ---- Constants, one load at a time: first use by the launch, then the same again.
constexpr int kConstants = 16;
__constant__ __align__(256) uint32_t constants[kConstants * 64];

__device__ __forceinline__ uint32_t load_constant(uint64_t address) {
  uint32_t x;
  asm volatile("ld.const.u32 %0, [%1];" : "=r"(x) : "l"(address) : "memory");
  return x;
}
__global__ void constant_first_use(uint32_t* out, int stride) {
  uint64_t base;
  asm volatile("cvta.to.const.u64 %0, %1;" : "=l"(base) : "l"(constants));
  uint32_t* result = out + kResults + blockIdx.x * 2 * kConstants;
#pragma unroll 1
  for (int use = 0; use < 2; ++use) {
    uint32_t x = 0, time[kConstants];
#pragma unroll
    for (int i = 0; i < kConstants; ++i) {
      const uint32_t start = now();
      x = load_constant(base + stride * i);
      wait_for(x, out);
      time[i] = now() - start;
    }
    base += x;  // zero, but not for the compiler, which would use the values of the first time again
    if (threadIdx.x != 0) continue;
#pragma unroll
    for (int i = 0; i < kConstants; ++i) result[use * kConstants + i] = time[i];
  }
}

}  // namespace

// 8 MATCH of a warp. Rests on it: with one warp match_latency and match_value_latency (8 of them, the
// slope over values), with 16 warps match_interval and match_value_interval.
PROBE(match_values, "8 match.any per warp of one block: chained, warps, values (different ones in the warp)") {
  for (const int chained : {0, 1}) {
    for (const int warps : {1, 4, 8, 16}) {
      for (const int values : {1, 2, 4, 8, 16, 32}) {
        match_values<<<1, warps * 32>>>(device.out, values, chained);
        emit("match_values", fetch(device, warps), "chained=%d warps=%d values=%d", chained, warps, values);
      }
    }
  }
}

// 16 divisions of single precision: what a slow path costs that only some data take. No parameter rests
// on it: it shows the time that is missing where the model does not find that path.
PROBE(division_slow_path, "16 divisions: zero_lanes (lanes that divide zero), warps of one block") {
  for (const int zero_lanes : {0, 1, 16, 32}) {
    for (const int warps : {1, 2, 4, 8}) {
      float* const sink = reinterpret_cast<float*>(device.memory);
      division_slow_path<<<1, warps * 32>>>(sink, device.out, 1.5f, 3.f, zero_lanes);
      emit("division_slow_path", fetch_long(device, warps), "zero_lanes=%d warps=%d", zero_lanes, warps);
    }
  }
}

// Loads of constants `stride` bytes apart: with 64 each one is the first of its 64 bytes. The first run
// also loads the code. Rests on it: constant_miss (first use less again).
PROBE(constant_first_use, "one LDC at a time: run, blocks, stride, use=first|again") {
  for (const int run : {0, 1, 2}) {
    for (const int blocks : {1, device.sms}) {
      for (const int stride : {4, 16, 64, 128, 256}) {
        constant_first_use<<<blocks, 32>>>(device.out, stride);
        const Values all = fetch(device, blocks * 2 * kConstants);
        Values uses[2];
        for (std::size_t k = 0; k < all.size(); ++k) uses[k / kConstants % 2].push_back(all[k]);
        for (const int again : {0, 1}) {
          emit("constant_first_use", uses[again], "run=%d blocks=%d stride=%d use=%s", run, blocks, stride,
               again ? "again" : "first");
        }
      }
    }
  }
}

int main(int argc, char** argv) {
  if (argc == 2 && std::strcmp(argv[1], "--list") == 0) {
    for (const Probe& probe : all_probes()) std::printf("%-20s %s\n", probe.name, probe.meaning);
    return 0;
  }
  std::vector<Probe> chosen;
  for (int k = 1; k < argc; ++k) {
    const Probe* probe = find(argv[k]);
    if (probe == nullptr) {
      std::fprintf(stderr, "probes: no probe \"%s\"; usage: probes [--list | NAME...]\n", argv[k]);
      return 2;
    }
    chosen.push_back(*probe);
  }
  if (chosen.empty()) chosen = all_probes();
  const Device device = open_device();
  std::printf("probe,parameters,n,least,p10,median,p90,most\n");
  for (const Probe& probe : chosen) probe.run(device);
  return 0;
}
