// What tools/kernels/scan.cu does with Blelloch's tree. PITCH 33: one unused word after every 32.
const int PITCH = 32;
#define AT(i) ((i) + (PITCH == 33 ? (i) / 32 : 0))

__global__ void scan(const int* in, int* out) {
  __shared__ int sums[32 * PITCH];
  const int t = threadIdx.x;
  sums[AT(t)] = in[blockIdx.x * 1024 + t];
  sums[AT(t + 512)] = in[blockIdx.x * 1024 + t + 512];
  int distance = 1;
  for (int active = 512; active > 0; active /= 2) {
    __syncthreads();
    if (t < active) {
      const int left = AT(distance * (2 * t + 1) - 1);
      const int right = AT(distance * (2 * t + 2) - 1);
      sums[right] += sums[left];
    }
    distance *= 2;
  }
  if (t == 0) sums[AT(1023)] = 0;
  for (int active = 1; active < 1024; active *= 2) {
    distance /= 2;
    __syncthreads();
    if (t < active) {
      const int left = AT(distance * (2 * t + 1) - 1);
      const int right = AT(distance * (2 * t + 2) - 1);
      const int before = sums[left];
      sums[left] = sums[right];
      sums[right] += before;
    }
  }
  __syncthreads();
  out[t] = sums[AT(t)];
  out[t + 512] = sums[AT(t + 512)];
}
