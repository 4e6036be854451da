// smemsim races: data races and synchronisation mistakes of a trace.
#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <memory>
#include <ostream>

#include "frontend/commands/all.hpp"
#include "frontend/expr/evaluator.hpp"
#include "frontend/expr_options.hpp"
#include "frontend/options.hpp"
#include "frontend/races_suppressions.hpp"
#include "frontend/render_races.hpp"
#include "frontend/text.hpp"
#include "sim/race_check.hpp"
#include "trace/byte_io.hpp"
#include "trace/machine_file.hpp"

namespace smemsim::cli {
namespace {

struct Options {
  TraceOptions trace;
  ExpressionOptions expression;
  OutputOptions output;
  RaceOptions check;
  std::vector<std::string> suppressions;
  std::string fail_on;
  bool show_suppressed = false;
  bool no_uninitialised = false;
};

Result<std::string> read_all(const std::string& path) {
  auto source = trace::open_source(path);
  if (!source.ok()) return source.error();
  std::string text;
  std::vector<std::byte> buffer(1 << 16);
  constexpr std::size_t kMaxBytes = std::size_t{1} << 24;
  for (;;) {
    auto got = (*source)->read(buffer);
    if (!got.ok()) return got.error();
    if (*got == 0) return text;
    text.append(reinterpret_cast<const char*>(buffer.data()), *got);
    if (text.size() > kMaxBytes) return invalid_input(path, "a suppression file of over 16 MiB");
  }
}

Result<std::vector<RaceSuppression>> load_suppressions(const std::vector<std::string>& paths) {
  std::vector<RaceSuppression> all;
  for (const std::string& path : paths) {
    auto text = read_all(path);
    if (!text.ok()) return text.error();
    auto rules = parse_suppressions(*text, path);
    if (!rules.ok()) return rules.error();
    all.insert(all.end(), rules->begin(), rules->end());
  }
  return all;
}

/// Runs the text of --expr as one launch.
Status check_expression(const Options& options, RaceChecker& checker) {
  auto source = read_expression(options.expression);
  if (!source.ok()) return source.error();
  auto machine = trace::load_machine("");
  if (!machine.ok()) return machine.error();
  auto settings = run_options(options.expression);
  if (!settings.ok()) return settings.error();
  auto defines = parse_defines(options.expression);
  if (!defines.ok()) return defines.error();
  auto events = expr::run_text(std::move(*source), *defines, *machine, *settings);
  if (!events.ok()) return events.error();
  return (*events)->deliver(checker);
}

Status check_trace(const Options& options, RaceChecker& checker, Environment& environment) {
  auto source = open_trace(options.trace);
  if (!source.ok()) return source.error();
  {
    ProgressSink progress(checker, environment);
    SMEMSIM_TRY((*source)->read(progress));
  }
  for (const std::string& warning : (*source)->warnings()) print_warning(environment, warning);
  return {};
}

std::optional<RaceSeverity> severity_from(std::string_view text) {
  for (const RaceSeverity each :
       {RaceSeverity::hint, RaceSeverity::info, RaceSeverity::warning, RaceSeverity::error}) {
    if (severity_name(each) == text) return each;
  }
  return std::nullopt;
}

/// Suppressed findings do not count, here or in the verdict.
bool fails(const RaceReport& report, RaceSeverity least) {
  for (const RaceSeverity each :
       {RaceSeverity::hint, RaceSeverity::info, RaceSeverity::warning, RaceSeverity::error}) {
    if (each >= least && report.count(each) != 0) return true;
  }
  return false;
}

Result<ExitStatus> run(const Options& options, Environment& environment) {
  const bool from_text = !options.expression.text.empty();
  if (from_text == !options.trace.trace.empty()) {
    return usage_error("races", "give either a trace or --expr",
                       "smemsim races my.smt, or smemsim races --expr 'CODE' --block 64");
  }
  auto rules = load_suppressions(options.suppressions);
  if (!rules.ok()) return rules.error();
  RaceOptions check = options.check;
  check.uninitialised = !options.no_uninitialised;
  if (options.fail_on == "hint") check.hints = true;
  RaceChecker checker(check);
  SMEMSIM_TRY(from_text ? check_expression(options, checker)
                        : check_trace(options, checker, environment));
  RaceReport report = checker.take_report();
  if (report.launches.empty() && !options.trace.kernel.empty()) {
    return usage_error("--kernel", fmt::format("no launch in {} has a kernel like '{}'",
                                               options.trace.trace, options.trace.kernel));
  }
  suppress(report, *rules);
  RacesView view;
  view.trace = from_text ? "the given text" : options.trace.trace;
  view.show_suppressed = options.show_suppressed;
  SMEMSIM_TRY(write_output(options.output, environment, [&](Environment& there) -> Status {
    for (const RacesFormat& format : races_formats()) {
      if (format.name == options.output.format) return format.render(report, view, there);
    }
    return {};
  }));
  for (const RaceSuppression& rule : *rules) {
    if (rule.matched != 0) continue;
    print_warning(environment, fmt::format("the suppression of {} in line {} matches no finding",
                                           rule.kind, rule.line));
  }
  const auto least = severity_from(options.fail_on);
  if (!least || !fails(report, *least)) return ExitStatus::ok;
  environment.out.flush();
  environment.err << fmt::format("smemsim: check failed: {}\n", races_verdict(report));
  return ExitStatus::check_failed;
}

}  // namespace

RunCommand setup_races(CLI::App& app) {
  auto options = std::make_shared<Options>();
  app.description(
      "Finds data races and synchronisation mistakes in shared memory: what two threads do to the "
      "same bytes with nothing that orders it, asynchronous copies used before they are complete, "
      "barriers that not all threads reach. Both sides are named by source line, with the smallest "
      "change that orders them.");
  app.footer(
      "smemsim races my.smt                             # everything that the trace reveals\n"
      "smemsim races my.smt --hints                     # and barriers that ordered nothing\n"
      "smemsim races my.smt --suppress races.txt --fail-on warning\n"
      "smemsim races my.smt --format sarif -o races.sarif\n"
      "smemsim races --expr '__shared__ int s[64]; s[threadIdx.x] = 1; s[63 - threadIdx.x];' "
      "--block 64");
  add_trace_options(app, options->trace);
  app.get_option("TRACE")->required(false);
  app.add_option("--expr", options->expression.text,
                 "check this CUDA-like text, as `smemsim explain` takes it, instead of a trace")
      ->type_name("TEXT");
  app.add_option("--block", options->expression.block, "threads of a block for --expr")
      ->type_name("X[,Y[,Z]]")
      ->capture_default_str();
  app.add_option("--define", options->expression.defines, "NAME=INTEGER for --expr")
      ->type_name("NAME=N");
  app.add_flag("--hints", options->check.hints,
               "also barriers and waits that this trace did not need");
  app.add_flag("--no-uninitialised", options->no_uninitialised,
               "do not report reads of bytes that nothing wrote");
  app.add_flag("--shuffles-order", options->check.shuffles_order,
               "take shuffles, votes and matches for warp synchronisations, which CUDA does not "
               "promise");
  app.add_option("--suppress", options->suppressions,
                 "accepted findings: lines of KIND PLACE [PLACE] : REASON")
      ->type_name("FILE");
  app.add_flag("--show-suppressed", options->show_suppressed, "list suppressed findings too");
  app.add_option("--fail-on", options->fail_on,
                 "exit with status 1 when a finding is at least this severe: error, warning, info "
                 "or hint")
      ->type_name("SEVERITY")
      ->check(one_of({"error", "warning", "info", "hint"}));
  std::vector<std::string> formats;
  for (const RacesFormat& format : races_formats()) formats.emplace_back(format.name);
  add_output_options(app, options->output, formats);
  return [options](Environment& environment) { return run(*options, environment); };
}

}  // namespace smemsim::cli
