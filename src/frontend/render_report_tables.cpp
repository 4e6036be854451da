#include "frontend/render_report_tables.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "frontend/table.hpp"
#include "frontend/text.hpp"

namespace smemsim::cli {
namespace {

std::string ways_text(const SiteConflicts& row) {
  if (row.costed() == 0) return "-";
  return fmt::format("{} / {}", mean(row.ways_sum, row.costed()), row.worst_ways);
}

/// The machine code, unless the site has no other name.
std::string instruction_text(const SiteConflicts& row) {
  std::string text = printable(row.site.instruction);
  return text == site_place(row) ? std::string() : text;
}

}  // namespace

std::size_t report_width(const Environment& environment) {
  return environment.columns == 0 ? 0 : std::max(environment.columns, 40U);
}

Style report_severity(std::uint64_t excess, std::uint64_t kernel_wavefronts) {
  if (excess == 0) return Style::good;
  return 10 * excess >= kernel_wavefronts ? Style::bad : Style::warning;
}

std::string kernel_table(const ConflictReport& report, const Environment& environment) {
  Table table({{"excess", false, 0, 0},
               {"wavefronts", false, 0, 0},
               {"ideal", false, 1, 0},
               {"launches", false, 2, 0},
               {"kernel", true, 0, 20}});
  for (const KernelConflicts& kernel : report.kernels) {
    const ConflictTotals& totals = kernel.totals;
    table.add({{with_commas(totals.excess()), report_severity(totals.excess(), totals.wavefronts)},
               {with_commas(totals.wavefronts), Style::plain},
               {with_commas(totals.ideal), Style::plain},
               {with_commas(kernel.launches), Style::plain},
               {kernel_name(kernel), Style::plain}});
  }
  return table.text(Painter(environment.color), report_width(environment), kReportIndent);
}

std::string line_table(const KernelConflicts& kernel, const ReportView& view,
                       const Environment& environment) {
  std::vector<LineConflicts> lines = lines_of(kernel);
  if (lines.size() == kernel.sites.size()) return {};
  const std::size_t all = lines.size();
  if (view.top != 0 && lines.size() > view.top) lines.resize(view.top);
  Table table({{"excess", false, 0, 0},
               {"share", false, 2, 0},
               {"wavefronts", false, 0, 0},
               {"ideal", false, 1, 0},
               {"sites", false, 0, 0},
               {"line", true, 0, 16, true}});
  for (const LineConflicts& line : lines) {
    const ConflictTotals& totals = line.totals;
    table.add(
        {{with_commas(totals.excess()), report_severity(totals.excess(), kernel.totals.wavefronts)},
         {percent(totals.wavefronts, kernel.totals.wavefronts), Style::plain},
         {with_commas(totals.wavefronts), Style::plain},
         {with_commas(totals.ideal), Style::plain},
         {std::to_string(line.sites.size()), Style::plain},
         {line.place, Style::plain}});
  }
  std::string out =
      table.text(Painter(environment.color), report_width(environment), kReportIndent);
  if (all > lines.size()) {
    out += fmt::format("  ... {} more\n", count_of(all - lines.size(), "line"));
  }
  return out;
}

std::string site_table(const KernelConflicts& kernel, const ReportView& view,
                       const Environment& environment) {
  Table table({{"#", false, 0, 0},
               {"excess", false, 0, 0},
               {"share", false, 4, 0},
               {"wavefronts", false, 0, 0},
               {"ideal", false, 3, 0},
               {"ways", false, 0, 0},
               {"executed", false, 2, 0},
               {"access", true, 5, 0},
               {"site", true, 0, 16, true},
               {"instruction", true, 1, 20}});
  for (const SiteConflicts* row : shown_sites(kernel, view)) {
    const ConflictTotals& totals = row->totals;
    table.add(
        {{std::to_string(row->number), Style::plain},
         {with_commas(totals.excess()), report_severity(totals.excess(), kernel.totals.wavefronts)},
         {percent(totals.wavefronts, kernel.totals.wavefronts), Style::plain},
         {with_commas(totals.wavefronts), Style::plain},
         {with_commas(totals.ideal), Style::plain},
         {ways_text(*row), Style::plain},
         {with_commas(totals.executed), Style::plain},
         {access_text(row->op, row->width, row->matrices), Style::plain},
         {site_place(*row), Style::plain},
         {instruction_text(*row), Style::plain}},
        site_reason(*row, kernel));
  }
  return table.text(Painter(environment.color), report_width(environment), kReportIndent);
}

}  // namespace smemsim::cli
