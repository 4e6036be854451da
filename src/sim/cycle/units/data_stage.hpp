// The data stage of an SM: banks that serve one wavefront per cycle.
//
// Measured: one instruction gets a wavefront only every second cycle, two instructions together
// fill every cycle, whichever sub-core they come from. So the stage serves `ports` instructions at
// once, each at `interval` cycles per wavefront.
#pragma once

#include <algorithm>
#include <cstddef>
#include <functional>
#include <queue>
#include <utility>
#include <vector>

namespace smemsim {

class DataStage {
 public:
  DataStage(double ports, double interval)
      : free_(static_cast<std::size_t>(std::max(1.0, ports)), 0.0), interval_(interval) {}

  struct Slot {
    double start = 0, end = 0;
  };
  /// Serves `wavefronts` not before `at`; holds a port from then on, but starts no earlier than
  /// `not_before`.
  Slot serve(double at, double wavefronts, double not_before = 0) {
    busy_ += wavefronts;
    while (!later_.empty() && later_.top().first <= at) {
      const auto [ready, waiting] = later_.top();
      later_.pop();
      pass(ready, waiting, 0);
    }
    return pass(at, wavefronts, not_before);
  }
  /// The same of what will be there at `ready`: what comes before that does not wait for it.
  void serve_later(double ready, double wavefronts) {
    busy_ += wavefronts;
    later_.emplace(ready, wavefronts);
  }
  double busy() const { return busy_; }  ///< wavefronts so far

 private:
  Slot pass(double at, double wavefronts, double not_before) {
    // The port that would stand idle for the shortest time.
    double* best = free_.data();
    for (double& port : free_) {
      const bool better = *best > at ? port < *best : port <= at && port > *best;
      if (better) best = &port;
    }
    const double start = std::max(at, *best);
    const double end = std::max(start, not_before) + interval_ * wavefronts;
    if (wavefronts > 0) *best = end;
    return {start, end};
  }

  std::vector<double> free_;
  double interval_;
  double busy_ = 0;
  using Later = std::pair<double, double>;  ///< from when on, wavefronts
  std::priority_queue<Later, std::vector<Later>, std::greater<>> later_;
};

}  // namespace smemsim
