// Warp events: what every source of accesses produces and every analysis consumes.
//
// An event is split in two, because a kernel repeats itself: its *shape* (operation, site, active
// lanes, the lanes' offsets from a common base, scalars) is stored once, and each execution adds
// only the base addresses. Analyses whose answer depends on the shape alone (the bank model: moving
// all lanes by the same number of words only renames the banks) compute once per shape.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "sim/lanes.hpp"
#include "sim/operation.hpp"

namespace smemsim {

/// Everything about a warp event except where it happened to point this time.
struct EventShape {
  Operation op = Operation::instructions;
  std::uint8_t width = 0;     ///< bytes per lane (16 per row for ldmatrix/stmatrix); 0 = none
  std::uint8_t matrices = 0;  ///< ldmatrix/stmatrix: 1, 2 or 4; else 0
  std::uint8_t flags = 0;     ///< EventFlags
  std::uint32_t site = 0;     ///< index into the launch's site table
  LaneMask active = 0;        ///< lanes that executed it
  std::uint64_t a = 0;        ///< operation-specific scalar, see Operation
  std::uint64_t b = 0;        ///< second one
  /// Byte offset of each lane from the event's `base`, indexed by lane up to the highest active
  /// one; entries of inactive lanes are 0. Empty for operations without lane addresses.
  std::vector<std::int64_t> offsets;
  /// The same from the event's `source` (asynchronous copies); else empty.
  std::vector<std::int64_t> source_offsets;

  friend bool operator==(const EventShape&, const EventShape&) = default;
};

/// Bits of EventShape::flags.
enum EventFlags : std::uint8_t {
  kValuesKnown = 1,       ///< a store whose values the source saw
  kEqualValues = 2,       ///< (with kValuesKnown) lanes that share an address wrote equal values
  kTransposed = 4,        ///< ldmatrix/stmatrix .trans: same cost, other registers
  kAddressesPartial = 8,  ///< the source knew only some lanes' addresses; the rest are absent
};

/// One execution of a shape by one warp.
struct Event {
  std::uint32_t shape = 0;   ///< index into the batch's shapes
  std::uint64_t base = 0;    ///< address of the first active lane, see OperationTraits::space
  std::uint64_t source = 0;  ///< likewise for the source side

  friend bool operator==(const Event&, const Event&) = default;
};

/// Address of `lane`; the lane must be active in `shape`.
inline std::uint64_t lane_address(const EventShape& shape, const Event& event, unsigned lane) {
  return event.base + static_cast<std::uint64_t>(shape.offsets[lane]);
}
inline std::uint64_t lane_source(const EventShape& shape, const Event& event, unsigned lane) {
  return event.source + static_cast<std::uint64_t>(shape.source_offsets[lane]);
}

/// Consecutive events of one warp, in program order. Valid only during the call that delivers it.
struct EventBatch {
  std::uint64_t block = 0;  ///< linear block index in the grid, x fastest
  std::uint32_t warp = 0;   ///< warp in the block: linear thread index / lanes per warp
  std::span<const EventShape> shapes;
  std::span<const Event> events;
  /// Equal for batches that share the very same `shapes`; a consumer may keep results per shape
  /// for as long as it stays the same. Never 0.
  std::uint64_t shapes_id = 0;
};

}  // namespace smemsim
