// What a layout does to the time of a kernel: its accesses, moved, run through the cycle model.
//
// The instructions stay those of the trace: what a new index expression costs is not in it. A
// padding's bytes count for the resident blocks.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "sim/cycle/simulate.hpp"
#include "sim/layout_rewriter.hpp"

namespace smemsim {

/// A kernel with some of its arrays changed; without changes it is run as it is.
struct LayoutTrial {
  const KernelAccesses* kernel = nullptr;
  std::vector<RegionChange> changes;
};

struct TrialResult {
  double cycles = 0;           ///< of one SM, the launches that were run together; 0 = none was
  std::uint64_t launches = 0;  ///< that were run
  bool from_slots = false;     ///< the trace has no program to replay between its events
  std::string bottleneck;      ///< of the longest launch, as in KernelCycles
};

/// Runs trials while a trace passes. Each kernel's first launches are run, the others left out.
class LayoutTrials : public TraceSink {
 public:
  static constexpr std::uint64_t kMostLaunches = 4;

  /// The machines must outlive this object.
  LayoutTrials(AccessCollector::MachineOf machine_of, std::vector<LayoutTrial> trials);
  ~LayoutTrials() override;
  LayoutTrials(const LayoutTrials&) = delete;
  LayoutTrials& operator=(const LayoutTrials&) = delete;

  Status begin_launch(const Launch& launch) override;
  Status program(const Program& program) override;
  Status events(const EventBatch& batch) override;
  Status end_launch() override;

  /// One for each trial, in order. Call it once.
  std::vector<TrialResult> take_results();

 private:
  struct Run;
  AccessCollector::MachineOf machine_of_;
  std::vector<std::unique_ptr<Run>> runs_;
  std::vector<Run*> current_;  ///< those of the launch's kernel
  std::uint64_t block_ = 0;    ///< the one that events come of
  std::size_t blocks_ = 0;     ///< of the launch so far
};

}  // namespace smemsim
