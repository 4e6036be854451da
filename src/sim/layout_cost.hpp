// What the accesses of a region cost under a layout.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "sim/bank_model.hpp"
#include "sim/layout_change.hpp"
#include "sim/layout_regions.hpp"

namespace smemsim {

/// Why a layout cannot be used at all.
enum class LayoutFault : std::uint8_t {
  none,
  misaligned,  ///< a lane's address would not be a multiple of its access width: the GPU faults
  torn,        ///< the bytes of one access would not stay together
};

/// Totals over all executions, with one entry for each site of the region.
struct LayoutCost {
  LayoutFault fault = LayoutFault::none;
  std::uint32_t fault_site = 0;  ///< index into KernelAccesses::sites
  std::vector<std::uint64_t> wavefronts, ideal;

  std::uint64_t total() const;
  std::uint64_t total_ideal() const;
};

/// The access where it is after the change; offsets count from `base`. Nothing when the change
/// tears it or breaks its alignment; `fault` (may be null) receives which.
struct MovedAccess {
  EventShape shape;
  Event event;
};
std::optional<MovedAccess> move_access(const EventShape& shape, const Event& event, LaneMask lanes,
                                       std::uint64_t base, const LayoutChange& change,
                                       LayoutFault* fault = nullptr);

/// Cost of a region as it is (`change` null) or changed.
LayoutCost layout_cost(const KernelAccesses& kernel, const LayoutRegion& region,
                       const LayoutChange* change);

/// Whether the change moves copies past L1 (cp.async.cg) so that stores to their places would take
/// another number of wavefronts. No counter sees these copies, and what they cost is not known.
bool changes_copies(const KernelAccesses& kernel, const LayoutRegion& region,
                    const LayoutChange& change);

/// Wavefronts that one access takes under every layout: lanes that update one word take turns
/// wherever it lies. Equals the ideal for everything but atomics.
std::uint64_t unavoidable_wavefronts(const EventShape& shape, const Event& event,
                                     const AccessCost& cost, const SharedMemory& shared);

}  // namespace smemsim
