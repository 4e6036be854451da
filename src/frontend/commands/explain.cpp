// smemsim explain: what the shared-memory accesses of a piece of CUDA-like text cost.
#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <memory>
#include <ostream>

#include "frontend/commands/all.hpp"
#include "frontend/expr/evaluator.hpp"
#include "frontend/expr/layout_program.hpp"
#include "frontend/expr_options.hpp"
#include "frontend/options.hpp"
#include "frontend/render_coalescing.hpp"
#include "frontend/render_report.hpp"
#include "frontend/site_check.hpp"
#include "sim/coalescing.hpp"
#include "sim/conflict_analysis.hpp"
#include "trace/byte_io.hpp"
#include "trace/machine_file.hpp"
#include "trace/open.hpp"

namespace smemsim::cli {
namespace {

struct Options {
  ExpressionOptions expression;
  expr::LayoutQuestion layout;
  OutputOptions output;
  std::string machine;
  std::string sort = "excess";
  std::uint32_t site = 0;
  bool global = false;
  bool show_text = false;
  std::string fail_on;
};

bool is_trace_name(const std::string& path) {
  return path.ends_with(".smt") || path.ends_with(".jsonl");
}

Status write_trace(const std::string& path, trace::LaunchBuilder& events) {
  auto file = trace::open_sink(path);
  if (!file.ok()) return file.error();
  const auto format = path.ends_with(".smt") ? trace::TraceFormat::smt : trace::TraceFormat::jsonl;
  const auto writer = trace::make_writer(format, **file);
  SMEMSIM_TRY(events.deliver(*writer));
  return writer->finish();
}

Status render_shared(const ConflictReport& report, const Options& options, bool has_global,
                     Environment& environment) {
  ReportView view;
  view.expression = repeat_arguments(options.expression);
  view.notes = options.expression.notes;
  for (std::size_t i = 0; i < site_orders().size(); ++i) {
    if (site_orders()[i] == options.sort) view.order = static_cast<SiteOrder>(i);
  }
  std::size_t sites = 0;
  for (const KernelConflicts& kernel : report.kernels) sites += kernel.sites.size();
  if (options.site > sites) {
    return usage_error("--site", fmt::format("there is no site {}", options.site),
                       fmt::format("the text has {} shared-memory accesses", sites));
  }
  if (sites == 0 && !has_global) {
    return invalid_input("explain", "the text accesses neither shared nor global memory",
                         "declare arrays with __shared__ and end with an access, as in: "
                         "__shared__ float t[32][32]; t[threadIdx.x][0]");
  }
  // One access is shown lane by lane; more as a table first.
  if (options.site != 0) view.site = options.site;
  if (sites == 1 && options.output.format == "text") view.site = 1;
  if (sites == 0 && options.output.format == "text") return {};
  for (const ReportFormat& format : report_formats()) {
    if (format.name == options.output.format) SMEMSIM_TRY(format.render(report, view, environment));
  }
  const bool conflicts = report.totals.excess() > 0;
  if (view.site && conflicts && options.output.format == "text" && !view.expression.empty()) {
    environment.out << fmt::format(
        "\nNext:\n  smemsim advise --expr {}  # what removes the conflicts\n", view.expression);
  }
  return {};
}

Status render_global(const CoalescingReport& report, const std::string& format,
                     Environment& environment) {
  if (format == "json") return render_coalescing_json(report, environment);
  if (format == "csv") return render_coalescing_csv(report, environment);
  return render_coalescing_text(report, environment);
}

Result<expr::Source> source_of(const Options& options) {
  if (options.layout.layout.empty()) return read_expression(options.expression);
  if (!options.expression.text.empty() || !options.expression.file.empty()) {
    return usage_error("--layout", "give either a text or --layout");
  }
  auto text = expr::layout_program(options.layout);
  if (!text.ok()) return text.error();
  return expr::Source(std::move(*text), {});
}

Result<ExitStatus> run(Options& options, Environment& environment) {
  const auto condition = parse_condition(options.fail_on, options.global);
  if (!condition.ok()) return condition.error();
  auto source = source_of(options);
  if (!source.ok()) return source.error();
  if (options.show_text) {
    environment.out << source->text();
    return ExitStatus::ok;
  }
  auto machine = trace::load_machine(options.machine);
  if (!machine.ok()) return machine.error();
  auto settings = run_options(options.expression);
  if (!settings.ok()) return settings.error();
  auto defines = parse_defines(options.expression);
  if (!defines.ok()) return defines.error();
  auto events = expr::run_text(std::move(*source), *defines, *machine, *settings);
  if (!events.ok()) return events.error();

  ConflictAnalysis conflicts([&](const Launch&) -> Result<const Machine*> { return &*machine; },
                             ConflictAnalysis::GroupBy::kernel, "explain");
  SMEMSIM_TRY((*events)->deliver(conflicts));
  CoalescingAnalysis coalescing;
  SMEMSIM_TRY((*events)->deliver(coalescing));
  const ConflictReport report = conflicts.take_report();
  const CoalescingReport global = coalescing.take_report();

  OutputOptions output = options.output;
  if (is_trace_name(output.path)) {
    SMEMSIM_TRY(write_trace(output.path, **events));
    output.path.clear();
  }
  const auto render = [&](Environment& there) -> Status {
    if (options.global) return render_global(global, output.format, there);
    SMEMSIM_TRY(render_shared(report, options, !global.kernels.empty(), there));
    if (output.format != "text") return {};
    const bool shared =
        std::any_of(report.kernels.begin(), report.kernels.end(),
                    [](const KernelConflicts& kernel) { return !kernel.sites.empty(); });
    if (shared && !global.kernels.empty()) there.out << '\n';
    return render_coalescing_text(global, there);
  };
  SMEMSIM_TRY(write_output(output, environment, render));
  if (!*condition) return ExitStatus::ok;
  return options.global ? check_sites(**condition, global, environment)
                        : check_sites(**condition, report, environment);
}

void add_layout_options(CLI::App& app, Options& options) {
  app.add_option(
         "--layout", options.layout.layout,
         "instead of a text: a CuTe layout such as '(8,(4,2)):(4,(1,32))', with 'Swizzle<3,4,3> "
         "o' or a TMA mode '128B o' before it; or 'triton_swizzled(8,1,8) o (64,64)', "
         "'nvmma(128) o (64,64)'")
      ->type_name("LAYOUT");
  app.add_option("--element", options.layout.element, "element type of the layout")
      ->type_name("TYPE")
      ->capture_default_str();
  app.add_option("--access", options.layout.access_bytes,
                 "bytes that a lane accesses at its coordinate (default: one element)")
      ->type_name("BYTES");
  app.add_option(
         "--coord", options.layout.coordinates,
         "a lane's coordinates in the layout, linear or one per mode: 'threadIdx.x % 8, "
         "threadIdx.x / 8 * 8' (default: thread t has the linear coordinates t, t + threads, ...)")
      ->type_name("EXPR");
  app.add_flag("--store", options.layout.store, "the layout is written instead of read");
  app.add_flag("--swizzle-bytes", options.layout.swizzle_bytes,
               "the layout's swizzle works on byte offsets instead of element offsets");
}

}  // namespace

RunCommand setup_explain(CLI::App& app) {
  auto options = std::make_shared<Options>();
  app.description(
      "Runs a piece of CUDA-like text for every thread of a block and tells what its shared-memory "
      "accesses cost, and why. Needs neither a GPU nor a trace. docs/explain.md has the language.");
  app.footer(
      "smemsim explain '__shared__ float t[32][32]; t[threadIdx.x][threadIdx.y]'\n"
      "smemsim explain kernel.cu --block 16,16 --define n=1024\n"
      "smemsim explain --layout 'Swizzle<3,3,3> o (8,64):(64,1)' --element half --access 16\n"
      "smemsim explain kernel.cu --fail-on 'excess > 0'      # exit status 1 with conflicts\n"
      "smemsim explain kernel.cu -o kernel.smt               # a trace for the other commands");
  add_expression_options(app, options->expression);
  add_layout_options(app, *options);
  add_machine_option(app, options->machine);
  app.add_option("--site", options->site, "show this site of the report in depth")
      ->type_name("N")
      ->check(CLI::Range(1U, 1000000U));
  const std::vector<std::string> orders(site_orders().begin(), site_orders().end());
  app.add_option("--sort", options->sort, fmt::format("{}", fmt::join(orders, ", ")))
      ->type_name("KEY")
      ->check(one_of(orders))
      ->capture_default_str();
  app.add_flag("--global", options->global,
               "report the global accesses (sectors and lines) instead of the shared ones");
  add_fail_option(app, options->fail_on);
  app.add_flag("--show-text", options->show_text, "print the text that would be run, for --layout");
  std::vector<std::string> formats;
  for (const ReportFormat& format : report_formats()) formats.emplace_back(format.name);
  add_output_options(app, options->output, formats);
  app.get_option("--output")
      ->description(
          "write to FILE instead of standard output; FILE.smt or FILE.jsonl writes the trace");
  return [options](Environment& environment) { return run(*options, environment); };
}

}  // namespace smemsim::cli
