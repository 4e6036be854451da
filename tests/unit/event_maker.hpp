// Short ways to write one access in a test.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "sim/event.hpp"

namespace smemsim::testing {

struct Access {
  EventShape shape;
  Event event;
};

/// An access whose lane i goes to `address(i)`, for the lanes of `active`.
inline Access access(Operation op, unsigned width,
                     const std::function<std::uint64_t(unsigned)>& address,
                     LaneMask active = 0xffffffff, unsigned matrices = 0) {
  Access out;
  out.shape.op = op;
  out.shape.width = static_cast<std::uint8_t>(width);
  out.shape.matrices = static_cast<std::uint8_t>(matrices);
  out.shape.active = active;
  if (active == 0) return out;
  out.event.base = address(static_cast<unsigned>(std::countr_zero(active)));
  out.shape.offsets.resize(kMaxLanes - static_cast<unsigned>(std::countl_zero(active)));
  for_each_lane(active, [&](unsigned lane) {
    out.shape.offsets[lane] = static_cast<std::int64_t>(address(lane) - out.event.base);
  });
  return out;
}

/// Adds the global side of an asynchronous copy.
inline Access with_source(Access copy, const std::function<std::uint64_t(unsigned)>& source) {
  copy.event.source = source(static_cast<unsigned>(std::countr_zero(copy.shape.active)));
  copy.shape.source_offsets.resize(copy.shape.offsets.size());
  for_each_lane(copy.shape.active, [&](unsigned lane) {
    copy.shape.source_offsets[lane] = static_cast<std::int64_t>(source(lane) - copy.event.source);
  });
  return copy;
}

}  // namespace smemsim::testing
