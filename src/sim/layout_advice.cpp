#include "sim/layout_advice.hpp"

#include <algorithm>

namespace smemsim {

AdviceReport advise(
    std::vector<KernelAccesses> kernels,
    const std::function<std::vector<LayoutRegion>(const KernelAccesses&)>& regions_of,
    const SearchOptions& options) {
  AdviceReport report;
  for (KernelAccesses& accesses : kernels) {
    KernelAdvice kernel;
    for (const LayoutRegion& region : regions_of(accesses)) {
      kernel.regions.push_back(search_layouts(accesses, region, options));
      kernel.wavefronts += kernel.regions.back().wavefronts;
      kernel.ideal += kernel.regions.back().ideal;
    }
    std::stable_sort(
        kernel.regions.begin(), kernel.regions.end(),
        [](const RegionAdvice& a, const RegionAdvice& b) { return a.excess() > b.excess(); });
    kernel.accesses = std::move(accesses);
    report.kernels.push_back(std::move(kernel));
  }
  return report;
}

}  // namespace smemsim
