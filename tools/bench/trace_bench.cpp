// Speed of the trace formats: events per second of writing and reading, bytes per event.
#include <benchmark/benchmark.h>

#include <array>
#include <cstdlib>
#include <memory>
#include <random>
#include <string>

#include "trace/byte_io.hpp"
#include "trace/launch_builder.hpp"
#include "trace/open.hpp"

namespace {

using namespace smemsim;

/// A tiled product: each warp writes its part of two tiles and reads them 32 times.
void add_regular(trace::LaunchBuilder& builder, std::uint64_t block, std::uint32_t warp) {
  std::array<std::uint64_t, 32> addresses{};
  const auto add = [&](Operation op, std::uint32_t site, std::uint64_t base, std::uint64_t stride) {
    for (unsigned lane = 0; lane < 32; ++lane) addresses[lane] = base + stride * lane;
    trace::FlatEvent event;
    event.op = op;
    event.width = 4;
    event.site = site;
    event.active = first_lanes(32);
    event.addresses = addresses;
    builder.add(block, warp, event);
  };
  add(Operation::store, 0, 1024 + warp * 128, 4);
  add(Operation::store, 1, 5120 + warp * 128, 4);
  for (std::uint64_t k = 0; k < 32; ++k) {
    add(Operation::load, 2, 1024 + warp * 128 + k * 4, 0);
    add(Operation::load, 3, 5120 + k * 128, 4);
  }
}

/// Atomics on a histogram: no two events alike.
void add_irregular(trace::LaunchBuilder& builder, std::uint64_t block, std::uint32_t warp,
                   std::mt19937_64& random) {
  std::array<std::uint64_t, 32> addresses{};
  for (int i = 0; i < 66; ++i) {
    for (std::uint64_t& address : addresses) address = 1024 + random() % 256 * 4;
    trace::FlatEvent event;
    event.op = Operation::reduce;
    event.width = 4;
    event.active = first_lanes(32);
    event.addresses = addresses;
    builder.add(block, warp, event);
  }
}

constexpr std::uint64_t kBlocks = 256;
constexpr std::uint32_t kWarps = 32;

trace::LaunchBuilder& launch(bool regular) {
  static const auto make = [](bool is_regular) {
    Launch out;
    out.grid.x = kBlocks;
    out.block.x = kWarps * 32;
    auto builder = std::make_unique<trace::LaunchBuilder>(out);
    std::mt19937_64 random(1);
    for (std::uint64_t block = 0; block < kBlocks; ++block) {
      for (std::uint32_t warp = 0; warp < kWarps; ++warp) {
        if (is_regular) {
          add_regular(*builder, block, warp);
        } else {
          add_irregular(*builder, block, warp, random);
        }
      }
    }
    return builder;
  };
  static const auto kRegular = make(true);
  static const auto kIrregular = make(false);
  return regular ? *kRegular : *kIrregular;
}

class Count : public TraceSink {
 public:
  Status begin_launch(const Launch&) override { return {}; }
  Status events(const EventBatch& batch) override {
    for (const Event& event : batch.events) sum_ += event.base;
    count_ += batch.events.size();
    return {};
  }
  Status end_launch() override { return {}; }
  std::uint64_t count() const { return count_; }
  std::uint64_t sum() const { return sum_; }

 private:
  std::uint64_t count_ = 0, sum_ = 0;
};

std::string written(trace::TraceFormat format, bool regular) {
  std::string out;
  const auto sink = trace::string_sink(out);
  const auto writer = trace::make_writer(format, *sink);
  if (!launch(regular).deliver(*writer) || !writer->finish()) std::abort();
  return out;
}

void report(benchmark::State& state, std::size_t bytes) {
  const auto events = static_cast<double>(launch(state.range(0) != 0).event_count());
  state.counters["events/s"] =
      benchmark::Counter(events, benchmark::Counter::kIsIterationInvariantRate);
  state.counters["bytes/event"] = static_cast<double>(bytes) / events;
}

template <trace::TraceFormat format>
void write_trace(benchmark::State& state) {
  std::size_t bytes = 0;
  for (auto unused : state) bytes = written(format, state.range(0) != 0).size();
  report(state, bytes);
}

template <trace::TraceFormat format>
void read_trace(benchmark::State& state) {
  const std::string bytes = written(format, state.range(0) != 0);
  for (auto unused : state) {
    state.PauseTiming();
    const auto source = trace::open_trace(trace::memory_source(bytes));
    state.ResumeTiming();
    Count count;
    if (!source || !(*source)->read(count)) std::abort();
    benchmark::DoNotOptimize(count.sum());
  }
  report(state, bytes.size());
}

BENCHMARK(write_trace<trace::TraceFormat::smt>)->ArgName("regular")->Arg(1)->Arg(0);
BENCHMARK(read_trace<trace::TraceFormat::smt>)->ArgName("regular")->Arg(1)->Arg(0);
BENCHMARK(write_trace<trace::TraceFormat::jsonl>)->ArgName("regular")->Arg(1)->Arg(0);
BENCHMARK(read_trace<trace::TraceFormat::jsonl>)->ArgName("regular")->Arg(1)->Arg(0);

}  // namespace
