// How a ConflictReport is shown: one function for each format, listed in one table.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "frontend/command.hpp"
#include "sim/conflict_report.hpp"

namespace smemsim::cli {

/// What sites can be sorted by; see site_orders().
enum class SiteOrder { excess, wavefronts, ways, executed, source };

/// Which part of a report to show, and what to say with it.
struct ReportView {
  std::string trace;                  ///< as on the command line; empty for a text
  std::string expression;             ///< of a text: its arguments; empty = too long to repeat
  std::optional<std::uint32_t> site;  ///< show this one in depth
  SiteOrder order = SiteOrder::excess;
  std::size_t top = 0;             ///< sites of each kernel; 0 = all
  std::vector<std::string> notes;  ///< what the reader should know, one sentence each
};

struct ReportFormat {
  std::string_view name;  ///< of --format
  Status (*render)(const ConflictReport&, const ReportView&, Environment&);
};

/// Every format; the first is the default. A new one is a function and a line in render_report.cpp.
std::span<const ReportFormat> report_formats();

/// Names of --sort, in enum order.
std::span<const std::string_view> site_orders();

/// The kernel's sites in the view's order, best `top` only.
std::vector<const SiteConflicts*> shown_sites(const KernelConflicts& kernel,
                                              const ReportView& view);

/// For people: the demangled name, or words for its absence.
std::string kernel_name(const KernelConflicts& kernel);

/// "transpose.cu:24"; else the text of a site without machine code, or the pc.
std::string site_place(const SiteConflicts& row);

/// The sites of one source line: what an unrolled loop leaves of it.
struct LineConflicts {
  std::string place;  ///< as site_place
  std::vector<const SiteConflicts*> sites;
  ConflictTotals totals;
};

/// The kernel's lines, most excess first. Sites without a line stay on their own.
std::vector<LineConflicts> lines_of(const KernelConflicts& kernel);

/// "ld 4", "ldmatrix x4": operation and bytes per lane.
std::string access_text(Operation op, unsigned width, unsigned matrices);

/// Why the site costs what it costs: its worst access explained.
std::string site_reason(const SiteConflicts& row, const KernelConflicts& kernel);

Status render_report_text(const ConflictReport&, const ReportView&, Environment&);
Status render_report_json(const ConflictReport&, const ReportView&, Environment&);
Status render_report_csv(const ConflictReport&, const ReportView&, Environment&);

/// The text of --site: the worst access lane by lane and bank by bank.
std::string site_detail_text(const SiteConflicts& row, const KernelConflicts& kernel,
                             const Environment& environment);

}  // namespace smemsim::cli
