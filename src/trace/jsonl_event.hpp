// One event line of JSON Lines -> an event.
#pragma once

#include <array>
#include <optional>
#include <string>

#include "trace/json_fields.hpp"
#include "trace/launch_builder.hpp"

namespace smemsim::trace {

/// An event as its line says it. Reused from line to line.
struct JsonlEvent {
  Operation op = Operation::instructions;
  std::uint8_t width = 0, matrices = 0, flags = 0;
  LaneMask active = 0;
  std::uint64_t a = 0, b = 0;
  std::array<std::uint64_t, kMaxLanes> addresses{}, sources{};
  std::optional<std::uint32_t> site;  ///< index, or
  std::string site_text;              ///< a name, or "" when the line has no "site"

  /// The same for LaunchBuilder; refers to this.
  FlatEvent flat(std::uint32_t site_index) const;
};

/// Reads the members of an event, except its position; errors stay in `fields`.
void parse_event(JsonFields& fields, unsigned warp_lanes, JsonlEvent& event);

}  // namespace smemsim::trace
