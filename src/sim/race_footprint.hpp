// The bytes that a warp access touches, as words with byte masks: computed once per shape and
// alignment, because a kernel repeats its shapes.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "sim/event.hpp"

namespace smemsim {

inline constexpr unsigned kWordBytes = 4;  ///< grain of the footprints and the shadow memory

/// Bytes of one 4-byte word and the lanes that touch exactly those.
struct FootprintPart {
  std::int64_t word = 0;  ///< from base / 4
  LaneMask lanes = 0;
  std::uint8_t bytes = 0;  ///< bit i = byte i of the word
};

struct Footprint {
  std::vector<FootprintPart> parts;
  std::int64_t low = 0;   ///< lowest byte from base
  std::int64_t high = 0;  ///< one past the highest; low == high: touches nothing
  /// Lanes whose bytes overlap, for stores: how many bytes, and the first such byte.
  std::uint32_t overlaps = 0;
  unsigned lane_a = 0, lane_b = 0;
  std::int64_t overlap_byte = 0;
};

/// `lanes`: those that exist. `alignment`: base % 4. Rows of matrix operations belong to all active
/// lanes, since the data of a row goes to lanes other than the one that names it.
Footprint make_footprint(const EventShape& shape, LaneMask lanes, unsigned alignment);

/// Shapes of one EventBatch::shapes_id, with their footprints as they come to be needed.
class ShapeSet {
 public:
  explicit ShapeSet(std::span<const EventShape> shapes)
      : shapes_(shapes.begin(), shapes.end()), footprints_(shapes.size()) {}

  const EventShape& shape(std::uint32_t index) const { return shapes_[index]; }
  std::size_t size() const { return shapes_.size(); }
  /// `exists`: lanes of the warp that are threads of the block. The result lives until the next
  /// call.
  const Footprint& footprint(std::uint32_t index, LaneMask exists, std::uint64_t base);

 private:
  std::vector<EventShape> shapes_;
  std::vector<std::array<std::unique_ptr<Footprint>, 4>> footprints_;
  std::size_t cached_parts_ = 0;
  Footprint scratch_;
};

}  // namespace smemsim
