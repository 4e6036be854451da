#include "trace/machine_file.hpp"

#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <set>

#include "sim/machine_parameters.hpp"
#include "sim/word_map.hpp"
#include "trace/byte_io.hpp"
#include "trace/lane_list.hpp"

namespace smemsim::trace {
namespace {

using Json = nlohmann::json;

constexpr std::string_view kMachineSchema = "smemsim/machine/1";
constexpr std::uint64_t kMaxMachineBytes = 1 << 20;

/// Reads one machine file; every member function names the JSON place in its errors.
class MachineParser {
 public:
  MachineParser(const Json& root, std::string file) : root_(root), file_(std::move(file)) {}

  Result<Machine> parse() {
    if (!root_.is_object() || root_.value("schema", Json()) != kMachineSchema) {
      return error("schema", fmt::format("expected \"{}\"", kMachineSchema));
    }
    SMEMSIM_TRY(only_keys(
        root_, "", {"schema", "name", "description", "sources", "parameters", "access_rules"}));
    machine_.name = text_of(root_, "name");
    if (machine_.name.empty()) return error("name", "expected a name such as \"sm_90\"");
    machine_.description = text_of(root_, "description");
    SMEMSIM_TRY(parse_sources());
    SMEMSIM_TRY(parse_parameters());
    SMEMSIM_TRY(parse_rules());
    return std::move(machine_);
  }

 private:
  /// The text under a key; empty when there is none.
  static std::string text_of(const Json& object, const char* key) {
    const Json value = object.value(key, Json());
    return value.is_string() ? value.get<std::string>() : std::string();
  }

  Error error(const std::string& key, std::string message, std::string hint = {}) const {
    return {ErrorKind::invalid_input, file_ + ": " + key, std::move(message), std::move(hint)};
  }

  Status only_keys(const Json& object, const std::string& key,
                   const std::set<std::string>& allowed) const {
    for (const auto& [name, value] : object.items()) {
      if (!allowed.contains(name)) {
        return error(key.empty() ? name : fmt::format("{}.{}", key, name), "unknown key",
                     fmt::format("known here: {}", fmt::join(allowed, ", ")));
      }
    }
    return {};
  }

  Status parse_sources() {
    const Json sources = root_.value("sources", Json::object());
    if (!sources.is_object()) return error("sources", "expected an object");
    for (const auto& [name, source] : sources.items()) {
      if (!source.is_object() || !source.contains("text") || !source["text"].is_string() ||
          !source.contains("measured") || !source["measured"].is_boolean()) {
        return error("sources." + name, "expected {\"measured\": true or false, \"text\": ...}");
      }
      sources_[name] = {source["measured"].get<bool>(), source["text"].get<std::string>()};
    }
    return {};
  }

  Status note_source(const Json& object, const std::string& key) {
    const Json source = object.value("source", Json());
    if (!source.is_string() || !sources_.contains(source.get<std::string>())) {
      return error(key + ".source", "expected the name of an entry of \"sources\"",
                   "every number says where it comes from");
    }
    machine_.provenance[key] = sources_[source.get<std::string>()];
    return {};
  }

  /// A number, or a hexadecimal string, within the parameter's range.
  Result<double> number(const Json& value, const std::string& key, double least,
                        double most) const {
    double out = std::nan("");
    if (value.is_number()) out = value.get<double>();
    if (value.is_string()) {
      const auto mask = parse_lane_mask(value.get<std::string>());
      if (mask) out = static_cast<double>(*mask);
    }
    if (!(out >= least && out <= most)) {
      return error(key, fmt::format("expected a number from {} to {}", least, most));
    }
    return out;
  }

  Status parse_parameters() {
    const Json parameters = root_.value("parameters", Json::object());
    if (!parameters.is_object()) return error("parameters", "expected an object");
    for (const auto& [path, entry] : parameters.items()) {
      const Parameter* parameter = find_parameter(path);
      if (parameter == nullptr) {
        return error("parameters." + path, "no such parameter", "see docs/machine-file.md");
      }
      if (!entry.is_object() || !entry.contains("value")) {
        return error("parameters." + path, "expected {\"value\": ..., \"source\": ...}");
      }
      SMEMSIM_TRY(only_keys(entry, "parameters." + path, {"value", "source"}));
      SMEMSIM_TRY(note_source(entry, path));
      SMEMSIM_TRY(assign(*parameter, entry["value"]));
    }
    machine_.shared.copies.known = parameters.contains("copies.set_hash");
    return {};
  }

  Status assign(const Parameter& parameter, const Json& value) {
    const std::string key = "parameters." + std::string(parameter.path);
    ParameterSlot slot = parameter.slot(machine_);
    return std::visit(
        [&](auto* target) -> Status {
          using Target = std::remove_pointer_t<decltype(target)>;
          if constexpr (std::is_arithmetic_v<Target>) {
            const auto parsed = number(value, key, parameter.least, parameter.most);
            if (!parsed) return parsed.error();
            *target = static_cast<Target>(*parsed);
          } else {
            if (!value.is_array() || value.size() > 64) return error(key, "expected a list");
            target->clear();
            for (const Json& element : value) {
              const auto parsed = number(element, key, parameter.least, parameter.most);
              if (!parsed) return parsed.error();
              target->push_back(static_cast<typename Target::value_type>(*parsed));
            }
          }
          return {};
        },
        slot);
  }

  Status parse_rules() {
    const Json rules = root_.value("access_rules", Json::array());
    if (!rules.is_array()) return error("access_rules", "expected a list");
    for (std::size_t i = 0; i < rules.size(); ++i) {
      const std::string key = fmt::format("access_rules.{}", i);
      const Json& rule = rules[i];
      if (!rule.is_object()) return error(key, "expected an object");
      SMEMSIM_TRY(only_keys(
          rule, key,
          {"operations", "width", "matrices", "passes", "merge_xor", "merged_passes", "count",
           "wavefronts_per_word", "floor", "merged_floor", "through_tags", "uncounted", "source"}));
      SMEMSIM_TRY(parse_rule(rule, key));
    }
    return {};
  }

  Result<std::vector<LaneMask>> passes(const Json& rule, const char* name,
                                       const std::string& key) const {
    std::vector<LaneMask> out;
    for (const Json& text : rule.value(name, Json::array())) {
      const auto mask =
          text.is_string() ? parse_lane_list(text.get<std::string>()) : std::optional<LaneMask>{};
      if (!mask || (*mask & ~first_lanes(machine_.shared.lanes)) != 0) {
        return error(key + "." + name,
                     fmt::format("expected lane lists such as \"0-3,20-23\" below {}",
                                 machine_.shared.lanes));
      }
      out.push_back(*mask);
    }
    return out;
  }

  Status parse_rule(const Json& json, const std::string& key) {
    AccessRule rule;
    for (const Json& text : json.value("operations", Json::array())) {
      const auto op =
          text.is_string() ? operation_from_name(text.get<std::string>()) : std::nullopt;
      if (!op || !is_shared_access(*op)) {
        return error(key + ".operations",
                     "expected names of shared accesses: ld, st, ldmatrix, stmatrix, atom, red, "
                     "red.popc, atom.cas, atom.cas.spin, cp.async.ca, cp.async.cg");
      }
      rule.operations.push_back(*op);
    }
    if (rule.operations.empty()) return error(key + ".operations", "expected at least one");

    const auto count = json.value("count", Json("words"));
    if (count != "words" && count != "lanes" && count != "one") {
      return error(key + ".count", "expected \"words\", \"lanes\" or \"one\"");
    }
    rule.count = count == "words"   ? BankCount::words
                 : count == "lanes" ? BankCount::lanes
                                    : BankCount::one;
    rule.through_tags = json.value("through_tags", Json(false)) == Json(true);
    rule.uncounted = json.value("uncounted", Json(false)) == Json(true);

    const auto whole = [&](const char* name, std::uint32_t otherwise, double most,
                           std::uint32_t& out) -> Status {
      const auto parsed = number(json.value(name, Json(otherwise)), key + "." + name, 0, most);
      if (!parsed) return parsed.error();
      out = static_cast<std::uint32_t>(*parsed);
      return {};
    };
    std::uint32_t matrices = 0;
    SMEMSIM_TRY(whole("matrices", 0, 4, matrices));
    SMEMSIM_TRY(whole("wavefronts_per_word", 1, 64, rule.wavefronts_per_word));
    SMEMSIM_TRY(whole("floor", 1, 1024, rule.floor));
    SMEMSIM_TRY(whole("merged_floor", 1, 1024, rule.merged_floor));
    rule.matrices = static_cast<std::uint8_t>(matrices);

    auto plain = passes(json, "passes", key);
    if (!plain) return plain.error();
    if (plain->empty()) return error(key + ".passes", "expected at least one lane list");
    rule.passes = *std::move(plain);
    auto merged = passes(json, "merged_passes", key);
    if (!merged) return merged.error();
    rule.merged_passes = *std::move(merged);
    for (const Json& x : json.value("merge_xor", Json::array())) {
      const auto parsed = number(x, key + ".merge_xor", 1, machine_.shared.lanes - 1.0);
      if (!parsed) return parsed.error();
      rule.merge_xor.push_back(static_cast<std::uint8_t>(*parsed));
    }
    if (rule.merge_xor.empty() != rule.merged_passes.empty()) {
      return error(key, "merge_xor and merged_passes belong together");
    }
    SMEMSIM_TRY(note_source(json, key));

    Json widths = json.value("width", Json::array());
    if (widths.is_number()) widths = Json::array({widths});
    if (!widths.is_array() || widths.empty()) {
      return error(key + ".width", "expected bytes per lane, a number or a list");
    }
    const double most_width = machine_.shared.bank_bytes * double{kMaxWordsPerLane};
    for (const Json& width : widths) {
      const auto parsed = number(width, key + ".width", 1, std::min(most_width, 128.0));
      if (!parsed) return parsed.error();
      rule.width = static_cast<std::uint8_t>(*parsed);
      machine_.shared.rules.push_back(rule);
    }
    return {};
  }

  const Json& root_;
  const std::string file_;
  Machine machine_;
  std::map<std::string, Provenance> sources_;
};

}  // namespace

Result<Machine> parse_machine(std::string_view text, const std::string& place) {
  Json root;
  try {
    root = Json::parse(text);
  } catch (const Json::parse_error& error) {
    return invalid_input(fmt::format("{}: byte {}", place, error.byte), "this is not valid JSON");
  }
  return MachineParser(root, place).parse();
}

Result<Machine> load_machine(const std::string& name_or_path) {
  const std::string& wanted = name_or_path.empty() ? std::string("sm_90") : name_or_path;
  std::vector<std::string_view> names;
  for (const EmbeddedMachine& machine : embedded_machines()) {
    if (machine.name == wanted) return parse_machine(machine.text, "built-in " + wanted);
    names.push_back(machine.name);
  }
  auto file = open_source(wanted);
  if (!file) {
    return usage_error(
        wanted, "no such machine and no such file",
        fmt::format("built-in machines: {}; or give a machine file", fmt::join(names, ", ")));
  }
  const auto text = read_all(**file, kMaxMachineBytes);
  if (!text) return text.error();
  return parse_machine(*text, wanted);
}

}  // namespace smemsim::trace
