// Shared updates that have no instruction of their own, such as the addition of floats: compiled
// code loads the old value, computes, and stores it with a compare-and-swap (ATOMS.CAST.SPIN) that
// serves one lane of each bank; the lanes that were not served do it all again.
#pragma once

#include "sim/bank_model.hpp"

namespace smemsim {

/// The lanes that one compare-and-swap of the loop serves: of each bank the lowest lane of a pass,
/// unless an earlier pass of the instruction has changed its address, which costs the bank its
/// turn. `shape` is a cas_spin; all its lanes when the machine has no rule of that kind. Source:
/// counters of an H200 on loops of a lone warp (tests/hardware, docs/model.md).
LaneMask retry_winners(const EventShape& shape, const Event& event, const SharedMemory& machine);

/// The whole loop of one warp that no other warp disturbs: the loads and compare-and-swaps of all
/// rounds. passes, ideal, wavefronts, conflicts and cycles are sums, ways is the number of rounds.
AccessCost retry_loop_cost(const EventShape& shape, const Event& event,
                           const SharedMemory& machine);

}  // namespace smemsim
