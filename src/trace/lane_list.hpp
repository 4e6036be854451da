// Lane sets as text: "0-3,20-23" and "0x00ff".
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "sim/lanes.hpp"

namespace smemsim::trace {

/// "0-15", "0,2,4", "0-3,20-23", or a hexadecimal mask "0xffff"; nothing when it is none of these
/// or names a lane past 63.
std::optional<LaneMask> parse_lane_list(std::string_view text);

/// A hexadecimal mask with or without "0x".
std::optional<LaneMask> parse_lane_mask(std::string_view text);

/// The shortest list form: "0-15,20". An empty mask gives "none".
std::string lane_list(LaneMask mask);

}  // namespace smemsim::trace
