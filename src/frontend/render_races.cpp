#include "frontend/render_races.hpp"

#include <fmt/format.h>

#include <array>
#include <ostream>

#include "frontend/paint.hpp"
#include "frontend/text.hpp"
#include "sim/race_advice.hpp"

namespace smemsim::cli {
namespace {

Style style_of(RaceSeverity severity) {
  switch (severity) {
    case RaceSeverity::error:
      return Style::bad;
    case RaceSeverity::warning:
      return Style::warning;
    default:
      return Style::faint;
  }
}

std::string blocks_text(const LaunchRaces& launch, const RaceFinding& finding) {
  std::string out =
      fmt::format("{} of {}", with_commas(finding.blocks), count_of(launch.blocks, "block"));
  if (!finding.block_examples.empty()) {
    std::string list;
    for (const std::uint64_t block : finding.block_examples) {
      list += (list.empty() ? "" : ", ") + with_commas(block);
    }
    out +=
        fmt::format(" ({}{})", list, finding.blocks > finding.block_examples.size() ? ", ..." : "");
  }
  return out;
}

std::string side_line(const LaunchRaces& launch, const RaceSide& side, bool with_block) {
  std::string out =
      fmt::format("{:<24} {}", printable(race_place(launch.sites, side.site)), name(side.op));
  out += fmt::format("  thread {}", thread_text(launch, side.thread));
  if (with_block) out += fmt::format(" of block {}", side.block);
  if (side.site < launch.sites.size() && launch.sites[side.site].pc != 0) {
    out += "  " + printable(launch.sites[side.site].instruction);
  }
  return out;
}

void write_finding(const LaunchRaces& launch, const RaceFinding& finding,
                   Environment& environment) {
  const Painter paint(environment.color);
  std::ostream& out = environment.out;
  out << '\n'
      << paint(style_of(finding.severity), severity_name(finding.severity)) << ": "
      << paint(Style::strong, race_kind_name(finding.kind)) << " at "
      << printable(race_place(launch.sites, finding.first.site));
  if (finding.second.site != kNoSite && finding.second.site != finding.first.site) {
    out << " and " << printable(race_place(launch.sites, finding.second.site));
  }
  if (finding.suppressed) out << "  (suppressed)";
  out << '\n';
  const std::size_t width = environment.columns > 30 ? environment.columns - 2 : 98;
  for (const std::string& line : wrap(printable(finding.what), width)) out << "  " << line << '\n';
  if (finding.severity != RaceSeverity::hint) {
    const bool two_blocks = finding.scope == RaceScope::cluster;
    out << "  first:  " << side_line(launch, finding.first, two_blocks) << '\n';
    if (finding.second.site != kNoSite) {
      out << "  second: " << side_line(launch, finding.second, two_blocks) << '\n';
    }
    out << "  seen:   " << count_of(finding.count, "time") << ", in "
        << blocks_text(launch, finding) << '\n';
  }
  bool first = true;
  for (const std::string& line : wrap(printable(finding.advice), width - 8)) {
    out << (first ? "  " + paint(Style::good, "fix:") + "    " : "          ") << line << '\n';
    first = false;
  }
}

std::string counts(const std::array<std::uint64_t, 4>& by_severity) {
  std::string out;
  constexpr std::array<std::string_view, 4> kNames{"hint", "info", "warning", "error"};
  for (std::size_t i = kNames.size(); i-- > 0;) {
    if (by_severity[i] == 0) continue;
    if (!out.empty()) out += ", ";
    out += kNames[i] == "info" ? fmt::format("{} for information", by_severity[i])
                               : count_of(by_severity[i], kNames[i]);
  }
  return out.empty() ? "no findings" : out;
}

template <typename Report>
std::array<std::uint64_t, 4> count_all(const Report& report) {
  std::array<std::uint64_t, 4> out{};
  for (std::size_t i = 0; i < out.size(); ++i) out[i] = report.count(static_cast<RaceSeverity>(i));
  return out;
}

}  // namespace

std::span<const RacesFormat> races_formats() {
  static constexpr std::array kFormats{
      RacesFormat{"text", render_races_text},
      RacesFormat{"json", render_races_json},
      RacesFormat{"sarif", render_races_sarif},
      RacesFormat{"csv", render_races_csv},
  };
  return kFormats;
}

std::string thread_text(const LaunchRaces& launch, std::uint32_t thread) {
  const Dim3& block = launch.block;
  return fmt::format("({},{},{})", thread % block.x, thread / block.x % block.y,
                     thread / block.x / block.y);
}

std::string races_verdict(const RaceReport& report) {
  return counts(count_all(report));
}

Status render_races_text(const RaceReport& report, const RacesView& view,
                         Environment& environment) {
  const Painter paint(environment.color);
  std::ostream& out = environment.out;
  out << paint(Style::strong, races_verdict(report)) << " in "
      << count_of(report.launches.size(), "launch", "launches") << " of " << printable(view.trace)
      << '\n';
  for (const LaunchRaces& launch : report.launches) {
    std::uint64_t suppressed = 0;
    for (const RaceFinding& finding : launch.findings) suppressed += finding.suppressed ? 1 : 0;
    out << fmt::format("\n{} #{}: {}{}; {}, {}, {}\n",
                       paint(Style::strong, printable(launch.kernel)), launch.launch_index,
                       counts(count_all(launch)),
                       suppressed == 0 ? "" : fmt::format(" ({} suppressed)", suppressed),
                       count_of(launch.blocks, "block"), count_of(launch.events, "warp event"),
                       count_of(launch.accesses, "shared access", "shared accesses"));
    for (const std::string& note : launch.notes) out << "note: " << printable(note) << '\n';
    for (const RaceFinding& finding : launch.findings) {
      if (finding.suppressed && !view.show_suppressed) continue;
      write_finding(launch, finding, environment);
    }
  }
  for (const std::string& note : view.notes) out << "\nnote: " << printable(note) << '\n';
  return {};
}

Status render_races_csv(const RaceReport& report, const RacesView&, Environment& environment) {
  std::ostream& out = environment.out;
  out << "kernel,launch,severity,kind,scope,suppressed,first,first_thread,second,second_thread,"
         "address,count,blocks,what,advice\n";
  for (const LaunchRaces& launch : report.launches) {
    for (const RaceFinding& finding : launch.findings) {
      const bool two = finding.second.site != kNoSite;
      out << fmt::format(
          "{},{},{},{},{},{},{},{},{},{},{},{},{},{},{}\n", csv_field(launch.kernel),
          launch.launch_index, severity_name(finding.severity), race_kind_name(finding.kind),
          scope_name(finding.scope), finding.suppressed ? 1 : 0,
          csv_field(race_place(launch.sites, finding.first.site)), finding.first.thread,
          two ? csv_field(race_place(launch.sites, finding.second.site)) : "",
          two ? std::to_string(finding.second.thread) : "",
          finding.has_address ? std::to_string(finding.address) : "", finding.count, finding.blocks,
          csv_field(finding.what), csv_field(finding.advice));
    }
  }
  return {};
}

}  // namespace smemsim::cli
