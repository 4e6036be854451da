// Shadow memory: for every 4-byte word of shared memory the accesses that later ones may still
// conflict with, and the search for conflicting pairs that nothing orders.
//
// Within an epoch (between two synchronisations of all threads) a word keeps a list of readers and
// a list of writers; equal accesses of one warp share a record. When the epoch ends, both lists are
// forgotten at once, since everything later is ordered after them. Asynchronous accesses have a
// third list that outlives epochs, until their completion is known to everyone.
#pragma once

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "sim/race_copies.hpp"
#include "sim/race_footprint.hpp"
#include "sim/race_state.hpp"

namespace smemsim {

/// What a record or an actor is besides a read or a write.
enum RaceRecordFlags : std::uint8_t {
  kRaceAtomic = 1,  ///< does not race with other atomics
  kRaceInit = 2,    ///< mbarrier initialisation or invalidation
  kRaceSync = 4,    ///< operation on an mbarrier object
  kRaceAsync = 8,   ///< may take place any time before its completion
  kRaceProxy = 16,  ///< of the asynchronous proxy (bulk copies, wgmma)
  kRaceReads = 32,
  kRaceWrites = 64,
};

/// The flags of a record that the actor leaves.
inline std::uint8_t race_flags(const RaceActor& actor) {
  unsigned flags = actor.flags;
  if (actor.reads) flags |= kRaceReads;
  if (actor.writes) flags |= kRaceWrites;
  return static_cast<std::uint8_t>(flags);
}

class RaceShadow {
 public:
  RaceShadow(RaceUnit& unit, RaceCopies& copies) : unit_(unit), copies_(copies) {}
  /// A new launch, a new unit, the end of an epoch.
  void start_launch(const Launch& launch);
  void start_unit();
  /// Call before the epoch ends, and at the end of the unit.
  void end_epoch();

  /// The actor's lanes touch the footprint at `base` of the block (position in the unit) `block`;
  /// addresses of remote accesses carry the block in bits 24 and up: `remote`.
  void access(const RaceActor& actor, std::uint32_t block, std::uint64_t base,
              const Footprint& footprint, bool remote);
  /// An asynchronous access by `lanes` of those, under `token`.
  void async_access(const RaceActor& actor, std::uint32_t block, std::uint64_t base,
                    const Footprint& footprint, LaneMask lanes, RaceCopies::TokenId token);
  /// Bytes [base, base + bytes) as one part per word, all by `lanes`.
  static Footprint range(std::uint64_t base, std::uint64_t bytes, LaneMask lanes);

  /// The warp executes the site now. Decides which side of a pair comes first in program terms.
  void note_site(std::uint32_t warp, std::uint32_t site);

  /// Whether this launch stored to shared memory; without, unwritten reads may mean nothing.
  bool any_write() const { return any_write_; }

 private:
  struct Record {
    LaneMask lanes = 0;
    std::uint32_t time = 0;
    std::uint32_t site = 0;
    std::uint32_t ordinal = 0;  ///< within its epoch; of asynchronous ones, within the unit
    std::uint32_t token = 0;    ///< of asynchronous ones; else the Operation
    std::uint32_t next = 0;
    std::uint16_t warp = 0;
    std::uint8_t bytes = 0;
    std::uint8_t flags = 0;
  };
  static_assert(sizeof(Record) == 32);
  static constexpr std::uint16_t kMany = 0xFFFF;  ///< several threads, see Cell
  /// Bump storage of records with a free list; index 0 is "none".
  struct Pool {
    std::vector<Record> records{64};
    std::size_t used = 1;
    std::uint32_t free = 0;
    /// A record that the caller fills in.
    std::uint32_t make() {
      if (free != 0) {
        const std::uint32_t index = free;
        free = records[index].next;
        return index;
      }
      if (used == records.size()) records.resize(2 * used);
      return static_cast<std::uint32_t>(used++);
    }
    void remove(std::uint32_t index) {
      records[index].next = free;
      free = index;
    }
    void clear() {
      used = 1;
      free = 0;
    }
  };
  struct Cell {
    std::uint32_t epoch = 0;
    std::uint32_t reads = 0, writes = 0, asyncs = 0;  ///< list heads
    /// Who read and wrote in this and the previous epoch: 0 nobody, thread + 1, or many.
    std::uint16_t reader = 0, last_reader = 0, writer = 0, last_writer = 0;
    std::uint8_t written = 0;  ///< bytes written in this unit
    std::uint8_t set = 0;      ///< those written without regard to what was there
  };
  /// The last ordinary write of a word, for proxy fences.
  struct LastWrite {
    LaneMask lanes = 0;
    std::uint32_t time = 0, site = 0, warp = 0, epoch = 0;
    Operation op = Operation::store;
    std::uint8_t bytes = 0;
  };
  /// One word of the current access.
  struct Touch {
    const RaceActor* actor;
    std::uint32_t block;
    std::uint64_t word;
    LaneMask lanes;
    std::uint8_t bytes;
  };

  Cell* find(std::uint32_t& block, std::uint64_t& word, bool remote);
  void roll(Cell& cell);
  bool check_window(const RaceActor& actor, std::uint32_t block, std::uint64_t base,
                    const Footprint& footprint);
  void check_list(Cell& cell, const Touch& touch, std::uint32_t head);
  void check_asyncs(Cell& cell, const Touch& touch);
  void check_fence(const Touch& touch);
  void check_needed(const Cell& cell, const Touch& touch);
  void check_written(Cell& cell, const Touch& touch);
  template <typename Visit>
  void for_each_word(const RaceActor& actor, std::uint32_t block, std::uint64_t base,
                     const Footprint& footprint, bool remote, Visit&& visit);
  void check_access(const Touch& touch, Cell& cell);
  void note_access(const Touch& touch, Cell& cell);
  void note_copy(const Touch& touch, Cell& cell, RaceCopies::TokenId token);
  void note_last_write(const Touch& touch);
  void remember(const Touch& touch, std::uint32_t& head);
  void remember_users(Cell& cell, const Touch& touch);
  void prune(std::uint32_t& head, const Touch& touch);
  std::optional<std::pair<unsigned, unsigned>> unordered(const Record& record, std::uint32_t warp,
                                                         LaneMask lanes) const;
  bool record_is_first(const Record& record, std::uint32_t record_epoch, const Touch& touch) const;
  bool saw_earlier(std::uint32_t warp, LaneMask lanes, std::uint32_t other, LaneMask other_lanes,
                   std::uint32_t site, std::uint32_t time) const;
  void report(const Record& record, std::uint32_t record_epoch, const Touch& touch,
              std::pair<unsigned, unsigned> pair);
  void report_copy(const Record& record, const Touch& touch, std::pair<unsigned, unsigned> pair);
  Operation operation(const Record& record) const;
  std::uint16_t code(std::uint32_t warp, LaneMask lanes) const;

  RaceUnit& unit_;
  RaceCopies& copies_;
  std::uint64_t first_byte_ = 0, end_byte_ = 0;  ///< window; end 0 = unknown
  std::vector<std::vector<Cell>> cells_;         ///< per block of the unit
  std::vector<std::vector<LastWrite>> last_writes_;
  Pool pool_, async_pool_;
  /// Reads of bytes that nobody has written yet; a write may still come in this epoch.
  struct Unwritten {
    RaceSide side;
    std::uint32_t block;
    std::uint32_t word;
    std::uint8_t bytes;
    bool updates;  ///< an atomic, which itself writes them
  };
  std::vector<Unwritten> unwritten_;
  bool any_write_ = false;

  /// Where a warp first executed a site in an epoch.
  struct Seen {
    std::uint32_t epoch = 0;
    std::uint32_t ordinal = 0;
    std::uint32_t time = 0;
  };
  std::vector<Seen> seen_;  ///< [warp * sites + site]
};

}  // namespace smemsim
