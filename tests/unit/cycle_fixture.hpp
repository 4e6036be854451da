// Small programs for the cycle model, written down as streams.
#pragma once

#include <string>
#include <vector>

#include "sim/cycle/simulate.hpp"
#include "trace/machine_file.hpp"
#include "unit/event_maker.hpp"

namespace smemsim::testing {

/// One machine instruction, with control bits as ptxas would set them.
struct Line {
  std::string text;
  unsigned stall = 1;
  unsigned write_barrier = 7;
  unsigned wait_mask = 0;
  unsigned read_barrier = 7;
};

inline ProgramInstruction instruction(const Line& line, std::uint32_t index) {
  ProgramInstruction out;
  out.pc = index * 16;
  out.text = line.text;
  const std::uint64_t control = line.stall | 1U << 4 | line.write_barrier << 5 |
                                line.read_barrier << 8 | std::uint64_t{line.wait_mask} << 11;
  out.encoding_high = control << 41;
  return out;
}

/// A kernel whose every event instruction is run by every warp in program order.
class Kernel {
 public:
  explicit Kernel(unsigned warps, unsigned blocks = 1) : blocks_(blocks) {
    launch_.kernel = launch_.function = "kernel";
    launch_.block = {warps * 32, 1, 1};
    launch_.grid = {blocks, 1, 1};
    launch_.device.sms = 1;
    program_.function = "kernel";
  }

  void add(const Line& line) {
    program_.instructions.push_back(
        instruction(line, static_cast<std::uint32_t>(program_.instructions.size())));
  }
  /// An instruction with an event.
  void add(const Line& line, Access access) {
    access.shape.site = static_cast<std::uint32_t>(launch_.sites.size());
    Site site;
    site.function = "kernel";
    site.pc = static_cast<std::uint32_t>(program_.instructions.size() * 16);
    launch_.sites.push_back(site);
    access.event.shape = static_cast<std::uint32_t>(shapes_.size());
    shapes_.push_back(access.shape);
    events_.push_back(access.event);
    add(line);
  }
  void end() {
    Access exit;
    exit.shape.op = Operation::exit;
    exit.shape.active = 0xffffffff;
    add({"EXIT", 5}, exit);
  }
  Launch& launch() { return launch_; }

  /// Only the warps of `mask` run.
  KernelCycles run(const Machine& machine, SimulateOptions options = {},
                   std::uint64_t mask = ~std::uint64_t{0}) const {
    SimulateAnalysis analysis([&](const Launch&) -> Result<const Machine*> { return &machine; },
                              options);
    bool ok = analysis.begin_launch(launch_).ok() && analysis.program(program_).ok();
    for (unsigned block = 0; block < blocks_; ++block) {
      for (unsigned warp = 0; warp < launch_.threads() / 32; ++warp) {
        if ((mask >> warp & 1) == 0) continue;
        EventBatch batch;
        batch.block = block;
        batch.warp = warp;
        batch.shapes = shapes_;
        batch.shapes_id = 1;
        batch.events = events_;
        ok = ok && analysis.events(batch).ok();
      }
    }
    ok = ok && analysis.end_launch().ok();
    std::vector<KernelCycles> results = analysis.take_results();
    return ok && !results.empty() ? results.front() : KernelCycles{};
  }

 private:
  unsigned blocks_;
  Launch launch_;
  Program program_;
  std::vector<EventShape> shapes_;
  std::vector<Event> events_;
};

/// With warm instruction caches, as the microbenchmarks were run.
inline Machine h200() {
  Machine machine = trace::load_machine("sm_90").value();
  machine.cycle->fetch_interval = 0;
  return machine;
}

/// Lanes `ways` words apart from each other in one bank, else side by side.
inline Access shared_load(unsigned width, unsigned stride) {
  return access(Operation::load, width, [=](unsigned lane) { return 1024 + lane * stride; });
}

}  // namespace smemsim::testing
