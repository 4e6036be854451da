#include "sim/retry_loop.hpp"

#include <set>

#include "sim/word_map.hpp"

namespace smemsim {

LaneMask retry_winners(const EventShape& shape, const Event& event, const SharedMemory& machine) {
  const AccessRule* rule = machine.rule(shape.op, shape.width, shape.matrices);
  if (rule == nullptr || rule->count != BankCount::one) return shape.active;
  const WordMap map(machine);
  LaneMask winners = 0;
  std::set<std::uint64_t> changed;
  for (const LaneMask pass : rule->passes) {
    std::set<unsigned> taken;
    std::set<std::uint64_t> changes;
    for_each_lane(pass & shape.active, [&](unsigned lane) {
      const std::uint64_t address = lane_address(shape, event, lane);
      if (!taken.insert(map.bank(map.word(address))).second || changed.contains(address)) return;
      changes.insert(address);
      winners |= lane_bit(lane);
    });
    changed.merge(changes);
  }
  return winners;
}

AccessCost retry_loop_cost(const EventShape& shape, const Event& event,
                           const SharedMemory& machine) {
  AccessCost sum;
  EventShape load = shape, swap = shape;
  load.op = Operation::load;
  while (swap.active != 0) {
    load.active = swap.active;
    for (const EventShape* step : {&load, &swap}) {
      const AccessCost cost = access_cost(*step, event, machine);
      if (!cost.modelled) return cost;
      sum.passes += cost.passes;
      sum.ideal += cost.ideal;
      sum.wavefronts += cost.wavefronts;
      sum.conflicts += cost.conflicts;
      sum.cycles += cost.cycles;
    }
    ++sum.ways;
    swap.active &= ~retry_winners(swap, event, machine);
  }
  return sum;
}

}  // namespace smemsim
