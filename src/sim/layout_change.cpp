#include "sim/layout_change.hpp"

#include <bit>

namespace smemsim {

std::uint64_t LayoutChange::operator()(std::uint64_t offset) const {
  switch (kind) {
    case LayoutChangeKind::padding:
      return offset / pitch * (pitch + pad) + offset % pitch;
    case LayoutChangeKind::row_xor: {
      const std::uint64_t row = offset / pitch, column = offset % pitch;
      const std::uint64_t moved = column / chunk ^ (row / rows % ways);
      return row * pitch + moved * chunk + column % chunk;
    }
    case LayoutChangeKind::swizzle:
      return swizzle(offset);
  }
  return offset;
}

std::uint64_t LayoutChange::extra_bytes(std::uint64_t bytes) const {
  // The last row is padded too, as the declaration T a[rows][columns + pad] does.
  return kind == LayoutChangeKind::padding ? (bytes + pitch - 1) / pitch * pad : 0;
}

std::optional<XorBits> LayoutChange::as_swizzle() const {
  if (kind == LayoutChangeKind::swizzle) return swizzle;
  if (kind != LayoutChangeKind::row_xor || !std::has_single_bit(pitch) ||
      !std::has_single_bit(chunk) || !std::has_single_bit(rows)) {
    return std::nullopt;
  }
  const auto log2 = [](std::uint64_t x) { return static_cast<unsigned>(std::countr_zero(x)); };
  return XorBits{log2(ways), log2(chunk), log2(pitch) + log2(rows) - log2(chunk)};
}

unsigned LayoutChange::complexity() const {
  switch (kind) {
    case LayoutChangeKind::padding:
      return 0;
    case LayoutChangeKind::row_xor:
      return 10 + (rows > 1 ? 1 : 0);
    case LayoutChangeKind::swizzle:
      return 20;
  }
  return 0;
}

}  // namespace smemsim
