// smemsim report TRACE: bank conflicts per kernel and site.
#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <memory>

#include "frontend/commands/all.hpp"
#include "frontend/options.hpp"
#include "frontend/render_coalescing.hpp"
#include "frontend/render_report.hpp"
#include "frontend/site_check.hpp"
#include "sim/conflict_analysis.hpp"

namespace smemsim::cli {
namespace {

struct Options {
  TraceOptions trace;
  OutputOptions output;
  std::string machine;
  std::string by = "kernel";
  std::string sort = "excess";
  std::size_t top = 10;
  std::uint32_t site = 0;  ///< 0 = none
  std::string fail_on;
  bool global = false;
};

ReportView view_of(const Options& options, const MachineChoice& machines) {
  ReportView view;
  view.trace = options.trace.trace;
  if (options.site != 0) view.site = options.site;
  const auto orders = site_orders();
  for (std::size_t i = 0; i < orders.size(); ++i) {
    if (orders[i] == options.sort) view.order = static_cast<SiteOrder>(i);
  }
  // Machine-readable formats are whole unless asked otherwise: setup() leaves top at 0 for them.
  view.top = options.site != 0 ? 0 : options.top;
  view.notes = machines.notes();
  return view;
}

Error no_kernel(const Options& options, const std::vector<std::string>& warnings) {
  return usage_error(
      "--kernel",
      warnings.empty() ? "no kernel matches '" + options.trace.kernel + "'" : warnings.front(),
      "'*' matches any text, '?' any character");
}

/// The sectors and lines of global accesses.
Result<ExitStatus> run_global(const Options& options,
                              const std::optional<FailExpression>& condition,
                              Environment& environment) {
  if (options.site != 0) return usage_error("--site", "shows a shared access: not with --global");
  if (options.by == "launch")
    return usage_error("--by", "--global adds up the launches of a kernel");
  if (options.sort != "excess") return usage_error("--sort", "--global sorts by excess");
  auto source = open_trace(options.trace);
  if (!source.ok()) return source.error();
  CoalescingAnalysis analysis;
  {
    ProgressSink progress(analysis, environment);
    SMEMSIM_TRY(source.value()->read(progress));
  }
  const CoalescingReport report = analysis.take_report();
  const std::vector<std::string> warnings = source.value()->warnings();
  if (!warnings.empty() && report.kernels.empty() && !options.trace.kernel.empty()) {
    return no_kernel(options, warnings);
  }
  for (const std::string& warning : warnings) print_warning(environment, warning);
  SMEMSIM_TRY(write_output(options.output, environment, [&](Environment& there) -> Status {
    if (options.output.format == "json") return render_coalescing_json(report, there);
    if (options.output.format == "csv") return render_coalescing_csv(report, there);
    return render_coalescing_report(report, options.trace.trace, options.top, there);
  }));
  return condition ? check_sites(*condition, report, environment) : ExitStatus::ok;
}

Result<ExitStatus> run(const Options& options, Environment& environment) {
  const auto condition = parse_condition(options.fail_on, options.global);
  if (!condition.ok()) return condition.error();
  if (options.global) return run_global(options, *condition, environment);
  auto source = open_trace(options.trace);
  if (!source.ok()) return source.error();
  MachineChoice machines(options.machine);
  ConflictAnalysis analysis([&](const Launch& launch) { return machines(launch); },
                            options.by == "launch" ? ConflictAnalysis::GroupBy::launch
                                                   : ConflictAnalysis::GroupBy::kernel,
                            options.trace.trace);
  {
    ProgressSink progress(analysis, environment);
    SMEMSIM_TRY(source.value()->read(progress));
  }
  const ConflictReport report = analysis.take_report();
  const std::vector<std::string> warnings = source.value()->warnings();
  if (report.kernels.empty() && !options.trace.kernel.empty()) return no_kernel(options, warnings);
  for (const std::string& warning : warnings) print_warning(environment, warning);
  const ReportView view = view_of(options, machines);
  if (view.site && report.site(*view.site) == nullptr) {
    std::size_t sites = 0;
    for (const KernelConflicts& kernel : report.kernels) sites += kernel.sites.size();
    return usage_error(
        "--site", fmt::format("there is no site {}", *view.site),
        fmt::format("the report has {}", sites == 0   ? "no sites"
                                         : sites == 1 ? "site 1 only"
                                                      : fmt::format("sites 1 to {}", sites)));
  }
  const auto formats = report_formats();
  SMEMSIM_TRY(write_output(options.output, environment, [&](Environment& there) -> Status {
    for (const ReportFormat& format : formats) {
      if (format.name == options.output.format) return format.render(report, view, there);
    }
    return {};
  }));
  return *condition ? check_sites(**condition, report, environment) : ExitStatus::ok;
}

}  // namespace

RunCommand setup_report(CLI::App& app) {
  auto options = std::make_shared<Options>();
  app.description(
      "Tells for each kernel and each shared-memory instruction of a trace how many wavefronts "
      "(data-stage cycles) it took, how many of them bank conflicts caused, and why.");
  app.footer(
      "smemsim report my.smt                          # the whole report\n"
      "smemsim report my.smt --site 1                 # lanes and banks of the worst site\n"
      "smemsim report my.smt --kernel 'gemm*' --format json -o report.json\n"
      "smemsim report my.smt --global                 # sectors of the global accesses\n"
      "smemsim report my.smt --fail-on 'excess > 0'   # exit status 1 when a site has conflicts");
  add_trace_options(app, options->trace);
  add_machine_option(app, options->machine);
  app.add_option("--by", options->by, "one entry for each kernel or for each launch")
      ->type_name("WHAT")
      ->check(one_of({"kernel", "launch"}))
      ->capture_default_str();
  app.add_option("--site", options->site,
                 "show this site of the report in depth: banks, lanes, distribution")
      ->type_name("N")
      ->check(CLI::Range(1U, 1000000U));
  const auto orders = site_orders();
  const std::vector<std::string> order_names(orders.begin(), orders.end());
  app.add_option("--sort", options->sort, fmt::format("{}", fmt::join(order_names, ", ")))
      ->type_name("KEY")
      ->check(one_of(order_names))
      ->capture_default_str();
  const CLI::Option* top =
      app.add_option("--top", options->top,
                     "show at most N sites of each kernel; 0 = all (default: 10 in text, else all)")
          ->type_name("N");
  add_fail_option(app, options->fail_on);
  app.add_flag("--global", options->global,
               "report the global accesses (sectors and lines per request) instead");
  std::vector<std::string> formats;
  for (const ReportFormat& format : report_formats()) formats.emplace_back(format.name);
  add_output_options(app, options->output, formats);
  return [options, top](Environment& environment) {
    if (top->count() == 0 && options->output.format != "text") options->top = 0;
    return run(*options, environment);
  };
}

}  // namespace smemsim::cli
