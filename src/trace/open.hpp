// One door to every trace format: recognises what a file holds and gives a TraceSource for it.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "sim/trace_sink.hpp"
#include "trace/byte_io.hpp"
#include "trace/launch_filter.hpp"
#include "trace/trace_writer.hpp"

namespace smemsim::trace {

/// Opens a trace by its content, not its name: .smt or JSON Lines. "-" is standard input.
Result<std::unique_ptr<TraceSource>> open_trace(const std::string& path,
                                                const LaunchFilter& filter = {});
/// The same on any bytes.
Result<std::unique_ptr<TraceSource>> open_trace(std::unique_ptr<ByteSource> bytes,
                                                const LaunchFilter& filter = {});

enum class TraceFormat { smt, jsonl };

/// A writer of the format to `out`, which must outlive it.
std::unique_ptr<TraceWriter> make_writer(TraceFormat format, ByteSink& out);

}  // namespace smemsim::trace
