// Measured tables: gzip or plain CSV, recognised by the header line (docs/measured-tables.md).
#pragma once

#include <string>
#include <variant>
#include <vector>

#include "sim/validation.hpp"
#include "trace/byte_io.hpp"

namespace smemsim::trace {

using MeasuredTable = std::variant<std::vector<PatternRow>, std::vector<OccupancyRow>>;

/// Reads a whole table. Errors name the file and the line.
Result<MeasuredTable> read_measured_table(ByteSource& source);

/// "ld.b64", "atom.add.u32", "cp.async.ca.16", ... as an empty shape with op, width and matrices.
Result<EventShape> pattern_operation(const std::string& name);

}  // namespace smemsim::trace
