#include "trace/measured_file.hpp"

#include <fmt/format.h>

#include <charconv>
#include <nlohmann/json.hpp>

#include "trace/csv_records.hpp"
#include "trace/gzip.hpp"
#include "trace/ncu_source.hpp"

namespace smemsim::trace {
namespace {

using Json = nlohmann::json;

constexpr std::uint64_t kMaxMeasuredBytes = std::uint64_t{256} << 20;
constexpr std::string_view kMeasuredSchema = "smemsim/measured/1";

std::optional<double> parse_double(std::string text) {
  std::erase(text, ',');
  double value = 0;
  const auto [at, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || at != text.data() + text.size() || text.empty()) return std::nullopt;
  return value;
}

/// "(32, 8, 1)" as Nsight Compute writes it.
std::optional<Dim3> parse_dim3(std::string_view text) {
  std::uint32_t parts[3] = {1, 1, 1};
  std::size_t count = 0;
  std::string digits;
  for (const char c : std::string(text) + ",") {
    if (c >= '0' && c <= '9') {
      digits += c;
    } else if (!digits.empty()) {
      if (count == 3 || digits.size() > 9) return std::nullopt;
      parts[count++] = static_cast<std::uint32_t>(std::stoul(digits));
      digits.clear();
    }
  }
  if (count == 0) return std::nullopt;
  return Dim3{parts[0], parts[1], parts[2]};
}

Dim3 dim3_of(const Json& json) {
  const auto part = [&](std::size_t i) { return json.at(i).get<std::uint32_t>(); };
  return {part(0), part(1), part(2)};
}

Result<MeasuredRun> read_json(const std::string& text, const std::string& file) {
  Json root;
  try {
    root = Json::parse(text);
  } catch (const Json::parse_error& error) {
    return invalid_input(fmt::format("{}: byte {}", file, error.byte), "this is not valid JSON");
  }
  if (!root.is_object() || root.value("schema", Json()) != kMeasuredSchema) {
    return invalid_input(file + ": schema", fmt::format("expected \"{}\"", kMeasuredSchema));
  }
  MeasuredRun run;
  std::size_t number = 0;
  try {
    run.device = root.value("device", "");
    run.driver = root.value("driver", "");
    run.toolkit = root.value("toolkit", "");
    run.command = root.value("command", "");
    run.every_launch = root.value("every_launch", true);
    for (const Json& entry : root.at("launches")) {
      MeasuredLaunch& launch = run.launches.emplace_back();
      launch.kernel = entry.at("kernel").get<std::string>();
      launch.grid = dim3_of(entry.at("grid"));
      launch.block = dim3_of(entry.at("block"));
      for (const auto& [name, value] : entry.at("counters").items()) {
        launch.counters[name] = value.get<double>();
      }
      if (entry.contains("clocks")) {
        const Json& clocks = entry.at("clocks");
        BlockClocks& out = launch.clocks.emplace();
        out.blocks = clocks.at("blocks").get<std::uint64_t>();
        out.sms = clocks.at("sms").get<std::uint64_t>();
        out.block_median = clocks.at("block_cycles_median").get<double>();
        out.block_p10 = clocks.at("block_cycles_p10").get<double>();
        out.block_p90 = clocks.at("block_cycles_p90").get<double>();
        out.sm_median = clocks.at("sm_cycles_median").get<double>();
        out.sm_max = clocks.at("sm_cycles_max").get<double>();
      }
      ++number;
    }
  } catch (const Json::exception& error) {
    return invalid_input(fmt::format("{}: launches[{}]", file, number),
                         fmt::format("not as docs/measurement.md describes it: {}", error.what()));
  }
  return run;
}

/// Both layouts of `ncu --csv`: one row per counter (columns "Metric Name", "Metric Value"), or one
/// row per launch with a column per counter and a second heading line of units (`--page raw`).
Result<MeasuredRun> read_ncu_csv(std::string_view text, const std::string& file) {
  CsvRecords csv(text, file);
  std::vector<std::string> header;
  while (true) {  // ncu prints "==PROF==" lines before the table
    auto record = csv.next();
    if (!record) return record.error();
    if (!*record) {
      return invalid_input(file, "no table of Nsight Compute in it",
                           "expected the output of `ncu --csv`, or a .measured.json");
    }
    header = **record;
    if (header[0] == "ID") break;
  }
  std::map<std::string, std::size_t> column;
  for (std::size_t i = 0; i < header.size(); ++i) column[header[i]] = i;
  for (const char* needed : {"Kernel Name", "Grid Size", "Block Size"}) {
    if (!column.contains(needed)) {
      return invalid_input(fmt::format("{}:{}", file, csv.line()),
                           fmt::format("the column \"{}\" is missing", needed));
    }
  }
  const bool row_per_counter = column.contains("Metric Name") && column.contains("Metric Value");
  MeasuredRun run;
  std::map<std::string, std::size_t> launch_of_id;
  while (true) {
    auto record = csv.next();
    if (!record) return record.error();
    if (!*record) return run;
    const std::vector<std::string>& fields = **record;
    if (fields.size() != header.size()) {
      return invalid_input(
          fmt::format("{}:{}", file, csv.line()),
          fmt::format("expected {} fields, found {}", header.size(), fields.size()));
    }
    if (fields[0].empty()) continue;  // the line of units
    const auto [at, added] = launch_of_id.try_emplace(fields[0], run.launches.size());
    if (added) {
      const auto grid = parse_dim3(fields[column["Grid Size"]]);
      const auto block = parse_dim3(fields[column["Block Size"]]);
      if (!grid || !block) {
        return invalid_input(fmt::format("{}:{}", file, csv.line()),
                             "expected sizes such as \"(32, 8, 1)\"");
      }
      MeasuredLaunch& launch = run.launches.emplace_back();
      launch.kernel = fields[column["Kernel Name"]];
      launch.grid = *grid;
      launch.block = *block;
    }
    auto& counters = run.launches[at->second].counters;
    if (row_per_counter) {
      const auto value = parse_double(fields[column["Metric Value"]]);
      if (value) counters[fields[column["Metric Name"]]] = *value;
      continue;
    }
    for (std::size_t i = 0; i < fields.size(); ++i) {
      if (header[i].find("__") == std::string::npos) continue;
      if (const auto value = parse_double(fields[i])) counters[header[i]] = *value;
    }
  }
}

}  // namespace

Result<MeasuredRun> read_measured_run(ByteSource& source) {
  auto bytes = read_all(source, kMaxMeasuredBytes);
  if (!bytes) return bytes.error();
  auto text = gunzip(*std::move(bytes), source.name(), kMaxMeasuredBytes);
  if (!text) return text.error();
  const std::size_t first = text->find_first_not_of(" \t\r\n");
  if (first != std::string::npos && (*text)[first] == '{') return read_json(*text, source.name());
  if (is_ncu_source_page(*text)) return read_ncu_source_page(*text, source.name());
  return read_ncu_csv(*text, source.name());
}

std::string measured_path_of(const std::string& trace_path) {
  std::string stem = trace_path;
  for (const std::string_view ending : {".smt", ".jsonl"}) {
    if (stem.ends_with(ending)) {
      stem.resize(stem.size() - ending.size());
      break;
    }
  }
  return stem + ".measured.json";
}

}  // namespace smemsim::trace
