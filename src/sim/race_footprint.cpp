#include "sim/race_footprint.hpp"

#include <algorithm>

namespace smemsim {
namespace {

/// Footprints are dropped when their parts outgrow this many, so that a trace of endless different
/// shapes stays within memory.
constexpr std::size_t kMaxCachedParts = std::size_t{1} << 21;

constexpr std::int64_t kFarAway = std::int64_t{1} << 40;

/// One lane's bytes of one word.
struct Piece {
  std::int64_t word;
  std::uint8_t bytes;
  std::uint8_t lane;
};

/// Lanes that name an address: all active ones, or those with rows.
LaneMask address_lanes(const EventShape& shape, LaneMask lanes) {
  const LaneMask active = shape.active & lanes;
  if (shape.op != Operation::ldmatrix && shape.op != Operation::stmatrix) return active;
  const unsigned rows = 8U * std::max<unsigned>(shape.matrices, 1);
  return active & first_lanes(rows);
}

void note_overlap(Footprint& out, const Piece& earlier, const Piece& piece) {
  const auto shared = static_cast<unsigned>(earlier.bytes & piece.bytes);
  if (shared == 0) return;
  if (out.overlaps == 0) {
    out.lane_a = earlier.lane;
    out.lane_b = piece.lane;
    out.overlap_byte = piece.word * kWordBytes + std::countr_zero(shared);
  }
  out.overlaps += lane_count(shared);
}

}  // namespace

Footprint make_footprint(const EventShape& shape, LaneMask lanes, unsigned alignment) {
  Footprint out;
  const LaneMask active = shape.active & lanes;
  const bool collective = shape.op == Operation::ldmatrix || shape.op == Operation::stmatrix;
  std::vector<Piece> pieces;
  bool first = true;
  for_each_lane(address_lanes(shape, lanes), [&](unsigned lane) {
    if (lane >= shape.offsets.size() || shape.width == 0) return;
    // A hostile trace may hold any number; a lane that far off touches no word of the window.
    const bool absurd = shape.offsets[lane] > kFarAway || shape.offsets[lane] < -kFarAway;
    const std::int64_t offset = std::clamp(shape.offsets[lane], -kFarAway, kFarAway);
    out.low = first ? offset : std::min(out.low, offset);
    out.high = first ? offset + shape.width : std::max(out.high, offset + shape.width);
    first = false;
    if (absurd) return;
    std::int64_t at = offset + static_cast<std::int64_t>(alignment);
    for (unsigned left = shape.width; left > 0;) {
      const auto skip = static_cast<unsigned>(at & (kWordBytes - 1));
      const unsigned here = std::min(left, kWordBytes - skip);
      pieces.push_back({at >> 2, static_cast<std::uint8_t>(((1U << here) - 1) << skip),
                        static_cast<std::uint8_t>(lane)});
      at += here;
      left -= here;
    }
  });
  std::stable_sort(pieces.begin(), pieces.end(),
                   [](const Piece& a, const Piece& b) { return a.word < b.word; });
  const bool may_overlap = traits(shape.op).writes && !traits(shape.op).reads;
  for (std::size_t begin = 0; begin < pieces.size();) {
    std::size_t end = begin;
    const std::size_t first_part = out.parts.size();
    for (; end < pieces.size() && pieces[end].word == pieces[begin].word; ++end) {
      const Piece& piece = pieces[end];
      if (may_overlap) {
        for (std::size_t i = begin; i < end; ++i) note_overlap(out, pieces[i], piece);
      }
      const LaneMask who = collective ? active : lane_bit(piece.lane);
      const auto same =
          std::find_if(out.parts.begin() + static_cast<std::ptrdiff_t>(first_part), out.parts.end(),
                       [&](const FootprintPart& part) { return part.bytes == piece.bytes; });
      if (same != out.parts.end()) {
        same->lanes |= who;
      } else {
        out.parts.push_back({piece.word, who, piece.bytes});
      }
    }
    begin = end;
  }
  out.overlap_byte -= static_cast<std::int64_t>(alignment);
  return out;
}

const Footprint& ShapeSet::footprint(std::uint32_t index, LaneMask exists, std::uint64_t base) {
  const auto alignment = static_cast<unsigned>(base % kWordBytes);
  const EventShape& shape = shapes_[index];
  if ((shape.active & ~exists) != 0) {
    scratch_ = make_footprint(shape, exists, alignment);
    return scratch_;
  }
  std::unique_ptr<Footprint>& slot = footprints_[index][alignment];
  if (slot == nullptr) {
    if (cached_parts_ > kMaxCachedParts) {
      for (auto& slots : footprints_) {
        for (auto& each : slots) each.reset();
      }
      cached_parts_ = 0;
    }
    slot = std::make_unique<Footprint>(make_footprint(shape, exists, alignment));
    cached_parts_ += slot->parts.size();
  }
  return *slot;
}

}  // namespace smemsim
