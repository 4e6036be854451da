// What the tests of traces share: a recorder of everything a source delivers, and a generator of
// random launches.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "trace/byte_io.hpp"
#include "trace/launch_builder.hpp"
#include "trace/open.hpp"
#include "trace/trace_rules.hpp"

namespace smemsim::test {

/// One event with its shape, so that recordings compare whatever the numbering of shapes.
struct WholeEvent {
  EventShape shape;
  std::uint64_t base = 0, source = 0;
  friend bool operator==(const WholeEvent&, const WholeEvent&) = default;
};

struct RecordedLaunch {
  Launch launch;
  std::vector<Program> programs;
  std::map<std::pair<std::uint64_t, std::uint32_t>, std::vector<WholeEvent>> events;
  bool ended = false;
  friend bool operator==(const RecordedLaunch&, const RecordedLaunch&) = default;
};

/// Keeps a whole trace, and notes what breaks the contract of TraceSource.
class Recorder : public TraceSink {
 public:
  Status begin_launch(const Launch& launch) override {
    if (!launches.empty() && !launches.back().ended) broken.push_back("launch within a launch");
    launches.emplace_back().launch = launch;
    current_ = &launch;
    blocks_.clear();
    had_events_ = false;
    return {};
  }
  Status program(const Program& program) override {
    if (had_events_) broken.push_back("program after events");
    launches.back().programs.push_back(program);
    return {};
  }
  Status events(const EventBatch& batch) override {
    had_events_ = true;
    if (launches.back().ended) broken.push_back("events after the end");
    if (batch.shapes_id == 0) broken.push_back("shapes_id 0");
    if (!blocks_.enter(batch.block)) broken.push_back("block comes twice");
    if (!trace::check_position(batch.block, batch.warp, *current_)) broken.push_back("position");
    auto& out = launches.back().events[{batch.block, batch.warp}];
    for (const Event& event : batch.events) {
      if (event.shape >= batch.shapes.size()) {
        broken.push_back("event without shape");
        continue;
      }
      const EventShape& shape = batch.shapes[event.shape];
      if (!trace::check_shape(shape, *current_)) broken.push_back("shape");
      if (!trace::has_whole_lists(shape)) broken.push_back("address lists");
      out.push_back({shape, event.base, event.source});
    }
    return {};
  }
  Status end_launch() override {
    launches.back().ended = true;
    return {};
  }

  std::vector<RecordedLaunch> launches;
  std::vector<std::string> broken;

 private:
  const Launch* current_ = nullptr;
  trace::BlockSequence blocks_;
  bool had_events_ = false;
};

/// The trace that some bytes hold; `error` tells what stopped the reading.
struct ReadBack {
  std::vector<RecordedLaunch> launches;
  std::vector<std::string> warnings, broken;
  std::string error;
};
inline ReadBack read_back(const std::string& bytes, const trace::LaunchFilter& filter = {}) {
  ReadBack out;
  const auto source = trace::open_trace(trace::memory_source(bytes, "t"), filter);
  if (!source) {
    out.error = source.error().text();
    return out;
  }
  Recorder recorder;
  const Status status = (*source)->read(recorder);
  if (!status) out.error = status.error().text();
  out.launches = recorder.launches;
  out.broken = recorder.broken;
  out.warnings = (*source)->warnings();
  return out;
}

/// A file of what `deliver` gives a sink.
inline std::string written(trace::TraceFormat format,
                           const std::function<Status(TraceSink&)>& deliver) {
  std::string out;
  const auto sink = trace::string_sink(out);
  const auto writer = trace::make_writer(format, *sink);
  Status status = deliver(*writer);
  if (status) status = writer->finish();
  return status ? out : "error: " + status.error().text();
}

/// Another format (or the same) of the trace in `bytes`.
inline std::string converted(const std::string& bytes, trace::TraceFormat format) {
  return written(format, [&](TraceSink& sink) -> Status {
    const auto source = trace::open_trace(trace::memory_source(bytes, "t"));
    return source ? (*source)->read(sink) : Status(source.error());
  });
}

/// Launches with every operation, all kinds of masks and patterns, and odd texts.
class RandomLaunches {
 public:
  explicit RandomLaunches(unsigned seed) : random_(seed) {}

  std::uint64_t below(std::uint64_t end) { return random_() % end; }
  bool chance(unsigned percent) { return below(100) < percent; }

  std::unique_ptr<trace::LaunchBuilder> launch(unsigned warp_lanes, unsigned events) {
    Launch launch;
    launch.kernel = text() + "(int)";
    launch.function = text();
    launch.device = {text(),    "sm_90",  number(), warp_lanes, random_(),
                     random_(), number(), number(), text(),     text()};
    launch.grid = {static_cast<std::uint32_t>(1 + below(5)),
                   static_cast<std::uint32_t>(1 + below(3)),
                   static_cast<std::uint32_t>(1 + below(2))};
    launch.block = {static_cast<std::uint32_t>(1 + below(200)), 2, 1};
    launch.cluster = {1, 1, static_cast<std::uint32_t>(1 + below(2))};
    launch.static_shared = number();
    launch.dynamic_shared = number();
    launch.registers = number();
    launch.first_shared = number();
    launch.launch_index = random_();
    launch.stream = random_();
    launch.dropped_events = below(3);
    launch.command = text();
    launch.note = text();
    auto builder = std::make_unique<trace::LaunchBuilder>(launch);
    const auto sites = static_cast<std::uint32_t>(1 + below(6));
    for (std::uint32_t i = 0; i < sites; ++i) {
      builder->launch().sites.push_back({text(), number(), text(), text(), number()});
    }
    for (std::uint64_t i = below(3); i != 0; --i) builder->add_program(program());
    for (unsigned i = 0; i < events; ++i) add_event(*builder, warp_lanes, sites);
    return builder;
  }

 private:
  std::uint32_t number() { return static_cast<std::uint32_t>(chance(20) ? random_() : below(100)); }

  std::string text() {
    static const std::vector<std::string> kTexts{
        "",  "kernel<float, 32>",    "a \"quoted\" \\ text", "line\nbreak\ttab", "k\xc3\xa4mpf",
        "x", "LDS.128 R4, [R2+0x10]"};
    return kTexts[below(kTexts.size())];
  }

  Program program() {
    Program out{text(), {text(), "b.cu"}, {}};
    for (std::uint32_t i = 0; i < below(20); ++i) {
      out.instructions.push_back(
          {i * 16, random_(), random_(), text(), static_cast<std::uint32_t>(below(2)), number()});
    }
    return out;
  }

  LaneMask lanes(unsigned warp_lanes) {
    const LaneMask all = first_lanes(warp_lanes);
    switch (below(4)) {
      case 0:
        return random_() & all;
      case 1:
        return lane_bit(static_cast<unsigned>(below(warp_lanes)));
      case 2:
        return all & ~first_lanes(static_cast<unsigned>(below(warp_lanes)));
      default:
        return all;
    }
  }

  std::vector<std::uint64_t> addresses() {
    const std::uint64_t base = chance(10) ? random_() : below(1U << 16);
    const std::uint64_t stride = below(3) * 4 - (chance(20) ? 16 : 0);
    const std::uint64_t kind = below(4);
    std::vector<std::uint64_t> out;
    for (unsigned lane = 0; lane < kMaxLanes; ++lane) {
      const std::uint64_t swizzled = base + ((lane * 4) ^ (lane / 4 * 16));
      out.push_back(kind == 0   ? base + stride * lane
                    : kind == 1 ? swizzled
                    : kind == 2 ? base + below(256) * 4
                                : (chance(50) ? random_() : base));
    }
    return out;
  }

  void add_event(trace::LaunchBuilder& builder, unsigned warp_lanes, std::uint32_t sites) {
    trace::FlatEvent event;
    event.op = static_cast<Operation>(below(kOperationCount));
    event.width = static_cast<std::uint8_t>(chance(10) ? below(256) : 1U << below(5));
    event.matrices = static_cast<std::uint8_t>(below(5));
    event.flags = static_cast<std::uint8_t>(below(16));
    event.site = static_cast<std::uint32_t>(below(sites));
    event.active = lanes(warp_lanes);
    event.a = chance(50) ? 0 : random_() >> below(64);
    event.b = chance(70) ? 0 : random_() >> below(64);
    const std::vector<std::uint64_t> to = addresses(), from = addresses();
    event.addresses = to;
    event.sources = from;
    const std::uint64_t block = below(builder.launch().grid.count());
    const auto warp = static_cast<std::uint32_t>(below(trace::warps_per_block(builder.launch())));
    for (std::uint64_t times = chance(20) ? 1 + below(30) : 1; times != 0; --times) {
      builder.add(block, warp, event);
    }
  }

  std::mt19937_64 random_;
};

/// A small trace that has one of everything.
inline std::string small_trace(trace::TraceFormat format) {
  return written(format, [](TraceSink& sink) -> Status {
    RandomLaunches random(7);
    SMEMSIM_TRY(random.launch(32, 6)->deliver(sink));
    return random.launch(32, 3)->deliver(sink);
  });
}

}  // namespace smemsim::test
