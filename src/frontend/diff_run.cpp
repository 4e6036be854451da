#include "frontend/diff_run.hpp"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <map>
#include <memory>

#include "frontend/options.hpp"
#include "sim/conflict_analysis.hpp"
#include "sim/cycle/cycle_parameters.hpp"
#include "trace/measured_file.hpp"

namespace smemsim::cli {
namespace {

/// Hands a trace to both analyses, so that it is read once. `second` may be null.
class TwoSinks : public TraceSink {
 public:
  TwoSinks(TraceSink& first, TraceSink* second) : first_(first), second_(second) {}
  Status begin_launch(const Launch& launch) override {
    SMEMSIM_TRY(first_.begin_launch(launch));
    return second_ == nullptr ? Status() : second_->begin_launch(launch);
  }
  Status program(const Program& program) override {
    SMEMSIM_TRY(first_.program(program));
    return second_ == nullptr ? Status() : second_->program(program);
  }
  Status events(const EventBatch& batch) override {
    SMEMSIM_TRY(first_.events(batch));
    return second_ == nullptr ? Status() : second_->events(batch);
  }
  Status end_launch() override {
    SMEMSIM_TRY(first_.end_launch());
    return second_ == nullptr ? Status() : second_->end_launch();
  }

 private:
  TraceSink& first_;
  TraceSink* second_;
};

/// The machines of the launches without some mechanisms.
class AblatedMachines {
 public:
  AblatedMachines(MachineChoice& choice, const std::vector<std::string>& without)
      : choice_(choice), without_(without) {}
  Result<const Machine*> operator()(const Launch& launch) {
    auto machine = choice_(launch);
    if (!machine.ok() || without_.empty()) return machine;
    std::unique_ptr<Machine>& changed = changed_[*machine];
    if (changed == nullptr) {
      changed = std::make_unique<Machine>(**machine);
      remove_mechanisms(without_, *changed->cycle);
    }
    return changed.get();
  }

 private:
  MachineChoice& choice_;
  const std::vector<std::string>& without_;
  std::map<const Machine*, std::unique_ptr<Machine>> changed_;
};

Result<MeasuredRun> read_measured(const std::string& path) {
  auto bytes = trace::open_source(path);
  if (!bytes.ok()) return bytes.error();
  return trace::read_measured_run(**bytes);
}

/// The measurements of another size of the problem, in the folder "full" beside the trace, if any.
Result<std::optional<MeasuredRun>> read_full(const std::string& trace_path) {
  const std::filesystem::path beside(trace::measured_path_of(trace_path));
  const std::filesystem::path path = beside.parent_path() / "full" / beside.filename();
  std::error_code ignored;
  if (!std::filesystem::exists(path, ignored)) return std::optional<MeasuredRun>();
  auto run = read_measured(path.string());
  if (!run.ok()) return run.error();
  return std::optional<MeasuredRun>(*std::move(run));
}

Result<DiffEntry> compare_trace(const DiffOptions& options, const std::string& trace,
                                MachineChoice& choice, Environment& environment) {
  auto source = open_trace({trace, options.kernel});
  if (!source.ok()) return source.error();
  DiffEntry entry;
  entry.trace = trace;
  entry.measured = options.measured.empty() ? trace::measured_path_of(trace) : options.measured;
  const auto measured = read_measured(entry.measured);
  if (!measured.ok()) {
    Error error = measured.error();
    if (error.kind == ErrorKind::io) {
      error.hint =
          "measure the same command on the GPU with tools/measure, or name the file with "
          "--measured";
    }
    return error;
  }
  entry.device = measured->device;
  std::optional<MeasuredRun> full;
  if (options.cycles) {
    auto read = read_full(trace);
    if (!read.ok()) return read.error();
    full = *std::move(read);
  }

  ConflictAnalysis analysis([&](const Launch& launch) { return choice(launch); },
                            ConflictAnalysis::GroupBy::launch, trace);
  AblatedMachines machines(choice, options.ablate);
  CycleDiffAnalysis cycles([&](const Launch& launch) { return machines(launch); }, *measured,
                           full ? &*full : nullptr);
  {
    TwoSinks both(analysis, options.cycles ? &cycles : nullptr);
    ProgressSink progress(both, environment);
    SMEMSIM_TRY((*source)->read(progress));
  }
  for (const std::string& warning : (*source)->warnings()) print_warning(environment, warning);
  entry.counters = diff_counters(analysis.take_report(), *measured, options.tolerance);
  if (entry.counters.kernels.empty()) {
    return invalid_input(trace, "no launch to compare",
                         options.kernel.empty() ? "" : "--kernel matches none");
  }
  entry.cycles = cycles.take_results();
  return entry;
}

}  // namespace

bool DiffResult::agrees() const {
  return std::all_of(entries.begin(), entries.end(),
                     [](const DiffEntry& entry) { return entry.counters.agrees(); });
}

bool DiffResult::within(const CyclePair& block) const {
  return !options.cycle_tolerance || std::abs(block.error()) <= *options.cycle_tolerance;
}

bool DiffResult::cycles_within() const {
  const std::vector<CyclePair> blocks = pairs(&CycleComparison::block);
  return std::all_of(blocks.begin(), blocks.end(),
                     [&](const CyclePair& block) { return within(block); });
}

std::vector<CyclePair> DiffResult::pairs(std::optional<CyclePair> CycleComparison::*size) const {
  std::vector<CyclePair> out;
  for (const DiffEntry& entry : entries) {
    for (const CycleComparison& launch : entry.cycles) {
      if (launch.*size) out.push_back(*(launch.*size));
    }
  }
  return out;
}

Result<DiffResult> run_diff(const DiffOptions& options, Environment& environment) {
  if (!options.measured.empty() && options.traces.size() > 1) {
    return usage_error("--measured", "one file of measurements belongs to one trace",
                       "without it, each trace is compared with the .measured.json beside it");
  }
  if (!options.cycles && options.cycle_tolerance) {
    return usage_error("--cycle-tolerance", "no cycles are compared", "add --cycles");
  }
  if (!options.cycles && !options.ablate.empty()) {
    return usage_error("--ablate", "no cycles are compared", "add --cycles");
  }
  DiffResult result;
  result.options = options;
  MachineChoice choice(options.machine);
  for (const std::string& trace : options.traces) {
    auto entry = compare_trace(options, trace, choice, environment);
    if (!entry.ok()) return entry.error();
    result.entries.push_back(*std::move(entry));
  }
  if (options.cycles) result.notes = choice.notes();
  return result;
}

}  // namespace smemsim::cli
