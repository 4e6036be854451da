// What tools/kernels/records.cu does: PITCH 8 and 9 words a record, or with 1 a field after the other.
const int PITCH = 8;
#define AT(record, field) (PITCH == 1 ? (field) * 256 + (record) : (record) * PITCH + (field))

__global__ void records(const float* in, float* out) {
  __shared__ float s[PITCH == 1 ? 2048 : 256 * PITCH];
  const int t = threadIdx.x;
  for (int first = 0; first < 2048; first += 256) {
    const int i = first + t;
    s[AT(i / 8, i % 8)] = in[blockIdx.x * 2048 + i];
  }
  __syncthreads();
  float sum = 0;
  for (int n = 0; n < 16; ++n) {
    const int other = (t + n) % 256;
    sum += s[AT(other, 0)] + 2 * s[AT(other, 3)] - s[AT(other, 5)];
  }
  out[blockIdx.x * 256 + t] = sum;
}
