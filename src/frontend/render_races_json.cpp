// Races for programs: smemsim/races/1 and SARIF 2.1.0. Keys are sorted, so that equal reports are
// equal bytes.
#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <ostream>
#include <set>

#include "frontend/render_races.hpp"
#include "frontend/text.hpp"
#include "sim/race_advice.hpp"

namespace smemsim::cli {
namespace {

using nlohmann::json;

std::string dump(const json& value) {
  // Names come from hostile files: broken UTF-8 is replaced, not thrown about.
  return value.dump(2, ' ', false, json::error_handler_t::replace) + "\n";
}

json site_json(const LaunchRaces& launch, std::uint32_t index) {
  if (index >= launch.sites.size()) return {};
  const Site& site = launch.sites[index];
  return {{"file", site.file},
          {"line", site.line},
          {"function", site.function},
          {"pc", site.pc},
          {"instruction", site.instruction},
          {"place", race_place(launch.sites, index)}};
}

json side_json(const LaunchRaces& launch, const RaceSide& side) {
  if (side.site == kNoSite) return {};
  json out = site_json(launch, side.site);
  out["operation"] = name(side.op);
  out["block"] = side.block;
  out["thread"] = side.thread;
  out["warp"] = side.thread / launch.warp_lanes;
  out["lane"] = side.thread % launch.warp_lanes;
  return out;
}

json finding_json(const LaunchRaces& launch, const RaceFinding& finding) {
  json out{{"kind", race_kind_name(finding.kind)},
           {"severity", severity_name(finding.severity)},
           {"scope", scope_name(finding.scope)},
           {"first", side_json(launch, finding.first)},
           {"second", side_json(launch, finding.second)},
           {"helper", site_json(launch, finding.helper_site)},
           {"count", finding.count},
           {"blocks", finding.blocks},
           {"block_examples", finding.block_examples},
           {"suppressed", finding.suppressed},
           {"what", finding.what},
           {"advice", finding.advice}};
  out["address"] = finding.has_address ? json(finding.address) : json();
  return out;
}

json counts_json(const RaceReport& report) {
  json out;
  for (const RaceSeverity severity :
       {RaceSeverity::hint, RaceSeverity::info, RaceSeverity::warning, RaceSeverity::error}) {
    out[std::string(severity_name(severity))] = report.count(severity);
  }
  return out;
}

std::string_view sarif_level(RaceSeverity severity) {
  switch (severity) {
    case RaceSeverity::error:
      return "error";
    case RaceSeverity::warning:
      return "warning";
    default:
      return "note";
  }
}

/// A place in the source, or the trace itself when the source is not known.
json sarif_location(const LaunchRaces& launch, std::uint32_t index, const RacesView& view,
                    std::string_view message) {
  json physical;
  if (index < launch.sites.size() && launch.sites[index].line != 0) {
    const Site& site = launch.sites[index];
    physical = {{"artifactLocation", {{"uri", site.file}}}, {"region", {{"startLine", site.line}}}};
  } else {
    physical = {{"artifactLocation", {{"uri", view.trace}}}};
  }
  json out{{"physicalLocation", std::move(physical)}};
  if (index < launch.sites.size()) {
    out["logicalLocations"] = json::array(
        {{{"fullyQualifiedName", race_place(launch.sites, index)}, {"kind", "function"}}});
  }
  if (!message.empty()) out["message"] = {{"text", message}};
  return out;
}

json sarif_result(const LaunchRaces& launch, const RaceFinding& finding, const RacesView& view) {
  json out{{"ruleId", race_kind_name(finding.kind)},
           {"level", sarif_level(finding.severity)},
           {"message", {{"text", fmt::format("{}. Fix: {}.", finding.what, finding.advice)}}},
           {"locations", json::array({sarif_location(launch, finding.first.site, view, "")})}};
  json related = json::array();
  if (finding.second.site != kNoSite) {
    related.push_back(sarif_location(launch, finding.second.site, view, "the other side"));
  }
  if (finding.helper_site != kNoSite) {
    related.push_back(sarif_location(launch, finding.helper_site, view, "what falls short"));
  }
  if (!related.empty()) out["relatedLocations"] = std::move(related);
  // Stable across runs and across edits of other lines of the file only through the places.
  out["partialFingerprints"] = {
      {"smemsim/races/1",
       fmt::format(
           "{}|{}|{}|{}", launch.kernel, race_kind_name(finding.kind),
           race_place(launch.sites, finding.first.site),
           finding.second.site == kNoSite ? "" : race_place(launch.sites, finding.second.site))}};
  if (finding.suppressed) out["suppressions"] = json::array({{{"kind", "external"}}});
  return out;
}

}  // namespace

Status render_races_json(const RaceReport& report, const RacesView& view,
                         Environment& environment) {
  json launches = json::array();
  for (const LaunchRaces& launch : report.launches) {
    json findings = json::array();
    for (const RaceFinding& finding : launch.findings) {
      findings.push_back(finding_json(launch, finding));
    }
    launches.push_back({{"kernel", launch.kernel},
                        {"launch", launch.launch_index},
                        {"blocks", launch.blocks},
                        {"events", launch.events},
                        {"shared_accesses", launch.accesses},
                        {"notes", launch.notes},
                        {"findings", std::move(findings)}});
  }
  environment.out << dump({{"schema", "smemsim/races/1"},
                           {"trace", view.trace},
                           {"counts", counts_json(report)},
                           {"launches", std::move(launches)}});
  return {};
}

Status render_races_sarif(const RaceReport& report, const RacesView& view,
                          Environment& environment) {
  json results = json::array();
  std::set<RaceKind> kinds;
  for (const LaunchRaces& launch : report.launches) {
    for (const RaceFinding& finding : launch.findings) {
      kinds.insert(finding.kind);
      results.push_back(sarif_result(launch, finding, view));
    }
  }
  json rules = json::array();
  for (const RaceKind kind : kinds) {
    rules.push_back(
        {{"id", race_kind_name(kind)}, {"shortDescription", {{"text", info(kind).summary}}}});
  }
  json driver{{"name", "smemsim"}, {"version", SMEMSIM_VERSION}, {"rules", std::move(rules)}};
  json run{{"tool", {{"driver", std::move(driver)}}},
           {"columnKind", "utf16CodeUnits"},
           {"results", std::move(results)}};
  environment.out << dump({{"$schema", "https://json.schemastore.org/sarif-2.1.0.json"},
                           {"version", "2.1.0"},
                           {"runs", json::array({std::move(run)})}});
  return {};
}

}  // namespace smemsim::cli
