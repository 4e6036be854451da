#include "sim/site_diff.hpp"

#include <algorithm>
#include <cmath>
#include <string_view>

namespace smemsim {
namespace {

/// "@!P0 LDS.U.64 R2, [R4]" -> "LDS.U.64".
std::string_view opcode(std::string_view instruction) {
  const auto skip = [&] {
    const std::size_t begin = instruction.find_first_not_of(' ');
    instruction.remove_prefix(std::min(begin, instruction.size()));
  };
  skip();
  if (instruction.starts_with('@')) {
    instruction.remove_prefix(std::min(instruction.find(' '), instruction.size()));
    skip();
  }
  return instruction.substr(0, instruction.find_first_of(" ;"));
}

}  // namespace

void SiteDiff::add(const KernelConflicts& predicted, const MeasuredLaunch& measured, double scale) {
  std::map<std::uint32_t, const MeasuredSite*> page;
  for (const MeasuredSite& site : measured.sites) page.emplace(site.pc, &site);

  std::map<std::uint32_t, const MeasuredSite*> traced;
  for (const SiteConflicts& site : predicted.sites) {
    const auto at = page.find(site.site.pc);
    const bool same =
        at != page.end() &&
        (site.site.function.empty() || site.site.function == predicted.launch.function) &&
        opcode(site.site.instruction) == opcode(at->second->instruction);
    if (!same) {
      ++unmatched_;
      continue;
    }
    traced.insert(*at);
    Row& row = rows_[site.site.pc];
    row.executed.predicted += scale * static_cast<double>(site.totals.executed);
    row.wavefronts.predicted +=
        scale * static_cast<double>(site.totals.wavefronts + site.totals.bypass);
    row.ideal.predicted += scale * static_cast<double>(site.totals.ideal);
    const bool costed = site.totals.unmodelled == 0 && site.totals.bypass_unknown == 0;
    // The page also counts warps of which a guard switches off every lane; traces have no events
    // of those.
    const bool guarded = at->second->instruction.starts_with('@');
    row.executed.known = !guarded && at->second->executed.has_value();
    row.wavefronts.known = costed && at->second->wavefronts.has_value();
    row.ideal.known = costed && site.totals.uncounted == 0 && at->second->ideal.has_value();
  }
  for (const MeasuredSite& site : measured.sites) {
    const bool in_trace = traced.contains(site.pc);
    if (!in_trace && site.wavefronts.value_or(0) == 0) continue;
    Row& row = rows_[site.pc];
    row.instruction = site.instruction;
    row.executed.measured += site.executed.value_or(0);
    row.wavefronts.measured += site.wavefronts.value_or(0);
    row.ideal.measured += site.ideal.value_or(0);
    if (!in_trace) row.wavefronts.known = true;  // shared accesses that the trace lacks
  }
}

std::vector<SiteComparison> SiteDiff::compare(double tolerance) const {
  std::vector<SiteComparison> out;
  for (const auto& [pc, row] : rows_) {
    const auto add = [&, pc = pc, &row = row](const char* quantity, const Sums& sums) {
      if (!sums.known || (sums.predicted == 0 && sums.measured == 0)) return;
      const bool equal = std::abs(sums.predicted - sums.measured) <= tolerance * sums.measured;
      out.push_back({pc, row.instruction, quantity, sums.predicted, sums.measured, equal});
    };
    add("executed", row.executed);
    add("wavefronts", row.wavefronts);
    add("ideal", row.ideal);
  }
  return out;
}

}  // namespace smemsim
