// The report as a table for spreadsheets and scripts: one row for each site.
#include <fmt/format.h>

#include <ostream>

#include "frontend/render_report.hpp"
#include "frontend/text.hpp"

namespace smemsim::cli {

Status render_report_csv(const ConflictReport& report, const ReportView& view,
                         Environment& environment) {
  environment.out << "kernel,machine,site,function,pc,file,line,instruction,op,width,matrices,"
                     "executed,active_lanes,wavefronts,ideal,excess,conflicts,cycles,passes,merged,"
                     "multicast,unmodelled,uncounted,partial,wavefronts_min,wavefronts_max,"
                     "ways_mean,ways_worst,share,why\n";
  for (const KernelConflicts& kernel : report.kernels) {
    for (const SiteConflicts* row : shown_sites(kernel, view)) {
      if (view.site && row->number != *view.site) continue;
      const ConflictTotals& t = row->totals;
      const auto ratio = [](std::uint64_t part, std::uint64_t whole) {
        return whole == 0 ? 0.0 : static_cast<double>(part) / static_cast<double>(whole);
      };
      environment.out << fmt::format(
          "{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{:.4f},{},"
          "{:.6f},{}\n",
          csv_field(printable(kernel.kernel)), csv_field(printable(kernel.machine)), row->number,
          csv_field(printable(row->site.function)), row->site.pc,
          csv_field(printable(row->site.file)), row->site.line,
          csv_field(printable(row->site.instruction)), name(row->op), row->width, row->matrices,
          t.executed, t.active_lanes, t.wavefronts, t.ideal, t.excess(), t.conflicts, t.cycles,
          t.passes, t.merged, t.multicast, t.unmodelled, t.uncounted, t.partial,
          row->least_wavefronts, row->most_wavefronts, ratio(row->ways_sum, row->costed()),
          row->worst_ways, ratio(t.wavefronts, kernel.totals.wavefronts),
          csv_field(site_reason(*row, kernel)));
    }
  }
  return {};
}

}  // namespace smemsim::cli
