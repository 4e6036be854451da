// smemsim diff TRACE: predicted against measured.
#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <memory>

#include "frontend/commands/all.hpp"
#include "frontend/options.hpp"
#include "frontend/render_diff.hpp"
#include "sim/conflict_analysis.hpp"
#include "trace/measured_file.hpp"

namespace smemsim::cli {
namespace {

struct Options {
  TraceOptions trace;
  OutputOptions output;
  std::string machine;
  std::string measured;
  double tolerance = 0;
};

Result<ExitStatus> run(const Options& options, Environment& environment) {
  auto source = open_trace(options.trace);
  if (!source.ok()) return source.error();
  const std::string measured_path =
      options.measured.empty() ? trace::measured_path_of(options.trace.trace) : options.measured;
  auto measured_bytes = trace::open_source(measured_path);
  if (!measured_bytes.ok()) {
    Error error = measured_bytes.error();
    error.hint =
        "measure the same command on the GPU with tools/measure, or name the file with "
        "--measured";
    return error;
  }
  const auto measured = trace::read_measured_run(**measured_bytes);
  if (!measured.ok()) return measured.error();

  MachineChoice machines(options.machine);
  ConflictAnalysis analysis([&](const Launch& launch) { return machines(launch); },
                            ConflictAnalysis::GroupBy::launch, options.trace.trace);
  {
    ProgressSink progress(analysis, environment);
    SMEMSIM_TRY((*source)->read(progress));
  }
  for (const std::string& warning : (*source)->warnings()) print_warning(environment, warning);
  const CounterDiff diff = diff_counters(analysis.take_report(), *measured, options.tolerance);
  if (diff.kernels.empty()) {
    return invalid_input(options.trace.trace, "no launch to compare",
                         options.trace.kernel.empty() ? "" : "--kernel matches none");
  }
  const DiffView view{options.trace.trace, measured_path, options.tolerance};
  SMEMSIM_TRY(write_output(options.output, environment, [&](Environment& there) {
    if (options.output.format == "json") return render_diff_json(diff, *measured, view, there);
    if (options.output.format == "csv") return render_diff_csv(diff, *measured, view, there);
    return render_diff_text(diff, *measured, view, there);
  }));
  return diff.agrees() ? ExitStatus::ok : ExitStatus::check_failed;
}

}  // namespace

RunCommand setup_diff(CLI::App& app) {
  auto options = std::make_shared<Options>();
  app.description(
      "Compares the shared-memory counters that the model predicts for a trace with those that the "
      "hardware counted on the same launches. Exit status 1 when any differs.");
  app.footer(
      "smemsim diff traces/transpose_naive.smt                 # reads the .measured.json beside "
      "it\n"
      "smemsim diff my.smt --measured ncu.csv --tolerance 0.01 # `ncu --csv` output, 1 % allowed");
  add_trace_options(app, options->trace);
  app.add_option("--measured", options->measured,
                 "measurements: .measured.json or `ncu --csv` output (default: beside the trace)")
      ->type_name("FILE");
  app.add_option("--tolerance", options->tolerance, "allowed relative difference")
      ->type_name("FRACTION")
      ->check(CLI::Range(0.0, 1.0))
      ->capture_default_str();
  add_machine_option(app, options->machine);
  add_output_options(app, options->output, {"text", "json", "csv"});
  return [options](Environment& environment) { return run(*options, environment); };
}

}  // namespace smemsim::cli
