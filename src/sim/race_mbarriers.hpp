// mbarrier objects: phases, arrivals, transaction bytes, and what a completed phase orders.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <utility>
#include <vector>

#include "sim/race_copies.hpp"
#include "sim/race_state.hpp"
#include "sim/race_values.hpp"

namespace smemsim {

class RaceMbarriers {
 public:
  RaceMbarriers(RaceUnit& unit, RaceCopies& copies) : unit_(unit), copies_(copies) {}
  void start();

  /// True when the warp's operations on the object can go on; otherwise nothing initialised it yet
  /// and the lanes wait for that.
  bool ready(std::uint32_t warp, LaneMask lanes, std::uint64_t address, std::uint32_t site,
             Operation op);

  void init(std::uint32_t warp, std::uint64_t address, std::uint64_t expected, std::uint32_t site);
  void invalidate(std::uint32_t warp, std::uint64_t address);
  /// Every lane arrives `count` times; `drop`: and not in later phases.
  void arrive(std::uint32_t warp, LaneMask lanes, std::uint64_t address, std::uint64_t count,
              bool drop, std::uint32_t site);
  void expect_bytes(std::uint32_t warp, std::uint64_t address, std::uint64_t bytes);
  /// A bulk copy under `token` that will report `bytes`.
  void bulk(std::uint32_t warp, std::uint64_t address, std::uint64_t bytes,
            RaceCopies::TokenId token, LaneMask issuers);
  /// cp.async.mbarrier.arrive: the phase covers all copies that the lanes have in flight; `counts`:
  /// and each lane's arrival counts (.noinc).
  void arrive_copies(std::uint32_t warp, LaneMask lanes, std::uint64_t address, bool counts,
                     std::uint32_t site);
  /// Blocks the lanes until the phase of that parity is complete.
  void wait(std::uint32_t warp, LaneMask lanes, std::uint64_t address, std::uint64_t parity,
            std::uint32_t site);
  /// No warp can go on: completes a phase of which the trace does not tell when it is complete. As
  /// late as this, its waits are ordered after everything that they can have waited for.
  bool settle();
  /// No warp can go on: completes one phase, or lets uninitialised objects be used.
  bool force();

 private:
  using Key = std::pair<std::uint32_t, std::uint64_t>;  ///< block in the unit, address
  struct Waiter {
    std::uint32_t warp = 0;
    LaneMask lanes = 0;
    std::uint64_t parity = 0;
    std::uint32_t site = 0;
    Operation op = Operation::mbarrier_wait;
  };
  struct Covered {
    RaceCopies::TokenId token = 0;
    LaneMask issuers = 0;
  };
  struct Object {
    bool usable = false;      ///< initialised, or assumed to be
    bool counted = false;     ///< the number of arrivals is known
    bool bytes_known = true;  ///< of this phase
    bool touched = false;     ///< arrivals or copies in this phase
    std::int64_t expected = 0, pending = 0, bytes = 0;
    std::uint64_t phase = 0;  ///< index of the incomplete one
    Knowledge::Row gathering = Knowledge::kNone, done = Knowledge::kNone;
    std::vector<Covered> covered;
    std::deque<std::vector<Covered>> covered_done;  ///< of the last phases, newest first
    std::map<std::size_t, std::uint64_t> seen;      ///< by thread: phases complete at its last wait
    std::vector<Waiter> waiters;
    std::vector<Waiter> early;  ///< that wait for the initialisation
  };

  Key key(std::uint32_t warp, std::uint64_t address) const;
  void count_arrivals(Object& object, std::uint32_t warp, LaneMask lanes, std::uint64_t count,
                      std::uint32_t site);
  bool passes(const Object& object, const Waiter& waiter) const;
  bool may_be_complete(const Object& object) const;
  void start_next(Object& object);
  bool guess();
  void try_complete(Object& object);
  void complete(Object& object);
  void let_go(Object& object, const Waiter& waiter);
  void wake_early(Object& object);
  void forget(Object& object);

  RaceUnit& unit_;
  RaceCopies& copies_;
  std::map<Key, Object> objects_;
  bool any_init_ = false;
};

}  // namespace smemsim
