// Predicted shared-memory counters of a trace against what the hardware counted.
//
// Nsight Compute has two families of counters. The `sass` family counts per instruction, from the
// addresses. The pipe family (l1tex__data_pipe..., l1tex__data_bank_conflicts...) counts cycles of
// the data stage, and adds the cycles that an access lost to another client of the stage
// (asynchronous copies, bulk copies, tensor-core operands): "arbitration", which depends on
// timing and varies from run to run. docs/measurement.md shows the experiment.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "sim/conflict_report.hpp"
#include "sim/measured_run.hpp"
#include "sim/site_diff.hpp"

namespace smemsim {

enum class CounterVerdict : std::uint8_t {
  equal,        ///< within the tolerance
  arbitration,  ///< pipe counter above the prediction while the `sass` counter of the kind is equal
  different,
};

/// One counter of one kernel.
struct CounterComparison {
  std::string counter;
  std::string kind;      ///< "ld", "st", ...
  std::string quantity;  ///< "wavefronts" or "conflicts"
  double predicted = 0;  ///< scaled to all blocks of the launches
  double measured = 0;
  CounterVerdict verdict = CounterVerdict::equal;

  double difference() const { return predicted - measured; }
  /// |difference| / measured; 0 when both are 0, infinite when only measured is 0.
  double relative() const;
};

struct KernelComparison {
  std::string kernel;
  std::uint64_t launches = 0;   ///< of the trace that were matched with a measured one
  std::uint64_t unmatched = 0;  ///< of the trace without a measured one
  std::uint64_t recorded_blocks = 0, launched_blocks = 0;  ///< of the matched launches
  std::uint64_t unmodelled = 0;  ///< executions without a prediction: the kernel cannot agree
  std::vector<CounterComparison> counters;  ///< those where either side is not 0
  std::vector<SiteComparison> sites;        ///< likewise, where the measurement is a source page
  std::uint64_t unmatched_sites = 0;        ///< see SiteDiff::unmatched

  bool scaled() const { return recorded_blocks != launched_blocks; }
  bool agrees() const;
};

struct CounterDiff {
  std::vector<KernelComparison> kernels;
  bool agrees() const;
};

/// `report` has one entry per launch (ConflictAnalysis::GroupBy::launch); LaunchMatcher finds the
/// measured one. `tolerance` is relative.
CounterDiff diff_counters(const ConflictReport& report, const MeasuredRun& run, double tolerance);

}  // namespace smemsim
