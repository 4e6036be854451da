// What tools/kernels/reduction.cu does. 0: every 2s-th lane works; 1: neighbouring lanes on words 2s
// apart; 2: on neighbouring words.
const int VARIANT = 0;

__global__ void reduction(const float* in, float* out) {
  __shared__ float sums[256];
  const int t = threadIdx.x;
  sums[t] = in[blockIdx.x * 256 + t];
  __syncthreads();
  if (VARIANT == 2) {
    for (int s = 128; s > 0; s /= 2) {
      if (t < s) sums[t] += sums[t + s];
      __syncthreads();
    }
  } else {
    for (int s = 1; s < 256; s *= 2) {
      const int i = VARIANT == 1 ? 2 * s * t : t;
      if (VARIANT == 1 ? i < 256 : t % (2 * s) == 0) sums[i] += sums[i + s];
      __syncthreads();
    }
  }
  if (t == 0) out[blockIdx.x] = sums[0];
}
