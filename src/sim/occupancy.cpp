#include "sim/occupancy.hpp"

#include <algorithm>
#include <array>
#include <cassert>

#include "sim/round_up.hpp"

namespace smemsim {

namespace {

constexpr std::uint32_t clamp_limit(std::uint64_t blocks) {
  return static_cast<std::uint32_t>(std::min<std::uint64_t>(blocks, kNoLimit));
}

std::uint64_t allocated_shared(const OccupancyLimits& limits, std::uint64_t shared) {
  return round_up(shared + limits.shared_reserved, limits.shared_granularity);
}

std::uint64_t warp_registers(const OccupancyLimits& limits, std::uint32_t registers) {
  return round_up(std::uint64_t{registers} * kOccupancyLanes, limits.register_granularity);
}

std::uint32_t limit_by_registers(const OccupancyLimits& limits, std::uint32_t registers,
                                 std::uint32_t warps) {
  if (registers == 0) return kNoLimit;
  if (registers > limits.max_registers_per_thread || limits.sub_cores == 0) return 0;
  const std::uint64_t per_warp = warp_registers(limits, registers);
  // The launch check assumes that every sub-core gives registers to the same number of warps.
  const std::uint64_t assumed = per_warp * round_up(warps, limits.warp_granularity);
  if (assumed > limits.registers_per_sm) return 0;
  const std::uint64_t warps_per_sub_core = limits.registers_per_sm / limits.sub_cores / per_warp;
  return clamp_limit(warps_per_sub_core * limits.sub_cores / warps);
}

/// The shared size that the SM is set to: the one asked for, or the next that holds one block.
std::uint64_t effective_carveout(const OccupancyLimits& limits, std::uint64_t asked,
                                 std::uint64_t allocated) {
  if (asked == 0) return limits.shared_per_sm;
  const std::uint64_t wanted = std::max(asked, allocated);
  for (const std::uint64_t size : limits.carveouts) {
    if (size >= wanted) return size;
  }
  return limits.shared_per_sm;
}

std::uint32_t limit_by_shared(const OccupancyLimits& limits, std::uint64_t shared,
                              std::uint64_t allocated, std::uint64_t carveout) {
  const std::uint64_t most = std::uint64_t{limits.shared_per_block} + limits.shared_reserved;
  if (shared > limits.shared_per_block || allocated > most) return 0;
  return allocated == 0 ? kNoLimit : clamp_limit(carveout / allocated);
}

std::uint64_t smallest_carveout(const OccupancyLimits& limits, std::uint64_t needed) {
  for (const std::uint64_t size : limits.carveouts) {
    if (size >= needed) return size;
  }
  return limits.shared_per_sm;
}

/// Steps of a function that never rises with its argument, over first .. last.
template <typename Blocks>
std::vector<OccupancyStep> steps(std::uint64_t first, std::uint64_t last, Blocks blocks_at) {
  std::vector<OccupancyStep> out;
  while (first <= last) {
    const std::uint32_t blocks = blocks_at(first);
    std::uint64_t low = first, high = last;  // largest argument with the same answer
    while (low < high) {
      const std::uint64_t middle = low + (high - low + 1) / 2;
      if (blocks_at(middle) == blocks) {
        low = middle;
      } else {
        high = middle - 1;
      }
    }
    out.push_back({low, blocks});
    first = low + 1;
  }
  return out;
}

}  // namespace

std::string_view name(OccupancyLimiter limiter) {
  constexpr std::array<std::string_view, 5> kNames = {"warps", "registers", "shared memory",
                                                      "blocks", "barriers"};
  return kNames[static_cast<std::size_t>(limiter)];
}

OccupancyResult occupancy(const OccupancyLimits& limits, const BlockResources& block) {
  OccupancyResult result;
  const std::uint32_t warps = std::max<std::uint32_t>(
      1, clamp_limit((std::uint64_t{block.threads} + kOccupancyLanes - 1) / kOccupancyLanes));
  result.warps_per_block = warps;
  const bool possible = block.threads > 0 && block.threads <= limits.max_threads_per_block;
  result.limit_warps = possible ? limits.max_warps / warps : 0;
  result.limit_registers = limit_by_registers(limits, block.registers, warps);
  result.registers_per_block = clamp_limit(warp_registers(limits, block.registers) * warps);
  result.shared_per_block = allocated_shared(limits, block.shared_bytes);
  result.carveout = effective_carveout(limits, block.carveout, result.shared_per_block);
  result.limit_shared =
      limit_by_shared(limits, block.shared_bytes, result.shared_per_block, result.carveout);
  result.limit_blocks = limits.max_blocks;
  const bool barriers_limit = limits.barriers_per_sm != 0 && block.barriers != 0;
  result.limit_barriers = barriers_limit ? limits.barriers_per_sm / block.barriers : kNoLimit;

  const std::array<std::uint32_t, 5> by_limiter = {result.limit_warps, result.limit_registers,
                                                   result.limit_shared, result.limit_blocks,
                                                   result.limit_barriers};
  result.blocks = *std::min_element(by_limiter.begin(), by_limiter.end());
  for (std::size_t i = 0; i < by_limiter.size(); ++i) {
    if (by_limiter[i] == result.blocks) {
      result.limiters.push_back(static_cast<OccupancyLimiter>(i));
    }
  }
  result.warps = result.blocks * warps;
  if (result.blocks > 0) {
    result.smallest_carveout = smallest_carveout(limits, result.blocks * result.shared_per_block);
  }
  return result;
}

std::vector<OccupancyStep> shared_steps(const OccupancyLimits& limits, BlockResources block) {
  return steps(0, limits.shared_per_block, [&](std::uint64_t bytes) {
    block.shared_bytes = bytes;
    return occupancy(limits, block).blocks;
  });
}

std::vector<OccupancyStep> register_steps(const OccupancyLimits& limits, BlockResources block) {
  return steps(1, limits.max_registers_per_thread, [&](std::uint64_t registers) {
    block.registers = static_cast<std::uint32_t>(registers);
    return occupancy(limits, block).blocks;
  });
}

}  // namespace smemsim
