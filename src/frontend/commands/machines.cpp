// smemsim machines: which machines are built in, and where each number comes from.
#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>
#include <ostream>

#include "frontend/commands/all.hpp"
#include "frontend/options.hpp"
#include "frontend/paint.hpp"
#include "frontend/table.hpp"
#include "frontend/text.hpp"
#include "sim/machine_parameters.hpp"
#include "trace/byte_io.hpp"
#include "trace/machine_file.hpp"

namespace smemsim::cli {
namespace {

using nlohmann::json;

constexpr std::uint64_t kLargestFile = 16U << 20;

struct Options {
  OutputOptions output;
  std::string action;  ///< "" = list, "show"
  std::string name;
};

/// The machine file itself: it says where its numbers come from, Machine does not.
Result<json> machine_document(const std::string& name) {
  std::string text;
  std::vector<std::string> names;
  for (const trace::EmbeddedMachine& machine : trace::embedded_machines()) {
    names.emplace_back(machine.name);
    if (machine.name == name) text = machine.text;
  }
  if (text.empty()) {
    auto file = trace::open_source(name);
    if (!file.ok()) {
      if (name.find('/') != std::string::npos || name.find('.') != std::string::npos) {
        return file.error();
      }
      return usage_error("machines", fmt::format("no built-in machine or file '{}'", name),
                         fmt::format("built in: {}", fmt::join(names, ", ")));
    }
    auto content = trace::read_all(*file.value(), kLargestFile);
    if (!content.ok()) return content.error();
    text = std::move(content).value();
  }
  // The reader of machine files judges it; only then are its parts safe to look at.
  if (const auto parsed = trace::parse_machine(text, name); !parsed.ok()) return parsed.error();
  return json::parse(text);
}

std::string text_of(const json& value) {
  if (value.is_string()) return value.get<std::string>();
  if (value.is_array()) {
    std::vector<std::string> parts;
    for (const json& part : value) parts.push_back(text_of(part));
    return fmt::format("{}", fmt::join(parts, ", "));
  }
  return value.dump();
}

std::string source_of(const json& holder) {
  const auto source = holder.find("source");
  return source == holder.end() ? "-" : text_of(*source);
}

std::string rule_text(const json& rule) {
  std::string out = text_of(rule.at("operations")) + ' ';
  if (rule.contains("matrices")) return out + 'x' + text_of(rule["matrices"]);
  return out + text_of(rule.at("width"));
}

void show(const json& document, Environment& environment) {
  const Painter paint(environment.color);
  std::ostream& out = environment.out;
  out << paint(Style::strong, printable(text_of(document.at("name")))) << "  "
      << printable(text_of(document.value("description", json("")))) << "\n\n";
  if (document.contains("sources")) {
    Table sources({{"source", true, 0, 0}, {"kind", true, 1, 0}, {"what it is", true, 0, 20}});
    for (const auto& [key, source] : document["sources"].items()) {
      const bool measured = source.value("measured", false);
      sources.add({{printable(key), Style::plain},
                   {measured ? "measured" : "document", measured ? Style::good : Style::plain},
                   {printable(text_of(source.value("text", json("")))), Style::plain}});
    }
    out << sources.text(paint, environment.columns, 2) << '\n';
  }
  Table parameters({{"parameter", true, 0, 0},
                    {"value", true, 0, 12},
                    {"unit", true, 2, 0},
                    {"source", true, 3, 0},
                    {"meaning", true, 1, 16}});
  const json values = document.value("parameters", json::object());
  for (const auto& [path, entry] : values.items()) {
    const Parameter* parameter = find_parameter(path);
    parameters.add(
        {{printable(path), Style::plain},
         {printable(text_of(entry.is_object() ? entry.at("value") : entry)), Style::plain},
         {parameter == nullptr ? "" : std::string(parameter->unit), Style::plain},
         {printable(entry.is_object() ? source_of(entry) : "-"), Style::plain},
         {parameter == nullptr ? "" : std::string(parameter->doc), Style::plain}});
  }
  out << parameters.text(paint, environment.columns, 2) << '\n';
  if (!document.contains("access_rules")) return;
  Table rules({{"access", true, 0, 0},
               {"passes (lanes)", true, 0, 16},
               {"merged passes", true, 1, 0},
               {"source", true, 2, 0}});
  for (const json& rule : document["access_rules"]) {
    rules.add({{printable(rule_text(rule)), Style::plain},
               {printable(text_of(rule.value("passes", json::array()))), Style::plain},
               {printable(text_of(rule.value("merged_passes", json::array()))), Style::plain},
               {printable(source_of(rule)), Style::plain}});
  }
  out << rules.text(paint, environment.columns, 2);
}

Status list(const OutputOptions& output, Environment& environment) {
  json all = json::array();
  Table table({{"machine", true, 0, 0},
               {"banks", false, 1, 0},
               {"measured", false, 2, 0},
               {"description", true, 0, 20}});
  for (const trace::EmbeddedMachine& machine : trace::embedded_machines()) {
    const auto parsed = trace::load_machine(std::string(machine.name));
    if (!parsed.ok()) return parsed.error();
    const json document = json::parse(machine.text);
    std::size_t measured = 0, entries = 0;
    const auto count = [&](const json& holder) {
      const json& sources = document.value("sources", json::object());
      const auto source = sources.find(source_of(holder));
      ++entries;
      measured += source != sources.end() && source->value("measured", false) ? 1 : 0;
    };
    for (const json& entry : document.value("parameters", json::object())) count(entry);
    for (const json& rule : document.value("access_rules", json::array())) count(rule);
    const Machine& m = parsed.value();
    table.add({{std::string(machine.name), Style::plain},
               {fmt::format("{} x {} B", m.shared.banks, m.shared.bank_bytes), Style::plain},
               {fmt::format("{} of {}", measured, entries), Style::plain},
               {printable(m.description), Style::plain}});
    all.push_back({{"name", machine.name},
                   {"description", m.description},
                   {"banks", m.shared.banks},
                   {"bank_bytes", m.shared.bank_bytes},
                   {"lanes", m.shared.lanes},
                   {"numbers", entries},
                   {"numbers_measured", measured}});
  }
  if (output.format == "json") {
    const json document{{"schema", "smemsim/machines/1"}, {"machines", std::move(all)}};
    environment.out << document.dump(2) << '\n';
  } else {
    environment.out << table.text(Painter(environment.color), environment.columns, 0);
    environment.out << "\n`smemsim machines show NAME`: where each number comes from\n";
  }
  return {};
}

Result<ExitStatus> run(const Options& options, Environment& environment) {
  if (options.action == "show" && options.name.empty()) {
    return usage_error("machines", "'show' needs a machine",
                       "for example: smemsim machines show "
                       "sm_90");
  }
  SMEMSIM_TRY(write_output(options.output, environment, [&](Environment& there) -> Status {
    if (options.action.empty() || options.action == "list") return list(options.output, there);
    const auto document = machine_document(options.name);
    if (!document.ok()) return document.error();
    if (options.output.format == "json") {
      there.out << document.value().dump(2) << '\n';
    } else {
      show(document.value(), there);
    }
    return {};
  }));
  return ExitStatus::ok;
}

}  // namespace

RunCommand setup_machines(CLI::App& app) {
  auto options = std::make_shared<Options>();
  app.description(
      "Lists the built-in machines, or shows one machine, built in or a file, with every number, "
      "its "
      "unit, its meaning and its source: a measurement or a document.");
  app.footer(
      "smemsim machines                               # the built-in machines\n"
      "smemsim machines show sm_90                    # its numbers and their sources\n"
      "smemsim machines show sm_90 --format json > my.json   # the start of a machine of your own");
  app.add_option("ACTION", options->action, "list (default) or show")
      ->check(one_of({"list", "show"}));
  app.add_option("NAME", options->name, "a built-in machine or a machine file");
  add_output_options(app, options->output, {"text", "json"});
  return [options](Environment& environment) { return run(*options, environment); };
}

}  // namespace smemsim::cli
