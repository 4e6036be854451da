// What the race checker found, as plain data for renderers and tests.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "sim/launch.hpp"
#include "sim/operation.hpp"

namespace smemsim {

/// What is wrong. The names (race_kind_name) are the rule ids of every output and of suppressions:
/// append, never rename.
enum class RaceKind : std::uint8_t {
  read_after_write,
  write_after_read,
  write_after_write,
  same_instruction_write,  ///< lanes of one store write one byte
  copy_not_waited,         ///< an asynchronous copy is used, and nothing waited for it
  copy_too_few_groups,     ///< a wait came, but left the group of that copy unfinished
  copy_wrong_thread,       ///< the user waited, but the copy was issued by another thread
  copy_not_published,      ///< the issuer waited, but nothing orders that before the user
  missing_proxy_fence,     ///< generic write, then asynchronous-proxy access, no proxy fence
  barrier_partial,         ///< only some threads reach the barrier
  barrier_divergent,       ///< lanes of one warp meet at different barrier instructions
  barrier_count,           ///< wrong or different thread counts of a named barrier
  warp_sync_partial,       ///< a lane named in the mask never arrives
  mbarrier_init_race,      ///< initialisation is not ordered before use
  mbarrier_uninitialised,  ///< used without any initialisation
  mbarrier_incomplete,     ///< a thread waits for a phase that nothing completes
  mbarrier_overflow,       ///< more arrivals in a phase than it expects
  uninitialised_read,      ///< read of bytes that nothing in the block wrote
  out_of_window,           ///< outside the shared memory that the block owns
  redundant_barrier,       ///< orders nothing in this trace
  redundant_wait,          ///< waits for groups that nobody uses before the next wait
  count_
};

inline constexpr std::size_t kRaceKinds = static_cast<std::size_t>(RaceKind::count_);

/// hint: advice, true for this trace only. info: harmless as recorded. warning: not guaranteed by
/// the programming model, may be intended. error: wrong.
enum class RaceSeverity : std::uint8_t { hint, info, warning, error };

/// Facts about one kind for renderers and documentation.
struct RaceKindInfo {
  RaceKind kind;
  std::string_view name;     ///< "read-after-write"
  std::string_view summary;  ///< one sentence, for rule tables
};
const RaceKindInfo& info(RaceKind kind);
inline std::string_view race_kind_name(RaceKind kind) {
  return info(kind).name;
}
std::string_view severity_name(RaceSeverity severity);

/// How far apart the two threads of a pair are. Decides severity and advice.
enum class RaceScope : std::uint8_t { thread, warp, block, cluster };
std::string_view scope_name(RaceScope scope);

/// Forms of one kind that need different words.
enum RaceVariant : std::uint8_t {
  kRacePlain = 0,
  kRaceCountNotWarps,   ///< barrier_count: not a multiple of the warp
  kRaceCountDiffers,    ///< two counts in one generation
  kRaceArriveTwice,     ///< a thread arrives again before the generation is complete
  kRaceCountShort,      ///< too few threads ever arrive
  kRaceEarlyExit,       ///< barrier_partial: the others had left the kernel
  kRaceStuckElsewhere,  ///< barrier_partial: the others wait for something else
  kRaceOverlapKnown,    ///< same_instruction_write: the values differed
  kRaceOverlapEqual,    ///< they were equal
};

inline constexpr std::uint32_t kNoSite = 0xFFFFFFFF;

/// One side of a finding.
struct RaceSide {
  std::uint32_t site = kNoSite;  ///< index into the launch's sites
  std::uint64_t block = 0;       ///< linear block index
  std::uint32_t thread = 0;      ///< linear thread index in the block
  Operation op = Operation::instructions;

  friend bool operator==(const RaceSide&, const RaceSide&) = default;
};

/// All occurrences of one problem between one pair of sites.
struct RaceFinding {
  RaceKind kind = RaceKind::read_after_write;
  RaceSeverity severity = RaceSeverity::error;
  RaceScope scope = RaceScope::block;
  /// The earlier side in program terms (fewer events since the block began) of the first example,
  /// and the later one. One-sided kinds leave `second.site` = kNoSite.
  RaceSide first, second;
  std::uint64_t address = 0;  ///< of the first example's byte; 0 for kinds without one
  bool has_address = false;
  std::uint64_t count = 0;   ///< occurrences; see docs/races.md for what counts as one
  std::uint64_t blocks = 0;  ///< number of blocks with an occurrence
  std::vector<std::uint64_t> block_examples;  ///< the first few of them
  std::uint32_t helper_site = kNoSite;        ///< the wait, barrier or fence that falls short
  std::uint64_t detail = 0;  ///< kind-specific: groups left, threads missing, arrivals expected
  std::uint64_t detail2 = 0;
  std::uint8_t variant = 0;  ///< RaceVariant, for kinds that have several forms
  bool suppressed = false;   ///< by a rule of the user
  std::string what;          ///< one sentence: what happens
  std::string advice;        ///< one sentence: the smallest change that orders it
};

/// The check of one launch. Findings are sorted: severity (worst first), kind, sites.
struct LaunchRaces {
  std::string kernel;
  std::uint64_t launch_index = 0;
  std::uint32_t warp_lanes = 32;
  Dim3 block;
  std::vector<Site> sites;  ///< the launch's table, for rendering
  std::vector<RaceFinding> findings;
  std::uint64_t blocks = 0;        ///< checked
  std::uint64_t events = 0;        ///< warp events
  std::uint64_t accesses = 0;      ///< shared-memory warp accesses
  std::vector<std::string> notes;  ///< what the check could not see; one sentence each

  /// Unsuppressed findings of a severity.
  std::uint64_t count(RaceSeverity severity) const;
};

/// The whole trace.
struct RaceReport {
  std::vector<LaunchRaces> launches;
  std::uint64_t count(RaceSeverity severity) const;
};

/// Switches of the check.
struct RaceOptions {
  bool hints = false;           ///< look for redundant barriers and waits
  bool shuffles_order = false;  ///< treat shfl, vote, match like __syncwarp
  bool uninitialised = true;    ///< report reads of bytes nobody wrote
  /// Accesses remembered per word and list before those that a newer one makes superfluous go.
  /// Existence of a race per byte never depends on it; only how many site pairs are named does.
  std::uint32_t history = 12;
  std::uint32_t schedule = 0;  ///< order in which runnable warps are tried; tests vary it
};

}  // namespace smemsim
