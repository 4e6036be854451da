// Cycles of the kernels of a trace on one SM generation: `smemsim simulate` as a library.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sim/cycle/sm.hpp"
#include "sim/launch.hpp"
#include "sim/machine.hpp"
#include "sim/trace_sink.hpp"

namespace smemsim {

struct SimulateOptions {
  StreamOptions what_if;
  std::uint64_t grid_blocks = 0;  ///< blocks of the grid; 0 = of the trace
  std::uint32_t blocks = 0;       ///< most blocks of a launch to run on the SM; 0 = by occupancy
  double timeline_cycles = 0;     ///< length of the timeline; 0 = none
  double timeline_from = 0;
};

/// A warp's instruction in a timeline.
struct TimelineEntry {
  WarpId warp;
  std::uint32_t pc = 0;
  std::string text;  ///< empty without a program
  double cycle = 0;
  Stall stall = Stall::selected;  ///< what the warp waited for before it, mostly
  double waited = 0;              ///< cycles since it could have issued after the one before
};

/// One launch.
struct KernelCycles {
  std::string kernel;
  std::string machine;
  std::uint64_t launch_index = 0;
  Dim3 grid, block;
  double cycles = 0;        ///< of an SM with most blocks, first start to last end; median
  double block_cycles = 0;  ///< median over the blocks that were run
  double block_least = 0, block_most = 0;
  /// Between the clock readings of a block (StreamOptions::clocked), median; 0 = none. And from
  /// the first reading on the SM to the last.
  double clocked_block = 0, clocked_sm = 0;
  std::uint64_t sms_run = 0;        ///< SMs that were run, each with its own blocks
  std::uint64_t blocks_per_sm = 0;  ///< of the SM with most
  std::uint64_t blocks_run = 0;     ///< of them that were run; the rest is extrapolated
  std::uint64_t blocks_known = 0;   ///< different blocks of the trace that were used
  std::uint32_t resident = 0;       ///< at a time
  SmRun sm;                         ///< of the SM in the middle
  StreamQuality quality;
  std::string bottleneck;       ///< the unit or stall reason that decides the time
  double bottleneck_share = 0;  ///< its busy share, or its share of warp cycles
  std::vector<TimelineEntry> timeline;

  double instructions_per_cycle() const;
};

/// Use of one unit: busy cycles / cycles, 0 to 1.
struct UnitUse {
  std::string_view name;
  double share = 0;
};
std::vector<UnitUse> unit_use(const KernelCycles& kernel);

/// Simulates each launch of a trace as it is read. Memory: the blocks of one launch that it runs.
class SimulateAnalysis : public TraceSink {
 public:
  using MachineOf = std::function<Result<const Machine*>(const Launch&)>;
  /// Blocks of a launch that are kept; what comes later is not looked at.
  static constexpr std::size_t kMostBlocks = 64;

  SimulateAnalysis(MachineOf machine_of, SimulateOptions options);

  Status begin_launch(const Launch& launch) override;
  Status program(const Program& program) override;
  Status events(const EventBatch& batch) override;
  Status end_launch() override;

  std::vector<KernelCycles> take_results() { return std::move(results_); }

 private:
  MachineOf machine_of_;
  SimulateOptions options_;
  const Launch* launch_ = nullptr;
  const Machine* machine_ = nullptr;
  std::unique_ptr<StreamBuilder> streams_;
  std::vector<std::string> texts_;  ///< of StreamBuilder::instructions()
  std::vector<std::unique_ptr<BlockTrace>> blocks_;
  std::uint64_t block_ = 0;
  bool skipping_ = false;
  std::size_t most_blocks_ = 0;
  std::vector<KernelCycles> results_;
};

/// Whether the machine's file has cycle.* parameters of its own: those it lacks are sm_90's.
bool has_own_times(const Machine& machine);

/// One mechanism of the model that can be switched off.
struct Mechanism {
  std::string_view name;
  std::string_view doc;
  void (*remove)(CycleParameters&);
};
const std::vector<Mechanism>& mechanisms();
/// Switches the mechanisms of these names off; names that there are none of do nothing.
void remove_mechanisms(const std::vector<std::string>& names, CycleParameters& parameters);

}  // namespace smemsim
