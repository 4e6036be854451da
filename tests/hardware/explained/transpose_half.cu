// Two halves of a row in one word.
const int PITCH = 32;

__global__ void transpose_half(const __half* in, __half* out, int n) {
  __shared__ __half2 tile[32][PITCH];
  const int x = blockIdx.x * 64, y = blockIdx.y * 32;
  for (int i = 0; i < 32; i += 8) {
    const int r = i + threadIdx.y;
    tile[r][threadIdx.x] = reinterpret_cast<const __half2*>(in + (y + r) * n + x)[threadIdx.x];
  }
  __syncthreads();
  for (int i = 0; i < 32; i += 8) {
    const int pair = i + threadIdx.y;
    const __half2 two = tile[threadIdx.x][pair];
    out[(x + 2 * pair) * n + y + threadIdx.x] = __low2half(two);
    out[(x + 2 * pair + 1) * n + y + threadIdx.x] = __high2half(two);
  }
}
