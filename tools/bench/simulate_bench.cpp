// Speed of the cycle model: warp instructions per second on one core.
#include <benchmark/benchmark.h>

#include <string>
#include <vector>

#include "sim/cycle/simulate.hpp"
#include "trace/machine_file.hpp"

namespace {

using namespace smemsim;

constexpr std::uint32_t kWarps = 8;

/// A loop body that loads, computes, stores and meets at a barrier.
struct Bench {
  Launch launch;
  Program program;
  std::vector<EventShape> shapes;
  std::vector<Event> events;

  void add(const std::string& text, unsigned stall, unsigned writes, unsigned waits) {
    ProgramInstruction one;
    one.pc = static_cast<std::uint32_t>(program.instructions.size() * 16);
    one.text = text;
    one.encoding_high = std::uint64_t{stall | 1U << 4 | writes << 5 | 7U << 8 | waits << 11} << 41;
    program.instructions.push_back(one);
  }
  void add_event(Operation op, std::int64_t stride) {
    EventShape shape;
    shape.op = op;
    shape.site = static_cast<std::uint32_t>(launch.sites.size());
    shape.active = first_lanes(32);
    if (traits(op).lane_addresses) {
      shape.width = 4;
      for (unsigned lane = 0; lane < 32; ++lane) shape.offsets.push_back(lane * stride);
    }
    Site site;
    site.function = program.function;
    site.pc = static_cast<std::uint32_t>((program.instructions.size() - 1) * 16);
    launch.sites.push_back(site);
    events.push_back({static_cast<std::uint32_t>(shapes.size()), 1024, 0});
    shapes.push_back(shape);
  }
};

Bench body(std::int64_t stride) {
  Bench out;
  out.program.function = out.launch.kernel = out.launch.function = "bench";
  out.launch.block = {kWarps * 32, 1, 1};
  out.launch.static_shared = 8192;
  for (unsigned turn = 0; turn < 256; ++turn) {
    out.add("LDS R2, [R4]", 4, 0, 0);
    out.add_event(Operation::load, stride);
    for (unsigned i = 0; i < 12; ++i) out.add("FFMA R6, R6, R7, R8", 1, 7, i == 0 ? 1 : 0);
    for (unsigned i = 0; i < 4; ++i) out.add("IADD3 R9, R9, 0x1, RZ", 2, 7, 0);
    out.add("STS [R4], R6", 4, 7, 0);
    out.add_event(Operation::store, stride);
    out.add("BAR.SYNC.DEFER_BLOCKING 0x0", 6, 7, 0);
    out.add_event(Operation::barrier_sync, 0);
  }
  out.add("EXIT", 5, 7, 0);
  out.add_event(Operation::exit, 0);
  return out;
}

void simulate(benchmark::State& state) {
  const Machine machine = trace::load_machine("sm_90").value();
  Bench bench = body(state.range(0));
  const auto blocks = static_cast<std::uint32_t>(state.range(1));
  bench.launch.grid = {blocks, 1, 1};
  bench.launch.device.sms = 1;
  std::uint64_t instructions = 0;
  for (auto _ : state) {
    SimulateOptions options;
    options.blocks = blocks;
    SimulateAnalysis analysis([&](const Launch&) -> Result<const Machine*> { return &machine; },
                              options);
    bool ok = analysis.begin_launch(bench.launch).ok() && analysis.program(bench.program).ok();
    for (std::uint32_t block = 0; block < blocks; ++block) {
      for (std::uint32_t warp = 0; warp < kWarps; ++warp) {
        EventBatch batch;
        batch.block = block;
        batch.warp = warp;
        batch.shapes = bench.shapes;
        batch.events = bench.events;
        batch.shapes_id = 1;
        ok = ok && analysis.events(batch).ok();
      }
    }
    if (!ok || !analysis.end_launch().ok()) state.SkipWithError("the model refused the trace");
    const auto results = analysis.take_results();
    // All SMs that were run do as much as the one that is told of.
    if (!results.empty()) instructions += results.front().sm.instructions * results.front().sms_run;
  }
  state.counters["instructions/s"] =
      benchmark::Counter(static_cast<double>(instructions), benchmark::Counter::kIsRate);
}

BENCHMARK(simulate)->Args({4, 1})->Args({4, 16})->Args({128, 16})->Unit(benchmark::kMillisecond);

}  // namespace
