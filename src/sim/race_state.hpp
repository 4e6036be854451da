// State of one unit of checking: the warps of a block, or of a whole cluster when its blocks touch
// each other's shared memory. The parts of the checker (shadow memory, barriers, mbarriers, copies)
// share it by reference.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "sim/event.hpp"
#include "sim/launch.hpp"
#include "sim/race_knowledge.hpp"
#include "sim/race_log.hpp"

namespace smemsim {

/// Addresses in the shared memory of a cluster: block rank << kRemoteShift | offset.
inline constexpr unsigned kRemoteShift = 24;

/// What is known of one warp at the point up to which its events are processed.
struct RaceWarp {
  std::uint32_t block = 0;   ///< position of its block in the unit
  std::uint32_t number = 0;  ///< warp in that block
  LaneMask exists = 0;       ///< lanes that are threads
  LaneMask exited = 0;
  LaneMask blocked = 0;             ///< lanes that wait for something
  std::uint32_t time = 1;           ///< see race_knowledge.hpp
  std::uint32_t ordinal = 0;        ///< events processed
  std::uint32_t epoch_ordinal = 0;  ///< `ordinal` when the current epoch began
  std::uint32_t run_epoch = 0;      ///< epoch of the current run
  std::uint32_t runs = 0;           ///< uninterrupted stretches of events in that epoch so far
  std::array<Knowledge::Row, kMaxLanes> rows{};
  bool uniform = true;   ///< all lanes own the same row
  bool drained = false;  ///< no events are left; lanes that wait for nothing are over
};

/// One access about to happen.
struct RaceActor {
  std::uint32_t warp = 0;  ///< in the unit
  std::uint32_t site = 0;
  Operation op = Operation::load;
  bool reads = false, writes = false;
  std::uint8_t flags = 0;  ///< RaceRecordFlags
};

struct RaceUnit {
  const Launch* launch = nullptr;
  RaceOptions options;
  RaceLog* log = nullptr;
  unsigned lanes = 32;  ///< of a warp
  std::uint32_t warps_per_block = 0;
  std::vector<std::uint64_t> blocks;  ///< linear indices, by rank
  std::vector<RaceWarp> warps;        ///< block after block
  Knowledge knowledge;
  /// Goes up when all threads of the unit synchronise: accesses of different epochs are ordered.
  /// Runs on over units, so that no state needs clearing between them.
  std::uint32_t epoch = 1;
  std::uint32_t first_epoch = 1;  ///< of this unit
  bool lockstep = false;          ///< lanes of a warp run in step (before Volta)
  bool check_fences = false;      ///< proxy fences would be seen if there were any
  bool needed = false;            ///< the sync that began this epoch ordered a conflict
  bool hidden_arrivals = false;   ///< the kernel has bar.arrive, found again by RaceSilent
  bool unsure = false;            ///< from here on some order of this unit is not known

  std::vector<std::uint32_t> exit_sites;  ///< per thread of the unit; kNoSite = none seen

  std::size_t thread_index(std::uint32_t warp, unsigned lane) const {
    return std::size_t{warp} * lanes + lane;
  }
  RaceSide side(std::uint32_t warp, unsigned lane, std::uint32_t site, Operation op) const {
    const RaceWarp& w = warps[warp];
    return {site, blocks[w.block], w.number * lanes + lane, op};
  }
  RaceScope scope(std::uint32_t a, std::uint32_t b) const {
    if (a == b) return RaceScope::warp;
    return warps[a].block == warps[b].block ? RaceScope::block : RaceScope::cluster;
  }

  /// Calls visit(row, lanes) for the distinct rows of the lanes.
  template <typename Visit>
  void for_each_row(const RaceWarp& warp, LaneMask lane_mask, Visit&& visit) const {
    if (lane_mask == 0) return;
    if (warp.uniform) {
      visit(warp.rows[static_cast<unsigned>(std::countr_zero(lane_mask))], lane_mask);
      return;
    }
    while (lane_mask != 0) {
      const Knowledge::Row row = warp.rows[static_cast<unsigned>(std::countr_zero(lane_mask))];
      LaneMask same = 0;
      for_each_lane(lane_mask, [&](unsigned lane) {
        if (warp.rows[lane] == row) same |= lane_bit(lane);
      });
      visit(row, same);
      lane_mask &= ~same;
    }
  }

  /// Tells of a problem that depends on what is ordered; not where that is unknown.
  void tell(const RaceOccurrence& found) {
    if (!unsure) log->add(found);
  }

  /// Gives the lanes that row; they become owners of it.
  void set_rows(RaceWarp& warp, LaneMask lane_mask, Knowledge::Row row);
  /// into = everything the lanes know, and what they did up to now. Advances the warp's time.
  void release_into(Knowledge::Row into, std::uint32_t warp, LaneMask lane_mask);
  /// The lanes learn what `from` says.
  void acquire_from(Knowledge::Row from, std::uint32_t warp, LaneMask lane_mask);
  /// The lanes' accesses so far and all they know become visible to the asynchronous proxy.
  void fence(std::uint32_t warp, LaneMask lane_mask);
  /// Orders everything before against everything after, for all threads of the unit.
  void full_sync();
  /// Warps with fresh knowledge for the next unit. `launch`, `lanes`, `blocks` and
  /// `warps_per_block` are set.
  void start();
};

}  // namespace smemsim
