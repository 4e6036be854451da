// One door to every trace format: recognises what a file holds and gives a TraceSource for it.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "sim/trace_sink.hpp"
#include "trace/byte_io.hpp"

namespace smemsim::trace {

/// Which launches of a trace to deliver.
struct LaunchFilter {
  std::string kernel_glob;  ///< on Launch::kernel ('*', '?'); empty = all
};

/// Opens a trace by its content, not its name: .smt or JSON Lines. "-" is standard input.
Result<std::unique_ptr<TraceSource>> open_trace(const std::string& path,
                                                const LaunchFilter& filter = {});
/// The same on any bytes.
Result<std::unique_ptr<TraceSource>> open_trace(std::unique_ptr<ByteSource> bytes,
                                                const LaunchFilter& filter = {});

enum class TraceFormat { smt, jsonl };

/// A sink that writes the format to `out`. Call `finish` after the last launch.
class TraceWriter : public TraceSink {
 public:
  /// Writes what the format keeps for the end (index, trailer) and flushes.
  virtual Status finish() = 0;
};
std::unique_ptr<TraceWriter> make_writer(TraceFormat format, ByteSink& out);

}  // namespace smemsim::trace
