// Predicted against measured for each instruction of a kernel, where the measurement is a
// profiler's source page.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "sim/conflict_report.hpp"
#include "sim/measured_run.hpp"

namespace smemsim {

/// One quantity of one instruction. The page counts from the addresses, as the `sass` counters do:
/// arbitration is no excuse.
struct SiteComparison {
  std::uint32_t pc = 0;
  std::string instruction;  ///< as the measurement names it
  std::string quantity;     ///< "executed", "wavefronts" or "ideal"
  double predicted = 0;     ///< scaled to all blocks of the launches
  double measured = 0;
  bool equal = false;  ///< within the tolerance
};

/// Launches of one kernel, added up.
class SiteDiff {
 public:
  /// `scale`: launched over recorded blocks.
  void add(const KernelConflicts& predicted, const MeasuredLaunch& measured, double scale);

  /// By pc; nothing where both sides are 0. `tolerance` is relative.
  std::vector<SiteComparison> compare(double tolerance) const;
  /// Traced sites that the page does not have, or has as another instruction: it is of another
  /// build, or the site lies in a function that the kernel calls.
  std::uint64_t unmatched() const { return unmatched_; }

 private:
  struct Sums {
    double predicted = 0, measured = 0;
    bool known = false;  ///< the page has a number and the model a prediction
  };
  struct Row {
    std::string instruction;
    Sums executed, wavefronts, ideal;
  };

  std::map<std::uint32_t, Row> rows_;
  std::uint64_t unmatched_ = 0;
};

}  // namespace smemsim
