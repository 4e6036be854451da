// The race checker: a consumer of warp events that reports data races and synchronisation mistakes.
// What counts as ordered, and why, is docs/races.md.
#pragma once

#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "sim/race_report.hpp"
#include "sim/race_values.hpp"
#include "sim/trace_sink.hpp"

namespace smemsim {

class RaceExecutor;
class RaceLog;
class RaceSilent;
class ShapeSet;

/// Feed it a trace, then ask for the report. Memory: the events of one block (24 bytes each; of one
/// cluster when its blocks touch each other's shared memory) and shadow state in proportion to the
/// shared memory of the block; never the length of the trace.
class RaceChecker : public TraceSink {
 public:
  explicit RaceChecker(RaceOptions options = {});
  ~RaceChecker() override;
  RaceChecker(const RaceChecker&) = delete;
  RaceChecker& operator=(const RaceChecker&) = delete;

  Status begin_launch(const Launch& launch) override;
  Status program(const Program& program) override;
  Status events(const EventBatch& batch) override;
  Status end_launch() override;

  const RaceReport& report() const { return report_; }
  RaceReport take_report() { return std::move(report_); }

 private:
  struct Pending;  ///< buffered blocks of one cluster

  std::shared_ptr<ShapeSet> shapes_of(const EventBatch& batch);
  void start_executor();
  void keep(const EventBatch& batch, std::shared_ptr<ShapeSet> shapes, std::vector<Event> events);
  void flush(Pending& cluster);
  void play_block(Pending& cluster, std::vector<std::uint32_t> ranks);
  void finish_block();
  std::pair<std::uint64_t, std::uint32_t> place(std::uint64_t block) const;
  void finish_findings(LaunchRaces& out);
  void add_hints(LaunchRaces& out);
  bool stands_below(const Site& wait, std::uint32_t use) const;

  RaceOptions options_;
  RaceReport report_;
  const Launch* launch_ = nullptr;
  Launch own_launch_;  ///< with sites of instructions that leave no events, where there are some
  std::unique_ptr<RaceSilent> silent_;
  bool weaving_ = false;
  using CodePlace = std::pair<std::string, std::uint32_t>;  ///< function, pc
  std::set<CodePlace> atomic_loads_;
  MbarrierConstants mbarrier_constants_;
  std::unique_ptr<RaceLog> log_;
  std::unique_ptr<RaceExecutor> executor_;
  bool executor_started_ = false;
  bool fence_events_ = false;
  bool tensor_copies_ = false;  ///< the kernel has some, and traces cannot show them
  bool program_seen_ = false;
  std::shared_ptr<ShapeSet> shapes_;
  std::uint64_t shapes_id_ = 0;
  bool in_block_ = false;
  std::uint64_t block_ = 0;
  std::uint64_t buffered_ = 0;
  std::uint64_t blocks_ = 0, events_ = 0;
  std::map<std::uint64_t, std::unique_ptr<Pending>> clusters_;
};

}  // namespace smemsim
