#include "sim/cycle/layout_trials.hpp"

#include <algorithm>

namespace smemsim {

struct LayoutTrials::Run {
  Run(const AccessCollector::MachineOf& machine_of, LayoutTrial asked)
      : trial(std::move(asked)),
        simulation(machine_of, SimulateOptions{}),
        rewriter(simulation, *trial.kernel, trial.changes) {}

  LayoutTrial trial;
  SimulateAnalysis simulation;
  LayoutRewriter rewriter;
  std::uint64_t launches = 0;
};

LayoutTrials::LayoutTrials(AccessCollector::MachineOf machine_of, std::vector<LayoutTrial> trials)
    : machine_of_(std::move(machine_of)) {
  for (LayoutTrial& trial : trials) {
    runs_.push_back(std::make_unique<Run>(machine_of_, std::move(trial)));
  }
}

LayoutTrials::~LayoutTrials() = default;

Status LayoutTrials::begin_launch(const Launch& launch) {
  current_.clear();
  blocks_ = 0;
  const Result<const Machine*> machine = machine_of_(launch);
  if (!machine.ok()) return machine.error();
  for (const auto& run : runs_) {
    const KernelAccesses& kernel = *run->trial.kernel;
    const bool same = launch.kernel == kernel.kernel && launch.function == kernel.launch.function &&
                      (*machine)->name == kernel.machine->name;
    if (!same || run->launches == kMostLaunches) continue;
    ++run->launches;
    current_.push_back(run.get());
    SMEMSIM_TRY(run->rewriter.begin_launch(launch));
  }
  return {};
}

Status LayoutTrials::program(const Program& program) {
  for (Run* run : current_) SMEMSIM_TRY(run->rewriter.program(program));
  return {};
}

Status LayoutTrials::events(const EventBatch& batch) {
  if (blocks_ == 0 || batch.block != block_) ++blocks_;
  block_ = batch.block;
  if (blocks_ > SimulateAnalysis::kMostBlocks) return {};
  for (Run* run : current_) SMEMSIM_TRY(run->rewriter.events(batch));
  return {};
}

Status LayoutTrials::end_launch() {
  for (Run* run : current_) SMEMSIM_TRY(run->rewriter.end_launch());
  current_.clear();
  return {};
}

std::vector<TrialResult> LayoutTrials::take_results() {
  std::vector<TrialResult> out;
  for (const auto& run : runs_) {
    TrialResult& result = out.emplace_back();
    double longest = 0;
    for (const KernelCycles& launch : run->simulation.take_results()) {
      result.cycles += launch.cycles;
      ++result.launches;
      result.from_slots = result.from_slots || launch.quality.from_slots;
      if (launch.cycles <= longest) continue;
      longest = launch.cycles;
      result.bottleneck = launch.bottleneck;
    }
  }
  return out;
}

}  // namespace smemsim
