// Plays the warps of a unit against each other as far as their synchronisation lets them, and feeds
// what they do to shadow memory. The order in which runnable warps go has no influence on findings,
// because accesses are compared by what orders them, not by when they are played.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <span>
#include <vector>

#include "sim/race_barriers.hpp"
#include "sim/race_copies.hpp"
#include "sim/race_mbarriers.hpp"
#include "sim/race_shadow.hpp"

namespace smemsim {

/// What the machine code and the trace as a whole tell of a launch.
struct RaceFacts {
  bool fences_visible = false;
  bool copies_hidden = false;      ///< writes shared memory by copies that the trace does not show
  bool hidden_arrivals = false;    ///< has bar.arrive without events
  std::vector<bool> atomic_loads;  ///< by site: the load is one half of an atomic update
};

class RaceExecutor : private RaceBarriers::Listener {
 public:
  /// Consecutive events of one warp.
  struct Chunk {
    std::shared_ptr<ShapeSet> shapes;
    std::vector<Event> events;
  };
  /// How often a barrier site synchronised the whole block, and how often that mattered.
  struct BarrierUse {
    std::uint64_t executions = 0;
    std::uint64_t needed = 0;
  };

  explicit RaceExecutor(const RaceOptions& options);
  RaceExecutor(const RaceExecutor&) = delete;
  RaceExecutor& operator=(const RaceExecutor&) = delete;

  void start_launch(const Launch& launch, RaceLog& log, const RaceFacts& facts);
  /// `blocks`: linear indices, by rank in the cluster.
  void start_unit(std::vector<std::uint64_t> blocks);
  /// Appends to the events of a warp of a block (position in the unit).
  void add(std::uint32_t block, std::uint32_t warp, Chunk chunk);
  /// Plays what can be played of the events so far.
  void run();
  /// No more events come for this unit.
  void finish_unit();

  const std::vector<BarrierUse>& barrier_use() const { return barrier_use_; }
  const RaceCopies& copies() const { return copies_; }
  /// Units in which some order stayed unknown.
  std::uint64_t unsure_units() const { return unsure_units_; }
  bool any_write() const { return shadow_.any_write(); }
  std::uint64_t accesses() const { return accesses_; }

 private:
  struct Queue {
    std::deque<Chunk> chunks;
    std::size_t next = 0;  ///< event of the first chunk
  };
  /// What the epoch did that shadow memory does not see.
  struct EpochFacts {
    bool global_access = false, global_write = false, other = false;
  };

  bool step(std::uint32_t warp, std::uint32_t limit);
  /// False: the event must wait; it stays in the queue.
  bool play(std::uint32_t warp, ShapeSet& shapes, const Event& event);
  bool play_mbarrier(std::uint32_t warp, const EventShape& shape, const Event& event,
                     LaneMask active);
  void play_copy(std::uint32_t warp, ShapeSet& shapes, const Event& event, LaneMask active);
  void play_bulk(std::uint32_t warp, const EventShape& shape, const Event& event, LaneMask active);
  void play_access(std::uint32_t warp, ShapeSet& shapes, const Event& event);
  void check_overlap(std::uint32_t warp, const EventShape& shape, const Event& event,
                     const Footprint& footprint);
  void touch_range(std::uint32_t warp, const EventShape& shape, std::uint64_t base,
                   std::uint64_t bytes, LaneMask active, RaceCopies::TokenId token, bool writes);
  void before_full_sync(std::span<const std::uint32_t> sites) override;
  void settle_barrier();
  std::uint32_t random();

  RaceOptions options_;
  RaceUnit unit_;
  RaceCopies copies_;
  RaceShadow shadow_;
  RaceBarriers barriers_;
  RaceMbarriers mbarriers_;
  std::vector<Queue> queues_;
  std::vector<std::uint32_t> order_;
  std::uint32_t seed_ = 1;
  std::uint64_t accesses_ = 0, unsure_units_ = 0;
  std::vector<bool> atomic_loads_;  ///< by site
  std::vector<bool> exchanges_;     ///< by site: atomics that may only overwrite
  std::vector<BarrierUse> barrier_use_;
  std::vector<std::uint32_t> last_barrier_;  ///< sites of the barrier that began this epoch
  EpochFacts facts_, last_facts_;
};

}  // namespace smemsim
