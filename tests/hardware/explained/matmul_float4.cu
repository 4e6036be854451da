// The same with 16-byte loads of both tiles.
const int PITCH = 32;

__global__ void multiply(const float* a, const float* b, float* c, int n, int depth) {
  __shared__ __align__(16) float tile_a[32][32];
  __shared__ __align__(16) float tile_b[32][PITCH];
  const int tx = threadIdx.x, ty = threadIdx.y;
  const int row = blockIdx.y * 32 + ty, column = blockIdx.x * 32 + tx;
  float sum = 0;
  for (int k0 = 0; k0 < depth; k0 += 32) {
    tile_a[ty][tx] = a[row * depth + k0 + tx];
    tile_b[ty][tx] = b[(blockIdx.x * 32 + ty) * depth + k0 + tx];
    __syncthreads();
    for (int k = 0; k < 32; k += 4) {
      const float4 u = *reinterpret_cast<const float4*>(&tile_a[ty][k]);
      const float4 v = *reinterpret_cast<const float4*>(&tile_b[tx][k]);
      sum += u.x * v.x + u.y * v.y + u.z * v.z + u.w * v.w;
    }
    __syncthreads();
  }
  c[row * n + column] = sum;
}
