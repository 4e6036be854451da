// The interface between sources of warp events and their consumers.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "sim/event.hpp"
#include "sim/launch.hpp"
#include "sim/result.hpp"

namespace smemsim {

/// Receives a trace. For each launch, in order: `begin_launch`, then `program` for every function
/// whose instructions are known, then `events` any number of times, then `end_launch`.
/// Contract of a source: all batches of a block arrive before the first of the next block (blocks
/// in any order, each once), batches of one warp in program order; batches of the warps of one
/// block may alternate. A consumer that keeps state per block can so drop it when the block
/// changes. An error that a consumer returns stops the source, which passes it on.
class TraceSink {
 public:
  virtual ~TraceSink() = default;
  /// `launch` stays valid and unchanged until `end_launch` returns.
  virtual Status begin_launch(const Launch& launch) = 0;
  virtual Status program(const Program&) { return {}; }
  virtual Status events(const EventBatch& batch) = 0;
  virtual Status end_launch() = 0;
};

/// A trace that can be read from the start, once or more often.
class TraceSource {
 public:
  virtual ~TraceSource() = default;
  /// Delivers everything to `sink`, or returns the first error: the source's or the sink's.
  virtual Status read(TraceSink& sink) = 0;
  /// What the user should know about the last `read` although it succeeded (a file that ends early,
  /// a filter that matched nothing), one message each, naming the file.
  virtual std::vector<std::string> warnings() const { return {}; }
};

}  // namespace smemsim
