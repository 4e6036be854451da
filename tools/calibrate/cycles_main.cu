// Runs the cycle microbenchmarks of one group and prints one JSON object per configuration.
//   cycles --list                name, group, opcode and steps of every test, for the checker
//   cycles GROUP [NAME]          JSON lines on standard output
// Exit codes: 0 ok, 2 usage, 4 no usable GPU or a CUDA error.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>

#include "cycles.cuh"

namespace cycles {

std::vector<Test>& all_tests() {
  static std::vector<Test> tests;
  return tests;
}

namespace {

constexpr uint64_t kGlobalBytes = uint64_t{4} << 30;
constexpr unsigned kMaxBlocks = 132 * 64;

void check(cudaError_t status, const char* what) {
  if (status == cudaSuccess) return;
  std::fprintf(stderr, "cycles: %s: %s\n", what, cudaGetErrorString(status));
  std::exit(4);
}

struct Device {
  int sms = 0;
  char* global = nullptr;
  Sample* samples = nullptr;
  std::string filled = "none";
};

// Next pointers: the word at offset o holds the address of offset (o + stride) mod footprint.
__global__ void fill_chain(char* memory, uint64_t stride, uint64_t footprint) {
  const uint64_t step = uint64_t{gridDim.x} * blockDim.x;
  for (uint64_t k = blockIdx.x * uint64_t{blockDim.x} + threadIdx.x; k * stride < footprint; k += step) {
    const uint64_t next = (k + 1) * stride;
    *reinterpret_cast<char**>(memory + k * stride) = memory + (next < footprint ? next : 0);
  }
}

// Reads lots of other memory, so that nothing of the test's data stays in L2.
__global__ void sweep(const uint4* memory, uint64_t count, uint32_t* sink) {
  uint32_t x = 0;
  const uint64_t step = uint64_t{gridDim.x} * blockDim.x;
  for (uint64_t k = blockIdx.x * uint64_t{blockDim.x} + threadIdx.x; k < count; k += step) x ^= memory[k].x;
  if (x == 0x12345678) *sink = x;
}

void run(const Test& test, const Config& c, Device& device) {
  unsigned warps = c.block_warps;
  for (unsigned w = 0; w < 32; ++w) {
    if (c.mask >> w & 1) warps = warps > w + 1 ? warps : w + 1;
  }
  const unsigned blocks = c.blocks != 0 ? c.blocks : static_cast<unsigned>(device.sms) * c.per_sm;
  Args a{};
  a.out = device.samples, a.mask = c.mask, a.roles = c.roles;
  a.threads = 32u * static_cast<unsigned>(__builtin_popcountll(c.mask));
  a.reps = c.reps, a.lane_stride = c.lane_stride, a.warp_stride = c.warp_stride;
  a.never = 0xfedcba98u, a.count = c.count, a.global = device.global;
  a.global_stride = c.global_stride, a.size = c.size, a.keep = c.keep;
  if (c.fill == "chain") fill_chain<<<1024, 256>>>(device.global, c.global_stride, c.footprint);
  if (c.fill == "cold" || c.note == "dram") {
    sweep<<<1024, 256>>>(reinterpret_cast<uint4*>(device.global + (kGlobalBytes >> 1)),
                         (uint64_t{512} << 20) / 16, reinterpret_cast<uint32_t*>(device.samples));
  }
  check(cudaMemset(device.samples, 0, sizeof(Sample) * blocks * warps), "memset");
  check(cudaFuncSetAttribute(reinterpret_cast<const void*>(test.kernel),
                             cudaFuncAttributeMaxDynamicSharedMemorySize,
                             static_cast<int>(c.shared_bytes)), "shared memory");
  test.kernel<<<blocks, warps * 32, c.shared_bytes>>>(a);
  check(cudaGetLastError(), test.name.c_str());
  check(cudaDeviceSynchronize(), test.name.c_str());
  std::vector<Sample> samples(std::size_t{blocks} * warps);
  check(cudaMemcpy(samples.data(), device.samples, sizeof(Sample) * samples.size(),
                   cudaMemcpyDeviceToHost), "copy");

  // Only the SM of block 0 in detail; of all SMs the spread of the time of the last repetition.
  const uint32_t sm = samples[static_cast<std::size_t>(__builtin_ctzll(c.mask))].sm;
  std::printf("{\"test\":\"%s\",\"steps\":%d,\"mask\":\"0x%llx\",\"roles\":\"0x%llx\",\"blocks\":%u,"
              "\"block_warps\":%u,\"lane_stride\":%u,\"warp_stride\":%u,\"reps\":%u,\"count\":%u,"
              "\"size\":%u,\"keep\":%u,\"global_stride\":%llu,\"footprint\":%llu,\"shared\":%u,"
              "\"note\":\"%s\",\"sm\":%u,",
              test.name.c_str(), test.steps, static_cast<unsigned long long>(c.mask),
              static_cast<unsigned long long>(c.roles), blocks, warps, c.lane_stride, c.warp_stride,
              c.reps, c.count, c.size, c.keep, static_cast<unsigned long long>(c.global_stride),
              static_cast<unsigned long long>(c.footprint), c.shared_bytes, c.note.c_str(), sm);
  uint64_t sum = 0, number = 0;
  uint32_t least = ~0u, most = 0;
  for (const Sample& s : samples) {
    if (s.leave == 0) continue;
    const uint32_t t = s.t2 - s.t0;
    sum += t, ++number;
    least = t < least ? t : least, most = t > most ? t : most;
  }
  std::printf("\"all\":{\"warps\":%llu,\"mean\":%.2f,\"min\":%u,\"max\":%u},\"warps\":[",
              static_cast<unsigned long long>(number),
              number ? static_cast<double>(sum) / static_cast<double>(number) : 0.0, least, most);
  bool comma = false;
  uint32_t origin = 0;
  for (std::size_t k = 0; k < samples.size(); ++k) {
    const Sample& s = samples[k];
    if (s.sm != sm || s.leave == 0) continue;
    if (!comma) origin = s.enter;
    std::printf("%s{\"block\":%zu,\"warp\":%zu,\"slot\":%u,\"t\":[%d,%d,%d,%d,%d,%d]",
                comma ? "," : "", k / warps, k % warps, s.slot, static_cast<int>(s.enter - origin),
                static_cast<int>(s.first - origin), static_cast<int>(s.t0 - origin),
                static_cast<int>(s.t1 - origin), static_cast<int>(s.t2 - origin),
                static_cast<int>(s.leave - origin));
    if (s.steps[0] != 0) {
      std::printf(",\"steps\":[");
      for (int j = 0; j < 24 && s.steps[j] != 0; ++j) {
        std::printf("%s%d", j ? "," : "", static_cast<int>(s.steps[j] - s.t0));
      }
      std::printf("]");
    }
    std::printf("}");
    comma = true;
  }
  std::printf("]}\n");
  std::fflush(stdout);
}

}  // namespace
}  // namespace cycles

int main(int argc, char** argv) {
  using namespace cycles;
  if (argc == 2 && std::strcmp(argv[1], "--list") == 0) {
    for (const Test& t : all_tests()) {
      std::printf("%s\t%s\t%d\t%s\n", t.group.c_str(), t.name.c_str(), t.steps, t.opcode.c_str());
    }
    return 0;
  }
  if (argc != 2 && argc != 3) {
    std::fprintf(stderr, "usage: cycles --list | GROUP [NAME]\n");
    return 2;
  }
  Device device;
  cudaDeviceProp properties{};
  check(cudaGetDeviceProperties(&properties, 0), "device");
  device.sms = properties.multiProcessorCount;
  check(cudaMalloc(&device.global, kGlobalBytes), "memory");
  check(cudaMalloc(&device.samples, sizeof(Sample) * kMaxBlocks * 32), "memory");
  check(cudaMemset(device.global, 0, uint64_t{64} << 20), "memset");
  std::printf("{\"device\":\"%s\",\"sms\":%d,\"l2\":%d}\n", properties.name, device.sms,
              properties.l2CacheSize);
  for (const Test& test : all_tests()) {
    if (test.group != argv[1] || (argc == 3 && test.name != argv[2])) continue;
    for (const Config& config : test.configs) run(test, config, device);
  }
  return 0;
}
