// smemsim import: a trace in another format as .smt.
#include <CLI/CLI.hpp>
#include <memory>
#include <vector>

#include "frontend/commands/all.hpp"
#include "frontend/commands/trace_conversion.hpp"
#include "frontend/options.hpp"
#include "trace/byte_io.hpp"
#include "trace/importers.hpp"

namespace smemsim::cli {
namespace {

struct ImportOptions {
  std::string input;
  std::string from;
  std::string kernel;
  std::string output;
};

std::vector<std::string> format_names() {
  std::vector<std::string> names;
  for (const trace::Importer& importer : trace::importers()) names.emplace_back(importer.name);
  return names;
}

std::string format_list() {
  std::string out;
  for (const trace::Importer& importer : trace::importers()) {
    if (!out.empty()) out += ", ";
    out += std::string(importer.name) + " (" + std::string(importer.summary) + ")";
  }
  return out;
}

}  // namespace

RunCommand setup_import(CLI::App& app) {
  auto options = std::make_shared<ImportOptions>();
  app.add_option("FILE", options->input, "what to import; '-' reads standard input")->required();
  app.add_option("-o,--output", options->output, "the .smt file to write; '-' = standard output")
      ->type_name("OUT.smt")
      ->required();
  app.add_option("--from", options->from,
                 "format of FILE: " + format_list() + "; default: recognised by its content")
      ->type_name("FORMAT")
      ->check(one_of(format_names()));
  app.add_option("--kernel", options->kernel,
                 "only launches whose kernel name matches; '*' and '?' are wildcards")
      ->type_name("GLOB");
  app.footer(
      "smemsim import by_hand.jsonl -o by_hand.smt\n"
      "smemsim import traces/kernelslist.g -o app.smt      # what Accel-Sim's tracer wrote\n"
      "my_script | smemsim import - -o out.smt");
  return [options](Environment& environment) -> Result<ExitStatus> {
    Result<std::unique_ptr<trace::ByteSource>> bytes = trace::open_source(options->input);
    if (!bytes) return bytes.error();
    const Result<std::unique_ptr<TraceSource>> source =
        trace::import_trace(*std::move(bytes), options->from, {options->kernel});
    if (!source) return source.error();
    SMEMSIM_TRY(convert_trace(**source, trace::TraceFormat::smt, options->output, environment));
    return ExitStatus::ok;
  };
}

}  // namespace smemsim::cli
