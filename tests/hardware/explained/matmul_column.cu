// What tools/kernels/matmul.cu does. The compiler loads four words of A's tile at once.
const int PITCH = 32;
const int SWIZZLED = 0;
#define AT(row, column) ((row) * PITCH + (SWIZZLED ? (column) ^ (row) : (column)))

__global__ void multiply(const float* a, const float* b, float* c, int n, int depth) {
  __shared__ float tile_a[32][32];
  __shared__ float tile_b[32 * PITCH];
  const int tx = threadIdx.x, ty = threadIdx.y;
  const int row = blockIdx.y * 32 + ty, column = blockIdx.x * 32 + tx;
  float sum = 0;
  for (int k0 = 0; k0 < depth; k0 += 32) {
    tile_a[ty][tx] = a[row * depth + k0 + tx];
    tile_b[AT(ty, tx)] = b[(blockIdx.x * 32 + ty) * depth + k0 + tx];
    __syncthreads();
    for (int k = 0; k < 32; k += 4) {
      float4 u = *(float4*)&tile_a[ty][k];
      sum += u.x * tile_b[AT(tx, k)] + u.y * tile_b[AT(tx, k + 1)];
      sum += u.z * tile_b[AT(tx, k + 2)] + u.w * tile_b[AT(tx, k + 3)];
    }
    __syncthreads();
  }
  c[row * n + column] = sum;
}
