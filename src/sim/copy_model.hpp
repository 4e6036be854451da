// Shared-memory wavefronts of an asynchronous copy that goes through L1 (cp.async.ca, LDGSTS).
//
// The copy passes two stages, and each can serialise it:
//  1. Tags, over the whole warp: lanes in ascending order name 128-byte global lines. A line
//  belongs
//     to one of 2^k sets, by a XOR hash of its number; a tag pass takes at most one line of each
//     set, in order of first appearance. So a line's tag pass = how many different lines of its set
//     came before it. Lines that L1 holds already need no tag pass: all lanes move together.
//  2. Data, for each group of lanes that the width allows (32, 16 or 8 lanes for 4, 8, 16 bytes)
//     and each tag pass with a lane in the group: every word moves from its bank in the global line
//     to its bank in shared memory. In lane order, a word waits for all earlier words with the same
//     source bank or the same destination bank, equal ones included: the cost is the longest such
//     chain.
//   wavefronts = sum of the chains, conflicts = sum of (chain - 1).
// Measured on an H200; agreement in docs/model.md, rows in tests/hardware.
#pragma once

#include "sim/bank_model.hpp"

namespace smemsim {

/// Cost under a rule with `through_tags`. The access must have passed check_access.
AccessCost copy_cost(const EventShape& shape, const Event& event, const SharedMemory& machine,
                     const AccessRule& rule);

/// Tag set of a global line under the machine's hash.
std::uint32_t tag_set(std::uint64_t line, const CopyRule& copies);

}  // namespace smemsim
