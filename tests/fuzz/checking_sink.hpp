// A consumer that takes TraceSource at its word: indexes by everything that sources promise to have
// checked, so that the sanitizers see a broken promise.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "trace/byte_io.hpp"
#include "trace/open.hpp"
#include "trace/trace_rules.hpp"

namespace smemsim::fuzz {

class CheckingSink : public TraceSink {
 public:
  Status begin_launch(const Launch& launch) override {
    launch_ = &launch;
    blocks_.clear();
    if (!trace::check_launch(launch)) std::abort();
    return {};
  }
  Status program(const Program& program) override {
    for (const ProgramInstruction& instruction : program.instructions) {
      if (instruction.line != 0) sum_ += program.files[instruction.file].size();
    }
    return {};
  }
  Status events(const EventBatch& batch) override {
    if (!blocks_.enter(batch.block)) std::abort();
    if (!trace::check_position(batch.block, batch.warp, *launch_)) std::abort();
    for (const Event& event : batch.events) {
      const EventShape& shape = batch.shapes[event.shape];
      if (!trace::has_whole_lists(shape)) std::abort();
      sum_ += launch_->sites[shape.site].pc + traits(shape.op).name.size();
      if (traits(shape.op).lane_addresses) {
        for_each_lane(shape.active,
                      [&](unsigned lane) { sum_ += lane_address(shape, event, lane); });
      }
    }
    // Runs of predicted events make long traces of few bytes: enough is enough.
    constexpr std::uint64_t kEnough = 1U << 18;
    events_ += batch.events.size();
    return events_ < kEnough ? Status{} : Status(usage_error({}, "enough"));
  }
  Status end_launch() override { return {}; }

 private:
  const Launch* launch_ = nullptr;
  trace::BlockSequence blocks_;
  std::uint64_t sum_ = 0, events_ = 0;
};

/// Reads the bytes; when they are a trace, both formats must be able to hold it.
inline void check_trace(std::string_view bytes) {
  const auto open = [&bytes] {
    return trace::open_trace(trace::memory_source(std::string(bytes)));
  };
  const auto source = open();
  if (!source) return;
  CheckingSink sink;
  if (!(*source)->read(sink)) return;
  std::string jsonl, smt;
  const auto convert = [](TraceSource& from, trace::TraceFormat format, std::string& out) {
    const auto bytes_out = trace::string_sink(out);
    const auto writer = trace::make_writer(format, *bytes_out);
    if (!from.read(*writer) || !writer->finish()) std::abort();
  };
  convert(**source, trace::TraceFormat::jsonl, jsonl);
  const auto again = trace::open_trace(trace::memory_source(jsonl));
  if (!again) std::abort();
  convert(**again, trace::TraceFormat::smt, smt);
}

}  // namespace smemsim::fuzz
