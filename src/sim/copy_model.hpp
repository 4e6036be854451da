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
//
// A copy past L1 (cp.async.cg, LDGSTS.BYPASS) takes no data-stage cycle that a counter of the unit
// shows. The per-instruction counter (sm__sass_..._op_ldgsts_cache_bypass) has a number for it:
//  1. A 16-byte piece of shared memory that several lanes write counts once, for the lowest lane.
//  2. Rounds: going from the highest lane down, a piece of global memory that moves to several
//     32-byte sectors of one shared 128-byte line takes part in one round for each.
//  3. In a round, what moves between one global and one shared sector is a unit: one piece or both,
//     straight or swapped. A piece that fills both halves of a sector makes two.
//  4. Units of one global and one shared line that move the same halves to the same halves, with
//     the same parity of global + shared sector number, are a group: in each step every sector is
//     read and written at most once. A group's steps = the most units that share a sector.
//   The counter = the sum of the steps over groups and rounds.
// It agrees with all 422 patterns measured on an H200.
#pragma once

#include <optional>

#include "sim/bank_model.hpp"

namespace smemsim {

/// Cost under a rule with `through_tags`. The access must have passed check_access.
AccessCost copy_cost(const EventShape& shape, const Event& event, const SharedMemory& machine,
                     const AccessRule& rule);

/// What the per-instruction counter shows for a copy past L1; nothing where the machine's copies
/// are not known.
std::optional<std::uint32_t> bypass_wavefronts(const EventShape& shape, const Event& event,
                                               const SharedMemory& machine);

/// Bits of both addresses on which bypass_wavefronts depends, as one number.
std::uint64_t bypass_key(const Event& event, const SharedMemory& machine);

/// Tag set of a global line under the machine's hash.
std::uint32_t tag_set(std::uint64_t line, const CopyRule& copies);

}  // namespace smemsim
