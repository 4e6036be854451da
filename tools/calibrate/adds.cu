// Adds to shared memory: what one bin costs against 32 bins and own words, and whether it pays to
// add up within the warp first. And stores into an array that is larger than what is used.
//
//   nvcc -std=c++17 -O3 -arch=native -o adds adds.cu
//   adds > h200_adds.csv                                      cycles of adds, as CSV
//   tools/measure -o stores.measured.json -- adds --stores    counters of contiguous half stores
//
// An add is atomicAdd of 1 or of a value that differs from lane to lane, whose result is used or
// not; plain, or once for all lanes of the warp that add to the same bin (match, then redux or
// popc, then one lane's add). Exit codes: 0 ok, 2 usage, 4 no usable GPU or a CUDA error.

#include <cuda_fp16.h>
#include <cuda_runtime.h>

#include <cstdio>
#include <cstdlib>
#include <string_view>

namespace {

void check(cudaError_t error, const char* what) {
  if (error == cudaSuccess) return;
  std::fprintf(stderr, "adds: %s: %s\n", what, cudaGetErrorString(error));
  std::exit(4);
}

template <typename T>
T* allocate(size_t count) {
  void* memory = nullptr;
  check(cudaMalloc(&memory, count * sizeof(T)), "cudaMalloc");
  check(cudaMemset(memory, 0, count * sizeof(T)), "cudaMemset");
  return static_cast<T*>(memory);
}

// ---- Adds

constexpr int kMostThreads = 1024;
constexpr int kAdds = 256;  // of each warp
constexpr int kRuns = 5;

enum class Bins { one, each_lane, own };  // "32" and "own" differ only between warps

template <bool aggregated, bool constant, bool returning>
__device__ __forceinline__ unsigned add(unsigned* bin, unsigned value) {
  if constexpr (!aggregated) {
    const unsigned amount = constant ? 1u : value;
    if constexpr (returning) return atomicAdd(bin, amount);
    atomicAdd(bin, amount);
    return 0;
  } else {
    const unsigned lane = threadIdx.x % 32;
    const unsigned address = static_cast<unsigned>(__cvta_generic_to_shared(bin));
    const unsigned peers = __match_any_sync(~0u, address);
    const unsigned leader = __ffs(peers) - 1;
    unsigned sum = 0;
    if constexpr (constant) {
      sum = __popc(peers);
    } else {
      sum = __reduce_add_sync(peers, value);
    }
    unsigned old = 0;
    if (lane == leader) old = atomicAdd(bin, sum);
    if constexpr (!returning) return 0;
    return __shfl_sync(~0u, old, leader) + __popc(peers & ((1u << lane) - 1));
  }
}

template <bool aggregated, bool constant, bool returning>
__global__ void __launch_bounds__(kMostThreads)
    adds(Bins where, unsigned* sink, long long* clocks) {
  __shared__ unsigned bins[kMostThreads];
  bins[threadIdx.x] = 0;
  __syncthreads();
  const unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  const unsigned index = where == Bins::one         ? 0
                         : where == Bins::each_lane ? (lane * 7 + warp) % 32
                                                    : threadIdx.x;
  unsigned got = 0;
  const long long start = clock64();
#pragma unroll 4
  for (int i = 0; i < kAdds; ++i) {
    got += add<aggregated, constant, returning>(bins + index, lane + i);
  }
  __syncthreads();
  const long long end = clock64();
  sink[threadIdx.x] = got + bins[threadIdx.x];
  if (threadIdx.x == 0) *clocks = end - start;
}

template <bool aggregated, bool constant, bool returning>
void time_adds(unsigned* sink, long long* clocks) {
  for (const Bins where : {Bins::one, Bins::each_lane, Bins::own}) {
    for (const int threads : {32, 256, 1024}) {
      long long best = -1;
      for (int run = 0; run < kRuns; ++run) {
        adds<aggregated, constant, returning><<<1, threads>>>(where, sink, clocks);
        check(cudaDeviceSynchronize(), "adds");
        long long took = 0;
        check(cudaMemcpy(&took, clocks, sizeof took, cudaMemcpyDeviceToHost), "cudaMemcpy");
        if (best < 0 || took < best) best = took;
      }
      std::printf("%s,%s,%s,%s,%d,%d,%lld,%.3f\n",
                  where == Bins::one         ? "one"
                  : where == Bins::each_lane ? "32"
                                             : "own",
                  aggregated ? "aggregated" : "plain", constant ? "1" : "varying",
                  returning ? "yes" : "no", threads, kAdds, best,
                  static_cast<double>(best) / (kAdds * (threads / 32)));
    }
  }
}

void time_all_adds() {
  auto* sink = allocate<unsigned>(kMostThreads);
  auto* clocks = allocate<long long>(1);
  std::puts("bins,how,value,result_used,threads,adds_per_warp,cycles,cycles_per_warp_add");
  time_adds<false, true, false>(sink, clocks);
  time_adds<false, false, false>(sink, clocks);
  time_adds<false, true, true>(sink, clocks);
  time_adds<false, false, true>(sink, clocks);
  time_adds<true, true, false>(sink, clocks);
  time_adds<true, false, false>(sink, clocks);
  time_adds<true, true, true>(sink, clocks);
  time_adds<true, false, true>(sink, clocks);
}

// ---- Stores of halves into the first 8 KiB of 8 to 200 KiB

constexpr int kThreads = 256, kBlocks = 1024;
constexpr int kRows = 16, kStores = 64;

template <bool from_global>
__global__ void __launch_bounds__(kThreads) store_halves(const __half* in, __half* out) {
  extern __shared__ __half rows[];
  const __half* mine = in + static_cast<size_t>(blockIdx.x) * kThreads * kStores;
#pragma unroll 1
  for (int r = 0; r < kStores; ++r) {
    rows[kThreads * (r % kRows) + threadIdx.x] =
        from_global ? mine[kThreads * r + threadIdx.x] : __int2half_rn(r + threadIdx.x);
  }
  __syncthreads();
  out[blockIdx.x * kThreads + threadIdx.x] = rows[threadIdx.x ^ 1];
}

void store_all() {
  const auto* in = allocate<__half>(static_cast<size_t>(kBlocks) * kThreads * kStores);
  auto* out = allocate<__half>(kBlocks * kThreads);
  for (auto* const kernel : {store_halves<false>, store_halves<true>}) {
    check(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, 200 << 10),
          "cudaFuncSetAttribute");
    for (const int kib : {8, 48, 100, 200}) {
      kernel<<<kBlocks, kThreads, kib << 10>>>(in, out);
      check(cudaDeviceSynchronize(), "store_halves");
    }
  }
}

}  // namespace

int main(int argc, char** argv) {
  if (argc == 1) {
    time_all_adds();
    return 0;
  }
  if (argc == 2 && std::string_view(argv[1]) == "--stores") {
    store_all();
    return 0;
  }
  std::fputs("usage: adds [--stores]\n", stderr);
  return 2;
}
