// What every trace has to keep to, whatever its format. Writers refuse to write what breaks these
// rules and readers refuse to deliver it, so that consumers can index by site, lane, block and warp
// without looking.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "sim/event.hpp"
#include "sim/launch.hpp"
#include "sim/result.hpp"

namespace smemsim::trace {

/// Larger than any device's; keeps counts of threads and warps far from overflow.
inline constexpr std::uint64_t kMaxThreadsPerBlock = 1U << 20;

/// Geometry that makes sense: no empty dimension, counts that do not overflow, 1 to 64 lanes.
Status check_launch(const Launch& launch);

/// Warps of one block; the launch passed check_launch.
std::uint64_t warps_per_block(const Launch& launch);

/// Operation, flags, lanes and site that exist in the launch. Address lists are not looked at.
Status check_shape(const EventShape& shape, const Launch& launch);

/// A block of the grid and a warp of the block.
Status check_position(std::uint64_t block, std::uint32_t warp, const Launch& launch);

/// Offset lists as TraceSink promises: an entry for every lane up to the highest active one when
/// the operation has lane addresses, else none.
bool has_whole_lists(const EventShape& shape);

/// The canonical split of an event: offsets start with 0 at the first active lane, entries of
/// inactive lanes are 0, and addresses that mean nothing are 0. Returns the shape; `base_shift` and
/// `source_shift` are what to add to the event's base and source.
EventShape canonical_shape(const EventShape& shape, std::uint64_t& base_shift,
                           std::uint64_t& source_shift);

/// Whether events of the shape carry a base and a source.
bool shape_has_base(const EventShape& shape);
bool shape_has_source(const EventShape& shape);

/// Checks that each block of a launch comes once. Memory grows with the gaps between the blocks
/// seen, so it stays small for blocks in order.
class BlockSequence {
 public:
  void clear();
  /// False when the block was left before.
  bool enter(std::uint64_t block);
  std::uint64_t blocks() const { return blocks_; }

 private:
  std::map<std::uint64_t, std::uint64_t> seen_;  ///< ranges: first -> one past the last
  std::uint64_t current_ = 0;
  std::uint64_t blocks_ = 0;
};

}  // namespace smemsim::trace
