// What the capture needs from a cubin (a 64-bit ELF file): its functions and their resources.
// Standard library only (see capture_options.hpp).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "sim/result.hpp"

namespace smemsim::capture {

struct CubinFunction {
  std::string name;             ///< mangled
  std::uint32_t symbol = 0;     ///< index in the symbol table, as `nvdisasm -fun` takes it
  std::uint64_t size = 0;       ///< bytes of code
  std::uint32_t registers = 0;  ///< per thread; 0 = unknown
  std::uint64_t shared = 0;     ///< bytes of shared memory that the image sets aside
  bool clusters = false;        ///< waits for other blocks of its cluster somewhere
};

/// Functions with code in the cubin, local ones (whose code lies inside another's) left out.
Result<std::vector<CubinFunction>> cubin_functions(std::string_view image);

/// A number that tells images apart (64-bit FNV-1a over 8-byte words).
std::uint64_t image_hash(std::string_view image);

}  // namespace smemsim::capture
