// What writers of trace files have in common.
#pragma once

#include "sim/trace_sink.hpp"

namespace smemsim::trace {

/// A sink that writes a file. Call `finish` after the last launch.
class TraceWriter : public TraceSink {
 public:
  /// Writes what the format keeps for the end (index, trailer) and flushes.
  virtual Status finish() = 0;
};

}  // namespace smemsim::trace
