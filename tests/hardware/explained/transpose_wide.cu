// A tile of 32 rows by 64 columns.
const int PITCH = 32;

__global__ void transpose_wide(const float* in, float* out, int n) {
  __shared__ float tile[32][PITCH];
  const int x = blockIdx.x * 64, y = blockIdx.y * 32;
  for (int i = 0; i < 32; i += 8) {
    const int r = i + threadIdx.y;
    tile[r][threadIdx.x] = in[(y + r) * n + x + threadIdx.x];
    tile[r][threadIdx.x + 32] = in[(y + r) * n + x + threadIdx.x + 32];
  }
  __syncthreads();
  for (int i = 0; i < 64; i += 8) {
    const int c = i + threadIdx.y;
    out[(x + c) * n + y + threadIdx.x] = tile[threadIdx.x][c];
  }
}
