// Between a sub-core and the SM's memory unit: a path that moves one register in `interval`
// cycles, and a queue of instructions that wait for the data stage.
#pragma once

#include <algorithm>
#include <cstddef>
#include <deque>

namespace smemsim {

class MemoryQueue {
 public:
  MemoryQueue(double entries, double interval)
      : entries_(static_cast<std::size_t>(std::max(1.0, entries))), interval_(interval) {}

  /// Forgets instructions that have left by `now`.
  void advance(double now) {
    while (!leave_.empty() && leave_.front() <= now) leave_.pop_front();
  }
  bool full() const { return leave_.size() >= entries_; }
  /// When the next entry becomes free; the queue is not empty.
  double next_leave() const { return leave_.front(); }

  /// When the last entry so far leaves.
  double last_leave() const { return leave_.empty() ? 0 : leave_.back(); }

  /// Moves operands, from `at` on; returns when the last has arrived.
  double transfer(double at, unsigned registers) {
    const double start = std::max(at, path_free_);
    path_free_ = start + interval_ * registers;
    return path_free_;
  }
  /// An entry that leaves at `when`; entries leave in order.
  void hold_until(double when) {
    leave_.push_back(leave_.empty() ? when : std::max(when, leave_.back()));
  }

 private:
  std::size_t entries_;
  double interval_;
  double path_free_ = 0;
  std::deque<double> leave_;
};

}  // namespace smemsim
