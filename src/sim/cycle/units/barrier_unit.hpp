// Block barriers of an SM: every arrival takes the unit for `interval` cycles.
#pragma once

#include <algorithm>
#include <cstdint>
#include <deque>
#include <map>
#include <utility>
#include <vector>

namespace smemsim {

class BarrierUnit {
 public:
  BarrierUnit(double interval, double latency) : interval_(interval), latency_(latency) {}

  struct Release {
    double at = 0;                     ///< when the waiting warps may go on
    std::vector<std::uint32_t> warps;  ///< that wait
  };
  /// A warp of block slot `block` arrives at barrier `id`. Returns the release when it completes
  /// `needed` arrivals. `of_block`: that is every warp of the block, fewer when some have left.
  bool arrive(std::uint32_t block, std::uint64_t id, std::uint32_t warp, bool waits,
              std::uint32_t needed, bool of_block, double now, Release& release) {
    const double start = std::max(now, free_);
    free_ = start + interval_;
    State& state = states_[{block, id}];
    state.last = std::max(state.last, free_);
    state.whole_block = of_block ? needed : 0;
    state.arrived.push_back(warp);
    if (waits) state.waiting.push_back(warp);
    state.needed = needed;
    return complete(block, state, release);
  }
  /// An arrival at a barrier that is not known, of `needed` arrivals (0: not known either). It is
  /// taken for one that waiting warps lack and at which this warp has not arrived. Barriers of the
  /// whole block have no such arrivals.
  bool arrive_somewhere(std::uint32_t block, std::uint32_t warp, std::uint32_t needed, double now,
                        Release& release) {
    free_ = std::max(now, free_) + interval_;
    somewhere_[block].push_back({warp, needed, free_});
    for (auto& [key, state] : states_) {
      if (key.first != block || state.waiting.empty()) continue;
      if (complete(block, state, release)) return true;
    }
    return false;
  }
  /// Warps of the block have left: barriers of the whole block need fewer arrivals.
  bool leave(std::uint32_t block, std::uint32_t before, std::uint32_t now, Release& release) {
    for (auto& [key, state] : states_) {
      if (key.first != block || state.arrived.empty() || state.whole_block != before) continue;
      state.whole_block = state.needed = now;
      if (complete(block, state, release)) return true;
    }
    return false;
  }
  void forget(std::uint32_t block) {
    std::erase_if(states_, [&](const auto& entry) { return entry.first.first == block; });
    somewhere_.erase(block);
  }

 private:
  struct State {
    std::uint32_t needed = 0;
    std::uint32_t whole_block = 0;  ///< 0 = a number of threads was given
    double last = 0;
    std::vector<std::uint32_t> arrived, waiting;  ///< warps
  };
  struct Somewhere {
    std::uint32_t warp = 0, needed = 0;
    double at = 0;
  };
  bool complete(std::uint32_t block, State& state, Release& release) {
    std::deque<Somewhere>& spare = somewhere_[block];
    const bool lacks = !state.waiting.empty() && state.whole_block == 0;
    if (state.arrived.size() < state.needed && (!lacks || spare.empty())) return false;
    std::vector<std::uint32_t> arrived = state.arrived;
    std::vector<std::size_t> taken;  // of spare
    for (std::size_t i = 0; i < spare.size() && arrived.size() < state.needed; ++i) {
      const Somewhere& one = spare[i];
      if (one.needed != 0 && one.needed != state.needed) continue;
      if (std::find(arrived.begin(), arrived.end(), one.warp) != arrived.end()) continue;
      arrived.push_back(one.warp);
      taken.push_back(i);
    }
    if (arrived.size() < state.needed) return false;
    for (auto i = taken.rbegin(); i != taken.rend(); ++i) {
      state.last = std::max(state.last, spare[*i].at);
      spare.erase(spare.begin() + static_cast<std::ptrdiff_t>(*i));
    }
    release.at = state.last + latency_;
    release.warps = std::move(state.waiting);
    state = {};
    return true;
  }

  double interval_, latency_;
  double free_ = 0;
  std::map<std::pair<std::uint32_t, std::uint64_t>, State> states_;
  std::map<std::uint32_t, std::deque<Somewhere>> somewhere_;  ///< arrivals, by block slot
};

}  // namespace smemsim
