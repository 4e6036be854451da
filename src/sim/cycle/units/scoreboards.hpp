// The six scoreboards of a warp: when each is free again, and for what it waits.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "sim/cycle/stall.hpp"

namespace smemsim {

class Scoreboards {
 public:
  void hold(unsigned board, double until, Stall reason) {
    if (board >= kBoards) return;
    if (until < until_[board]) return;
    until_[board] = until;
    reason_[board] = reason;
  }
  /// One more of several outstanding completions on a board that complete in order.
  void add(unsigned board, double until) {
    if (board >= kBoards) return;
    hold(board, until, Stall::long_scoreboard);
    pending_.push_back(until_[board]);
    if (pending_.size() > 64) pending_.erase(pending_.begin());
  }
  /// When all boards of `mask` are free, not before `at`; `reason` of the last.
  double free(unsigned mask, double at, Stall& reason) const {
    for (std::size_t board = 0; board < kBoards; ++board) {
      if ((mask >> board & 1U) != 0 && until_[board] > at) {
        at = until_[board];
        reason = reason_[board];
      }
    }
    return at;
  }
  /// When at most `count` completions of the board are outstanding.
  double at_most(unsigned board, std::size_t count) const {
    if (board >= kBoards) return 0;
    if (pending_.empty()) return until_[board];
    return pending_.size() > count ? pending_[pending_.size() - count - 1] : 0;
  }

 private:
  static constexpr std::size_t kBoards = 6;
  std::array<double, kBoards> until_{};
  std::array<Stall, kBoards> reason_{};
  std::vector<double> pending_;
};

}  // namespace smemsim
