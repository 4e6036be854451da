// mbarrier objects in shared memory: arrivals and bytes that a phase waits for.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <utility>
#include <vector>

namespace smemsim {

class MbarrierUnit {
 public:
  using Key = std::pair<std::uint32_t, std::uint64_t>;  ///< block slot, shared offset

  void init(Key key, std::uint64_t arrivals) {
    states_[key] = {};
    states_[key].expected = states_[key].pending = static_cast<std::int64_t>(arrivals);
  }
  /// `count` arrivals that take effect at `when`. Returns the warps that a completed phase frees.
  std::vector<std::uint32_t> arrive(Key key, std::uint64_t count, double when) {
    State& state = states_[key];
    state.pending -= static_cast<std::int64_t>(count);
    return update(state, when);
  }
  /// Bytes that the phase waits for; 0 = unknown: those of the next copy.
  void expect(Key key, std::uint64_t bytes) {
    State& state = states_[key];
    if (bytes == 0) {
      state.bytes += state.unknown ? 0 : 1;
      state.unknown = true;
    } else {
      state.bytes += static_cast<std::int64_t>(bytes);
    }
  }
  std::vector<std::uint32_t> deliver(Key key, std::uint64_t bytes, double when) {
    State& state = states_[key];
    state.bytes -= state.unknown ? 1 : static_cast<std::int64_t>(bytes);
    state.unknown = false;
    return update(state, when);
  }
  /// Whether the phase with that parity (2 = unknown: a warp's n-th wait is for the n-th phase) is
  /// complete; else the warp is noted as waiting.
  bool wait(Key key, std::uint64_t parity, std::uint32_t warp) {
    State& state = states_[key];
    const std::uint64_t before = state.waits[warp]++;
    if (parity < 2 ? state.phase % 2 != parity : state.phase > before) return true;
    state.waiting.push_back(warp);
    return false;
  }
  /// When the latest completed phase was complete.
  double completed(Key key) { return states_[key].completed; }
  void forget(std::uint32_t block) {
    std::erase_if(states_, [&](const auto& entry) { return entry.first.first == block; });
  }

 private:
  struct State {
    std::int64_t expected = 1, pending = 1, bytes = 0;
    std::uint64_t phase = 0;
    double latest = 0, completed = 0;
    std::vector<std::uint32_t> waiting;
    std::map<std::uint32_t, std::uint64_t> waits;  ///< so far, of each warp
    bool unknown = false;                          ///< expects an unknown number of bytes
  };
  static std::vector<std::uint32_t> update(State& state, double when) {
    state.latest = std::max(state.latest, when);
    if (state.pending > 0 || state.bytes > 0) return {};
    ++state.phase;
    state.completed = state.latest;
    state.pending = std::max<std::int64_t>(state.expected, 1);
    state.bytes = 0;
    return std::exchange(state.waiting, {});
  }
  std::map<Key, State> states_;
};

}  // namespace smemsim
