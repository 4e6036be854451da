// Lane masks. Machines have up to 64 lanes in a warp (AMD wavefronts); NVIDIA's have 32.
#pragma once

#include <bit>
#include <cstdint>

namespace smemsim {

inline constexpr unsigned kMaxLanes = 64;

/// Bit i = lane i.
using LaneMask = std::uint64_t;

constexpr LaneMask lane_bit(unsigned lane) {
  return LaneMask{1} << lane;
}

/// Mask of lanes 0 .. lanes-1.
constexpr LaneMask first_lanes(unsigned lanes) {
  return lanes >= kMaxLanes ? ~LaneMask{0} : lane_bit(lanes) - 1;
}

constexpr bool has_lane(LaneMask mask, unsigned lane) {
  return (mask >> lane & 1) != 0;
}
constexpr unsigned lane_count(LaneMask mask) {
  return static_cast<unsigned>(std::popcount(mask));
}

/// Calls `visit(lane)` for every lane of the mask, lowest first.
template <typename Visit>
constexpr void for_each_lane(LaneMask mask, Visit&& visit) {
  for (; mask != 0; mask &= mask - 1) visit(static_cast<unsigned>(std::countr_zero(mask)));
}

}  // namespace smemsim
