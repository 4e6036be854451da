// The result of a layout search over whole kernels.
#pragma once

#include <functional>
#include <vector>

#include "sim/layout_search.hpp"

namespace smemsim {

/// Excess below this share of a kernel's wavefronts hardly shows in its time.
inline constexpr unsigned kMinorPercent = 5;

struct KernelAdvice {
  KernelAccesses accesses;
  std::vector<RegionAdvice> regions;        ///< most excess first
  std::uint64_t wavefronts = 0, ideal = 0;  ///< of all regions

  /// Removing all the excess of the region will not matter.
  bool is_minor(const RegionAdvice& region) const {
    return 100 * region.excess() < std::uint64_t{kMinorPercent} * wavefronts;
  }
};

struct AdviceReport {
  std::vector<KernelAdvice> kernels;
};

/// Searches every region of every kernel.
AdviceReport advise(
    std::vector<KernelAccesses> kernels,
    const std::function<std::vector<LayoutRegion>(const KernelAccesses&)>& regions_of,
    const SearchOptions& options = {});

}  // namespace smemsim
