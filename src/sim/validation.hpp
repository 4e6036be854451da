// Comparison of the model with measured tables, row by row.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "sim/event.hpp"
#include "sim/machine.hpp"

namespace smemsim {

/// One measured pattern of a warp-wide access.
struct PatternRow {
  std::uint64_t line = 0;  ///< of the table, 1 = header
  std::string op;          ///< as the table names it: "ld.b64", "cp.async.ca.16"
  EventShape shape;
  Event event;
  std::optional<std::uint32_t> wavefronts, conflicts;  ///< counters per executed instruction
  std::optional<double> cycles;                        ///< of the SM per instruction under load
};

/// One measured answer of the occupancy calculator.
struct OccupancyRow {
  std::uint64_t line = 0;
  std::string arch;
  std::uint32_t registers = 0, threads = 0, shared = 0;
  std::uint32_t blocks_per_sm = 0, warps_per_sm = 0;
  std::uint32_t warp_limit = 0, register_limit = 0, shared_limit = 0, block_limit = 0;
  std::uint32_t registers_per_block = 0, shared_per_block = 0;
};

/// What a row said and what the model says, where they differ.
struct Disagreement {
  std::uint64_t line = 0;
  std::string quantity;  ///< "wavefronts", "conflicts", "cycles", "blocks_per_sm", ...
  double measured = 0, predicted = 0;
};

struct OperationAgreement {
  std::string op;  ///< or the architecture, for occupancy
  std::uint64_t rows = 0;
  std::uint64_t agreeing = 0;
  std::uint64_t unmodelled = 0;  ///< the machine has no rule; never counted as agreeing
  std::uint64_t disagreeing() const { return rows - agreeing - unmodelled; }
  double worst_error = 0;              ///< largest |predicted - measured| of any quantity
  std::vector<Disagreement> examples;  ///< the first few
};

struct ValidationReport {
  std::string quantity;  ///< "counters", "throughput" or "occupancy"
  std::vector<OperationAgreement> operations;
  OperationAgreement total() const;
  bool all_agree() const;
};

/// Cycles agree when timing noise cannot explain the difference: within half a cycle or 5 %.
/// Conflict-free returning and non-returning atomics read up to 0.55 high (shared pipeline with the
/// atomic unit; a latency effect that has no place in wavefronts).
bool cycles_agree(const EventShape& shape, double measured, std::uint32_t predicted);

/// Compares counters, or cycles where a row has them.
ValidationReport validate_patterns(const std::vector<PatternRow>& rows, const SharedMemory& machine,
                                   std::size_t max_examples);

/// Compares all columns of the occupancy calculator. `limits(arch)` gives a generation's limits, or
/// null when there is no such machine (its rows count as unmodelled).
ValidationReport validate_occupancy(
    const std::vector<OccupancyRow>& rows,
    const std::function<const OccupancyLimits*(const std::string& arch)>& limits,
    std::size_t max_examples);

}  // namespace smemsim
