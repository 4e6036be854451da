// smemsim export: a trace as JSON Lines, for people and scripts.
#include <CLI/CLI.hpp>
#include <memory>

#include "frontend/commands/all.hpp"
#include "frontend/commands/trace_conversion.hpp"
#include "frontend/options.hpp"

namespace smemsim::cli {
namespace {

struct ExportOptions {
  TraceOptions trace;
  std::string format = "jsonl";
  std::string output;
};

}  // namespace

RunCommand setup_export(CLI::App& app) {
  auto options = std::make_shared<ExportOptions>();
  add_trace_options(app, options->trace);
  app.add_option("--format", options->format, "jsonl, or smt to write the chosen launches again")
      ->type_name("FORMAT")
      ->check(one_of({"jsonl", "smt"}))
      ->capture_default_str();
  app.add_option("-o,--output", options->output, "write to FILE instead of standard output")
      ->type_name("FILE");
  app.footer(
      "smemsim export my.smt | head                    # look at a trace\n"
      "smemsim export my.smt --kernel 'mat*' -o m.jsonl  # one kernel, to edit and import again");
  return [options](Environment& environment) -> Result<ExitStatus> {
    const Result<std::unique_ptr<TraceSource>> source = open_trace(options->trace);
    if (!source) return source.error();
    const auto format =
        options->format == "smt" ? trace::TraceFormat::smt : trace::TraceFormat::jsonl;
    SMEMSIM_TRY(convert_trace(**source, format, options->output, environment));
    return ExitStatus::ok;
  };
}

}  // namespace smemsim::cli
