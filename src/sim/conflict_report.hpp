// What the shared-memory accesses of a trace cost, per kernel and per site. conflict_analysis.hpp
// builds it, renderers show it.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "sim/access_kind.hpp"
#include "sim/bank_model.hpp"
#include "sim/launch.hpp"

namespace smemsim {

/// Sums over executions of warp-wide shared instructions.
struct ConflictTotals {
  std::uint64_t executed = 0;  ///< warp instructions
  std::uint64_t active_lanes = 0;
  std::uint64_t wavefronts = 0;  ///< data-stage cycles
  std::uint64_t ideal = 0;       ///< wavefronts without a conflict, same widths and active lanes
  std::uint64_t conflicts = 0;   ///< what the bank-conflict counter shows
  std::uint64_t cycles = 0;      ///< data-stage occupation under load; never below wavefronts
  std::uint64_t passes = 0;
  std::uint64_t merged = 0;          ///< executions to which the pair-merge of loads applied
  std::uint64_t multicast = 0;       ///< executions in which lanes of a pass share a word
  std::uint64_t unmodelled = 0;      ///< executions without a cost: not in the sums above
  std::uint64_t uncounted = 0;       ///< executions that the data-stage counters do not see
  std::uint64_t bypass = 0;          ///< wavefronts of those that the per-instruction counter shows
  std::uint64_t bypass_unknown = 0;  ///< those for which the machine has no rule for it
  std::uint64_t partial = 0;  ///< executions of which the trace has only some lanes' addresses

  std::uint64_t excess() const { return wavefronts - ideal; }
  ConflictTotals& operator+=(const ConflictTotals& other);
  friend bool operator==(const ConflictTotals&, const ConflictTotals&) = default;
};

/// The costliest execution of a site: most excess, then most wavefronts; the first such in the
/// trace.
struct WorstAccess {
  EventShape shape;
  Event event;
  AccessCost cost;
  std::uint64_t launch_index = 0;
  std::uint64_t block = 0;
  std::uint32_t warp = 0;

  friend bool operator==(const WorstAccess&, const WorstAccess&) = default;
};

/// One static instruction. An instruction that occurs with several operations or widths (in traces
/// written by hand) gives one entry for each.
struct SiteConflicts {
  std::uint32_t number = 0;  ///< 1, 2, ... through the whole report: by kernel, then by excess
  Site site;
  Operation op = Operation::load;
  std::uint8_t width = 0;  ///< bytes per lane
  std::uint8_t matrices = 0;
  ConflictTotals totals;
  std::uint32_t least_wavefronts = 0, most_wavefronts = 0;  ///< of one execution
  std::uint32_t worst_ways = 0;
  std::uint64_t ways_sum = 0;                        ///< over the executions that have a cost
  std::map<std::uint32_t, std::uint64_t> histogram;  ///< wavefronts -> executions
  WorstAccess worst;

  /// Executions that have a cost.
  std::uint64_t costed() const { return totals.executed - totals.unmodelled - totals.uncounted; }
  friend bool operator==(const SiteConflicts&, const SiteConflicts&) = default;
};

/// One kernel: one launch of it, or all.
struct KernelConflicts {
  std::string kernel;
  std::string machine;  ///< name of the machine whose rules gave the costs
  SharedMemory shared;  ///< its shared memory, for pictures of single accesses
  Launch launch;        ///< the first one, without its sites
  std::uint64_t launches = 0;
  std::uint64_t launched_blocks = 0, recorded_blocks = 0;
  std::uint64_t dropped_events = 0;  ///< that the source could not keep
  ConflictTotals totals;
  std::array<ConflictTotals, kAccessKinds> kinds{};
  std::vector<SiteConflicts> sites;  ///< most excess first, then most wavefronts, then pc
  /// Events on shared memory that are not warp-wide accesses (bulk copies, tensor-core operands,
  /// other blocks' memory); their costs are not part of the report.
  std::map<Operation, std::uint64_t> not_costed;
};

struct ConflictReport {
  std::vector<KernelConflicts> kernels;  ///< in order of first launch
  ConflictTotals totals;

  /// The site with that number, or null; `kernel` (may be null) receives the one it is in.
  const SiteConflicts* site(std::uint32_t number, const KernelConflicts** kernel = nullptr) const;
};

}  // namespace smemsim
