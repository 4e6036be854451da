// smemsim simulate TRACE: cycles of each kernel, what it waits for, and what a change would give.
#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <memory>

#include "frontend/commands/all.hpp"
#include "frontend/options.hpp"
#include "frontend/render_simulate.hpp"
#include "sim/machine_parameters.hpp"

namespace smemsim::cli {
namespace {

struct Options {
  TraceOptions trace;
  OutputOptions output;
  std::string machine;
  std::string what_if;
  std::vector<std::string> set, without;
  std::uint32_t blocks = 0;
  std::uint64_t grid_blocks = 0;
  bool clocked = false;
  bool timeline = false;
  double from = 0;
  double cycles = 100;
  std::string timeline_out;
};

/// Applies one "cycle.name=value".
Status set_parameter(const std::string& text, Machine& machine) {
  const std::size_t equals = text.find('=');
  const std::string path = text.substr(0, equals);
  const Parameter* parameter = find_parameter(path);
  if (parameter == nullptr || equals == std::string::npos) {
    return usage_error("--set", fmt::format("no parameter in '{}'", text),
                       "expected NAME=VALUE; `smemsim machines sm_90` lists the names");
  }
  double value = 0;
  try {
    value = std::stod(text.substr(equals + 1));
  } catch (const std::exception&) {
    return usage_error("--set", fmt::format("expected a number after '{}='", path));
  }
  if (!(value >= parameter->least && value <= parameter->most)) {
    return usage_error("--set", fmt::format("{} takes values from {} to {}", path, parameter->least,
                                            parameter->most));
  }
  ParameterSlot slot = parameter->slot(machine);
  if (auto* real = std::get_if<double*>(&slot)) {
    **real = value;
  } else if (auto* natural = std::get_if<std::uint32_t*>(&slot)) {
    **natural = static_cast<std::uint32_t>(value);
  } else {
    return usage_error("--set", fmt::format("{} is a list", path));
  }
  return {};
}

/// The machines of the launches with the user's changes.
class ChangedMachines {
 public:
  ChangedMachines(const Options& options, MachineChoice& choice)
      : options_(options), choice_(choice) {}
  Result<const Machine*> operator()(const Launch& launch) {
    auto machine = choice_(launch);
    if (!machine.ok()) return machine;
    auto changed = std::make_unique<Machine>(**machine);
    for (const std::string& text : options_.set) SMEMSIM_TRY(set_parameter(text, *changed));
    remove_mechanisms(options_.without, *changed->cycle);
    machines_.push_back(std::move(changed));
    return machines_.back().get();
  }

 private:
  const Options& options_;
  MachineChoice& choice_;
  std::vector<std::unique_ptr<Machine>> machines_;
};

Result<std::vector<KernelCycles>> simulate(const Options& options, const SimulateOptions& how,
                                           MachineChoice& choice, Environment& environment,
                                           bool warn) {
  auto source = open_trace(options.trace);
  if (!source.ok()) return source.error();
  ChangedMachines machines(options, choice);
  SimulateAnalysis analysis([&](const Launch& launch) { return machines(launch); }, how);
  {
    ProgressSink progress(analysis, environment);
    SMEMSIM_TRY(source.value()->read(progress));
  }
  if (warn) {
    for (const std::string& warning : source.value()->warnings()) {
      print_warning(environment, warning);
    }
  }
  return analysis.take_results();
}

Result<ExitStatus> run(const Options& options, Environment& environment) {
  MachineChoice choice(options.machine);
  SimulateOptions how;
  how.blocks = options.blocks;
  how.grid_blocks = options.grid_blocks;
  how.what_if.clocked = options.clocked;
  if (options.timeline || !options.timeline_out.empty()) {
    how.timeline_from = options.from;
    how.timeline_cycles = options.cycles;
  }
  auto now = simulate(options, how, choice, environment, true);
  if (!now.ok()) return now.error();
  std::vector<SimulateEntry> entries;
  for (KernelCycles& kernel : *now) entries.push_back({std::move(kernel), {}});

  SimulateView view;
  view.trace = options.trace.trace;
  view.timeline = options.timeline;
  view.timeline_from = how.timeline_from;
  view.timeline_cycles = how.timeline_cycles;
  if (!options.what_if.empty()) {
    if (options.trace.trace == "-") {
      return usage_error("--what-if", "the trace is read twice; give a file");
    }
    how.timeline_cycles = 0;
    how.what_if.conflict_free = options.what_if == "conflict-free";
    how.what_if.no_barriers = options.what_if == "no-barriers";
    view.what_if = how.what_if.conflict_free ? "without bank conflicts" : "without block barriers";
    auto changed = simulate(options, how, choice, environment, false);
    if (!changed.ok()) return changed.error();
    for (std::size_t i = 0; i < entries.size() && i < changed->size(); ++i) {
      entries[i].changed = std::move((*changed)[i]);
    }
  }
  view.notes = choice.notes();
  SMEMSIM_TRY(write_output(options.output, environment, [&](Environment& there) -> Status {
    if (options.output.format == "json") return render_simulate_json(entries, view, there);
    if (options.output.format == "csv") return render_simulate_csv(entries, there);
    return render_simulate_text(entries, view, there);
  }));
  if (!options.timeline_out.empty()) {
    SMEMSIM_TRY(write_result(environment, options.timeline_out, timeline_events(entries)));
  }
  return ExitStatus::ok;
}

}  // namespace

RunCommand setup_simulate(CLI::App& app) {
  auto options = std::make_shared<Options>();
  app.description(
      "Predicts how many cycles each kernel of a trace takes on one SM, what its warps wait for, "
      "how busy each unit is, and which of them decides the time.");
  app.footer(
      "smemsim simulate my.smt\n"
      "smemsim simulate my.smt --what-if conflict-free    # is it worth fixing the conflicts?\n"
      "smemsim simulate my.smt --timeline --from 2000 --cycles 80\n"
      "smemsim simulate my.smt --timeline-out t.json --cycles 5000   # for ui.perfetto.dev\n"
      "smemsim simulate my.smt --set cycle.barrier_latency=0 --format csv");
  add_trace_options(app, options->trace);
  add_machine_option(app, options->machine);
  app.add_option("--what-if", options->what_if, "also predict the time without one cost")
      ->type_name("CHANGE")
      ->check(one_of({"conflict-free", "no-barriers"}));
  app.add_option("--set", options->set, "change a machine parameter, such as cycle.l2_latency=300")
      ->type_name("NAME=VALUE");
  std::vector<std::string> names;
  for (const Mechanism& one : mechanisms()) names.emplace_back(one.name);
  app.add_option("--ablate", options->without,
                 fmt::format("switch a mechanism of the model off: {}", fmt::join(names, ", ")))
      ->type_name("MECHANISM")
      ->check(one_of(names));
  app.add_option("--blocks", options->blocks,
                 "run at most N blocks of a kernel and extrapolate; 0 = some waves")
      ->type_name("N");
  app.add_option("--grid-blocks", options->grid_blocks,
                 "as if the grid had N blocks like those of the trace; 0 = the grid's own")
      ->type_name("N");
  app.add_flag("--clocked", options->clocked,
               "take the way on which the kernel's first warp reads the clock, and report the time "
               "between its first and last reading");
  app.add_flag("--timeline", options->timeline, "show warps against cycles");
  app.add_option("--from", options->from, "first cycle of the timeline")
      ->type_name("CYCLE")
      ->capture_default_str();
  app.add_option("--cycles", options->cycles, "length of the timeline")
      ->type_name("N")
      ->capture_default_str();
  app.add_option("--timeline-out", options->timeline_out,
                 "write the timeline for Chrome or Perfetto to a file")
      ->type_name("FILE");
  add_output_options(app, options->output, {"text", "json", "csv"});
  return [options](Environment& environment) { return run(*options, environment); };
}

}  // namespace smemsim::cli
