// The tables of the text report.
#pragma once

#include <cstdint>
#include <string>

#include "frontend/paint.hpp"
#include "frontend/render_report.hpp"

namespace smemsim::cli {

inline constexpr std::size_t kReportIndent = 2;

/// Columns that the report may use; 0 = any number.
std::size_t report_width(const Environment& environment);

/// Good without excess, bad from a tenth of the kernel's wavefronts on.
Style report_severity(std::uint64_t excess, std::uint64_t kernel_wavefronts);

/// The kernels of a report that has several.
std::string kernel_table(const ConflictReport& report, const Environment& environment);

/// The source lines, where one has several instructions (unrolled loops); else
/// "".
std::string line_table(const KernelConflicts& kernel, const ReportView& view,
                       const Environment& environment);

/// The sites, each with its reason.
std::string site_table(const KernelConflicts& kernel, const ReportView& view,
                       const Environment& environment);

}  // namespace smemsim::cli
