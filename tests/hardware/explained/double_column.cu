// Doubles stored down a column.
const int PITCH = 32;

__global__ void transpose_double(const double* in, double* out, int n) {
  __shared__ double tile[32][PITCH];
  const int x = blockIdx.x * 32, y = blockIdx.y * 32;
  for (int i = 0; i < 32; i += 8) {
    const int r = i + threadIdx.y;
    tile[threadIdx.x][r] = in[(y + r) * n + x + threadIdx.x];
  }
  __syncthreads();
  for (int i = 0; i < 32; i += 8) {
    const int r = i + threadIdx.y;
    out[(x + r) * n + y + threadIdx.x] = tile[r][threadIdx.x];
  }
}
