#include "frontend/render_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <tuple>

#include "frontend/text.hpp"
#include "sim/access_pattern.hpp"

namespace smemsim::cli {

std::span<const ReportFormat> report_formats() {
  static constexpr std::array kFormats{
      ReportFormat{"text", render_report_text},
      ReportFormat{"json", render_report_json},
      ReportFormat{"csv", render_report_csv},
  };
  return kFormats;
}

std::span<const std::string_view> site_orders() {
  static constexpr std::array<std::string_view, 5> kNames{"excess", "wavefronts", "ways",
                                                          "executed", "source"};
  return kNames;
}

std::vector<const SiteConflicts*> shown_sites(const KernelConflicts& kernel,
                                              const ReportView& view) {
  std::vector<const SiteConflicts*> rows;
  for (const SiteConflicts& row : kernel.sites) rows.push_back(&row);
  const auto descending = [&](auto&& key) {
    std::stable_sort(rows.begin(), rows.end(), [&](const SiteConflicts* a, const SiteConflicts* b) {
      return key(*a) > key(*b);
    });
  };
  switch (view.order) {
    case SiteOrder::excess:
      break;  // the report's own order
    case SiteOrder::wavefronts:
      descending([](const SiteConflicts& row) { return row.totals.wavefronts; });
      break;
    case SiteOrder::ways:
      descending([](const SiteConflicts& row) { return row.worst_ways; });
      break;
    case SiteOrder::executed:
      descending([](const SiteConflicts& row) { return row.totals.executed; });
      break;
    case SiteOrder::source:
      std::stable_sort(rows.begin(), rows.end(),
                       [](const SiteConflicts* a, const SiteConflicts* b) {
                         return std::tie(a->site.file, a->site.line, a->site.function, a->site.pc) <
                                std::tie(b->site.file, b->site.line, b->site.function, b->site.pc);
                       });
      break;
  }
  if (view.top != 0 && rows.size() > view.top) rows.resize(view.top);
  return rows;
}

std::string kernel_name(const KernelConflicts& kernel) {
  return kernel.kernel.empty() ? "(unnamed kernel)" : printable(kernel.kernel);
}

std::string site_place(const SiteConflicts& row) {
  const Site& site = row.site;
  if (!site.file.empty()) return fmt::format("{}:{}", printable(site.file), site.line);
  // Written by hand, or an expression: its text is all there is.
  if (site.function.empty() && !site.instruction.empty()) return printable(site.instruction);
  return fmt::format("pc 0x{:04x}", site.pc);
}

std::vector<LineConflicts> lines_of(const KernelConflicts& kernel) {
  std::vector<LineConflicts> lines;
  std::map<std::pair<std::string, std::uint32_t>, std::size_t> index;
  for (const SiteConflicts& row : kernel.sites) {
    std::size_t at = lines.size();
    if (row.site.line != 0) {
      at = index.try_emplace({row.site.file, row.site.line}, lines.size()).first->second;
    }
    if (at == lines.size()) lines.push_back({site_place(row), {}, {}});
    lines[at].sites.push_back(&row);
    lines[at].totals += row.totals;
  }
  std::stable_sort(lines.begin(), lines.end(), [](const LineConflicts& a, const LineConflicts& b) {
    return std::pair(a.totals.excess(), a.totals.wavefronts) >
           std::pair(b.totals.excess(), b.totals.wavefronts);
  });
  return lines;
}

std::string access_text(Operation op, unsigned width, unsigned matrices) {
  if (matrices != 0) return fmt::format("{} x{}", name(op), matrices);
  return fmt::format("{} {}", name(op), width);
}

std::string site_reason(const SiteConflicts& row, const KernelConflicts& kernel) {
  return explain_access(row.worst.shape, row.worst.event, kernel.shared);
}

}  // namespace smemsim::cli
