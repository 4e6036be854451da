// smemsim diff TRACE...: predicted against measured.
#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <memory>

#include "frontend/commands/all.hpp"
#include "frontend/diff_run.hpp"
#include "frontend/options.hpp"
#include "frontend/render_diff.hpp"

namespace smemsim::cli {
namespace {

struct Options {
  DiffOptions diff;
  OutputOptions output;
};

Result<ExitStatus> run(const Options& options, Environment& environment) {
  const auto result = run_diff(options.diff, environment);
  if (!result.ok()) return result.error();
  SMEMSIM_TRY(write_output(options.output, environment, [&](Environment& there) {
    if (options.output.format == "json") return render_diff_json(*result, there);
    if (options.output.format == "csv") return render_diff_csv(*result, there);
    return render_diff_text(*result, there);
  }));
  return result->agrees() && result->cycles_within() ? ExitStatus::ok : ExitStatus::check_failed;
}

}  // namespace

RunCommand setup_diff(CLI::App& app) {
  auto options = std::make_shared<Options>();
  DiffOptions& diff = options->diff;
  app.description(
      "Compares the shared-memory counters that the model predicts for traces with those that the "
      "hardware counted on the same launches, and with --cycles the predicted cycles with measured "
      "block clocks. Exit status 1 when a counter differs, or a block's cycles by more than "
      "--cycle-tolerance.");
  app.footer(
      "smemsim diff traces/transpose_naive.smt                 # reads the .measured.json beside "
      "it\n"
      "smemsim diff my.smt --measured ncu.csv --tolerance 0.01 # `ncu --csv` output, 1 % allowed\n"
      "smemsim diff traces/*.smt --cycles                      # a suite: errors, correlation, "
      "chart\n"
      "smemsim diff my.smt --cycles --cycle-tolerance 0.1      # for continuous integration");
  app.add_option("TRACE", diff.traces, "traces (.smt or JSON Lines); '-' reads standard input")
      ->required();
  app.add_option("--kernel", diff.kernel,
                 "only launches whose kernel name matches; '*' and '?' are wildcards")
      ->type_name("GLOB");
  app.add_option("--measured", diff.measured,
                 "measurements of a single trace: .measured.json or `ncu --csv` output (default: "
                 "beside the trace)")
      ->type_name("FILE");
  app.add_option("--tolerance", diff.tolerance, "allowed relative difference of counters")
      ->type_name("FRACTION")
      ->check(CLI::Range(0.0, 1.0))
      ->capture_default_str();
  app.add_flag("--cycles", diff.cycles,
               "also compare predicted cycles with measured block clocks, and with those of the "
               "full size if a folder 'full' beside the trace has them");
  app.add_option("--cycle-tolerance", diff.cycle_tolerance,
                 "exit with status 1 when the cycles of a block are further off than this, such as "
                 "0.1")
      ->type_name("FRACTION")
      ->check(CLI::Range(0.0, 100.0));
  std::vector<std::string> names;
  for (const Mechanism& one : mechanisms()) names.emplace_back(one.name);
  app.add_option("--ablate", diff.ablate,
                 "predict cycles without a mechanism of the model; `smemsim simulate --help` lists "
                 "them")
      ->type_name("MECHANISM")
      ->check(one_of(names))
      ->allow_extra_args(false);
  add_machine_option(app, diff.machine);
  add_output_options(app, options->output, {"text", "json", "csv"});
  return [options](Environment& environment) { return run(*options, environment); };
}

}  // namespace smemsim::cli
