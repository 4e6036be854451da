// One or more traces compared with the measurements beside them: what `smemsim diff` shows.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "frontend/environment.hpp"
#include "sim/counter_diff.hpp"
#include "sim/cycle_diff.hpp"
#include "sim/result.hpp"

namespace smemsim::cli {

struct DiffOptions {
  std::vector<std::string> traces;
  std::string kernel;                     ///< glob, "" = all
  std::string measured;                   ///< "" = beside each trace
  std::string machine;                    ///< as --machine takes it
  double tolerance = 0;                   ///< of counters, relative
  bool cycles = false;                    ///< compare cycles as well
  std::optional<double> cycle_tolerance;  ///< of a block's cycles, relative
  std::vector<std::string> ablate;        ///< mechanisms of the cycle model to leave out
};

/// One trace.
struct DiffEntry {
  std::string trace, measured;  ///< as on the command line
  std::string device;           ///< measured on, "" = unknown
  CounterDiff counters;
  std::vector<CycleComparison> cycles;  ///< one per launch
};

struct DiffResult {
  DiffOptions options;
  std::vector<DiffEntry> entries;
  std::vector<std::string> notes;  ///< what the user should know about the machines

  bool agrees() const;  ///< the counters
  /// Whether the pair is within --cycle-tolerance; true without one.
  bool within(const CyclePair& block) const;
  bool cycles_within() const;  ///< all blocks
  /// Pairs of all launches: of a block, or of an SM of the full grid.
  std::vector<CyclePair> pairs(std::optional<CyclePair> CycleComparison::*size) const;
};

/// Reads the traces and measurements. Errors: combinations of options without a meaning, files that
/// are missing or broken, a trace without a launch.
Result<DiffResult> run_diff(const DiffOptions& options, Environment& environment);

}  // namespace smemsim::cli
