// Bulk copies (the copy engine, TMA, without a tensor map) with an mbarrier that counts bytes.
#include "families.cuh"
#include "ptx.cuh"

using namespace suite;

namespace {

constexpr int kThreads = 256;
constexpr int kStageFloats = 2048;
constexpr int kChunks = 8;

// Thread 0 prepares the barrier for one arrival per phase (its own, which also announces bytes).
__device__ std::uint32_t prepare(std::uint64_t* barrier) {
  const std::uint32_t address = ptx::shared_address(barrier);
  if (threadIdx.x == 0) ptx::mbarrier_init(address, 1);
  __syncthreads();
  return address;
}

// Transposes 32 rows of 8 vectors per block; every row arrives by one bulk copy of 128 bytes. Bulk
// copies can pad: the destination only has to be aligned to 16 bytes.
template <int RowBytes>
__device__ void transpose_vectors(const float4* in, float4* out) {
  __shared__ __align__(128) unsigned char rows[32][RowBytes];
  __shared__ __align__(8) std::uint64_t barrier_words;
  const std::uint32_t barrier = prepare(&barrier_words);
  in += blockIdx.x * 256;
  out += blockIdx.x * 256;
  const int t = threadIdx.x;
  if (t == 0) ptx::mbarrier_arrive_expect(barrier, 32 * 128);
  if (t < 32) {
    __syncwarp();
    ptx::bulk_load(ptx::shared_address(rows[t]), in + t * 8, 128, barrier);
  }
  ptx::mbarrier_wait(barrier, 0);
  out[t] = reinterpret_cast<const float4*>(rows[t % 32])[t / 32];
}

}  // namespace

__global__ void __launch_bounds__(kThreads)
    bulk_rows_naive(const float4* in, float4* out, BlockClock* clocks) {
  block_clock_begin(clocks);
  transpose_vectors<128>(in, out);
  block_clock_end(clocks);
}
__global__ void __launch_bounds__(kThreads)
    bulk_rows_padded(const float4* in, float4* out, BlockClock* clocks) {
  block_clock_begin(clocks);
  transpose_vectors<144>(in, out);
  block_clock_end(clocks);
}

// In by one bulk copy, changed in place, out by one bulk copy.
__global__ void __launch_bounds__(kThreads)
    bulk_round_trip(const float4* in, float4* out, BlockClock* clocks) {
  block_clock_begin(clocks);
  __shared__ __align__(128) float values[kStageFloats];
  __shared__ __align__(8) std::uint64_t barrier_words;
  const std::uint32_t barrier = prepare(&barrier_words);
  const int t = threadIdx.x, offset = blockIdx.x * kStageFloats / 4;
  if (t == 0) {
    ptx::mbarrier_arrive_expect(barrier, sizeof(values));
    ptx::bulk_load(ptx::shared_address(values), in + offset, sizeof(values), barrier);
  }
  ptx::mbarrier_wait(barrier, 0);
  for (int i = 0; i < kStageFloats; i += kThreads) values[i + t] = 2 * values[i + t] + 1;
  ptx::fence_async_shared();  // each thread publishes its stores to the copy engine
  __syncthreads();
  if (t == 0) {
    ptx::bulk_store(out + offset, ptx::shared_address(values), sizeof(values));
    ptx::bulk_store_commit_and_wait();
  }
  block_clock_end(clocks);
}

// Chunks arrive in two stages while the other stage is summed.
__global__ void __launch_bounds__(kThreads)
    bulk_pipeline(const float4* in, float4* out, BlockClock* clocks) {
  block_clock_begin(clocks);
  __shared__ __align__(128) float4 stages[2][kStageFloats / 4];
  __shared__ __align__(8) std::uint64_t barriers[2];
  const int t = threadIdx.x;
  const std::uint32_t first_barrier = prepare(&barriers[0]);
  prepare(&barriers[1]);
  auto barrier = [=](int stage) { return first_barrier + 8 * stage; };
  in += blockIdx.x * kChunks * kStageFloats / 4;
  auto fetch = [&](int chunk) {
    ptx::mbarrier_arrive_expect(barrier(chunk % 2), sizeof(stages[0]));
    ptx::bulk_load(ptx::shared_address(stages[chunk % 2]), in + chunk * kStageFloats / 4,
                   sizeof(stages[0]), barrier(chunk % 2));
  };
  if (t == 0) {
    fetch(0);
    fetch(1);
  }
  float4 sum = make_float4(0, 0, 0, 0);
#pragma unroll 1
  for (int chunk = 0; chunk < kChunks; ++chunk) {
    ptx::mbarrier_wait(barrier(chunk % 2), chunk / 2 % 2);
    for (int i = 0; i < kStageFloats / 4; i += kThreads) {
      const float4 v = stages[chunk % 2][i + t];
      sum = make_float4(sum.x + v.x, sum.y + v.y, sum.z + v.z, sum.w + v.w);
    }
    __syncthreads();  // everyone has read the stage
    if (t == 0 && chunk + 2 < kChunks) fetch(chunk + 2);
  }
  out[blockIdx.x * kThreads + t] = sum;
  block_clock_end(clocks);
}

namespace {

using Kernel = void (*)(const float4*, float4*, BlockClock*);

// Runs on `per_block` floats per block; `expect` fills one block's results from its inputs.
std::string check_bulk(Session& session, Kernel kernel, int per_block, int results,
                       void (*expect)(const float* in, float* out)) {
  const int blocks = session.pick(4, 132 * 8);
  const std::vector<float> in =
      random_integers<float>(std::size_t(blocks) * per_block, -100, 100, 1);
  std::vector<float> expected(std::size_t(blocks) * results, 0.0f);
  for (std::size_t b = 0; b < std::size_t(blocks); ++b) {
    expect(&in[b * per_block], &expected[b * results]);
  }
  const Buffer<float> source(in), target(expected.size());
  session.launch(kernel, Shape{dim3(blocks), dim3(kThreads)},
                 reinterpret_cast<const float4*>(source.get()),
                 reinterpret_cast<float4*>(target.get()));
  return difference(expected, target.download());
}

void expect_transposed(const float* in, float* out) {
  for (int i = 0; i < 1024; ++i) {
    const int row = i / 32, vector = i / 4 % 8, component = i % 4;
    out[(vector * 32 + row) * 4 + component] = in[i];
  }
}
void expect_round_trip(const float* in, float* out) {
  for (int i = 0; i < kStageFloats; ++i) out[i] = 2 * in[i] + 1;
}
void expect_sums(const float* in, float* out) {
  for (int i = 0; i < kChunks * kStageFloats; ++i) out[i % (4 * kThreads)] += in[i];
}

}  // namespace

void add_bulk(Suite& suite) {
  suite.push_back({"bulk/rows_naive", "bulk_rows_naive",
                   "rows by bulk copy at 128 bytes: float4 column reads 8-way", [](Session& s) {
                     return check_bulk(s, bulk_rows_naive, 1024, 1024, expect_transposed);
                   }});
  suite.push_back(
      {"bulk/rows_padded", "bulk_rows_padded", "rows by bulk copy at 144 bytes: conflict-free",
       [](Session& s) { return check_bulk(s, bulk_rows_padded, 1024, 1024, expect_transposed); }});
  suite.push_back(
      {"bulk/round_trip", "bulk_round_trip", "bulk copy in, and bulk copy out", [](Session& s) {
         return check_bulk(s, bulk_round_trip, kStageFloats, kStageFloats, expect_round_trip);
       }});
  suite.push_back(
      {"bulk/pipeline", "bulk_pipeline", "two stages filled by the copy engine", [](Session& s) {
         return check_bulk(s, bulk_pipeline, kChunks * kStageFloats, 4 * kThreads, expect_sums);
       }});
}
