// Rows of 16-byte vectors, read down a column; PITCH in bytes.
const int PITCH = 32;

__global__ void transpose_vectors(const float4* in, float4* out) {
  __shared__ __align__(16) unsigned char rows[32][PITCH];
  const int t = threadIdx.x;
  reinterpret_cast<float4*>(rows[t / 8])[t % 8] = in[blockIdx.x * 256 + t];
  __syncthreads();
  out[blockIdx.x * 256 + t] = reinterpret_cast<float4*>(rows[t % 32])[t / 32];
}
