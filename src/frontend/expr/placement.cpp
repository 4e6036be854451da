#include "frontend/expr/placement.hpp"

#include <algorithm>

#include "sim/round_up.hpp"

namespace smemsim::expr {

namespace {

/// The array type with `padding` added to its extents.
const Type* padded(const Type* type, const std::vector<std::uint32_t>& padding, TypeTable& types) {
  const std::vector<std::uint64_t> counts = extents(*type);
  const Type* out = innermost(type);
  for (std::size_t i = counts.size(); i-- > 0;) {
    // An unknown outermost extent stays unknown.
    const std::uint64_t more = i < padding.size() && counts[i] != 0 ? padding[i] : 0;
    out = types.array_of(out, counts[i] + more);
  }
  return out;
}

}  // namespace

std::function<std::uint64_t(std::uint64_t)> swizzle_elements(const Swizzle& swizzle,
                                                             std::uint64_t element_bytes) {
  return [swizzle, element_bytes](std::uint64_t offset) {
    return swizzle(offset / element_bytes) * element_bytes + offset % element_bytes;
  };
}

std::function<std::uint64_t(std::uint64_t)> swizzle_bytes(const Swizzle& swizzle) {
  return [swizzle](std::uint64_t offset) { return swizzle(offset); };
}

Result<Placement> place_shared(const Program& program, const LayoutTransforms& transforms,
                               std::uint64_t first, TypeTable& types) {
  Placement out;
  std::uint64_t next = first;
  std::uint64_t dynamic_align = 16;
  std::size_t found = 0;
  for (const SymbolId id : program.shared_arrays()) {
    const Symbol& symbol = program.symbols[id];
    const auto transform = transforms.find(symbol.name);
    PlacedArray array;
    array.type = symbol.type;
    if (transform != transforms.end()) {
      ++found;
      array.type = padded(symbol.type, transform->second.padding, types);
    }
    if (symbol.dynamic) {
      dynamic_align = std::max(dynamic_align, symbol.align);
    } else {
      array.base = round_up(next, symbol.align);
      array.bytes = array.type->size;
      next = array.base + array.bytes;
    }
    out.arrays[id] = array;
  }
  if (found != transforms.size()) {
    return usage_error("layout", "a layout was given for an array that the text does not declare");
  }
  out.static_bytes = next - first;
  out.dynamic_base = round_up(next, dynamic_align);
  for (auto& [id, array] : out.arrays) {
    if (program.symbols[id].dynamic) array.base = out.dynamic_base;
  }
  return out;
}

}  // namespace smemsim::expr
