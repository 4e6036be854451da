#include "sim/layout_cost.hpp"

#include <algorithm>
#include <bit>
#include <map>
#include <numeric>

namespace smemsim {

std::uint64_t LayoutCost::total() const {
  return std::accumulate(wavefronts.begin(), wavefronts.end(), std::uint64_t{0});
}

std::uint64_t LayoutCost::total_ideal() const {
  return std::accumulate(ideal.begin(), ideal.end(), std::uint64_t{0});
}

std::optional<MovedAccess> move_access(const EventShape& shape, const Event& event, LaneMask lanes,
                                       std::uint64_t base, const LayoutChange& change,
                                       LayoutFault* fault) {
  const auto refuse = [&](LayoutFault why) {
    if (fault != nullptr) *fault = why;
    return std::nullopt;
  };
  MovedAccess out{shape, event};
  bool first = true;
  for (std::uint64_t left = lanes; left != 0; left &= left - 1) {
    const auto lane = static_cast<unsigned>(std::countr_zero(left));
    const std::uint64_t offset = lane_address(shape, event, lane) - base;
    const std::uint64_t at = change(offset);
    if (change(offset + shape.width - 1) - at != std::uint64_t{shape.width} - 1U) {
      return refuse(LayoutFault::torn);
    }
    const std::uint64_t address = base + at;
    if (address % shape.width != 0) return refuse(LayoutFault::misaligned);
    if (first) out.event.base = address;
    first = false;
    out.shape.offsets[lane] = static_cast<std::int64_t>(address - out.event.base);
  }
  return out;
}

LayoutCost layout_cost(const KernelAccesses& kernel, const LayoutRegion& region,
                       const LayoutChange* change) {
  LayoutCost out;
  out.wavefronts.assign(region.sites.size(), 0);
  out.ideal.assign(region.sites.size(), 0);
  const SharedMemory& shared = kernel.machine->shared;
  for (const std::uint32_t c : region.classes) {
    const AccessClass& one = kernel.classes[c];
    const EventShape& shape = kernel.shapes[one.event.shape];
    AccessCost cost;
    if (change == nullptr) {
      cost = access_cost(shape, one.event, shared);
    } else {
      const auto moved = move_access(shape, one.event, addressed_lanes(shape, shared), region.base,
                                     *change, &out.fault);
      if (!moved) {
        out.fault_site = one.site;
        return out;
      }
      cost = access_cost(moved->shape, moved->event, shared);
    }
    const auto row = static_cast<std::size_t>(
        std::lower_bound(region.sites.begin(), region.sites.end(), one.site) -
        region.sites.begin());
    out.wavefronts[row] += one.count * cost.wavefronts;
    out.ideal[row] += one.count * cost.ideal;
  }
  return out;
}

bool changes_copies(const KernelAccesses& kernel, const LayoutRegion& region,
                    const LayoutChange& change) {
  const SharedMemory& shared = kernel.machine->shared;
  return std::any_of(region.classes.begin(), region.classes.end(), [&](std::uint32_t c) {
    const AccessClass& one = kernel.classes[c];
    EventShape store = kernel.shapes[one.event.shape];
    if (store.op != Operation::cp_async_cg) return false;
    store.op = Operation::store;
    const auto moved =
        move_access(store, one.event, addressed_lanes(store, shared), region.base, change);
    return moved && access_cost(moved->shape, moved->event, shared).wavefronts !=
                        access_cost(store, one.event, shared).wavefronts;
  });
}

std::uint64_t unavoidable_wavefronts(const EventShape& shape, const Event& event,
                                     const AccessCost& cost, const SharedMemory& shared) {
  const AccessRule* rule = shared.rule(shape.op, shape.width, shape.matrices);
  if (rule == nullptr || rule->count != BankCount::lanes) return cost.ideal;
  std::uint64_t out = 0;
  for (const LaneMask pass : rule->passes) {
    std::map<std::uint64_t, std::uint64_t> lanes_at;
    std::uint64_t most = 0;
    for_each_lane(pass & shape.active, [&](unsigned lane) {
      most = std::max(most, ++lanes_at[lane_address(shape, event, lane) / shared.bank_bytes]);
    });
    out += most * rule->wavefronts_per_word;
  }
  return std::clamp<std::uint64_t>(out, cost.ideal, cost.wavefronts);
}

}  // namespace smemsim
