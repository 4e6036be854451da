#include "frontend/races_suppressions.hpp"

#include <fmt/format.h>

#include "sim/race_advice.hpp"
#include "trace/launch_filter.hpp"

namespace smemsim::cli {
namespace {

constexpr std::string_view kForm = "KIND PLACE [PLACE] : REASON";

std::string_view trim(std::string_view text) {
  constexpr std::string_view kSpace = " \t\r";
  const std::size_t begin = text.find_first_not_of(kSpace);
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(kSpace) - begin + 1);
}

std::vector<std::string> words(std::string_view text) {
  std::vector<std::string> out;
  while (!(text = trim(text)).empty()) {
    const std::size_t end = std::min(text.find_first_of(" \t"), text.size());
    out.emplace_back(text.substr(0, end));
    text.remove_prefix(end);
  }
  return out;
}

bool known_kind(const std::string& glob) {
  for (std::size_t i = 0; i < kRaceKinds; ++i) {
    if (trace::glob_matches(glob, race_kind_name(static_cast<RaceKind>(i)))) return true;
  }
  return false;
}

bool place_matches(const std::string& glob, const LaunchRaces& launch, std::uint32_t index) {
  if (index >= launch.sites.size()) return false;
  const Site& site = launch.sites[index];
  if (trace::glob_matches(glob, race_place(launch.sites, index))) return true;
  if (site.line == 0) return false;
  const std::string full = fmt::format("{}:{}", site.file, site.line);
  return trace::glob_matches(glob, full) || trace::glob_matches("*/" + glob, full);
}

bool matches(const RaceSuppression& rule, const LaunchRaces& launch, const RaceFinding& finding) {
  if (!trace::glob_matches(rule.kind, race_kind_name(finding.kind))) return false;
  const auto at = [&](const std::string& glob, const RaceSide& side) {
    return place_matches(glob, launch, side.site);
  };
  if (rule.second.empty()) return at(rule.first, finding.first) || at(rule.first, finding.second);
  return (at(rule.first, finding.first) && at(rule.second, finding.second)) ||
         (at(rule.first, finding.second) && at(rule.second, finding.first));
}

}  // namespace

Result<std::vector<RaceSuppression>> parse_suppressions(std::string_view text,
                                                        const std::string& name) {
  std::vector<RaceSuppression> rules;
  std::uint32_t number = 0;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = trim(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
    ++number;
    if (line.empty() || line.front() == '#') continue;
    const std::string place = fmt::format("{}:{}", name, number);
    // Places hold colons themselves; the one before the reason stands alone.
    const std::size_t colon = line.find(" : ");
    if (colon == std::string_view::npos || trim(line.substr(colon + 3)).empty()) {
      return invalid_input(place, "a suppression needs a reason after ' : '",
                           fmt::format("expected {}", kForm));
    }
    const std::vector<std::string> parts = words(line.substr(0, colon));
    if (parts.size() < 2 || parts.size() > 3) {
      return invalid_input(place, "a suppression names a kind and one or two places",
                           fmt::format("expected {}", kForm));
    }
    if (!known_kind(parts[0])) {
      return invalid_input(place, fmt::format("there is no kind of finding like '{}'", parts[0]),
                           "docs/races.md lists the kinds");
    }
    RaceSuppression rule;
    rule.kind = parts[0];
    rule.first = parts[1];
    if (parts.size() == 3) rule.second = parts[2];
    rule.reason = trim(line.substr(colon + 3));
    rule.line = number;
    rules.push_back(std::move(rule));
  }
  return rules;
}

void suppress(RaceReport& report, std::vector<RaceSuppression>& rules) {
  for (LaunchRaces& launch : report.launches) {
    for (RaceFinding& finding : launch.findings) {
      for (RaceSuppression& rule : rules) {
        if (!matches(rule, launch, finding)) continue;
        finding.suppressed = true;
        ++rule.matched;
      }
    }
  }
}

}  // namespace smemsim::cli
