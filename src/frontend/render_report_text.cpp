// The report for people: the verdict first, then where, how bad and why, then totals under the
// names that profilers use, then what to do next.
#include <fmt/format.h>

#include <algorithm>
#include <ostream>

#include "frontend/paint.hpp"
#include "frontend/render_report.hpp"
#include "frontend/render_report_tables.hpp"
#include "frontend/table.hpp"
#include "frontend/text.hpp"

namespace smemsim::cli {
namespace {

constexpr std::size_t kIndent = kReportIndent;

std::string fit(std::string_view text, std::size_t width) {
  return width == 0 ? std::string(text) : elide(text, width);
}

/// Lines wrapped to the terminal; later lines are indented as the first is, and two more.
std::string paragraph(std::string_view text, std::size_t width, std::size_t indent) {
  const std::size_t inner = width == 0 ? std::string::npos : width - indent - 2;
  std::string out;
  for (const std::string& line : wrap(text, inner)) {
    out += std::string(out.empty() ? indent : indent + 2, ' ') + line + '\n';
  }
  return out;
}

std::string times_fewer(const ConflictTotals& totals) {
  if (totals.ideal == 0) return {};
  const double factor = static_cast<double>(totals.wavefronts) / static_cast<double>(totals.ideal);
  return fmt::format("{:.{}f}x", factor, factor < 10 ? 2 : 1);
}

std::string verdict(const KernelConflicts& kernel) {
  const ConflictTotals& totals = kernel.totals;
  if (totals.executed == 0) return "No shared-memory access was recorded.";
  if (totals.wavefronts == 0) return "No access that the data-stage counters see.";
  if (totals.excess() == 0) {
    return fmt::format("No bank conflicts: {} needed for {}.",
                       totals.wavefronts == 1
                           ? "the only wavefront is"
                           : fmt::format("all {} wavefronts are", with_commas(totals.wavefronts)),
                       count_of(totals.executed, "shared access", "shared accesses"));
  }
  const LineConflicts worst = lines_of(kernel).front();
  const std::string part = worst.totals.excess() == totals.excess()
                               ? "all"
                               : percent(worst.totals.excess(), totals.excess());
  const std::string where =
      worst.sites.size() == 1
          ? fmt::format("site {} ({})", worst.sites.front()->number, worst.place)
          : fmt::format("{} ({} sites)", worst.place, worst.sites.size());
  return fmt::format(
      "Bank conflicts: {} of {} ({}) are excess, {} of them at {}. Without conflicts the accesses "
      "would take {} ({} fewer).",
      with_commas(totals.excess()), count_of(totals.wavefronts, "wavefront"),
      percent(totals.excess(), totals.wavefronts), part, where, with_commas(totals.ideal),
      times_fewer(totals));
}

std::string dims(const Dim3& size) {
  if (size.z > 1) return fmt::format("{}x{}x{}", size.x, size.y, size.z);
  if (size.y > 1) return fmt::format("{}x{}", size.x, size.y);
  return std::to_string(size.x);
}

std::string geometry(const KernelConflicts& kernel) {
  const Launch& launch = kernel.launch;
  std::vector<std::string> parts{"costs of " + printable(kernel.machine)};
  if (!launch.device.name.empty()) parts.push_back("traced on " + printable(launch.device.name));
  parts.push_back(kernel.launches == 1 ? fmt::format("launch {}", launch.launch_index)
                                       : count_of(kernel.launches, "launch", "launches"));
  parts.push_back(fmt::format("grid {}, block {}", dims(launch.grid), dims(launch.block)));
  if (kernel.recorded_blocks != kernel.launched_blocks) {
    parts.push_back(fmt::format("{} of {} blocks recorded", with_commas(kernel.recorded_blocks),
                                with_commas(kernel.launched_blocks)));
  }
  return fmt::format("{}", fmt::join(parts, ", "));
}

/// Totals under the names that Nsight Compute gives them.
std::string counters(const KernelConflicts& kernel, const Environment& environment) {
  Table table({{"value", false, 0, 0}, {"Nsight Compute counter", true, 0, 30}});
  const auto add = [&](const ConflictTotals& totals, const CounterNames& names) {
    if (totals.executed == 0) return;
    const auto row = [&](std::uint64_t value, std::string_view counter) {
      if (counter.empty()) return;
      table.add({{with_commas(value), Style::plain}, {std::string(counter), Style::plain}});
    };
    row(totals.wavefronts, names.wavefronts);
    row(totals.conflicts, names.conflicts);
    row(totals.executed, names.instructions);
  };
  add(kernel.totals, total_counter_names());
  for (std::size_t kind = 0; kind < kAccessKinds; ++kind) {
    add(kernel.kinds[kind], counter_names(static_cast<AccessKind>(kind)));
  }
  std::string out = table.text(Painter(environment.color), report_width(environment), kIndent);
  if (kernel.recorded_blocks != kernel.launched_blocks) {
    out += paragraph(
        fmt::format("These are sums over the {} recorded blocks; a profiler sums over "
                    "all {}.",
                    with_commas(kernel.recorded_blocks), with_commas(kernel.launched_blocks)),
        report_width(environment), kIndent);
  }
  return out;
}

/// What the numbers leave out.
std::vector<std::string> remarks(const KernelConflicts& kernel) {
  std::vector<std::string> out;
  const ConflictTotals& totals = kernel.totals;
  const auto add = [&](std::uint64_t count, std::string_view text) {
    if (count != 0) out.push_back(fmt::format("{}: {}", text, with_commas(count)));
  };
  add(totals.unmodelled, "executions without a cost, since the machine has no rule for them");
  add(totals.uncounted, "cp.async.cg copies, which the data-stage counters do not see");
  add(totals.partial, "executions of which the trace has only some lanes' addresses");
  add(kernel.dropped_events, "events lost while tracing, so that the sums are too low");
  for (const auto& [op, count] : kernel.not_costed) {
    out.push_back(
        fmt::format("{} x {}: moves shared data, has no cost here.", with_commas(count), name(op)));
  }
  return out;
}

bool has_command(std::string_view name) {
  const auto all = commands();
  return std::any_of(all.begin(), all.end(),
                     [&](const CommandEntry& entry) { return entry.name == name; });
}

std::string next_steps(const ConflictReport& report, const ReportView& view,
                       const Environment& environment) {
  const SiteConflicts* worst = nullptr;
  for (const KernelConflicts& kernel : report.kernels) {
    if (kernel.sites.empty() || kernel.totals.excess() == 0) continue;
    const SiteConflicts& candidate = kernel.sites.front();
    if (worst == nullptr || candidate.totals.excess() > worst->totals.excess()) worst = &candidate;
  }
  if (worst == nullptr || view.trace == "-") return {};
  if (view.trace.empty() && view.expression.empty()) return {};
  const std::string trace = printable(view.trace);
  const bool from_text = !view.expression.empty();
  const std::string input = from_text ? printable(view.expression) : trace;
  std::vector<std::pair<std::string, std::string>> steps{
      {fmt::format("smemsim {} {} --site {}", from_text ? "explain" : "report", input,
                   worst->number),
       "lanes and banks of its worst access"}};
  if (has_command("advise")) {
    steps.emplace_back(fmt::format("smemsim advise {}{}", from_text ? "--expr " : "", input),
                       "what removes the conflicts");
  }
  if (has_command("simulate") && !from_text) {
    steps.emplace_back(fmt::format("smemsim simulate {}", trace), "whether it matters, in cycles");
  }
  std::size_t widest = 0;
  for (const auto& [command, text] : steps) widest = std::max(widest, display_width(command));
  const std::size_t width = report_width(environment);
  std::string out = "\nNext:\n";
  for (const auto& [command, text] : steps) {
    const std::string space(widest - display_width(command) + 2, ' ');
    const std::string line = fmt::format("  {}{}# {}", command, space, text);
    out += (width == 0 || display_width(line) <= width ? line : "  " + command) + '\n';
  }
  return out;
}

constexpr std::string_view kLegend =
    "wavefront: one cycle of the SM's shared-memory data stage. ideal: the "
    "fewest with these "
    "widths "
    "and active lanes. excess = wavefronts - ideal. share: of the kernel's "
    "wavefronts. ways "
    "(mean / worst): most words in one bank of a pass, for atomics most lanes; "
    "1 = no conflict.";

std::string kernel_section(const KernelConflicts& kernel, const ReportView& view,
                           const Environment& environment) {
  const Painter paint(environment.color);
  const std::size_t width = report_width(environment);
  std::string out = paint(Style::strong, fit(kernel_name(kernel), width)) + '\n';
  out += paragraph(geometry(kernel), width, kIndent);
  for (const std::string& line :
       wrap(verdict(kernel), width == 0 ? std::string::npos : width - kIndent)) {
    out += std::string(kIndent, ' ') +
           paint(report_severity(kernel.totals.excess(), kernel.totals.wavefronts), line) + '\n';
  }
  for (const std::string& text : remarks(kernel)) out += paragraph(text, width, kIndent);
  if (kernel.sites.empty()) return out;
  if (const std::string lines = line_table(kernel, view, environment); !lines.empty()) {
    out += '\n' + lines;
  }
  out += '\n' + site_table(kernel, view, environment);
  if (view.top != 0 && kernel.sites.size() > view.top) {
    out += fmt::format("  ... {} more (--top 0 shows all)\n",
                       count_of(kernel.sites.size() - view.top, "site"));
  }
  out += '\n' + counters(kernel, environment);
  return out;
}

/// One line on everything: what a reader of a log wants to see first.
std::string summary(const ConflictReport& report, const ReportView& view) {
  const ConflictTotals& totals = report.totals;
  const std::string where =
      fmt::format("{}: {}", view.trace.empty() ? "text" : printable(view.trace),
                  count_of(report.kernels.size(), "kernel"));
  if (totals.excess() == 0) return where + ", no bank conflicts";
  return fmt::format("{}, {} of {} ({}) are bank conflicts", where, with_commas(totals.excess()),
                     count_of(totals.wavefronts, "shared wavefront"),
                     percent(totals.excess(), totals.wavefronts));
}

}  // namespace

Status render_report_text(const ConflictReport& report, const ReportView& view,
                          Environment& environment) {
  std::ostream& out = environment.out;
  const std::size_t width = report_width(environment);
  if (view.site) {
    const KernelConflicts* kernel = nullptr;
    const SiteConflicts* row = report.site(*view.site, &kernel);
    out << site_detail_text(*row, *kernel, environment);
    return {};
  }
  const Painter paint(environment.color);
  for (const std::string& line :
       wrap(summary(report, view), width == 0 ? std::string::npos : width)) {
    out << paint(report_severity(report.totals.excess(), report.totals.wavefronts), line) << '\n';
  }
  for (const std::string& note : view.notes) out << paragraph("note: " + note, width, 0);
  if (report.kernels.size() > 1) out << '\n' << kernel_table(report, environment);
  for (const KernelConflicts& kernel : report.kernels) {
    out << '\n' << kernel_section(kernel, view, environment);
  }
  if (report.totals.executed > 0) {
    out << '\n';
    for (const std::string& line : wrap(kLegend, width == 0 ? 100 : width)) {
      out << paint(Style::faint, line) << '\n';
    }
  }
  out << next_steps(report, view, environment);
  return {};
}

}  // namespace smemsim::cli
