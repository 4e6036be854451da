// smemsim validate TABLE: the model against a measured table, row by row.
#include <fmt/format.h>
#include <fmt/ostream.h>
#include <CLI/CLI.hpp>

#include <map>
#include <nlohmann/json.hpp>

#include "frontend/commands/all.hpp"
#include "frontend/options.hpp"
#include "sim/validation.hpp"
#include "trace/machine_file.hpp"
#include "trace/measured_table.hpp"

namespace smemsim::cli {
namespace {

struct ValidateOptions {
  std::string table;
  std::string machine;
  std::string format = "text";
  std::string output;
  std::size_t examples = 3;
};

/// The table with the machine's answers. Occupancy rows bring their own machine.
Result<ValidationReport> validate(const ValidateOptions& options) {
  auto source = trace::open_source(options.table);
  if (!source) return source.error();
  const auto table = trace::read_measured_table(**source);
  if (!table) return table.error();
  if (const auto* rows = std::get_if<std::vector<PatternRow>>(&*table)) {
    const auto machine = trace::load_machine(options.machine);
    if (!machine) return machine.error();
    return validate_patterns(*rows, machine->shared, options.examples);
  }
  std::map<std::string, std::optional<Machine>> machines;
  const auto limits = [&](const std::string& arch) -> const OccupancyLimits* {
    const auto [at, added] = machines.try_emplace(arch);
    if (added) {
      for (const trace::EmbeddedMachine& embedded : trace::embedded_machines()) {
        if (embedded.name != arch) continue;
        if (auto machine = trace::load_machine(arch)) at->second = *std::move(machine);
      }
    }
    return at->second ? &at->second->occupancy : nullptr;
  };
  return validate_occupancy(std::get<std::vector<OccupancyRow>>(*table), limits, options.examples);
}

std::string text(const ValidationReport& report, const std::string& table) {
  std::string out = fmt::format("{:<16} {:>8} {:>8} {:>9} {:>11} {:>12}\n", "operation", "rows",
                                "agree", "disagree", "unmodelled", "worst error");
  const auto line = [&](const OperationAgreement& op) {
    out += fmt::format("{:<16} {:>8} {:>8} {:>9} {:>11} {:>12.3g}\n", op.op, op.rows, op.agreeing,
                       op.disagreeing(), op.unmodelled, op.worst_error);
  };
  for (const OperationAgreement& op : report.operations) line(op);
  line(report.total());
  for (const OperationAgreement& op : report.operations) {
    for (const Disagreement& row : op.examples) {
      out += fmt::format("{}:{}: {}: {} measured {}, predicted {}\n", table, row.line, op.op,
                         row.quantity, row.measured, row.predicted);
    }
  }
  const OperationAgreement total = report.total();
  out += fmt::format("{}: {} of {} rows agree ({})\n", report.quantity, total.agreeing, total.rows,
                     report.all_agree() ? "all" : "not all");
  return out;
}

std::string json(const ValidationReport& report) {
  using nlohmann::json;
  const auto object = [](const OperationAgreement& op) {
    json examples = json::array();
    for (const Disagreement& row : op.examples) {
      examples.push_back({{"line", row.line},
                          {"quantity", row.quantity},
                          {"measured", row.measured},
                          {"predicted", row.predicted}});
    }
    return json{{"operation", op.op},          {"rows", op.rows},
                {"agreeing", op.agreeing},     {"disagreeing", op.disagreeing()},
                {"unmodelled", op.unmodelled}, {"worst_error", op.worst_error},
                {"examples", examples}};
  };
  json operations = json::array();
  for (const OperationAgreement& op : report.operations) operations.push_back(object(op));
  json total = object(report.total());
  total.erase("examples");
  return json{{"schema", "smemsim/validate/1"},
              {"quantity", report.quantity},
              {"operations", operations},
              {"total", total},
              {"all_agree", report.all_agree()}}
             .dump(2) +
         "\n";
}

std::string csv(const ValidationReport& report) {
  std::string out = "operation,rows,agreeing,disagreeing,unmodelled,worst_error\n";
  for (const OperationAgreement& op : report.operations) {
    out += fmt::format("{},{},{},{},{},{}\n", op.op, op.rows, op.agreeing, op.disagreeing(),
                       op.unmodelled, op.worst_error);
  }
  return out;
}

}  // namespace

RunCommand setup_validate(CLI::App& app) {
  auto options = std::make_shared<ValidateOptions>();
  app.add_option("TABLE", options->table, "measured table: CSV, plain or gzip; - reads stdin")
      ->required();
  app.add_option("--machine", options->machine, "sm_90 (default), another name, or a machine file");
  app.add_option("--format", options->format, "text, json or csv")
      ->check(CLI::IsMember({"text", "json", "csv"}))
      ->capture_default_str();
  app.add_option("-o,--output", options->output, "write the result to this file");
  app.add_option("--examples", options->examples, "disagreeing rows shown per operation")
      ->check(CLI::Range(0, 1000))
      ->capture_default_str();
  return [options](Environment& environment) -> Result<ExitStatus> {
    const auto report = validate(*options);
    if (!report) return report.error();
    const std::string result = options->format == "json"  ? json(*report)
                               : options->format == "csv" ? csv(*report)
                                                          : text(*report, options->table);
    SMEMSIM_TRY(write_result(environment, options->output, result));
    return report->all_agree() ? ExitStatus::ok : ExitStatus::check_failed;
  };
}

}  // namespace smemsim::cli
