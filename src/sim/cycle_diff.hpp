// Predicted cycles of a trace's launches against block clocks that were measured on the same
// kernels.
//
// Two sizes. "Block": from the first clock reading of a block to its last, in a launch of the grid
// that was traced. "SM": from the first reading on an SM to the last, in a launch of another grid
// (as a rule one that fills the device), predicted from the blocks of the trace.
// docs/measurement.md.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "sim/cycle/simulate.hpp"
#include "sim/measured_run.hpp"
#include "sim/trace_sink.hpp"

namespace smemsim {

/// Cycles of the SM clock.
struct CyclePair {
  double predicted = 0;
  double measured = 0;            ///< median, above 0
  double p10 = 0, p90 = 0;        ///< of the measured blocks; 0 for SMs
  std::uint64_t grid_blocks = 0;  ///< of the measured launch

  double error() const { return predicted / measured - 1; }  ///< relative, with its sign
};

/// Why a launch has no pair of cycles.
enum class CycleGap : std::uint8_t {
  none,
  no_measurement,  ///< the run has no such launch
  no_clocks,       ///< it has, without block clocks
  no_clock_read,   ///< the traced kernel does not read the clock: nothing to predict
  same_grid,       ///< SM only: the measured grid is that of the trace
  no_counters,     ///< SM only: the runs do not tell the instructions of a block
  other_work,      ///< SM only: its blocks execute another number of instructions
};

/// One launch of a trace.
struct CycleComparison {
  std::string kernel;  ///< demangled
  std::uint64_t launch_index = 0;
  Dim3 grid, block_size;
  std::optional<CyclePair> block, sm;
  CycleGap block_gap = CycleGap::none, sm_gap = CycleGap::none;  ///< none where there is a pair
  /// The trace does not decide all branches, or warps waited for what it lacks: the path that is
  /// simulated may not be the one that was taken.
  bool uncertain = false;
};

/// How well predictions do as a whole.
struct CycleStatistics {
  std::size_t kernels = 0;
  double mean_absolute_error = 0;     ///< mean of |error|; 0 without kernels
  std::optional<double> correlation;  ///< Pearson's, of the cycles; needs three kernels that differ
};
CycleStatistics cycle_statistics(std::span<const CyclePair> pairs);

/// Blocks of a grid as the SM in the middle sees them when blocks are dealt out evenly: a grid of
/// which every SM has as many blocks as the median one. `sms` of at least 1.
std::uint64_t median_blocks(std::uint64_t grid, std::uint64_t sms);

/// Simulates each launch of a trace, in the traced grid and in the one of `full`, and compares.
class CycleDiffAnalysis : public TraceSink {
 public:
  /// The runs must live as long as this object; `full` may be null.
  CycleDiffAnalysis(SimulateAnalysis::MachineOf machine_of, const MeasuredRun& run,
                    const MeasuredRun* full);

  Status begin_launch(const Launch& launch) override;
  Status program(const Program& program) override;
  Status events(const EventBatch& batch) override;
  Status end_launch() override;

  std::vector<CycleComparison> take_results() { return std::move(results_); }

 private:
  std::unique_ptr<SimulateAnalysis> simulation(std::uint64_t grid_blocks) const;
  Status each(const std::function<Status(SimulateAnalysis&)>& call);

  SimulateAnalysis::MachineOf machine_of_;
  LaunchMatcher measured_of_;
  std::optional<LaunchMatcher> full_of_;
  const MeasuredLaunch* measured_ = nullptr;
  const MeasuredLaunch* full_ = nullptr;
  std::unique_ptr<SimulateAnalysis> block_run_, sm_run_;  ///< null = nothing to compare with
  std::vector<CycleComparison> results_;
};

}  // namespace smemsim
