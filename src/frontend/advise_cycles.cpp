#include "frontend/advise_cycles.hpp"

#include "sim/cycle/layout_trials.hpp"

namespace smemsim::cli {
namespace {

/// What a trial is for: one proposal, else the kernel as it is (`proposal` null, `now` set) or with
/// the first proposal of every array.
struct Asked {
  const KernelAdvice* kernel = nullptr;
  const LayoutProposal* proposal = nullptr;
  bool now = false;
};

void ask(const KernelAdvice& kernel, std::size_t top, std::vector<Asked>& asked,
         std::vector<LayoutTrial>& trials) {
  std::vector<RegionChange> first;
  const auto add = [&](Asked what, std::vector<RegionChange> changes) {
    asked.push_back(what);
    trials.push_back({&kernel.accesses, std::move(changes)});
  };
  for (const RegionAdvice& region : kernel.regions) {
    for (std::size_t i = 0; i < region.proposals.size() && (top == 0 || i < top); ++i) {
      const LayoutProposal& one = region.proposals[i];
      if (i == 0) first.push_back({&region.region, one.change});
      add({&kernel, &one, false}, {{&region.region, one.change}});
    }
  }
  if (first.empty()) return;
  add({&kernel, nullptr, true}, {});
  if (first.size() > 1) add({&kernel, nullptr, false}, std::move(first));
}

}  // namespace

Result<AdviceCycles> predict_cycles(const AdviceReport& report, std::size_t top,
                                    const AccessCollector::MachineOf& machine_of,
                                    const std::function<Status(TraceSink&)>& read) {
  std::vector<Asked> asked;
  std::vector<LayoutTrial> trials;
  for (const KernelAdvice& kernel : report.kernels) ask(kernel, top, asked, trials);
  AdviceCycles out;
  if (trials.empty()) return out;
  LayoutTrials runs(machine_of, std::move(trials));
  SMEMSIM_TRY(read(runs));
  const std::vector<TrialResult> results = runs.take_results();

  for (std::size_t i = 0; i < results.size(); ++i) {
    if (!asked[i].now || results[i].cycles <= 0) continue;
    KernelPrediction& kernel = out.kernels[asked[i].kernel];
    kernel.together.before = results[i].cycles;
    kernel.launches = results[i].launches;
    kernel.accesses_only = results[i].from_slots;
    kernel.bottleneck = results[i].bottleneck;
  }
  for (std::size_t i = 0; i < results.size(); ++i) {
    const auto kernel = out.kernels.find(asked[i].kernel);
    if (kernel == out.kernels.end() || asked[i].now) continue;
    if (asked[i].proposal == nullptr) {
      kernel->second.together.after = results[i].cycles;
    } else {
      out.proposals[asked[i].proposal] = {kernel->second.together.before, results[i].cycles};
    }
  }
  for (auto& [kernel, prediction] : out.kernels) {
    const LayoutProposal* only = nullptr;
    for (const RegionAdvice& region : kernel->regions) {
      if (region.proposals.empty()) continue;
      ++prediction.arrays;
      only = &region.proposals.front();
    }
    if (prediction.arrays == 1) prediction.together.after = out.proposals.at(only).after;
  }
  return out;
}

}  // namespace smemsim::cli
