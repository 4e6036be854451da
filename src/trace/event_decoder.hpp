// The raw bytes of one EVTS chunk -> batches of events.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "sim/launch.hpp"
#include "sim/trace_sink.hpp"
#include "trace/smt_format.hpp"
#include "trace/trace_rules.hpp"

namespace smemsim::trace {

class EventDecoder {
 public:
  /// Starts on a launch, which must stay valid.
  void begin(const Launch& launch, std::uint64_t launch_number);

  /// Delivers the chunk's events. Errors of the chunk have no place; `sink_failed` tells whether
  /// the error is the sink's.
  Status decode(std::string_view raw, TraceSink& sink, bool& sink_failed);

  std::uint64_t events() const { return events_; }  ///< delivered since `begin`
  std::uint64_t blocks() const { return blocks_.blocks(); }

 private:
  Status read_shapes(ByteCursor& in, std::uint64_t count);
  /// Decodes up to a batch of the segment's `left` events into batch_.
  Status read_batch(ByteCursor& in, std::uint64_t left);
  Status explicit_event(ByteCursor& in, std::uint64_t token, Event& event);

  const Launch* launch_ = nullptr;
  std::uint64_t launch_number_ = 0, events_ = 0;
  BlockSequence blocks_;
  std::vector<EventShape> shapes_;  ///< never shrinks, so that offset lists keep their memory
  std::size_t shape_count_ = 0;
  std::vector<smt::Prediction> predictions_;
  std::vector<std::uint8_t> has_base_, has_source_;
  std::vector<Event> batch_;
  std::size_t filled_ = 0;
  std::uint64_t run_ = 0;  ///< events of the open run still to come
  std::uint32_t introduced_ = 0;
  std::uint32_t first_shape_ = 0;
  std::uint32_t* successor_ = nullptr;  ///< where the next event's shape is expected
};

}  // namespace smemsim::trace
