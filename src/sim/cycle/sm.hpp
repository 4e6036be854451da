// One SM: runs blocks, resident together up to a number, the next one starting as one ends.
//
// Issue: each of the four sub-cores issues one instruction per cycle: of the warp that issued in
// the cycle before if it can (Huerta et al., MICRO 2025, arXiv 2503.20481), else of an older block,
// else of the warp that has been ready for longer, the youngest of equals (measured,
// docs/cycle-model.md). A warp can issue when its stall count is over, the scoreboards of its wait
// mask are free, no barrier holds it, its pipe is free and its memory queue has room. What it
// issues then waits with the sub-core until its registers can be read.
//
// Times are settled when an instruction issues, in issue order; so the SM only looks at cycles in
// which a sub-core can issue.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <utility>
#include <vector>

#include "sim/cycle/stages/execute.hpp"

namespace smemsim {

struct SmRun {
  double cycles = 0;                 ///< first start to last end
  std::vector<double> block_cycles;  ///< of each block, in order of end
  std::vector<double> block_ends;
  /// Of the blocks whose first warp read the clock twice or more: first and last reading.
  std::vector<std::pair<double, double>> clocks;
  std::uint64_t instructions = 0;  ///< warp instructions
  std::array<StallCounts, kSubCores> stalls{};
  std::array<double, kPipes> pipe_busy{};  ///< cycles, all sub-cores
  double data_busy = 0;                    ///< wavefronts of the data stage
  double l2_bytes = 0;
  std::uint64_t broken_waits = 0;  ///< waits that nothing in the trace would end
};

class Sm {
 public:
  Sm(const StreamBuilder& streams, const CycleParameters& parameters, double shared_bytes,
     double active_sms, bool odd_half = false);
  void add_listener(SmListener& listener) { listeners_.push_back(&listener); }
  /// Runs the blocks, at most `resident` at a time.
  SmRun run(const std::vector<const BlockTrace*>& blocks, std::uint32_t resident);

 private:
  static constexpr std::uint32_t kNone = ~std::uint32_t{0};
  struct SubCore {
    std::vector<std::uint32_t> warps;  ///< of warps_, youngest first
    std::uint32_t greedy = kNone;
    double next = 0;  ///< cycle to look at again
    // A warp that was chosen but waits for the registers of the instructions before.
    std::uint32_t dispatching = kNone;
    double chosen_at = 0, dispatch_at = 0;
  };
  void start_block(std::uint32_t slot, double at);
  void step(std::size_t sub_core, double now);
  /// The warp to issue next, or kNone; `next`: when one that cannot may be able to.
  std::uint32_t choose(const SubCore& sub_core, double now, double& next);
  bool can_issue(std::uint32_t self, double now, double& next);
  void issue(std::uint32_t self, double now);
  /// When the warp's next instruction may issue, by what is known.
  static void set_ready(WarpState& warp);
  /// Whether code that the SM has run lies just before that instruction.
  bool near_fetched(std::uint32_t index) const;
  void prepare(WarpState& warp, double now, const Decoded* before, bool jumped);
  void account(WarpState& warp, double now);
  void report(const WarpState& warp, Stall stall, double from, double to);
  void retire(std::uint32_t self, double now);
  bool held(const WarpState& warp, double now, Stall& reason, double& retry);
  void wake(const std::vector<WakeUp>& woken);
  bool break_deadlock(double now);  ///< false: there is none

  const StreamBuilder& streams_;
  SmUnits units_;
  std::vector<std::uint32_t> live_warps_;
  ExecuteStage execute_;
  std::vector<SmListener*> listeners_;
  std::array<SubCore, kSubCores> sub_cores_;
  std::deque<WarpState> warps_;
  std::vector<double> block_from_;
  std::vector<std::pair<double, double>> clocks_;  ///< of the block in each slot
  std::vector<const BlockTrace*> queue_;
  std::size_t started_ = 0, running_warps_ = 0;
  std::deque<std::pair<std::uint32_t, double>> free_slots_;  ///< slots, from when on
  double next_start_ = 0;                                    ///< of a block, at the earliest
  std::size_t first_sub_core_ = 0;                           ///< of the next block
  std::vector<bool> fetched_;
  double fetch_free_ = 0;  ///< when the next instruction that no warp has run can come
  SmRun out_;
  std::vector<WakeUp> woken_;
};

}  // namespace smemsim
