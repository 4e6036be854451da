// What tools/kernels/matmul_tensor.cu does: 64 x 64 tiles of halves come by cp.async and go to
// tensor cores through ldmatrix.
const int PITCH = 64;
const int SWIZZLED = 0;
const int kDepth = 256;
#define AT(row, chunk) ((row) * PITCH + (SWIZZLED ? ((chunk) ^ ((row) & 7)) * 8 : (chunk) * 8))

__global__ void multiply(const half* a, const half* b, half* c) {
  __shared__ __align__(128) half tile_a[64 * PITCH];
  __shared__ __align__(128) half tile_b[64 * PITCH];
  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  const int warp_row = warp / 2 * 32, warp_column = warp % 2 * 32;
  for (int k0 = 0; k0 < kDepth; k0 += 64) {
    for (int i = threadIdx.x; i < 64 * 8; i += 128) {
      cp_async_cg16(&tile_a[AT(i / 8, i % 8)], &a[i / 8 * kDepth + k0 + i % 8 * 8]);
    }
    for (int i = threadIdx.x; i < 64 * 8; i += 128) {
      cp_async_cg16(&tile_b[AT(i / 8, i % 8)], &b[i / 8 * kDepth + k0 + i % 8 * 8]);
    }
    cp_async_commit();
    cp_async_wait_group<0>();
    __syncthreads();
    for (int k = 0; k < 4; ++k) {
      for (int i = 0; i < 2; ++i) {
        ldmatrix_x4(&tile_a[AT(warp_row + 16 * i + lane % 16, 2 * k + lane / 16)]);
        ldmatrix_x4(&tile_b[AT(warp_column + 16 * i + lane / 16 * 8 + lane % 8, 2 * k + lane / 8 % 2)]);
      }
    }
    __syncthreads();
  }
  c[threadIdx.x] = 0;
}
