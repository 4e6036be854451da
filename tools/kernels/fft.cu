// A 512-point complex FFT per block (Stockham): between two passes all points change places through
// shared memory. Radix R writes with a stride of R words, so radix 8 conflicts 8-way.
#include <complex>

#include "families.cuh"

using namespace suite;

namespace {

constexpr int kPoints = 512;
constexpr double kPi = 3.14159265358979323846;

__device__ float2 operator+(float2 a, float2 b) {
  return make_float2(a.x + b.x, a.y + b.y);
}
__device__ float2 operator-(float2 a, float2 b) {
  return make_float2(a.x - b.x, a.y - b.y);
}
__device__ float2 operator*(float2 a, float2 b) {
  return make_float2(a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x);
}

__device__ void transform(float2 (&v)[2]) {
  const float2 a = v[0], b = v[1];
  v[0] = a + b;
  v[1] = a - b;
}

__device__ void transform4(float2 a, float2 b, float2 c, float2 d, float2& r0, float2& r1,
                           float2& r2, float2& r3) {
  const float2 s0 = a + c, s1 = a - c, s2 = b + d, turned = b - d;
  const float2 s3 = make_float2(turned.y, -turned.x);  // times -i
  r0 = s0 + s2;
  r1 = s1 + s3;
  r2 = s0 - s2;
  r3 = s1 - s3;
}

__device__ void transform(float2 (&v)[8]) {
  const float h = 0.70710678f;
  const float2 even[4] = {v[0] + v[4], v[1] + v[5], v[2] + v[6], v[3] + v[7]};
  const float2 odd[4] = {v[0] - v[4], (v[1] - v[5]) * make_float2(h, -h),
                         (v[2] - v[6]) * make_float2(0, -1), (v[3] - v[7]) * make_float2(-h, -h)};
  transform4(even[0], even[1], even[2], even[3], v[0], v[2], v[4], v[6]);
  transform4(odd[0], odd[1], odd[2], odd[3], v[1], v[3], v[5], v[7]);
}

struct Unpadded {
  static constexpr int words = kPoints;
  __device__ static int at(int i) { return i; }
};
template <int Every>
struct Padded {
  static constexpr int words = kPoints + kPoints / Every;
  __device__ static int at(int i) { return i + i / Every; }
};

template <int Radix, class Layout>
__device__ void fft(const float2* in, float2* out) {
  __shared__ float real[Layout::words], imaginary[Layout::words];
  constexpr int kThreads = kPoints / Radix;
  const int t = threadIdx.x;
  in += blockIdx.x * kPoints;
  out += blockIdx.x * kPoints;
  float2 v[Radix];
  for (int r = 0; r < Radix; ++r) v[r] = in[t + r * kThreads];
  for (int done = 1; done < kPoints; done *= Radix) {  // points already transformed together
    const int inner = t % done;
    for (int r = 1; r < Radix; ++r) {
      float2 factor;
      sincospif(-2.0f * static_cast<float>(r * inner) / static_cast<float>(done * Radix), &factor.y,
                &factor.x);
      v[r] = v[r] * factor;
    }
    transform(v);
    const int to = (t - inner) * Radix + inner;
    if (done * Radix == kPoints) {
      for (int r = 0; r < Radix; ++r) out[to + r * done] = v[r];
    } else {
      __syncthreads();
      for (int r = 0; r < Radix; ++r) {
        real[Layout::at(to + r * done)] = v[r].x;
        imaginary[Layout::at(to + r * done)] = v[r].y;
      }
      __syncthreads();
      for (int r = 0; r < Radix; ++r) {
        const int from = Layout::at(t + r * kThreads);
        v[r] = make_float2(real[from], imaginary[from]);
      }
    }
  }
}

}  // namespace

__global__ void fft_radix2_naive(const float2* in, float2* out, BlockClock* clocks) {
  block_clock_begin(clocks);
  fft<2, Unpadded>(in, out);
  block_clock_end(clocks);
}
__global__ void fft_radix2_padded(const float2* in, float2* out, BlockClock* clocks) {
  block_clock_begin(clocks);
  fft<2, Padded<32>>(in, out);
  block_clock_end(clocks);
}
__global__ void fft_radix8_naive(const float2* in, float2* out, BlockClock* clocks) {
  block_clock_begin(clocks);
  fft<8, Unpadded>(in, out);
  block_clock_end(clocks);
}
__global__ void fft_radix8_padded(const float2* in, float2* out, BlockClock* clocks) {
  block_clock_begin(clocks);
  fft<8, Padded<8>>(in, out);
  block_clock_end(clocks);
}

namespace {

// Textbook recursive transform in double precision.
void host_fft(std::complex<double>* values, int count, int stride, std::complex<double>* scratch) {
  if (count == 1) return;
  host_fft(values, count / 2, 2 * stride, scratch);
  host_fft(values + stride, count / 2, 2 * stride, scratch);
  for (int k = 0; k < count / 2; ++k) {
    const std::complex<double> even = values[2 * k * stride];
    const std::complex<double> odd =
        std::polar(1.0, -2 * kPi * k / count) * values[(2 * k + 1) * stride];
    scratch[k] = even + odd;
    scratch[k + count / 2] = even - odd;
  }
  for (int k = 0; k < count; ++k) values[k * stride] = scratch[k];
}

std::string check_fft(Session& session, void (*kernel)(const float2*, float2*, BlockClock*),
                      int radix) {
  const int blocks = session.pick(4, 132 * 8);
  const std::vector<float> in = random_reals<float>(std::size_t(blocks) * kPoints * 2, -1, 1, 1);
  std::vector<float> expected(in.size());
  std::vector<std::complex<double>> points(kPoints), scratch(kPoints);
  for (int block = 0; block < blocks; ++block) {
    const std::size_t base = std::size_t(block) * kPoints * 2;
    for (int i = 0; i < kPoints; ++i) points[i] = {in[base + 2 * i], in[base + 2 * i + 1]};
    host_fft(points.data(), kPoints, 1, scratch.data());
    for (int i = 0; i < kPoints; ++i) {
      expected[base + 2 * i] = static_cast<float>(points[i].real());
      expected[base + 2 * i + 1] = static_cast<float>(points[i].imag());
    }
  }
  const Buffer<float> source(in), target(in.size());
  session.launch(kernel, Shape{dim3(blocks), dim3(kPoints / radix)},
                 reinterpret_cast<const float2*>(source.get()),
                 reinterpret_cast<float2*>(target.get()));
  return difference(expected, target.download(), 1e-3);  // results are about 18 in size
}

}  // namespace

void add_fft(Suite& suite) {
  suite.push_back({"fft/radix2_naive", "fft_radix2_naive", "nine passes, the first stores 2-way",
                   [](Session& s) { return check_fft(s, fft_radix2_naive, 2); }});
  suite.push_back({"fft/radix2_padded", "fft_radix2_padded",
                   "one unused word after every 32: the first pass is conflict-free",
                   [](Session& s) { return check_fft(s, fft_radix2_padded, 2); }});
  suite.push_back({"fft/radix8_naive", "fft_radix8_naive", "three passes, stores 8-way and 4-way",
                   [](Session& s) { return check_fft(s, fft_radix8_naive, 8); }});
  suite.push_back({"fft/radix8_padded", "fft_radix8_padded",
                   "one unused word after every 8: stores conflict-free, loads 2-way",
                   [](Session& s) { return check_fft(s, fft_radix8_padded, 8); }});
}
