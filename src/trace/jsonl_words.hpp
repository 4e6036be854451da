// Words that the JSON Lines reader and writer share (docs/trace-format.md).
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sim/event.hpp"

namespace smemsim::trace {

inline constexpr std::string_view kJsonlSchema = "smemsim/trace/1";

/// What an operation's scalars are called; "" = it has none.
struct ScalarNames {
  std::string_view a, b;
};
ScalarNames scalar_names(Operation op);

/// The name of one bit of EventShape::flags.
struct FlagName {
  EventFlags bit;
  std::string_view name;
};
const std::vector<FlagName>& flag_names();

/// A mask as text: "0-15", "3" and "0-7,16-23" where short, else hexadecimal.
std::string lanes_text(LaneMask lanes, unsigned warp_lanes);

/// The mask that such a text, "all" or "none" means; nothing when it is not one, or names a lane
/// that the warp does not have.
std::optional<LaneMask> parse_lanes(std::string_view text, unsigned warp_lanes);

/// The lowest `digits` hexadecimal digits of a number.
std::string hexadecimal(std::uint64_t value, unsigned digits);

/// A whole number in decimal or, after 0x, in hexadecimal.
std::optional<std::uint64_t> parse_number(std::string_view text);

/// The text of the site that a line without "site" belongs to.
std::string default_site_text(const EventShape& shape);

}  // namespace smemsim::trace
