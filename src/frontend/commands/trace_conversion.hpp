// What export and import share: from one trace format to another, as a stream.
#pragma once

#include <string>

#include "frontend/command.hpp"
#include "sim/trace_sink.hpp"
#include "trace/open.hpp"

namespace smemsim::cli {

/// Copies the trace to `path` ("" or "-" = the environment's `out`) and prints the source's
/// warnings. Refuses to write .smt to a terminal.
Status convert_trace(TraceSource& source, trace::TraceFormat format, const std::string& path,
                     Environment& environment);

}  // namespace smemsim::cli
