#include "sim/conflict_report.hpp"

namespace smemsim {

ConflictTotals& ConflictTotals::operator+=(const ConflictTotals& other) {
  executed += other.executed;
  active_lanes += other.active_lanes;
  wavefronts += other.wavefronts;
  ideal += other.ideal;
  conflicts += other.conflicts;
  cycles += other.cycles;
  passes += other.passes;
  merged += other.merged;
  multicast += other.multicast;
  unmodelled += other.unmodelled;
  uncounted += other.uncounted;
  bypass += other.bypass;
  bypass_unknown += other.bypass_unknown;
  partial += other.partial;
  return *this;
}

const SiteConflicts* ConflictReport::site(std::uint32_t number,
                                          const KernelConflicts** kernel) const {
  for (const KernelConflicts& candidate : kernels) {
    for (const SiteConflicts& row : candidate.sites) {
      if (row.number != number) continue;
      if (kernel != nullptr) *kernel = &candidate;
      return &row;
    }
  }
  return nullptr;
}

}  // namespace smemsim
