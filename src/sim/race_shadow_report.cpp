// From a conflicting pair to an occurrence: which side comes first, what kind it is, how bad.
#include "sim/race_shadow.hpp"

namespace smemsim {
namespace {

/// Position of two sites in the program text, as far as it is known: negative = a comes first.
int text_order(const Site& a, const Site& b) {
  if (a.line != 0 && b.line != 0 && a.line != b.line && a.file == b.file) {
    return a.line < b.line ? -1 : 1;
  }
  if (a.pc != b.pc && a.function == b.function) return a.pc < b.pc ? -1 : 1;
  return 0;
}

bool writes(unsigned flags) {
  return (flags & kRaceWrites) != 0;
}

/// Atomics count as writes.
RaceKind data_kind(unsigned first, unsigned second) {
  if (writes(first) && writes(second)) return RaceKind::write_after_write;
  return writes(first) ? RaceKind::read_after_write : RaceKind::write_after_read;
}

}  // namespace

/// Whether the lanes are ordered after an execution of the site by `other` before that at `time`.
bool RaceShadow::saw_earlier(std::uint32_t warp, LaneMask lanes, std::uint32_t other,
                             LaneMask other_lanes, std::uint32_t site, std::uint32_t time) const {
  const Seen& first = seen_[std::size_t{other} * unit_.launch->sites.size() + site];
  if (first.epoch != unit_.epoch || first.time >= time) return false;
  const auto lane = static_cast<unsigned>(std::countr_zero(lanes));
  const std::uint32_t* known = unit_.knowledge.known(unit_.warps[warp].rows[lane]);
  return known[unit_.thread_index(other, static_cast<unsigned>(std::countr_zero(other_lanes)))] >
         first.time;
}

/// Two unordered accesses have no order, but people think of one: that of the program text, or, in
/// a loop, that in which a thread that does both does them between two barriers.
bool RaceShadow::record_is_first(const Record& record, std::uint32_t record_epoch,
                                 const Touch& touch) const {
  const std::uint32_t warp = touch.actor->warp;
  const std::uint32_t site = touch.actor->site;
  if (record.warp == warp || record_epoch < unit_.epoch) return true;
  const std::uint32_t now = unit_.warps[warp].ordinal - unit_.warps[warp].epoch_ordinal;
  if (record.site == site) return record.ordinal <= now;
  if (!seen_.empty()) {
    const std::size_t sites = unit_.launch->sites.size();
    const Seen& mine = seen_[std::size_t{warp} * sites + record.site];
    if (mine.epoch == unit_.epoch) return true;
    // Between two turns of the other one: the later turn came too early.
    if (saw_earlier(warp, touch.lanes, record.warp, record.lanes, record.site, record.time)) {
      return false;
    }
    if (saw_earlier(record.warp, record.lanes, warp, touch.lanes, site, unit_.warps[warp].time)) {
      return true;
    }
    const Seen& theirs = seen_[std::size_t{record.warp} * sites + site];
    if (theirs.epoch == unit_.epoch) return theirs.ordinal > record.ordinal;
  }
  const int order = text_order(unit_.launch->sites[record.site], unit_.launch->sites[site]);
  if (order != 0) return order < 0;
  if (record.ordinal != now) return record.ordinal < now;
  return writes(record.flags);
}

Operation RaceShadow::operation(const Record& record) const {
  if ((record.flags & kRaceAsync) == 0) return static_cast<Operation>(record.token);
  return copies_.token(record.token).op;
}

void RaceShadow::report(const Record& record, std::uint32_t record_epoch, const Touch& touch,
                        std::pair<unsigned, unsigned> pair) {
  const RaceActor& actor = *touch.actor;
  const unsigned mine = race_flags(actor);
  RaceOccurrence found;
  found.first = unit_.side(record.warp, pair.first, record.site, operation(record));
  found.second = unit_.side(actor.warp, pair.second, actor.site, actor.op);
  found.scope = unit_.scope(record.warp, actor.warp);
  found.severity = found.scope == RaceScope::warp ? RaceSeverity::warning : RaceSeverity::error;
  const bool swap = !record_is_first(record, record_epoch, touch);
  if (swap) std::swap(found.first, found.second);
  const bool init =
      ((record.flags | mine) & kRaceInit) != 0 && (record.flags & mine & kRaceSync) != 0;
  if (init) {
    // The initialisation is the first side, whatever order the warps came in.
    const bool record_inits = (record.flags & kRaceInit) != 0;
    if (record_inits == swap) std::swap(found.first, found.second);
    found.kind = RaceKind::mbarrier_init_race;
  } else {
    const unsigned first = swap ? mine : record.flags;
    const unsigned second = swap ? record.flags : mine;
    // Whatever follows an asynchronous access without order follows it without a wait.
    found.kind = (first & kRaceAsync) != 0 ? RaceKind::copy_not_waited : data_kind(first, second);
  }
  found.address = touch.word * 4 +
                  static_cast<unsigned>(std::countr_zero(unsigned{record.bytes} & touch.bytes));
  found.has_address = true;
  unit_.tell(found);
}

void RaceShadow::report_copy(const Record& record, const Touch& touch,
                             std::pair<unsigned, unsigned> pair) {
  const RaceActor& actor = *touch.actor;
  const RaceCopies::Token& token = copies_.token(record.token);
  const auto [issuer, user] = pair;
  const bool same_thread = record.warp == actor.warp && issuer == user;
  const std::uint32_t* known = unit_.knowledge.known(unit_.warps[actor.warp].rows[user]);
  const std::uint32_t issuer_known = known[unit_.thread_index(record.warp, issuer)];
  const bool issue_known = same_thread || issuer_known > record.time;
  if (!issue_known && unit_.lockstep && record.warp == actor.warp) return;
  if (!issue_known) {
    const RaceWarp& issuing = unit_.warps[record.warp];
    const bool current =
        issuing.run_epoch == unit_.epoch && record.ordinal >= issuing.epoch_ordinal;
    Record in_epoch = record;
    if (current) in_epoch.ordinal -= issuing.epoch_ordinal;
    const std::uint32_t epoch = current ? unit_.epoch : 0;
    if (!record_is_first(in_epoch, epoch, touch)) {
      // The other thread should have come before the copy began: an ordinary hazard.
      report(in_epoch, epoch, touch, pair);
      return;
    }
  }
  RaceOccurrence found;
  found.first = unit_.side(record.warp, issuer, record.site, operation(record));
  found.second = unit_.side(actor.warp, user, actor.site, actor.op);
  found.scope = same_thread ? RaceScope::thread : unit_.scope(record.warp, actor.warp);
  const bool partial =
      token.partial_site != kNoSite && (same_thread || issuer_known > token.partial_time);
  if (partial) {
    found.kind = RaceKind::copy_too_few_groups;
    found.helper_site = token.partial_site;
    found.detail = token.partial_left;
  } else if (!same_thread && issue_known &&
             copies_.waited_since(actor.warp, user, token.issue_epoch)) {
    found.kind = RaceKind::copy_wrong_thread;
  } else {
    // Told apart from copy_not_published at the end, when it is known whether anything waits.
    found.kind = RaceKind::copy_not_waited;
  }
  found.address = touch.word * 4 +
                  static_cast<unsigned>(std::countr_zero(unsigned{record.bytes} & touch.bytes));
  found.has_address = true;
  unit_.tell(found);
}

}  // namespace smemsim
