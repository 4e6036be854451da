// smemsim advise: the paddings and swizzles that remove bank conflicts, and what they cost.
#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <memory>

#include "frontend/advise_source.hpp"
#include "frontend/commands/all.hpp"
#include "frontend/expr/parser.hpp"
#include "frontend/expr_options.hpp"
#include "frontend/options.hpp"
#include "frontend/render_advise.hpp"
#include "sim/layout_advice.hpp"
#include "trace/machine_file.hpp"

namespace smemsim::cli {
namespace {

struct Options {
  TraceOptions trace;
  ExpressionOptions expression;
  OutputOptions output;
  std::string machine;
  std::size_t top = 3;
  bool no_cycles = false;
  SearchOptions search;
};

Status render(const AdviceReport& report, const AdviceView& view, const Options& options,
              Environment& environment) {
  return write_output(options.output, environment, [&](Environment& there) -> Status {
    if (options.output.format == "json") return render_advise_json(report, view, there);
    if (options.output.format == "csv") return render_advise_csv(report, view, there);
    return render_advise_text(report, view, there);
  });
}

Result<ExitStatus> run_expression(const Options& options, Environment& environment) {
  auto source = read_expression(options.expression);
  if (!source.ok()) return source.error();
  auto machine = trace::load_machine(options.machine);
  if (!machine.ok()) return machine.error();
  auto settings = run_options(options.expression);
  if (!settings.ok()) return settings.error();
  auto defines = parse_defines(options.expression);
  if (!defines.ok()) return defines.error();
  auto program = expr::parse_program(std::move(*source), *defines);
  if (!program.ok()) return program.error();
  auto events = expr::run(*program, *machine, *settings);
  if (!events.ok()) return events.error();
  auto arrays = arrays_of(*program, *machine);
  if (!arrays.ok()) return arrays.error();

  const auto machine_of = [&](const Launch&) -> Result<const Machine*> { return &*machine; };
  AccessCollector collector(machine_of);
  SMEMSIM_TRY((*events)->deliver(collector));
  const auto all = wavefronts_of(**events, *machine);
  if (!all.ok()) return all.error();

  AdviceView view;
  view.input = "expression";
  view.notes = options.expression.notes;
  view.top = options.top;
  view.registers = options.search.registers;
  view.expression = true;
  view.arrays = std::move(*arrays);
  const AdviceReport report = advise(
      collector.take(),
      [&](const KernelAccesses& kernel) { return declared_regions(kernel, view.arrays.arrays); },
      options.search);
  if (report.kernels.empty() || report.kernels[0].regions.empty()) {
    return invalid_input("advise", "the text accesses no array in shared memory",
                         "declare it with __shared__ and end with an access, as in: "
                         "__shared__ float t[32][32]; t[threadIdx.x][0]");
  }
  view.check = [&](const KernelAdvice&, const RegionAdvice& region, const LayoutProposal& one) {
    return check_proposal(*program, *defines, *machine, *settings, region.region, one, *all,
                          region.wavefronts - one.wavefronts);
  };
  if (!options.no_cycles) {
    auto cycles = predict_cycles(report, options.top, machine_of,
                                 [&](TraceSink& sink) { return (*events)->deliver(sink); });
    if (!cycles.ok()) return cycles.error();
    view.cycles = std::move(*cycles);
  }
  SMEMSIM_TRY(render(report, view, options, environment));
  return ExitStatus::ok;
}

/// Reads the trace a second time, for the cycles of its kernels with the proposals.
Status predict_from_trace(const Options& options, MachineChoice& machines,
                          const AdviceReport& report, AdviceView& view, Environment& environment) {
  if (options.trace.trace == "-") {
    view.notes.emplace_back(
        "cycles are not predicted: that takes reading the trace twice, so give a file");
    return {};
  }
  auto cycles = predict_cycles(
      report, options.top, [&](const Launch& launch) { return machines(launch); },
      [&](TraceSink& sink) -> Status {
        auto source = open_trace(options.trace);
        if (!source.ok()) return source.error();
        ProgressSink progress(sink, environment);
        return source.value()->read(progress);
      });
  if (!cycles.ok()) return cycles.error();
  view.cycles = std::move(*cycles);
  return {};
}

Result<ExitStatus> run_trace(const Options& options, Environment& environment) {
  auto source = open_trace(options.trace);
  if (!source.ok()) return source.error();
  MachineChoice machines(options.machine);
  AccessCollector collector([&](const Launch& launch) { return machines(launch); });
  {
    ProgressSink progress(collector, environment);
    SMEMSIM_TRY(source.value()->read(progress));
  }
  for (const std::string& warning : source.value()->warnings()) {
    print_warning(environment, warning);
  }
  const AdviceReport report = advise(collector.take(), inferred_regions, options.search);
  if (report.kernels.empty() && !options.trace.kernel.empty()) {
    return usage_error("--kernel",
                       fmt::format("no launch in {} has a kernel like '{}'", options.trace.trace,
                                   options.trace.kernel),
                       "`smemsim report` lists the kernels; '*' matches any text");
  }
  AdviceView view;
  view.input = options.trace.trace;
  view.top = options.top;
  view.registers = options.search.registers;
  if (!options.no_cycles)
    SMEMSIM_TRY(predict_from_trace(options, machines, report, view, environment));
  for (const std::string& note : machines.notes()) view.notes.push_back(note);
  SMEMSIM_TRY(render(report, view, options, environment));
  return ExitStatus::ok;
}

Result<ExitStatus> run(const Options& options, Environment& environment) {
  const bool text = !options.expression.text.empty();
  if (text && !options.trace.trace.empty()) {
    return usage_error("--expr", "give either a trace or --expr");
  }
  if (text) return run_expression(options, environment);
  if (options.trace.trace.empty()) {
    return usage_error("TRACE", "expected a trace, or --expr and a text",
                       "for example --expr '__shared__ float t[32][32]; "
                       "t[threadIdx.x][threadIdx.y]' --block 32,32");
  }
  return run_trace(options, environment);
}

}  // namespace

RunCommand setup_advise(CLI::App& app) {
  auto options = std::make_shared<Options>();
  app.description(
      "Searches paddings and XOR swizzles that remove the bank conflicts of an array, for all its "
      "loads, stores, matrix instructions, copies and atomics together. Says what each costs and "
      "how much faster the kernel gets, gives the source text, and says so when nothing helps. "
      "docs/advise.md has the details.");
  app.footer(
      "smemsim advise --expr '__shared__ float t[32][32]; t[threadIdx.x][threadIdx.y]' --block "
      "32,32\n"
      "smemsim advise --expr kernel.cu --block 256 --top 5\n"
      "smemsim advise my.smt --kernel '*gemm*'\n"
      "smemsim advise my.smt --format json -o advice.json");
  add_expression_options(app, options->expression);
  // Here the argument is a trace, and a text comes with --expr.
  app.remove_option(app.get_option("TEXT"));
  app.remove_option(app.get_option("--file"));
  app.add_option("TRACE", options->trace.trace, "a trace: .smt or .jsonl; '-' is standard input");
  app.add_option(
         "-e,--expr", options->expression.text,
         "a text in the language of explain, a file that holds it, or '-' for standard input")
      ->type_name("TEXT");
  app.add_option("--kernel", options->trace.kernel,
                 "of a trace: only launches whose kernel name matches")
      ->type_name("GLOB");
  add_machine_option(app, options->machine);
  app.add_option("--registers", options->search.registers,
                 "registers of a thread, for the resident blocks (default: those of the trace)")
      ->type_name("N")
      ->check(CLI::Range(1U, 255U));
  app.add_option("--top", options->top, "proposals for each array; 0 shows all")
      ->type_name("N")
      ->capture_default_str();
  app.add_flag("--no-cycles", options->no_cycles,
               "do not simulate the kernels with the proposals, which takes the most time");
  add_output_options(app, options->output, {"text", "json", "csv"});
  return [options](Environment& environment) { return run(*options, environment); };
}

}  // namespace smemsim::cli
