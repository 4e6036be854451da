// Barriers of blocks, clusters and warps: which arrivals meet, and what they order.
//
// A trace has no order between warps, so arrivals are matched by playing the warps' events: a lane
// that waits is blocked until its generation of the barrier is complete. For a program whose
// synchronisation is deterministic every schedule gives the same matching.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <span>
#include <vector>

#include "sim/race_state.hpp"

namespace smemsim {

class RaceBarriers {
 public:
  /// Told before all threads of the unit synchronise, with the sites of that barrier.
  class Listener {
   public:
    virtual ~Listener() = default;
    virtual void before_full_sync(std::span<const std::uint32_t> sites) = 0;
  };

  RaceBarriers(RaceUnit& unit, Listener& listener) : unit_(unit), listener_(listener) {}
  void start();

  /// bar.sync (`waits`) and bar.arrive. `count` threads, 0 = the whole block.
  void block_barrier(std::uint32_t warp, LaneMask lanes, std::uint64_t id, std::uint64_t count,
                     std::uint32_t site, bool waits);
  /// The lanes may have arrived here without waiting: nobody saw it (race_silent.hpp).
  void possible_arrival(std::uint32_t warp, LaneMask lanes, std::uint64_t id);
  void cluster_arrive(std::uint32_t warp, LaneMask lanes, std::uint32_t site);
  void cluster_wait(std::uint32_t warp, LaneMask lanes, std::uint32_t site);
  /// `mask` 0 = the lanes themselves.
  void warp_sync(std::uint32_t warp, LaneMask lanes, LaneMask mask, std::uint32_t site);
  /// Lanes of the warp left the kernel: barriers no longer wait for them.
  void exited(std::uint32_t warp);

  /// No warp can go on: completes a barrier with arrivals that were possible, if that is enough.
  bool fill();
  /// No warp can go on: lets one barrier go and reports why it would hang. `only_ended`: only one
  /// that all missing threads can no longer reach. False when nothing waits.
  bool force(bool only_ended);
  /// The unit is over.
  void finish();

 private:
  struct Generation {
    std::vector<LaneMask> arrived, waiting;         ///< by warp of the unit
    std::vector<std::uint32_t> sites;               ///< of each warp's first arrival
    Knowledge::Row accumulated = Knowledge::kNone;  ///< from arrivals that do not wait
    std::uint64_t expected = 0;
    std::uint64_t threads = 0;      ///< arrived; whole warps count in full
    std::uint32_t whole_warps = 0;  ///< warps of which no living lane is missing
    bool everyone_waits = true;
  };
  using Key = std::pair<std::uint32_t, std::uint64_t>;  ///< block in the unit, barrier id
  /// The last one of a warp. Taking a later one than was executed only orders more.
  struct Possible {
    LaneMask lanes = 0;
    Knowledge::Row row = Knowledge::kNone;
  };
  struct WarpGroup {
    LaneMask mask = 0, arrived = 0;
    std::uint32_t site = 0;
  };
  /// A barrier that some threads missed; judged when it is known how they left.
  struct Missed {
    RaceSide barrier, missing;
    std::size_t missing_thread = 0, present_thread = 0;  ///< in the unit
    std::uint64_t threads = 0;
  };

  Generation fresh();
  void drop(Generation& generation);
  void count(Generation& generation, Key key);
  bool complete(const Generation& generation) const;
  void release(Key key);
  void check_divergence(const Generation& generation);
  void note_missing(const Generation& generation, Key key);
  void try_cluster();
  void try_warp(std::uint32_t warp);
  void finish_group(std::uint32_t warp, std::size_t group);
  bool ended(std::uint32_t warp, unsigned lane) const;

  RaceUnit& unit_;
  Listener& listener_;
  std::map<Key, std::deque<Generation>> barriers_;
  std::vector<Generation> spare_;
  std::map<Key, std::map<std::uint32_t, Possible>> possible_;  ///< by warp
  std::vector<std::vector<WarpGroup>> groups_;                 ///< by warp
  // Cluster barrier: how often each lane arrived, how many generations are complete.
  std::vector<std::uint32_t> cluster_arrivals_;  ///< by thread of the unit
  std::vector<LaneMask> cluster_waiting_;        ///< by warp
  std::uint32_t cluster_done_ = 0;
  Knowledge::Row cluster_pending_ = Knowledge::kNone, cluster_row_ = Knowledge::kNone;
  std::uint32_t cluster_site_ = kNoSite;
  std::vector<Missed> missed_;
};

}  // namespace smemsim
