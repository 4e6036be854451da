#include "sim/cycle_diff.hpp"

#include <algorithm>
#include <cmath>

#include "sim/cycle/cycle_parameters.hpp"

namespace smemsim {
namespace {

/// Instructions that may lie on more than one path before a prediction counts as uncertain.
constexpr double kAmbiguousShare = 0.05;
/// Blocks do the same work when their instructions differ by less.
constexpr double kSameWork = 0.01;

std::optional<double> instructions_per_block(const MeasuredLaunch& launch) {
  const auto at = launch.counters.find("smsp__inst_executed.sum");
  if (at == launch.counters.end() || launch.grid.count() == 0) return std::nullopt;
  return at->second / static_cast<double>(launch.grid.count());
}

CycleGap block_gap(const MeasuredLaunch* measured) {
  if (measured == nullptr) return CycleGap::no_measurement;
  return measured->clocks && measured->clocks->block_median > 0 ? CycleGap::none
                                                                : CycleGap::no_clocks;
}

CycleGap sm_gap(const MeasuredLaunch* measured, const MeasuredLaunch* full) {
  if (measured == nullptr || full == nullptr) return CycleGap::no_measurement;
  if (!full->clocks || full->clocks->sm_median <= 0) return CycleGap::no_clocks;
  if (full->grid == measured->grid) return CycleGap::same_grid;
  const auto each = instructions_per_block(*measured), there = instructions_per_block(*full);
  if (!each || !there) return CycleGap::no_counters;
  return std::abs(*there - *each) < kSameWork * *each ? CycleGap::none : CycleGap::other_work;
}

bool is_uncertain(const KernelCycles& run) {
  return static_cast<double>(run.quality.ambiguous) >
             kAmbiguousShare * static_cast<double>(run.quality.instructions) ||
         run.sm.broken_waits > 0;
}

}  // namespace

CycleStatistics cycle_statistics(std::span<const CyclePair> pairs) {
  CycleStatistics out;
  out.kernels = pairs.size();
  if (pairs.empty()) return out;
  const auto count = static_cast<double>(pairs.size());
  double predicted = 0, measured = 0;
  for (const CyclePair& pair : pairs) {
    out.mean_absolute_error += std::abs(pair.error()) / count;
    predicted += pair.predicted / count;
    measured += pair.measured / count;
  }
  double both = 0, of_predicted = 0, of_measured = 0;
  for (const CyclePair& pair : pairs) {
    const double p = pair.predicted - predicted, m = pair.measured - measured;
    both += p * m;
    of_predicted += p * p;
    of_measured += m * m;
  }
  if (pairs.size() >= 3 && of_predicted > 0 && of_measured > 0) {
    out.correlation = both / std::sqrt(of_predicted * of_measured);
  }
  return out;
}

std::uint64_t median_blocks(std::uint64_t grid, std::uint64_t sms) {
  if (grid < sms) return grid;
  const std::uint64_t least = grid / sms, more = grid % sms;
  return (least + (2 * more >= sms ? 1 : 0)) * sms;
}

CycleDiffAnalysis::CycleDiffAnalysis(SimulateAnalysis::MachineOf machine_of, const MeasuredRun& run,
                                     const MeasuredRun* full)
    : machine_of_(std::move(machine_of)), measured_of_(run) {
  if (full != nullptr) full_of_.emplace(*full, LaunchMatcher::Grid::any);
}

std::unique_ptr<SimulateAnalysis> CycleDiffAnalysis::simulation(std::uint64_t grid_blocks) const {
  SimulateOptions options;
  options.what_if.clocked = true;
  options.grid_blocks = grid_blocks;
  return std::make_unique<SimulateAnalysis>(machine_of_, options);
}

Status CycleDiffAnalysis::each(const std::function<Status(SimulateAnalysis&)>& call) {
  for (const auto* run : {&block_run_, &sm_run_}) {
    if (*run != nullptr) SMEMSIM_TRY(call(**run));
  }
  return {};
}

Status CycleDiffAnalysis::begin_launch(const Launch& launch) {
  measured_ = measured_of_(launch);
  full_ = full_of_ ? (*full_of_)(launch) : nullptr;
  CycleComparison& out = results_.emplace_back();
  out.kernel = launch.kernel;
  out.launch_index = launch.launch_index;
  out.grid = launch.grid;
  out.block_size = launch.block;
  out.block_gap = block_gap(measured_);
  out.sm_gap = sm_gap(measured_, full_);
  if (out.block_gap == CycleGap::none) block_run_ = simulation(0);
  if (out.sm_gap == CycleGap::none) {
    std::uint64_t sms = launch.device.sms;
    if (sms == 0) {
      const auto machine = machine_of_(launch);
      if (!machine.ok()) return machine.error();
      sms = std::max<std::uint64_t>(static_cast<std::uint64_t>((*machine)->cycle->sms), 1);
    }
    sm_run_ = simulation(median_blocks(full_->grid.count(), sms));
  }
  return each([&](SimulateAnalysis& run) { return run.begin_launch(launch); });
}

Status CycleDiffAnalysis::program(const Program& program) {
  return each([&](SimulateAnalysis& run) { return run.program(program); });
}

Status CycleDiffAnalysis::events(const EventBatch& batch) {
  return each([&](SimulateAnalysis& run) { return run.events(batch); });
}

Status CycleDiffAnalysis::end_launch() {
  SMEMSIM_TRY(each([](SimulateAnalysis& run) { return run.end_launch(); }));
  CycleComparison& out = results_.back();
  if (block_run_ != nullptr) {
    const KernelCycles run = std::move(block_run_->take_results().front());
    out.uncertain = is_uncertain(run);
    const BlockClocks& clocks = *measured_->clocks;
    if (run.clocked_block > 0) {
      out.block = CyclePair{run.clocked_block, clocks.block_median, clocks.block_p10,
                            clocks.block_p90, measured_->grid.count()};
    } else {
      out.block_gap = CycleGap::no_clock_read;
    }
  }
  if (sm_run_ != nullptr) {
    const KernelCycles run = std::move(sm_run_->take_results().front());
    out.uncertain = out.uncertain || is_uncertain(run);
    if (run.clocked_sm > 0) {
      out.sm = CyclePair{run.clocked_sm, full_->clocks->sm_median, 0, 0, full_->grid.count()};
    } else {
      out.sm_gap = CycleGap::no_clock_read;
    }
  }
  block_run_.reset();
  sm_run_.reset();
  return {};
}

}  // namespace smemsim
