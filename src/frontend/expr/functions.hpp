// The functions that the language knows: CUDA intrinsics and helper names for PTX instructions.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace smemsim::expr {

enum class Function : std::uint8_t {
  opaque,  ///< arithmetic on values that are not known: sqrtf, __float2half, ...
  minimum,
  maximum,
  absolute,
  population,      ///< __popc
  first_set,       ///< __ffs
  leading_zeros,   ///< __clz
  shared_address,  ///< __cvta_generic_to_shared: the pointer as an integer
  load_global,     ///< __ldg and its relatives: reads through the pointer
  atomic,          ///< parameter unused; the first argument is the address
  atomic_cas,
  ldmatrix,  ///< parameter = matrices
  stmatrix,
  cp_async_ca,  ///< parameter = bytes, 0 = template argument or third argument
  cp_async_cg,
  memcpy_async,  ///< __pipeline_memcpy_async: 16 bytes bypass L1, 4 and 8 do not
  commit,
  wait,  ///< parameter: 1 = all; else template argument or argument = groups left
  sync_threads,
  sync_warp,
  shuffle,         ///< __shfl_*_sync, votes: the first argument is the mask
  swizzle,         ///< swizzle<B,M,S>(x)
  tma_swizzle,     ///< parameter = 32, 64, 128: byte offset -> byte offset
  triton_swizzle,  ///< triton_swizzle(row, col, columns, vec, per_phase, max_phase)
  nvmma,           ///< nvmma_offset(row, byte_col, rows, swizzle_bytes)
};

struct FunctionRow {
  std::string_view name;
  Function function;
  std::uint16_t parameter;
  std::uint8_t least, most;  ///< arguments
  bool transposed;           ///< ldmatrix, stmatrix
  std::string_view usage;    ///< for errors
};

/// Row of a function, or null. Namespaces in front of the name do not count, and the matrix and
/// cp.async helpers may be written in capitals.
const FunctionRow* find_function(std::string_view name);
std::vector<std::string> function_names();

}  // namespace smemsim::expr
