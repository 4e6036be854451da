// The one list of a launch's fields: their numbers in .smt and their names in JSON Lines.
// A new field gets a new number at the end of its list; numbers are never used again.
#pragma once

#include "sim/launch.hpp"

namespace smemsim::trace {

/// Calls `visit(number, name, member)` for each field; `launch` may be const.
template <typename LaunchType, typename Visit>
void visit_launch_fields(LaunchType& launch, Visit&& visit) {
  visit(1, "kernel", launch.kernel);
  visit(2, "function", launch.function);
  visit(3, "grid", launch.grid);
  visit(4, "block", launch.block);
  visit(5, "cluster", launch.cluster);
  visit(6, "static_shared", launch.static_shared);
  visit(7, "dynamic_shared", launch.dynamic_shared);
  visit(8, "registers", launch.registers);
  visit(9, "first_shared", launch.first_shared);
  visit(10, "launch_index", launch.launch_index);
  visit(11, "stream", launch.stream);
  visit(12, "recorded_blocks", launch.recorded_blocks);
  visit(13, "dropped_events", launch.dropped_events);
  visit(14, "command", launch.command);
  visit(15, "note", launch.note);
}

/// Numbers continue those of the launch: in .smt both are fields of one list.
template <typename DeviceType, typename Visit>
void visit_device_fields(DeviceType& device, Visit&& visit) {
  visit(64, "name", device.name);
  visit(65, "arch", device.arch);
  visit(66, "sms", device.sms);
  visit(67, "warp_lanes", device.warp_lanes);
  visit(68, "shared_per_sm", device.shared_per_sm);
  visit(69, "shared_per_block_max", device.shared_per_block_max);
  visit(70, "shared_reserved", device.shared_reserved);
  visit(71, "clock_khz", device.clock_khz);
  visit(72, "driver", device.driver);
  visit(73, "toolkit", device.toolkit);
}

/// References that only .smt has.
inline constexpr int kSiteTableField = 128;
inline constexpr int kProgramField = 129;  ///< once for each program

}  // namespace smemsim::trace
