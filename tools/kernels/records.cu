// Records of eight floats, of which the kernel reads three: array of structs, the same padded, and
// struct of arrays.
#include "families.cuh"

using namespace suite;

namespace {

constexpr int kFields = 8;
constexpr int kRecords = 256;  // and threads per block
constexpr int kNeighbours = 16;

template <int Pitch>
struct ArrayOfStructs {
  static constexpr int words = kRecords * Pitch;
  __device__ static int at(int record, int field) { return record * Pitch + field; }
};
struct StructOfArrays {
  static constexpr int words = kRecords * kFields;
  __device__ static int at(int record, int field) { return field * kRecords + record; }
};

template <class Layout>
__device__ void sum_neighbours(const float* in, float* out) {
  __shared__ float records[Layout::words];
  const int t = threadIdx.x;
  in += blockIdx.x * kRecords * kFields;
  for (int first = 0; first < kRecords * kFields; first += kRecords) {
    const int i = first + t;
    records[Layout::at(i / kFields, i % kFields)] = in[i];
  }
  __syncthreads();
  float sum = 0;
  for (int n = 0; n < kNeighbours; ++n) {
    const int other = (t + n) % kRecords;
    sum += records[Layout::at(other, 0)] + 2 * records[Layout::at(other, 3)] -
           records[Layout::at(other, 5)];
  }
  out[blockIdx.x * kRecords + t] = sum;
}

}  // namespace

__global__ void records_structs(const float* in, float* out, BlockClock* clocks) {
  block_clock_begin(clocks);
  sum_neighbours<ArrayOfStructs<8>>(in, out);
  block_clock_end(clocks);
}
__global__ void records_structs_padded(const float* in, float* out, BlockClock* clocks) {
  block_clock_begin(clocks);
  sum_neighbours<ArrayOfStructs<9>>(in, out);
  block_clock_end(clocks);
}
__global__ void records_arrays(const float* in, float* out, BlockClock* clocks) {
  block_clock_begin(clocks);
  sum_neighbours<StructOfArrays>(in, out);
  block_clock_end(clocks);
}

namespace {

std::string check_records(Session& session, void (*kernel)(const float*, float*, BlockClock*)) {
  const int blocks = session.pick(4, 132 * 8);
  const std::vector<float> in = random_integers<float>(blocks * kRecords * kFields, -99, 99, 1);
  std::vector<float> expected(blocks * kRecords, 0.0f);
  for (int i = 0; i < blocks * kRecords; ++i) {
    for (int n = 0; n < kNeighbours; ++n) {
      const float* record =
          &in[(i / kRecords * kRecords + (i % kRecords + n) % kRecords) * kFields];
      expected[i] += record[0] + 2 * record[3] - record[5];
    }
  }
  const Buffer<float> source(in), target(expected.size());
  session.launch(kernel, Shape{dim3(blocks), dim3(kRecords)}, source.get(), target.get());
  return difference(expected, target.download());
}

}  // namespace

void add_records(Suite& suite) {
  suite.push_back({"records/structs", "records_structs", "array of 32-byte structs: 8-way",
                   [](Session& s) { return check_records(s, records_structs); }});
  suite.push_back({"records/structs_padded", "records_structs_padded",
                   "array of 36-byte structs: conflict-free",
                   [](Session& s) { return check_records(s, records_structs_padded); }});
  suite.push_back({"records/arrays", "records_arrays",
                   "struct of arrays: reads conflict-free, the one-off stores 8-way",
                   [](Session& s) { return check_records(s, records_arrays); }});
}
