// Every family, in the order in which `list` shows them. A new one adds its name to the list.
#ifndef SMEMSIM_KERNELS_FAMILIES_CUH
#define SMEMSIM_KERNELS_FAMILIES_CUH

#include "suite.cuh"

#define SMEMSIM_KERNELS_FAMILIES(FAMILY) \
  FAMILY(add_transpose)                  \
  FAMILY(add_matmul)                     \
  FAMILY(add_matmul_async)               \
  FAMILY(add_matmul_tensor)              \
  FAMILY(add_reduction)                  \
  FAMILY(add_scan)                       \
  FAMILY(add_histogram)                  \
  FAMILY(add_stencil)                    \
  FAMILY(add_sort)                       \
  FAMILY(add_fft)                        \
  FAMILY(add_normalise)                  \
  FAMILY(add_attention)                  \
  FAMILY(add_wide_elements)              \
  FAMILY(add_gather)                     \
  FAMILY(add_records)                    \
  FAMILY(add_table)                      \
  FAMILY(add_bulk)                       \
  FAMILY(add_specialised)                \
  FAMILY(add_micro_memory)               \
  FAMILY(add_micro_other)

#define SMEMSIM_DECLARE(family) void family(suite::Suite& suite);
SMEMSIM_KERNELS_FAMILIES(SMEMSIM_DECLARE)
#undef SMEMSIM_DECLARE

inline suite::Suite all_families() {
  suite::Suite all;
#define SMEMSIM_ADD(family) family(all);
  SMEMSIM_KERNELS_FAMILIES(SMEMSIM_ADD)
#undef SMEMSIM_ADD
  return all;
}

#endif
