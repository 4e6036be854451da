// State of a resident warp.
#pragma once

#include <cstdint>
#include <limits>
#include <vector>

#include "sim/cycle/listener.hpp"
#include "sim/cycle/stream.hpp"
#include "sim/cycle/units/scoreboards.hpp"

namespace smemsim {

inline constexpr double kNever = std::numeric_limits<double>::infinity();

struct WarpState {
  WarpId id;
  std::uint32_t slot = 0;  ///< block slot of the SM
  const BlockTrace* block = nullptr;
  /// Added to its global lines: a block of the trace that stands for several of the grid shares no
  /// data with itself.
  std::uint64_t line_offset = 0;
  const std::vector<StreamItem>* items = nullptr;
  // Where it is: item, step of the item's path.
  std::size_t item = 0;
  const std::uint32_t* step = nullptr;
  const std::uint32_t* steps_end = nullptr;
  const Decoded* next = nullptr;  ///< instruction to issue; null = the warp is done
  // Why and until when the next instruction waits; each at least the one before.
  double wait_until = 0;    ///< stall count
  double branch_until = 0;  ///< taken branch or first fetch
  double board_until = 0;   ///< scoreboards
  double release_at = 0;    ///< what it waits for; kNever while it is not complete
  /// Release of the block barrier that it has run past; kNever while it is not complete. Only
  /// instructions that `held_by_barrier` wait for it.
  double barrier_until = 0;
  Stall branch_reason = Stall::branch_resolving;
  Stall board_reason = Stall::short_scoreboard;
  Stall release_reason = Stall::barrier;
  double ready = 0;  ///< the latest of them: only pipes and queues can hold it longer
  // Accounting.
  double last_issue = -1;
  double held_since = 0;  ///< ready, but pipes, queues or other warps held it
  Stall held_by = Stall::not_selected;
  // Memory.
  Scoreboards boards;
  double off_until = 0;    ///< copies wait for loads that are switched off
  double shared_end = 0;   ///< its last wavefront
  double shared_done = 0;  ///< shared results arrive in order
  double copies_done = 0;  ///< its asynchronous copies
  double bulk_done = 0;
  bool global_since_fence = false;

  /// Active lanes of the event that it comes to next; 32 without one.
  unsigned lanes_ahead() const {
    const std::uint32_t event = (*items)[item].event;
    return event == StreamItem::kNone ? 32U : block->events[event].lanes;
  }
};

}  // namespace smemsim
