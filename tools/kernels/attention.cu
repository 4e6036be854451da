// A small flash-attention forward pass in half precision: 64 queries per block, head dimension 64,
// keys and values in blocks of 64, softmax computed as the blocks arrive.
#include "families.cuh"
#include "ptx.cuh"
#include "tensor_tile.cuh"

using namespace suite;

namespace {

using namespace tensor_tile;

constexpr int kDimension = kSide;
constexpr int kThreads = 128;     // four warps of 16 queries
constexpr float kScale = 0.125f;  // 1 / sqrt(kDimension)
constexpr float kLog2E = 1.44269504f;

template <class Layout>
__device__ void attend(const __half* q, const __half* k, const __half* v, __half* out, int length) {
  __shared__ __align__(128) __half tile_q[Layout::halves];
  __shared__ __align__(128) __half tile_k[Layout::halves];
  __shared__ __align__(128) __half tile_v[Layout::halves];
  const int lane = threadIdx.x % 32, warp_row = threadIdx.x / 32 * 16;
  const int head = blockIdx.y * length * kDimension;
  const int first_query = head + blockIdx.x * kSide * kDimension;

  fetch<Layout, kThreads>(tile_q, q + first_query, kDimension);
  ptx::copy_async_commit();
  ptx::copy_async_wait<0>();
  __syncthreads();
  std::uint32_t query[4][4];  // 16 queries x 64, as four 16 x 16 operands
  for (int d = 0; d < 4; ++d) {
    ptx::load_matrix4(query[d], ptx::shared_address(
                                    tile_q + Layout::at(warp_row + lane % 16, 2 * d + lane / 16)));
  }

  // Lane 4g + t holds columns 2t, 2t+1 of rows g (elements 0, 1) and g + 8 (elements 2, 3).
  float result[8][4] = {};
  float largest[2] = {-INFINITY, -INFINITY}, sum[2] = {0, 0};
  for (int key = 0; key < length; key += kSide) {
    fetch<Layout, kThreads>(tile_k, k + head + key * kDimension, kDimension);
    fetch<Layout, kThreads>(tile_v, v + head + key * kDimension, kDimension);
    ptx::copy_async_commit();
    ptx::copy_async_wait<0>();
    __syncthreads();

    float score[8][4] = {};
    for (int d = 0; d < 4; ++d) {
      for (int j = 0; j < 4; ++j) {  // 16 keys
        std::uint32_t b[4];
        const int row = 16 * j + lane / 16 * 8 + lane % 8;
        ptx::load_matrix4(b, ptx::shared_address(tile_k + Layout::at(row, 2 * d + lane / 8 % 2)));
        ptx::mma_16x8x16(score[2 * j], query[d], b[0], b[1]);
        ptx::mma_16x8x16(score[2 * j + 1], query[d], b[2], b[3]);
      }
    }

    for (int half = 0; half < 2; ++half) {  // rows g and g + 8
      float most = largest[half];
      for (int j = 0; j < 8; ++j) {
        most = fmaxf(most, fmaxf(score[j][2 * half], score[j][2 * half + 1]) * (kScale * kLog2E));
      }
      most = fmaxf(most, __shfl_xor_sync(0xFFFFFFFFu, most, 1));
      most = fmaxf(most, __shfl_xor_sync(0xFFFFFFFFu, most, 2));
      const float correction = exp2f(largest[half] - most);
      largest[half] = most;
      sum[half] *= correction;
      for (int j = 0; j < 8; ++j) {
        for (int i = 2 * half; i < 2 * half + 2; ++i) {
          score[j][i] = exp2f(score[j][i] * (kScale * kLog2E) - most);
          sum[half] += score[j][i];  // of this lane's columns; lanes are added at the end
          result[j][i] *= correction;
        }
      }
    }

    for (int j = 0; j < 4; ++j) {  // 16 keys: results of one product are operands of the next
      const std::uint32_t weight[4] = {pack(score[2 * j][0], score[2 * j][1]),
                                       pack(score[2 * j][2], score[2 * j][3]),
                                       pack(score[2 * j + 1][0], score[2 * j + 1][1]),
                                       pack(score[2 * j + 1][2], score[2 * j + 1][3])};
      for (int d = 0; d < 4; ++d) {
        std::uint32_t b[4];
        ptx::load_matrix4_transposed(
            b, ptx::shared_address(tile_v + Layout::at(16 * j + lane % 16, 2 * d + lane / 16)));
        ptx::mma_16x8x16(result[2 * d], weight, b[0], b[1]);
        ptx::mma_16x8x16(result[2 * d + 1], weight, b[2], b[3]);
      }
    }
    __syncthreads();
  }

  for (int half = 0; half < 2; ++half) {
    sum[half] += __shfl_xor_sync(0xFFFFFFFFu, sum[half], 1);
    sum[half] += __shfl_xor_sync(0xFFFFFFFFu, sum[half], 2);
    const int row = warp_row + lane / 4 + 8 * half;
    for (int j = 0; j < 8; ++j) {
      const int column = 8 * j + lane % 4 * 2;
      *reinterpret_cast<std::uint32_t*>(out + first_query + row * kDimension + column) =
          pack(result[j][2 * half] / sum[half], result[j][2 * half + 1] / sum[half]);
    }
  }
}

}  // namespace

#define ATTENTION_PARAMETERS \
  const __half *q, const __half *k, const __half *v, __half *out, int length, BlockClock *clocks

__global__ void __launch_bounds__(kThreads) attention_naive(ATTENTION_PARAMETERS) {
  block_clock_begin(clocks);
  attend<Rows<64>>(q, k, v, out, length);
  block_clock_end(clocks);
}
__global__ void __launch_bounds__(kThreads) attention_padded(ATTENTION_PARAMETERS) {
  block_clock_begin(clocks);
  attend<Rows<72>>(q, k, v, out, length);
  block_clock_end(clocks);
}
__global__ void __launch_bounds__(kThreads) attention_swizzled(ATTENTION_PARAMETERS) {
  block_clock_begin(clocks);
  attend<Swizzled>(q, k, v, out, length);
  block_clock_end(clocks);
}

namespace {

std::vector<float> to_float(const std::vector<__half>& values) {
  std::vector<float> result;
  for (const __half value : values) result.push_back(__half2float(value));
  return result;
}

std::string check_attention(Session& session, void (*kernel)(ATTENTION_PARAMETERS)) {
  const int heads = session.pick(1, 132), length = session.pick(128, 256);
  const std::size_t count = std::size_t(heads) * length * kDimension;
  const std::vector<__half> half_q = random_reals<__half>(count, -2, 2, 1);
  const std::vector<__half> half_k = random_reals<__half>(count, -2, 2, 2);
  const std::vector<__half> half_v = random_reals<__half>(count, -1, 1, 3);
  const std::vector<float> q = to_float(half_q), k = to_float(half_k), v = to_float(half_v);
  std::vector<float> expected(count, 0.0f), weights(length);
  for (std::size_t row = 0; row < count; row += kDimension) {
    const std::size_t head = row / (std::size_t(length) * kDimension) * length * kDimension;
    float largest = -INFINITY, sum = 0;
    for (int j = 0; j < length; ++j) {
      float dot = 0;
      for (int d = 0; d < kDimension; ++d) dot += q[row + d] * k[head + j * kDimension + d];
      weights[j] = dot * kScale;
      largest = std::fmax(largest, weights[j]);
    }
    for (float& weight : weights) sum += weight = std::exp(weight - largest);
    for (int j = 0; j < length; ++j) {
      const float share = weights[j] / sum;
      for (int d = 0; d < kDimension; ++d) {
        expected[row + d] += share * v[head + j * kDimension + d];
      }
    }
  }
  const Buffer<__half> device_q(half_q), device_k(half_k), device_v(half_v), device_out(count);
  session.launch(kernel, Shape{dim3(length / kSide, heads), dim3(kThreads)}, device_q.get(),
                 device_k.get(), device_v.get(), device_out.get(), length);
  return difference(expected, device_out.download(), 2e-3);  // weights and results are halves
}

}  // namespace

void add_attention(Suite& suite) {
  suite.push_back({"attention/naive", "attention_naive",
                   "flash attention, ldmatrix from rows of 128 bytes: 8-way",
                   [](Session& s) { return check_attention(s, attention_naive); }});
  suite.push_back({"attention/padded", "attention_padded", "rows of 144 bytes: conflict-free",
                   [](Session& s) { return check_attention(s, attention_padded); }});
  suite.push_back({"attention/swizzled", "attention_swizzled",
                   "chunk xor row: conflict-free without extra memory",
                   [](Session& s) { return check_attention(s, attention_swizzled); }});
}
