// Where the shared arrays of a program lie, and how their layout can be changed for a what-if.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "frontend/expr/ast.hpp"
#include "sim/result.hpp"

namespace smemsim::expr {

/// Another layout for one shared array. The text stays as it is: subscripts mean the same element,
/// only the bytes where it lies differ. Pointers that are walked by hand keep their steps.
struct LayoutTransform {
  /// Elements added to the extent of each dimension, outermost first; missing entries are 0.
  std::vector<std::uint32_t> padding;
  /// Byte offset in the (padded) array -> byte offset; a permutation. Empty = identity. It moves
  /// whole units: the accesses of a lane must not cross the unit that it keeps together.
  std::function<std::uint64_t(std::uint64_t)> remap;
};

/// A remap that swizzles element offsets, as CuTe's Swizzle<B,M,S> o layout does.
std::function<std::uint64_t(std::uint64_t)> swizzle_elements(const Swizzle& swizzle,
                                                             std::uint64_t element_bytes);
/// A remap that swizzles byte offsets, as the TMA modes do.
std::function<std::uint64_t(std::uint64_t)> swizzle_bytes(const Swizzle& swizzle);

/// By the name of the array.
using LayoutTransforms = std::map<std::string, LayoutTransform>;

struct PlacedArray {
  std::uint64_t base = 0;      ///< byte offset in the block's shared window
  const Type* type = nullptr;  ///< with padding
  std::uint64_t bytes = 0;     ///< 0 = dynamic: up to the end of what the block may have
};

struct Placement {
  std::map<SymbolId, PlacedArray> arrays;
  std::uint64_t static_bytes = 0;  ///< from `first` to the end of the last array with an extent
  std::uint64_t dynamic_base = 0;  ///< where extern arrays start
};

/// Places the arrays as nvcc does: in the order of declaration from `first` on, each at the next
/// multiple of its alignment; extern arrays all start behind them at a multiple of 16 (or of their
/// alignment). Padded types are added to `types`. Errors: a transform that pads an extern array's
/// unknown extent or names no array of the program.
Result<Placement> place_shared(const Program& program, const LayoutTransforms& transforms,
                               std::uint64_t first, TypeTable& types);

}  // namespace smemsim::expr
