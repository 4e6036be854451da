// What tools/kernels/transpose.cu does, for smemsim explain.
const int PITCH = 32;
const int SWIZZLED = 0;
#define AT(row, column) ((row) * PITCH + (SWIZZLED ? (column) ^ (row) : (column)))

__global__ void transpose(const float* in, float* out, int n) {
  __shared__ float tile[32 * PITCH];
  const int x = blockIdx.x * 32, y = blockIdx.y * 32;
  for (int i = 0; i < 32; i += 8) {
    const int r = i + threadIdx.y;
    tile[AT(r, threadIdx.x)] = in[(y + r) * n + x + threadIdx.x];
  }
  __syncthreads();
  for (int i = 0; i < 32; i += 8) {
    const int r = i + threadIdx.y;
    out[(x + r) * n + y + threadIdx.x] = tile[AT(threadIdx.x, r)];
  }
}
