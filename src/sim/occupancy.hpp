// How many blocks of a kernel an SM holds at once, and which resource decides it.
//
// The rules are those of NVIDIA's occupancy calculator (cuda_occupancy.h, CUDA 13.0); the result
// equals it on 21,600 generated cases of eight generations (tests/hardware).
//   warps     w = ceil(threads / lanes)
//   limit by warps      = max_warps / w
//   limit by registers  = floor(registers_per_sm / sub_cores / r) * sub_cores / w, with
//                         r = round_up(registers * lanes, register_granularity) for one warp;
//                         0 when r * round_up(w, warp_granularity) > registers_per_sm
//   limit by shared     = carve-out / round_up(shared + shared_reserved, shared_granularity);
//                         0 when a block may not have that much
//   limit by barriers   = barriers_per_sm / barriers that the kernel uses
// All divisions round down; the smallest limit is the number of resident blocks.
#pragma once

#include <cstdint>
#include <limits>
#include <string_view>
#include <vector>

#include "sim/machine.hpp"

namespace smemsim {

/// Lanes of a warp on every machine that has occupancy limits.
inline constexpr std::uint32_t kOccupancyLanes = 32;

/// What one block asks of the SM.
struct BlockResources {
  std::uint32_t threads = 128;
  std::uint32_t registers = 0;     ///< per thread; 0 = unknown, does not limit
  std::uint64_t shared_bytes = 0;  ///< static + dynamic, without the driver's reserve
  std::uint32_t barriers = 1;      ///< hardware barriers (bar.sync ids) that the kernel uses
  std::uint64_t carveout = 0;      ///< shared bytes of the SM; 0 = the largest the machine has
};

/// A limit that the machine does not have, or that the block does not touch.
inline constexpr std::uint32_t kNoLimit = std::numeric_limits<std::uint32_t>::max();

enum class OccupancyLimiter : std::uint8_t { warps, registers, shared, blocks, barriers };
std::string_view name(OccupancyLimiter limiter);

struct OccupancyResult {
  std::uint32_t blocks = 0;  ///< resident per SM; 0 = such a block cannot be launched
  std::uint32_t warps = 0;   ///< resident per SM
  std::uint32_t warps_per_block = 0;
  // Blocks per SM that each resource alone would allow; kNoLimit where it does not limit.
  std::uint32_t limit_warps = 0;
  std::uint32_t limit_registers = 0;
  std::uint32_t limit_shared = 0;
  std::uint32_t limit_blocks = 0;
  std::uint32_t limit_barriers = 0;
  std::vector<OccupancyLimiter> limiters;  ///< those that equal `blocks`, in enum order
  std::uint32_t registers_per_block = 0;   ///< allocated
  std::uint64_t shared_per_block = 0;      ///< allocated bytes, with reserve and rounding
  std::uint64_t carveout = 0;              ///< shared bytes of the SM that were assumed
  std::uint64_t smallest_carveout = 0;     ///< the least that holds as many blocks; 0 if blocks = 0

  /// Resident warps / most resident warps, 0 .. 1.
  double fraction(const OccupancyLimits& limits) const {
    return limits.max_warps == 0 ? 0.0 : static_cast<double>(warps) / limits.max_warps;
  }
};

/// Never fails: a block that cannot run has blocks = 0 and the limiter that forbids it.
OccupancyResult occupancy(const OccupancyLimits& limits, const BlockResources& block);

/// A stretch of one resource over which the number of resident blocks is the same.
struct OccupancyStep {
  std::uint64_t most = 0;    ///< largest amount (bytes, or registers per thread) of the stretch
  std::uint32_t blocks = 0;  ///< resident blocks up to there

  friend bool operator==(const OccupancyStep&, const OccupancyStep&) = default;
};

/// Resident blocks against shared bytes per block, from 0 to the most a block may have; `most`
/// rises and `blocks` falls. The other resources are those of `block`.
std::vector<OccupancyStep> shared_steps(const OccupancyLimits& limits, BlockResources block);
/// Resident blocks against registers per thread, from 1 to the most a thread may have; the last
/// step has 0 blocks where that is more than a block of this size can get.
std::vector<OccupancyStep> register_steps(const OccupancyLimits& limits, BlockResources block);

}  // namespace smemsim
