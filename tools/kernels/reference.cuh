// Host results that more than one family is compared with.
#ifndef SMEMSIM_KERNELS_REFERENCE_CUH
#define SMEMSIM_KERNELS_REFERENCE_CUH

#include "suite.cuh"

namespace suite {

// rows x columns, c[r][j] = sum over k of a[r][k] * b[j][k].
inline std::vector<float> multiply_by_transpose(const std::vector<float>& a,
                                                const std::vector<float>& b, int rows, int columns,
                                                int depth) {
  // The inner loop runs over columns, so that the host compiler can use its vector unit.
  std::vector<float> turned(b.size());
  for (int j = 0; j < columns; ++j) {
    for (int k = 0; k < depth; ++k) turned[k * columns + j] = b[j * depth + k];
  }
  std::vector<float> c(std::size_t(rows) * columns, 0.0f);
  for (int r = 0; r < rows; ++r) {
    float* result = &c[std::size_t(r) * columns];
    for (int k = 0; k < depth; ++k) {
      const float factor = a[r * depth + k];
      const float* row = &turned[std::size_t(k) * columns];
      for (int j = 0; j < columns; ++j) result[j] += factor * row[j];
    }
  }
  return c;
}

}  // namespace suite

#endif
