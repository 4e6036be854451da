// What gives special registers and constants (S2R, S2UR, LDC), and takes the warps of new blocks.
#pragma once

#include <algorithm>

namespace smemsim {

/// Serves one instruction after another, each for `interval`.
class SpecialUnit {
 public:
  SpecialUnit(double interval, double from) : interval_(interval), free_(from) {}
  /// When an instruction that is there at `at` has its turn.
  double serve(double at) { return serve(at, interval_); }
  /// The same of something that takes as many cycles.
  double serve(double at, double cycles) {
    const double start = std::max(at, free_);
    free_ = start + cycles;
    return start;
  }

 private:
  double interval_, free_;
};

}  // namespace smemsim
