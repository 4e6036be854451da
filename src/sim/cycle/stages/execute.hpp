// What an issued instruction does: takes pipes, queues and memory, and settles when its results are
// there. Everything is reserved at issue, in issue order.
#pragma once

#include <cstdint>
#include <vector>

#include "sim/cycle/units/sm_units.hpp"
#include "sim/cycle/warp.hpp"

namespace smemsim {

/// Warps that may go on at a time.
struct WakeUp {
  double at = 0;
  std::vector<std::uint32_t> warps;  ///< index of the SM
};

class ExecuteStage {
 public:
  ExecuteStage(SmUnits& units, std::vector<std::uint32_t>& live_warps)
      : units_(units), live_warps_(live_warps) {}

  /// The warp's next instruction issues at `now`; `event` may be null. `self`: index of the warp.
  void execute(WarpState& warp, std::uint32_t self, const EventCost* event, double now,
               std::vector<WakeUp>& woken);
  /// The warp has run its last instruction.
  void leave(const WarpState& warp, std::vector<WakeUp>& woken);

 private:
  void switched_off(WarpState& warp, const Decoded& one, double now);
  void special(WarpState& warp, const Decoded& one, const EventCost* event, double now);
  void shared(WarpState& warp, const Decoded& one, const EventCost* event, double now);
  void global(WarpState& warp, const Decoded& one, const EventCost* event, double now);
  /// Asynchronous copies: what L1 lacks is written to shared memory when it comes.
  void copy(WarpState& warp, const Decoded& one, const EventCost* event, double now);
  /// When a global access can pass the data stage.
  double to_global_queue(WarpState& warp, const Decoded& one, double now);
  /// When the lines of a load that passes the data stage at `at` are there; `by_l2`: not from L1.
  double load(const EventCost& event, const WarpState& warp, double at, bool by_l2);
  void store(const EventCost& event, const WarpState& warp, double at);
  /// Whether L1 lacks some of an access that is there at `at`.
  bool waits_for_lines(const EventCost& event, const WarpState& warp, double at);
  LineUse line_of(const WarpState& warp, std::uint32_t index) const;
  bool in_far_half(const LineUse& use) const;
  void barrier(WarpState& warp, std::uint32_t self, const EventCost& event, double now,
               std::vector<WakeUp>& woken);
  void sync(WarpState& warp, std::uint32_t self, const EventCost& event, double now,
            std::vector<WakeUp>& woken);
  void bulk(WarpState& warp, const EventCost& event, double now, std::vector<WakeUp>& woken);
  /// Fixed part of the latency behind the last wavefront, so that a load of one wavefront whose
  /// address is one register has the latency of the parameter.
  double tail(double latency, unsigned operands) const;

  static constexpr double kLead = 1;  ///< cycles from issue to the operand path
  SmUnits& units_;
  std::vector<std::uint32_t>& live_warps_;  ///< of each block slot
};

}  // namespace smemsim
