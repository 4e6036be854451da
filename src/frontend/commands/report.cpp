// smemsim report TRACE: bank conflicts per kernel and site.
#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <memory>

#include "frontend/commands/all.hpp"
#include "frontend/fail_expression.hpp"
#include "frontend/options.hpp"
#include "frontend/render_report.hpp"
#include "frontend/text.hpp"
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
};

const std::vector<std::string>& fail_fields() {
  static const std::vector<std::string> kFields{"excess", "wavefronts", "ways",
                                                "share",  "conflicts",  "executed"};
  return kFields;
}

double field_value(std::string_view field, const SiteConflicts& row,
                   const KernelConflicts& kernel) {
  const ConflictTotals& totals = row.totals;
  if (field == "excess") return static_cast<double>(totals.excess());
  if (field == "wavefronts") return static_cast<double>(totals.wavefronts);
  if (field == "ways") return row.worst_ways;
  if (field == "conflicts") return static_cast<double>(totals.conflicts);
  if (field == "executed") return static_cast<double>(totals.executed);
  const auto whole = static_cast<double>(kernel.totals.wavefronts);  // "share", in percent
  return whole == 0 ? 0 : 100 * static_cast<double>(totals.wavefronts) / whole;
}

/// Names the sites that the condition holds for.
ExitStatus check(const FailExpression& condition, const ConflictReport& report,
                 Environment& environment) {
  constexpr std::size_t kShown = 10;
  std::vector<std::string> found;
  std::size_t sites = 0;
  for (const KernelConflicts& kernel : report.kernels) {
    for (const SiteConflicts& row : kernel.sites) {
      ++sites;
      const auto value = [&](std::string_view field) { return field_value(field, row, kernel); };
      if (!condition.holds(value)) continue;
      found.push_back(fmt::format("site {}, {} in {}: excess {}, wavefronts {}, ways {}, share {}",
                                  row.number, site_place(row), kernel_name(kernel),
                                  with_commas(row.totals.excess()),
                                  with_commas(row.totals.wavefronts), row.worst_ways,
                                  percent(row.totals.wavefronts, kernel.totals.wavefronts)));
    }
  }
  if (found.empty()) return ExitStatus::ok;
  environment.out.flush();
  environment.err << fmt::format("smemsim: check failed: '{}' holds for {} of {}\n",
                                 printable(condition.text()), found.size(),
                                 count_of(sites, "site"));
  for (std::size_t i = 0; i < found.size() && i < kShown; ++i) {
    environment.err << "  " << found[i] << '\n';
  }
  if (found.size() > kShown) {
    environment.err << fmt::format("  ... {} more\n", found.size() - kShown);
  }
  return ExitStatus::check_failed;
}

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

Result<ExitStatus> run(const Options& options, Environment& environment) {
  std::optional<FailExpression> condition;
  if (!options.fail_on.empty()) {
    Result<FailExpression> parsed = FailExpression::parse(options.fail_on, fail_fields());
    if (!parsed.ok()) return parsed.error();
    condition = std::move(parsed).value();
  }
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
  if (report.kernels.empty() && !options.trace.kernel.empty()) {
    return usage_error(
        "--kernel",
        warnings.empty() ? "no kernel matches '" + options.trace.kernel + "'" : warnings.front(),
        "'*' matches any text, '?' any character");
  }
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
  return condition ? check(*condition, report, environment) : ExitStatus::ok;
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
  app.add_option(
         "--fail-on", options->fail_on,
         fmt::format("exit with status 1 when a site fulfils the condition, such as 'excess "
                     "> 0 and share >= 5%'; fields: {}",
                     fmt::join(fail_fields(), ", ")))
      ->type_name("CONDITION");
  std::vector<std::string> formats;
  for (const ReportFormat& format : report_formats()) formats.emplace_back(format.name);
  add_output_options(app, options->output, formats);
  return [options, top](Environment& environment) {
    if (top->count() == 0 && options->output.format != "text") options->top = 0;
    return run(*options, environment);
  };
}

}  // namespace smemsim::cli
