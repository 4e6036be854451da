// Turns a layout into a text of the expression language that accesses it.
#pragma once

#include <cstdint>
#include <string>

#include "sim/result.hpp"

namespace smemsim::expr {

struct LayoutQuestion {
  std::string layout;  ///< text of parse_layout, "triton_swizzled(vec,per_phase,max_phase)
                       ///< o (rows,cols)" or "nvmma(bytes) o (rows,cols)"
  std::string element = "float";   ///< element type
  std::uint64_t access_bytes = 0;  ///< per lane; 0 = one element
  /// Coordinates of a lane's access in terms of threadIdx, one (linear) or one per mode, separated
  /// by commas. Empty: thread t takes the linear coordinates t, t + threads, t + 2 threads, ... (in
  /// units of the access), which is the layout's leftmost mode first; row by row for Triton's.
  std::string coordinates;
  bool store = false;
  bool swizzle_bytes = false;  ///< the swizzle works on bytes, whatever the text says
};

/// The text; it declares what it needs and can be pasted, changed and given to explain again.
/// Errors: of the layout; an access that is not a whole number of elements.
Result<std::string> layout_program(const LayoutQuestion& question);

}  // namespace smemsim::expr
