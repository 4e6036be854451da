#include "trace/trace_rules.hpp"

#include <algorithm>

namespace smemsim::trace {
namespace {

Error broken(const std::string& what) {
  return invalid_input({}, what);
}

bool fits(const Dim3& dim, std::uint64_t limit) {
  if (dim.x == 0 || dim.y == 0 || dim.z == 0) return false;
  return std::uint64_t{dim.x} * dim.y <= limit / dim.z;
}

std::string text(const Dim3& dim) {
  return std::to_string(dim.x) + " x " + std::to_string(dim.y) + " x " + std::to_string(dim.z);
}

/// Moves the list's origin to its first active lane; returns how far.
std::uint64_t rebase(std::vector<std::int64_t>& offsets, LaneMask active) {
  const auto first = static_cast<unsigned>(std::countr_zero(active));
  const auto origin = static_cast<std::uint64_t>(offsets[first]);
  for (unsigned lane = 0; lane < offsets.size(); ++lane) {
    const std::uint64_t moved = static_cast<std::uint64_t>(offsets[lane]) - origin;
    offsets[lane] = has_lane(active, lane) ? static_cast<std::int64_t>(moved) : 0;
  }
  return origin;
}

}  // namespace

Status check_launch(const Launch& launch) {
  constexpr std::uint64_t kMaxBlocks = std::uint64_t{1} << 48;
  if (!fits(launch.grid, kMaxBlocks)) {
    return broken("a grid of " + text(launch.grid) + " blocks is empty or too large");
  }
  if (!fits(launch.block, kMaxThreadsPerBlock)) {
    return broken("a block of " + text(launch.block) + " threads is empty or too large");
  }
  if (!fits(launch.cluster, kMaxBlocks)) {
    return broken("a cluster of " + text(launch.cluster) + " blocks is empty or too large");
  }
  if (launch.device.warp_lanes < 1 || launch.device.warp_lanes > kMaxLanes) {
    return broken("a warp of " + std::to_string(launch.device.warp_lanes) +
                  " lanes; expected 1 to 64");
  }
  return {};
}

std::uint64_t warps_per_block(const Launch& launch) {
  return (launch.block.count() + launch.device.warp_lanes - 1) / launch.device.warp_lanes;
}

Status check_shape(const EventShape& shape, const Launch& launch) {
  constexpr unsigned kKnownFlags = kValuesKnown | kEqualValues | kTransposed | kAddressesPartial;
  if (shape.op >= Operation::count_) {
    return broken("unknown operation " + std::to_string(static_cast<unsigned>(shape.op)));
  }
  if ((shape.flags & ~kKnownFlags) != 0) {
    return broken("unknown flags " + std::to_string(shape.flags));
  }
  if ((shape.active & ~first_lanes(launch.device.warp_lanes)) != 0) {
    return broken("an active lane past the warp's " + std::to_string(launch.device.warp_lanes));
  }
  if (shape.site >= launch.sites.size()) {
    return broken("site " + std::to_string(shape.site) + " of a table of " +
                  std::to_string(launch.sites.size()));
  }
  return {};
}

Status check_position(std::uint64_t block, std::uint32_t warp, const Launch& launch) {
  if (block >= launch.grid.count()) {
    return broken("block " + std::to_string(block) + " of a grid of " +
                  std::to_string(launch.grid.count()));
  }
  if (warp >= warps_per_block(launch)) {
    return broken("warp " + std::to_string(warp) + " of a block of " +
                  std::to_string(warps_per_block(launch)));
  }
  return {};
}

bool has_whole_lists(const EventShape& shape) {
  const OperationTraits& facts = traits(shape.op);
  const std::size_t lanes =
      facts.lane_addresses ? static_cast<std::size_t>(std::bit_width(shape.active)) : 0;
  return shape.offsets.size() == lanes &&
         shape.source_offsets.size() == (facts.has_source ? lanes : 0);
}

bool shape_has_base(const EventShape& shape) {
  const OperationTraits& facts = traits(shape.op);
  return facts.space != AddressSpace::none && (!facts.lane_addresses || shape.active != 0);
}

bool shape_has_source(const EventShape& shape) {
  return traits(shape.op).has_source && shape_has_base(shape);
}

EventShape canonical_shape(const EventShape& shape, std::uint64_t& base_shift,
                           std::uint64_t& source_shift) {
  EventShape out = shape;
  base_shift = out.offsets.empty() ? 0 : rebase(out.offsets, out.active);
  source_shift = out.source_offsets.empty() ? 0 : rebase(out.source_offsets, out.active);
  return out;
}

void BlockSequence::clear() {
  seen_.clear();
  blocks_ = 0;
}

bool BlockSequence::enter(std::uint64_t block) {
  if (blocks_ != 0 && block == current_) return true;
  auto next = seen_.upper_bound(block);
  if (next != seen_.begin()) {
    const auto before = std::prev(next);
    if (block < before->second) return false;
    if (block == before->second) {
      ++before->second;
      if (next != seen_.end() && next->first == before->second) {
        before->second = next->second;
        seen_.erase(next);
      }
      current_ = block;
      ++blocks_;
      return true;
    }
  }
  if (next != seen_.end() && next->first == block + 1) {
    const std::uint64_t end = next->second;
    seen_.erase(next);
    seen_.emplace(block, end);
  } else {
    seen_.emplace(block, block + 1);
  }
  current_ = block;
  ++blocks_;
  return true;
}

}  // namespace smemsim::trace
