// C = A * B with 4x4 results per thread; first with plain loads, then with cp.async in 2 to 4
// stages.
#include "families.cuh"
#include "ptx.cuh"
#include "reference.cuh"

using namespace suite;

namespace {

constexpr int kTile = 64;      // a block computes 64 x 64 results
constexpr int kStep = 16;      // in steps of 16 along k
constexpr int kThreads = 256;  // 16 x 16 threads of 4 x 4 results

// One stage: A as 64 rows of 16 values, B as 16 rows of 64. A thread computes rows ty, ty + 16, ...
// of four neighbouring columns, and neighbouring lanes take neighbouring rows of A, which it reads
// four values at once: the eight lanes of a pass meet in two groups of four banks if PitchA is 16,
// and use all eight groups if it is 20.
template <int PitchA>
struct Stage {
  float a[kTile][PitchA];
  float b[kStep][kTile];
};

template <int PitchA>
__device__ void accumulate(const Stage<PitchA>& stage, int tx, int ty, float (&sum)[4][4]) {
  for (int k = 0; k < kStep; ++k) {
    const float4 b = *reinterpret_cast<const float4*>(&stage.b[k][4 * tx]);
    for (int i = 0; i < 4; ++i) {
      const float a = stage.a[ty + 16 * i][k];
      sum[i][0] += a * b.x;
      sum[i][1] += a * b.y;
      sum[i][2] += a * b.z;
      sum[i][3] += a * b.w;
    }
  }
}

__device__ void store_results(float* c, int n, int tx, int ty, const float (&sum)[4][4]) {
  for (int i = 0; i < 4; ++i) {
    const int row = blockIdx.y * kTile + ty + 16 * i, column = blockIdx.x * kTile + 4 * tx;
    *reinterpret_cast<float4*>(&c[row * n + column]) =
        make_float4(sum[i][0], sum[i][1], sum[i][2], sum[i][3]);
  }
}

// Each thread moves one 16-byte piece of A and one of B per step.
struct Piece {
  int row_a = threadIdx.x / 4, column_a = threadIdx.x % 4 * 4;
  int row_b = threadIdx.x / 16, column_b = threadIdx.x % 16 * 4;
  __device__ const float* of_a(const float* a, int k0, int depth) const {
    return &a[(blockIdx.y * kTile + row_a) * depth + k0 + column_a];
  }
  __device__ const float* of_b(const float* b, int k0, int n) const {
    return &b[(k0 + row_b) * n + blockIdx.x * kTile + column_b];
  }
};

template <int PitchA>
__device__ void multiply_plain(const float* a, const float* b, float* c, int n, int depth) {
  __shared__ __align__(16) Stage<PitchA> stage;
  const Piece piece;
  const int tx = threadIdx.x / 16, ty = threadIdx.x % 16;
  float sum[4][4] = {};
#pragma unroll 1
  for (int k0 = 0; k0 < depth; k0 += kStep) {
    *reinterpret_cast<float4*>(&stage.a[piece.row_a][piece.column_a]) =
        *reinterpret_cast<const float4*>(piece.of_a(a, k0, depth));
    *reinterpret_cast<float4*>(&stage.b[piece.row_b][piece.column_b]) =
        *reinterpret_cast<const float4*>(piece.of_b(b, k0, n));
    __syncthreads();
    accumulate(stage, tx, ty, sum);
    __syncthreads();
  }
  store_results(c, n, tx, ty, sum);
}

template <int Stages, int PitchA>
__device__ void multiply_async(const float* a, const float* b, float* c, int n, int depth) {
  __shared__ __align__(16) Stage<PitchA> stages[Stages];
  const Piece piece;
  const int tx = threadIdx.x / 16, ty = threadIdx.x % 16;
  const int steps = depth / kStep;
  // Every step commits a group, also an empty one past the end, so that the wait can count groups.
  auto fetch = [&](int step) {
    if (step < steps) {
      Stage<PitchA>& stage = stages[step % Stages];
      ptx::copy_async_cg(ptx::shared_address(&stage.a[piece.row_a][piece.column_a]),
                         piece.of_a(a, step * kStep, depth));
      ptx::copy_async_cg(ptx::shared_address(&stage.b[piece.row_b][piece.column_b]),
                         piece.of_b(b, step * kStep, n));
    }
    ptx::copy_async_commit();
  };
  for (int step = 0; step < Stages - 1; ++step) fetch(step);
  float sum[4][4] = {};
#pragma unroll 1
  for (int step = 0; step < steps; ++step) {
    ptx::copy_async_wait<Stages - 2>();  // this thread's pieces of `step` have arrived
    __syncthreads();  // and everyone's; and all are done with the stage that is overwritten next
    fetch(step + Stages - 1);
    accumulate(stages[step % Stages], tx, ty, sum);
  }
  ptx::copy_async_wait<0>();
  store_results(c, n, tx, ty, sum);
}

}  // namespace

#define MATMUL_PARAMETERS \
  const float *a, const float *b, float *c, int n, int depth, BlockClock *clocks

__global__ void __launch_bounds__(kThreads) matmul_register_naive(MATMUL_PARAMETERS) {
  block_clock_begin(clocks);
  multiply_plain<16>(a, b, c, n, depth);
  block_clock_end(clocks);
}
__global__ void __launch_bounds__(kThreads) matmul_register_padded(MATMUL_PARAMETERS) {
  block_clock_begin(clocks);
  multiply_plain<20>(a, b, c, n, depth);
  block_clock_end(clocks);
}
__global__ void __launch_bounds__(kThreads) matmul_async2_naive(MATMUL_PARAMETERS) {
  block_clock_begin(clocks);
  multiply_async<2, 16>(a, b, c, n, depth);
  block_clock_end(clocks);
}
__global__ void __launch_bounds__(kThreads) matmul_async2_padded(MATMUL_PARAMETERS) {
  block_clock_begin(clocks);
  multiply_async<2, 20>(a, b, c, n, depth);
  block_clock_end(clocks);
}
__global__ void __launch_bounds__(kThreads) matmul_async3_padded(MATMUL_PARAMETERS) {
  block_clock_begin(clocks);
  multiply_async<3, 20>(a, b, c, n, depth);
  block_clock_end(clocks);
}
__global__ void __launch_bounds__(kThreads) matmul_async4_padded(MATMUL_PARAMETERS) {
  block_clock_begin(clocks);
  multiply_async<4, 20>(a, b, c, n, depth);
  block_clock_end(clocks);
}

namespace {

using Kernel = void (*)(MATMUL_PARAMETERS);

std::string check_matmul(Session& session, Kernel kernel) {
  const int n = session.pick(128, 1280), depth = 128;
  const std::vector<float> a = random_integers<float>(n * depth, -4, 4, 1);
  const std::vector<float> turned_b = random_integers<float>(n * depth, -4, 4, 2);
  std::vector<float> b(turned_b.size());
  for (int j = 0; j < n; ++j) {
    for (int k = 0; k < depth; ++k) b[k * n + j] = turned_b[j * depth + k];
  }
  const Buffer<float> device_a(a), device_b(b), device_c(n * n);
  session.launch(kernel, Shape{dim3(n / kTile, n / kTile), dim3(kThreads)}, device_a.get(),
                 device_b.get(), device_c.get(), n, depth);
  return difference(multiply_by_transpose(a, turned_b, n, n, depth), device_c.download());
}

}  // namespace

void add_matmul_async(Suite& suite) {
  suite.push_back({"matmul/register_naive", "matmul_register_naive",
                   "4x4 results per thread; float4 reads of A, rows of 64 bytes: 4-way",
                   [](Session& s) { return check_matmul(s, matmul_register_naive); }});
  suite.push_back({"matmul/register_padded", "matmul_register_padded",
                   "A's rows of 80 bytes: conflict-free",
                   [](Session& s) { return check_matmul(s, matmul_register_padded); }});
  suite.push_back({"matmul/async2_naive", "matmul_async2_naive",
                   "cp.async.cg in 2 stages; A read 4-way",
                   [](Session& s) { return check_matmul(s, matmul_async2_naive); }});
  suite.push_back({"matmul/async2_padded", "matmul_async2_padded",
                   "cp.async.cg in 2 stages; A read conflict-free",
                   [](Session& s) { return check_matmul(s, matmul_async2_padded); }});
  suite.push_back({"matmul/async3_padded", "matmul_async3_padded", "the same in 3 stages",
                   [](Session& s) { return check_matmul(s, matmul_async3_padded); }});
  suite.push_back({"matmul/async4_padded", "matmul_async4_padded", "the same in 4 stages",
                   [](Session& s) { return check_matmul(s, matmul_async4_padded); }});
}
