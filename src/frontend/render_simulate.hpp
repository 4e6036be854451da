// How predicted cycles are shown.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "frontend/command.hpp"
#include "sim/cycle/simulate.hpp"

namespace smemsim::cli {

/// One launch, and the same under the what-if that was asked for.
struct SimulateEntry {
  KernelCycles now;
  std::optional<KernelCycles> changed;
};

struct SimulateView {
  std::string trace;
  std::string what_if;  ///< what `changed` assumes, for people; empty = nothing
  bool timeline = false;
  double timeline_from = 0, timeline_cycles = 0;
  std::vector<std::string> notes;
};

Status render_simulate_text(const std::vector<SimulateEntry>& entries, const SimulateView& view,
                            Environment& environment);
/// {"schema": "smemsim/simulate/1", ...}; docs/cycle-model.md.
Status render_simulate_json(const std::vector<SimulateEntry>& entries, const SimulateView& view,
                            Environment& environment);
Status render_simulate_csv(const std::vector<SimulateEntry>& entries, Environment& environment);

/// Warps against cycles, one letter for what each cycle of a warp went to.
std::string timeline_text(const KernelCycles& kernel, double from, double cycles,
                          std::size_t width);
/// The timeline in the trace event format of Chrome and Perfetto; 1 us stands for 1 cycle.
std::string timeline_events(const std::vector<SimulateEntry>& entries);

/// "cycles", "data stage" ... of the stalls of all sub-cores together, largest first.
std::vector<std::pair<Stall, double>> stall_shares(const KernelCycles& kernel);

}  // namespace smemsim::cli
