#include "sim/race_report.hpp"

#include <algorithm>
#include <cassert>

namespace smemsim {
namespace {

using K = RaceKind;

constexpr std::array<RaceKindInfo, kRaceKinds> kKinds{{
    {K::read_after_write, "read-after-write",
     "A thread reads what another writes, with nothing that orders the write before the read"},
    {K::write_after_read, "write-after-read",
     "A thread overwrites what another reads, with nothing that orders the read before the write"},
    {K::write_after_write, "write-after-write",
     "Two threads write the same bytes, with nothing that orders one before the other"},
    {K::same_instruction_write, "same-instruction-write",
     "Several lanes of one store write the same byte; which value stays is undefined"},
    {K::copy_not_waited, "copy-not-waited",
     "The target of an asynchronous copy is used and nothing waited for the copy"},
    {K::copy_too_few_groups, "copy-too-few-groups",
     "The wait before the use leaves the group of the copy unfinished"},
    {K::copy_wrong_thread, "copy-wrong-thread",
     "The thread that uses the data waited, but another thread issued the copy"},
    {K::copy_not_published, "copy-not-published",
     "The issuing thread waits for the copy, but nothing orders that before the other thread"},
    {K::missing_proxy_fence, "missing-proxy-fence",
     "An ordinary write reaches an asynchronous-proxy access without fence.proxy.async"},
    {K::barrier_partial, "barrier-partial", "Only some threads of the block reach the barrier"},
    {K::barrier_divergent, "barrier-divergent",
     "Threads meet at different barrier instructions in divergent code"},
    {K::barrier_count, "barrier-count", "A named barrier has a wrong or changing thread count"},
    {K::warp_sync_partial, "warp-sync-partial",
     "A lane in the mask of a warp synchronisation never reaches it"},
    {K::mbarrier_init_race, "mbarrier-init-race",
     "The initialisation of an mbarrier is not ordered before its use"},
    {K::mbarrier_uninitialised, "mbarrier-uninitialised",
     "An mbarrier is used that nothing initialised"},
    {K::mbarrier_incomplete, "mbarrier-incomplete",
     "A thread waits for an mbarrier phase that no recorded arrival completes"},
    {K::mbarrier_overflow, "mbarrier-overflow",
     "An mbarrier phase receives more arrivals than it expects"},
    {K::uninitialised_read, "uninitialised-read",
     "Shared memory is read that nothing in the block wrote"},
    {K::out_of_window, "out-of-window",
     "An access lies outside the shared memory that the block owns"},
    {K::redundant_barrier, "redundant-barrier",
     "The barrier orders no conflicting accesses in this trace"},
    {K::redundant_wait, "redundant-wait",
     "The wait covers copies that nobody uses before the next wait"},
}};

constexpr bool in_enum_order() {
  for (std::size_t i = 0; i < kKinds.size(); ++i) {
    if (static_cast<std::size_t>(kKinds[i].kind) != i) return false;
  }
  return true;
}
static_assert(in_enum_order(), "info() indexes this table by the enum");

}  // namespace

const RaceKindInfo& info(RaceKind kind) {
  assert(kind < RaceKind::count_);
  return kKinds[static_cast<std::size_t>(kind)];
}

std::string_view severity_name(RaceSeverity severity) {
  switch (severity) {
    case RaceSeverity::hint:
      return "hint";
    case RaceSeverity::info:
      return "info";
    case RaceSeverity::warning:
      return "warning";
    case RaceSeverity::error:
      return "error";
  }
  return "";
}

std::string_view scope_name(RaceScope scope) {
  switch (scope) {
    case RaceScope::thread:
      return "thread";
    case RaceScope::warp:
      return "warp";
    case RaceScope::block:
      return "block";
    case RaceScope::cluster:
      return "cluster";
  }
  return "";
}

std::uint64_t LaunchRaces::count(RaceSeverity severity) const {
  return static_cast<std::uint64_t>(
      std::count_if(findings.begin(), findings.end(), [&](const RaceFinding& finding) {
        return finding.severity == severity && !finding.suppressed;
      }));
}

std::uint64_t RaceReport::count(RaceSeverity severity) const {
  std::uint64_t sum = 0;
  for (const LaunchRaces& launch : launches) sum += launch.count(severity);
  return sum;
}

}  // namespace smemsim
