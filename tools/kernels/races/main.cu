// smemsim-races: lists and runs the racy and fixed kernels.
#include <fnmatch.h>

#include <cstdio>
#include <cstring>
#include <string>

#include "races.cuh"

namespace {

using namespace races;

enum Exit { kRight = 0, kFailed = 1, kUsage = 2, kNoDevice = 4 };

const char kUsageText[] =
    "usage: smemsim-races list\n"
    "       smemsim-races run KERNEL...\n"
    "\n"
    "  list   one line per pair: name, kind and severity of the racy one, whether it terminates,\n"
    "         and what it lacks\n"
    "  run    launch NAME_racy or NAME_fixed; globs are allowed, kernels that hang are refused\n"
    "\n"
    "Results are not checked: a race may well give the right one.\n"
    "Exit status: 0 ran, 1 a launch failed, 2 wrong usage, 4 no CUDA device.\n";

Pairs all_pairs() {
  Pairs pairs;
  add_tiles(pairs);
  add_warps(pairs);
  add_copies(pairs);
  add_barriers(pairs);
  add_mbarriers(pairs);
  add_memory(pairs);
  return pairs;
}

int list() {
  for (const Pair& pair : all_pairs()) {
    std::printf("%-20s %-24s %-8s %-10s %s\n", pair.name, pair.kind, pair.least,
                pair.terminates ? "runs" : "hangs", pair.what);
  }
  return kRight;
}

bool report(cudaError_t status, const char* what) {
  if (status == cudaSuccess) return true;
  std::fprintf(stderr, "smemsim-races: %s: %s\n", what, cudaGetErrorString(status));
  return false;
}

bool launch(const Pair& pair, void (*kernel)(const int*, int*), const int* in, int* out) {
  cudaLaunchAttribute attribute{};
  attribute.id = cudaLaunchAttributeClusterDimension;
  attribute.val.clusterDim.x = pair.cluster;
  attribute.val.clusterDim.y = 1;
  attribute.val.clusterDim.z = 1;
  cudaLaunchConfig_t config{};
  config.gridDim = dim3(2 * pair.cluster);
  config.blockDim = dim3(pair.threads);
  config.dynamicSmemBytes = pair.dynamic_bytes;
  config.attrs = &attribute;
  config.numAttrs = pair.cluster > 1 ? 1 : 0;
  return report(cudaLaunchKernelEx(&config, kernel, in, out), pair.name) &&
         report(cudaDeviceSynchronize(), pair.name);
}

int run(int count, char** globs) {
  int devices = 0;
  if (cudaGetDeviceCount(&devices) != cudaSuccess || devices == 0) {
    std::fprintf(stderr, "smemsim-races: no CUDA device\n");
    return kNoDevice;
  }
  int *in = nullptr, *out = nullptr;
  std::vector<int> values(kWords);
  for (int i = 0; i < kWords; ++i) values[i] = i * 7 % 61;
  if (!report(cudaMalloc(&in, 4 * kWords), "cudaMalloc") ||
      !report(cudaMalloc(&out, 4 * kWords), "cudaMalloc") ||
      !report(cudaMemcpy(in, values.data(), 4 * kWords, cudaMemcpyHostToDevice), "cudaMemcpy")) {
    return kFailed;
  }
  int matched = 0;
  for (const Pair& pair : all_pairs()) {
    for (const bool fixed : {false, true}) {
      const std::string name = std::string(pair.name) + (fixed ? "_fixed" : "_racy");
      bool wanted = false;
      for (int i = 0; i < count; ++i) wanted |= fnmatch(globs[i], name.c_str(), 0) == 0;
      if (!wanted) continue;
      ++matched;
      if (!fixed && !pair.terminates) {
        std::fprintf(stderr, "smemsim-races: %s hangs and is not run\n", name.c_str());
        continue;
      }
      if (!launch(pair, fixed ? pair.fixed : pair.racy, in, out)) return kFailed;
      std::printf("ran %s\n", name.c_str());
      std::fflush(stdout);
    }
  }
  if (matched == 0) {
    std::fprintf(stderr, "smemsim-races: no kernel matches (see smemsim-races list)\n");
    return kUsage;
  }
  return kRight;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc == 2 && std::strcmp(argv[1], "list") == 0) return list();
  if (argc > 2 && std::strcmp(argv[1], "run") == 0) return run(argc - 2, argv + 2);
  const bool help =
      argc == 2 && (std::strcmp(argv[1], "--help") == 0 || std::strcmp(argv[1], "-h") == 0);
  std::fputs(kUsageText, help ? stdout : stderr);
  return help ? kRight : kUsage;
}
