// Layout functions from the CUDA ecosystem: CuTe layouts and swizzles, TMA and Triton encodings.
// All are pure functions from coordinates to element or byte offsets.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sim/result.hpp"

namespace smemsim::expr {

/// CuTe's Swizzle<B,M,S>: XORs the B bits that start at bit M+max(S,0) into the B bits that start
/// at bit M+max(-S,0):  x ^ ((x & ((2^B - 1) << (M + max(S,0)))) >> S).
struct Swizzle {
  std::int32_t bits = 0, base = 0, shift = 0;

  std::uint64_t operator()(std::uint64_t x) const {
    const std::uint64_t mask = ((std::uint64_t{1} << bits) - 1) << (base + (shift > 0 ? shift : 0));
    return shift >= 0 ? x ^ ((x & mask) >> shift) : x ^ ((x & mask) << -shift);
  }
  friend bool operator==(const Swizzle&, const Swizzle&) = default;
};
/// Usage errors for what CuTe's static asserts refuse: |S| < B, negative B or M, more than 63 bits.
Status check_swizzle(const Swizzle& swizzle);

/// The 32-, 64- or 128-byte swizzle mode of TMA tensor maps (and of wgmma descriptors), as a
/// swizzle of byte offsets: Swizzle<1,4,3>, <2,4,3>, <3,4,3>. Names: "32B", "64B", "128B".
std::optional<Swizzle> tma_swizzle(std::string_view mode);

/// Triton's swizzled_shared encoding: element offset of (row, col) in rows of `columns` elements.
///   phase = (row / per_phase) mod max_phase;  chunk = col / vec
///   offset = row * columns + (chunk xor phase) * vec + col mod vec
struct TritonSwizzled {
  std::uint64_t vec = 1, per_phase = 1, max_phase = 1;
  std::uint64_t operator()(std::uint64_t row, std::uint64_t col, std::uint64_t columns) const;
};
/// Triton's nvmma_shared encoding: byte offset of (row, byte column) in rows of `swizzle_bytes`
/// (32, 64, 128; tiles wider than that are cut into panels of all `rows` rows), swizzled as TMA.
std::uint64_t nvmma_offset(std::uint64_t row, std::uint64_t byte_column, std::uint64_t rows,
                           std::uint64_t swizzle_bytes);

/// A CuTe shape or stride: an integer or a tuple of the same.
struct IntTuple {
  std::int64_t value = 0;
  std::vector<IntTuple> parts;  ///< not empty = a tuple
  bool is_tuple() const { return !parts.empty(); }
  friend bool operator==(const IntTuple&, const IntTuple&) = default;
};
std::int64_t product(const IntTuple& tuple);
std::string to_string(const IntTuple& tuple);

/// [Swizzle o] shape:stride. The offset counts elements; the swizzle works on elements, or on
/// bytes where the text says "o smem_ptr o" or names a TMA mode.
struct Layout {
  IntTuple shape, stride;
  Swizzle swizzle;
  bool swizzle_on_bytes = false;

  std::int64_t size() const { return product(shape); }
  std::size_t rank() const { return shape.is_tuple() ? shape.parts.size() : 1; }
  /// Element offset without the swizzle of a linear coordinate (leftmost mode fastest, the last
  /// mode unbounded, as in CuTe).
  std::int64_t linear(std::int64_t coordinate) const;
  /// The same of one coordinate for each top-level mode.
  std::int64_t at(const std::vector<std::int64_t>& coordinates) const;
  /// Byte offset of an element offset, swizzled.
  std::uint64_t byte_offset(std::int64_t element_offset, std::uint64_t element_bytes) const;
};

/// Reads a layout:
///   (8,(4,2)):(4,(1,32))    shape:stride; without ":stride" compact column-major; 64:1 is fine too
///   (8,64):LayoutRight      row-major strides (also GenRowMajor); LayoutLeft, GenColMajor
///   Swizzle<3,4,3> o (8,64):(64,1)      also Sw<3,4,3>; "o smem_ptr[16b](...) o" = on bytes
///   128B o (8,64):(64,1)                TMA modes 32B, 64B, 128B, on bytes
/// CuTe's "_8" for a static 8 is accepted. Errors carry "column N" as place.
Result<Layout> parse_layout(std::string_view text);

}  // namespace smemsim::expr
