#include "frontend/expr/layout.hpp"

#include <cstdlib>

namespace smemsim::expr {

namespace {

/// CuTe's crd2idx for one integer coordinate.
std::int64_t offset_of(std::int64_t coordinate, const IntTuple& shape, const IntTuple& stride) {
  if (!shape.is_tuple()) return coordinate * stride.value;
  std::int64_t out = 0;
  for (std::size_t i = 0; i < shape.parts.size(); ++i) {
    const bool last = i + 1 == shape.parts.size();
    const std::int64_t extent = product(shape.parts[i]);
    const std::int64_t here = last ? coordinate : coordinate % extent;
    out += offset_of(here, shape.parts[i], stride.parts[i]);
    if (!last) coordinate /= extent;
  }
  return out;
}

}  // namespace

Status check_swizzle(const Swizzle& swizzle) {
  if (swizzle.bits < 0 || swizzle.base < 0) {
    return usage_error("Swizzle", "B and M of Swizzle<B,M,S> cannot be negative");
  }
  if (std::abs(swizzle.shift) < swizzle.bits) {
    return usage_error("Swizzle", "the absolute value of S in Swizzle<B,M,S> must be at least B",
                       "the two bit fields would overlap");
  }
  if (std::abs(swizzle.shift) > 31 || swizzle.bits > 31 || swizzle.base > 31) {
    return usage_error("Swizzle", "B, M and |S| of Swizzle<B,M,S> must be below 32");
  }
  return {};
}

std::optional<Swizzle> tma_swizzle(std::string_view mode) {
  if (mode == "32B") return Swizzle{1, 4, 3};
  if (mode == "64B") return Swizzle{2, 4, 3};
  if (mode == "128B") return Swizzle{3, 4, 3};
  return std::nullopt;
}

std::uint64_t TritonSwizzled::operator()(std::uint64_t row, std::uint64_t col,
                                         std::uint64_t columns) const {
  const std::uint64_t phase = row / per_phase % max_phase;
  return row * columns + ((col / vec) ^ phase) * vec + col % vec;
}

std::uint64_t nvmma_offset(std::uint64_t row, std::uint64_t byte_column, std::uint64_t rows,
                           std::uint64_t swizzle_bytes) {
  const std::uint64_t panel = byte_column / swizzle_bytes;
  const std::uint64_t offset = (panel * rows + row) * swizzle_bytes + byte_column % swizzle_bytes;
  const auto swizzle = tma_swizzle(std::to_string(swizzle_bytes) + "B");
  return swizzle ? (*swizzle)(offset) : offset;
}

std::int64_t product(const IntTuple& tuple) {
  if (!tuple.is_tuple()) return tuple.value;
  std::int64_t out = 1;
  for (const IntTuple& part : tuple.parts) out *= product(part);
  return out;
}

std::string to_string(const IntTuple& tuple) {
  if (!tuple.is_tuple()) return std::to_string(tuple.value);
  std::string out = "(";
  for (const IntTuple& part : tuple.parts) out += (out.size() > 1 ? "," : "") + to_string(part);
  return out + ")";
}

std::int64_t Layout::linear(std::int64_t coordinate) const {
  return offset_of(coordinate, shape, stride);
}

std::int64_t Layout::at(const std::vector<std::int64_t>& coordinates) const {
  if (!shape.is_tuple()) return linear(coordinates[0]);
  std::int64_t out = 0;
  for (std::size_t i = 0; i < coordinates.size(); ++i) {
    out += offset_of(coordinates[i], shape.parts[i], stride.parts[i]);
  }
  return out;
}

std::uint64_t Layout::byte_offset(std::int64_t element_offset, std::uint64_t element_bytes) const {
  const auto offset = static_cast<std::uint64_t>(element_offset);
  return swizzle_on_bytes ? swizzle(offset * element_bytes) : swizzle(offset) * element_bytes;
}

}  // namespace smemsim::expr
