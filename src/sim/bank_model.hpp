// What one warp-wide shared-memory instruction costs in the data stage.
//
// A word is `bank_bytes` of shared memory at a multiple of it; bank = (address / bank_bytes) mod
// banks. The machine's AccessRule cuts the warp into passes. For a pass,
//   W(pass) = max over banks of the number of different words (or lanes, for atomics) in that bank,
// and   wavefronts = wavefronts_per_word * sum over passes with an active lane of W(pass).
// Measured on an H200: 25,200 patterns for time and 840 for counters agree on every row
// (tests/hardware).
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "sim/event.hpp"
#include "sim/machine.hpp"
#include "sim/result.hpp"

namespace smemsim {

/// Cost of one shared access. Counts are per execution of the instruction.
struct AccessCost {
  std::uint32_t wavefronts = 0;  ///< data-stage cycles taken for this instruction's lanes
  std::uint32_t ideal = 0;       ///< fewest possible with the same width and active lanes
  std::uint32_t conflicts = 0;   ///< what the bank-conflict counter shows (= excess but for cas)
  std::uint32_t ways = 0;    ///< most words (atomics: lanes) in one bank of one pass; 0 = no lane
  std::uint32_t passes = 0;  ///< passes with an active lane
  std::uint32_t cycles = 0;  ///< data-stage occupation under load: max(wavefronts, floor)
  /// Of a copy past L1, which the data-stage counters do not see (AccessRule::uncounted): what the
  /// per-instruction counter shows; nothing where the machine has no rule for it.
  std::optional<std::uint32_t> bypass = {};
  bool merged = false;   ///< the pair-merge of loads applied
  bool modelled = true;  ///< false: the machine has no rule that covers it exactly

  std::uint32_t excess() const { return wavefronts - ideal; }
  friend bool operator==(const AccessCost&, const AccessCost&) = default;
};

/// Checks what hardware would fault on or cannot encode: an operation or width that the machine
/// does not have, more lanes than a warp has, an address that is not a multiple of the width, one
/// past `shared_end` (0 = unknown). The error's place names the lane.
Status check_access(const EventShape& shape, const Event& event, const SharedMemory& machine,
                    std::uint64_t shared_end = 0);

/// Cost of an access that passed check_access.
AccessCost access_cost(const EventShape& shape, const Event& event, const SharedMemory& machine);

/// Two events of one shape with equal keys have equal costs, so that a cost can be kept: the base
/// modulo bank_bytes, since moving all lanes by whole words only renames the banks. Copies depend
/// on both bases.
std::uint64_t cost_key(const EventShape& shape, const Event& event, const SharedMemory& machine);

/// Lanes that touch one word in one pass.
struct WordUse {
  std::uint64_t word = 0;  ///< address / bank_bytes
  LaneMask lanes = 0;
};

/// One pass in detail: what each bank has to deliver.
struct PassDetail {
  LaneMask lanes = 0;  ///< active lanes of the pass
  std::uint32_t ways = 0;
  std::vector<std::vector<WordUse>> banks;  ///< per bank, words in order of first use
};

/// The whole picture of one access, for explanations. Slow; same counts as access_cost.
struct AccessDetail {
  AccessCost cost;
  std::vector<PassDetail> passes;  ///< those with an active lane
};
AccessDetail access_detail(const EventShape& shape, const Event& event,
                           const SharedMemory& machine);

/// Lanes that share their word with another lane of the pass (served by one read: multicast).
LaneMask multicast_lanes(const PassDetail& pass);

}  // namespace smemsim
