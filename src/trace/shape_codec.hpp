// EventShape <-> bytes in an EVTS chunk.
#pragma once

#include <string>

#include "sim/event.hpp"
#include "trace/varint.hpp"

namespace smemsim::trace {

/// Appends a shape that is canonical and has whole lists (trace_rules.hpp).
void put_shape(std::string& out, const EventShape& shape);

/// Reads a shape into `shape`, whose memory it reuses. False: the bytes are not a shape.
bool get_shape(ByteCursor& in, EventShape& shape);

}  // namespace smemsim::trace
