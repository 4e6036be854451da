// Predicted speed-ups of the proposals that advice shows.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>

#include "sim/layout_advice.hpp"
#include "sim/trace_sink.hpp"

namespace smemsim::cli {

/// Cycles of one SM before and after a change.
struct CyclePrediction {
  double before = 0, after = 0;

  double speedup() const { return after > 0 ? before / after : 0; }
  /// Smaller changes are within the model's error, whatever the wavefronts do.
  bool matters() const { return speedup() >= 1.02 || speedup() <= 0.98; }
};

struct KernelPrediction {
  CyclePrediction together;    ///< the first proposal of every array applied
  std::uint64_t arrays = 0;    ///< that have a proposal
  std::uint64_t launches = 0;  ///< that were simulated
  bool accesses_only = false;  ///< nothing is known of the instructions between the accesses
  std::string bottleneck;      ///< as it is now
};

/// Of the proposals of a report, by their addresses; those that were not simulated are absent.
struct AdviceCycles {
  std::map<const LayoutProposal*, CyclePrediction> proposals;
  std::map<const KernelAdvice*, KernelPrediction> kernels;
};

/// Simulates the first `top` proposals of each array (0 = all). `read` delivers the trace that the
/// report was made from once more.
Result<AdviceCycles> predict_cycles(const AdviceReport& report, std::size_t top,
                                    const AccessCollector::MachineOf& machine_of,
                                    const std::function<Status(TraceSink&)>& read);

}  // namespace smemsim::cli
