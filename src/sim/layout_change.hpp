// Another layout for an array in shared memory, as a map from old to new byte offsets.
#pragma once

#include <cstdint>
#include <optional>

namespace smemsim {

enum class LayoutChangeKind : std::uint8_t {
  padding,  ///< rows get longer; no index expression changes
  row_xor,  ///< chunks of a row change places, by a XOR with the row's number
  swizzle,  ///< bits of the offset are XORed into lower ones: CuTe's Swizzle<B,M,S> on bytes
};

/// Swizzle<B,M,S> with S >= B: x ^ ((x >> S) & ((2^B - 1) << M)).
struct XorBits {
  unsigned bits = 0, base = 0, shift = 0;

  std::uint64_t operator()(std::uint64_t x) const {
    return x ^ ((x >> shift) & (((std::uint64_t{1} << bits) - 1) << base));
  }
  friend bool operator==(const XorBits&, const XorBits&) = default;
};

/// One change. Offsets count from the array's first byte; row = offset / pitch.
struct LayoutChange {
  LayoutChangeKind kind = LayoutChangeKind::padding;
  std::uint64_t pitch = 0;  ///< bytes from row to row before the change; not for swizzle
  std::uint64_t pad = 0;    ///< padding: bytes added to each row
  // row_xor: chunk number ^= (row / rows) mod ways. `ways` is a power of two that divides the
  // number of chunks in a row, so that a chunk stays in its row.
  std::uint64_t chunk = 0;  ///< bytes
  std::uint64_t rows = 1;
  std::uint64_t ways = 1;
  XorBits swizzle;

  std::uint64_t operator()(std::uint64_t offset) const;
  /// Bytes by which an array of `bytes` grows.
  std::uint64_t extra_bytes(std::uint64_t bytes) const;
  /// The same map as a swizzle of byte offsets, where there is one: for rows and chunks whose
  /// sizes are powers of two.
  std::optional<XorBits> as_swizzle() const;
  /// How much a person has to change and to think; smaller is simpler.
  unsigned complexity() const;

  friend bool operator==(const LayoutChange&, const LayoutChange&) = default;
};

}  // namespace smemsim
