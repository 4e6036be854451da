// From a trace to a ConflictReport.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "sim/conflict_report.hpp"
#include "sim/trace_sink.hpp"

namespace smemsim {

/// Adds up what every shared access of a trace costs. A cost is computed once for each shape and
/// alignment, so that a repeated access is an increment.
class ConflictAnalysis : public TraceSink {
 public:
  /// What becomes one entry of the report: all launches of a kernel, or each launch.
  enum class GroupBy : std::uint8_t { kernel, launch };
  /// The machine for a launch; it must outlive the analysis.
  using MachineOf = std::function<Result<const Machine*>(const Launch&)>;

  explicit ConflictAnalysis(MachineOf machine_of, GroupBy group_by = GroupBy::kernel,
                            std::string trace_name = {});
  ~ConflictAnalysis() override;
  ConflictAnalysis(const ConflictAnalysis&) = delete;
  ConflictAnalysis& operator=(const ConflictAnalysis&) = delete;

  Status begin_launch(const Launch& launch) override;
  /// An access that hardware would fault on is an error that names launch, block, warp, site, lane.
  Status events(const EventBatch& batch) override;
  Status end_launch() override;

  /// The report on everything so far. Call it once, after the last launch.
  ConflictReport take_report();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace smemsim
