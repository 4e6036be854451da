#include "sim/race_mbarriers.hpp"

#include <algorithm>

namespace smemsim {
namespace {

/// A waiter may come late by this many phases and still learn which copies they covered.
constexpr std::size_t kRememberedPhases = 4;
constexpr std::int64_t kMaxArrivals = (std::int64_t{1} << 20) - 1;  ///< of an mbarrier

}  // namespace

void RaceMbarriers::start() {
  objects_.clear();
  any_init_ = false;
}

RaceMbarriers::Key RaceMbarriers::key(std::uint32_t warp, std::uint64_t address) const {
  const std::uint64_t rank = address >> kRemoteShift;
  if (rank == 0 || rank >= unit_.blocks.size()) return {unit_.warps[warp].block, address};
  return {static_cast<std::uint32_t>(rank), address & ((std::uint64_t{1} << kRemoteShift) - 1)};
}

bool RaceMbarriers::ready(std::uint32_t warp, LaneMask lanes, std::uint64_t address,
                          std::uint32_t site, Operation op) {
  Object& object = objects_[key(warp, address)];
  if (object.usable) return true;
  object.early.push_back({warp, lanes, 0, site, op});
  unit_.warps[warp].blocked |= lanes;
  return false;
}

void RaceMbarriers::forget(Object& object) {
  if (object.gathering != Knowledge::kNone) unit_.knowledge.release(object.gathering);
  if (object.done != Knowledge::kNone) unit_.knowledge.release(object.done);
  for (const Covered& each : object.covered) copies_.release(each.token);
  for (const auto& phase : object.covered_done) {
    for (const Covered& each : phase) copies_.release(each.token);
  }
  object.gathering = object.done = Knowledge::kNone;
  object.covered.clear();
  object.covered_done.clear();
}

void RaceMbarriers::wake_early(Object& object) {
  for (const Waiter& waiter : object.early) unit_.warps[waiter.warp].blocked &= ~waiter.lanes;
  object.early.clear();
}

void RaceMbarriers::init(std::uint32_t warp, std::uint64_t address, std::uint64_t expected,
                         std::uint32_t) {
  Object& object = objects_[key(warp, address)];
  forget(object);
  object.seen.clear();
  any_init_ = true;
  object.usable = true;
  object.counted = expected != 0;  // 0 cannot be: the trace does not know
  object.bytes_known = true;
  object.touched = false;
  object.expected = object.pending =
      static_cast<std::int64_t>(std::min<std::uint64_t>(expected, kMaxArrivals));
  object.bytes = 0;
  object.phase = 0;
  wake_early(object);
}

void RaceMbarriers::invalidate(std::uint32_t warp, std::uint64_t address) {
  Object& object = objects_[key(warp, address)];
  forget(object);
  object.usable = object.counted = false;
}

void RaceMbarriers::count_arrivals(Object& object, std::uint32_t warp, LaneMask lanes,
                                   std::uint64_t count, std::uint32_t site) {
  if (!object.counted) return;
  const auto arrivals = static_cast<std::int64_t>(
      std::min<std::uint64_t>(std::max<std::uint64_t>(count, 1), kMaxArrivals) * lane_count(lanes));
  if (arrivals > object.pending) {
    RaceOccurrence found;
    found.kind = RaceKind::mbarrier_overflow;
    found.first = unit_.side(warp, static_cast<unsigned>(std::countr_zero(lanes)), site,
                             Operation::mbarrier_arrive);
    found.detail = static_cast<std::uint64_t>(object.expected);
    unit_.tell(found);
  }
  object.pending = std::max<std::int64_t>(0, object.pending - arrivals);
}

void RaceMbarriers::arrive(std::uint32_t warp, LaneMask lanes, std::uint64_t address,
                           std::uint64_t count, bool drop, std::uint32_t site) {
  Object& object = objects_[key(warp, address)];
  start_next(object);
  object.touched = true;
  if (object.gathering == Knowledge::kNone) object.gathering = unit_.knowledge.make();
  unit_.release_into(object.gathering, warp, lanes);
  // Each lane's arrival may complete a phase by itself.
  LaneMask left = lanes;
  while (left != 0) {
    LaneMask now = left;
    const auto each = static_cast<std::int64_t>(std::min<std::uint64_t>(
        std::max<std::uint64_t>(count, 1), static_cast<std::uint64_t>(kMaxArrivals)));
    if (object.counted && object.pending > 0 && object.pending % each == 0 &&
        object.pending / each < static_cast<std::int64_t>(lane_count(left))) {
      now = 0;
      std::int64_t room = object.pending / each;
      for_each_lane(left, [&](unsigned lane) {
        if (room-- > 0) now |= lane_bit(lane);
      });
    }
    left &= ~now;
    count_arrivals(object, warp, now, count, site);
    if (drop) object.expected = std::max<std::int64_t>(0, object.expected - lane_count(now));
    try_complete(object);
    if (left != 0 && object.gathering == Knowledge::kNone) {
      object.gathering = unit_.knowledge.make();
      unit_.release_into(object.gathering, warp, left);
    }
  }
}

void RaceMbarriers::expect_bytes(std::uint32_t warp, std::uint64_t address, std::uint64_t bytes) {
  Object& object = objects_[key(warp, address)];
  start_next(object);
  if (bytes == 0) object.bytes_known = false;
  object.bytes += static_cast<std::int64_t>(std::min<std::uint64_t>(bytes, kMaxArrivals));
  try_complete(object);
}

void RaceMbarriers::bulk(std::uint32_t warp, std::uint64_t address, std::uint64_t bytes,
                         RaceCopies::TokenId token, LaneMask issuers) {
  Object& object = objects_[key(warp, address)];
  object.covered.push_back({token, issuers});
  object.touched = true;
  copies_.retain(token);
  object.bytes -= static_cast<std::int64_t>(std::min<std::uint64_t>(bytes, kMaxArrivals));
  try_complete(object);
}

void RaceMbarriers::arrive_copies(std::uint32_t warp, LaneMask lanes, std::uint64_t address,
                                  bool counts, std::uint32_t site) {
  Object& object = objects_[key(warp, address)];
  start_next(object);
  object.touched = true;
  for_each_lane(lanes, [&](unsigned lane) {
    copies_.for_each_unfinished(warp, lane, [&](RaceCopies::TokenId token) {
      const auto same = std::find_if(object.covered.begin(), object.covered.end(),
                                     [&](const Covered& each) { return each.token == token; });
      if (same != object.covered.end()) {
        same->issuers |= lane_bit(lane);
        return;
      }
      object.covered.push_back({token, lane_bit(lane)});
      copies_.retain(token);
    });
  });
  if (counts) count_arrivals(object, warp, lanes, 1, site);
  try_complete(object);
}

/// Fewer bytes expected than copied: the trace did not know how many were expected.
void RaceMbarriers::try_complete(Object& object) {
  if (!object.counted || object.pending != 0 || !object.bytes_known) return;
  if (object.bytes <= 0) complete(object);
}

bool RaceMbarriers::may_be_complete(const Object& object) const {
  return object.counted ? object.pending == 0 && !object.bytes_known : object.touched;
}

/// An arrival beyond those of a phase shows that the phase was complete.
void RaceMbarriers::start_next(Object& object) {
  if (object.counted && may_be_complete(object)) complete(object);
}

bool RaceMbarriers::passes(const Object& object, const Waiter& waiter) const {
  if (waiter.parity != kUnknownParity) return (object.phase & 1) != waiter.parity;
  bool later = true;  // than the phases that the threads saw before
  for_each_lane(waiter.lanes, [&](unsigned lane) {
    const auto seen = object.seen.find(unit_.thread_index(waiter.warp, lane));
    later = later && object.phase > (seen == object.seen.end() ? 0 : seen->second);
  });
  return later;
}

void RaceMbarriers::complete(Object& object) {
  ++object.phase;
  object.pending = object.expected;
  object.bytes = 0;
  object.bytes_known = true;
  object.touched = false;
  if (object.gathering != Knowledge::kNone) {
    if (object.done == Knowledge::kNone) {
      object.done = object.gathering;
    } else {
      unit_.knowledge.join(object.done, object.gathering);
      unit_.knowledge.release(object.gathering);
    }
    object.gathering = Knowledge::kNone;
  }
  object.covered_done.push_front(std::move(object.covered));
  object.covered.clear();
  if (object.covered_done.size() > kRememberedPhases) {
    for (const Covered& each : object.covered_done.back()) copies_.release(each.token);
    object.covered_done.pop_back();
  }
  std::vector<Waiter> waiters;
  waiters.swap(object.waiters);
  for (const Waiter& waiter : waiters) {
    if (passes(object, waiter)) {
      let_go(object, waiter);
    } else {
      object.waiters.push_back(waiter);
    }
  }
}

void RaceMbarriers::let_go(Object& object, const Waiter& waiter) {
  for_each_lane(waiter.lanes, [&](unsigned lane) {
    object.seen[unit_.thread_index(waiter.warp, lane)] = object.phase;
  });
  if (object.done != Knowledge::kNone) {
    unit_.acquire_from(object.done, waiter.warp, waiter.lanes);
  }
  for (const auto& phase : object.covered_done) {
    for (const Covered& each : phase) {
      copies_.observe(each.token, each.issuers, waiter.warp, waiter.lanes, waiter.site);
    }
  }
  unit_.warps[waiter.warp].blocked &= ~waiter.lanes;
}

void RaceMbarriers::wait(std::uint32_t warp, LaneMask lanes, std::uint64_t address,
                         std::uint64_t parity, std::uint32_t site) {
  Object& object = objects_[key(warp, address)];
  const Waiter waiter{warp, lanes, parity == kUnknownParity ? parity : parity & 1, site,
                      Operation::mbarrier_wait};
  if (passes(object, waiter)) {
    let_go(object, waiter);
    return;
  }
  unit_.warps[warp].blocked |= lanes;
  object.waiters.push_back(waiter);
}

bool RaceMbarriers::settle() {
  for (auto& [where, object] : objects_) {
    if (object.waiters.empty() || !may_be_complete(object)) continue;
    complete(object);
    return true;
  }
  return false;
}

/// Waits of unknown parity for phases that nothing completes saw an earlier phase: a producer's
/// first wait, or a second look. With several objects it is not known which of them did.
bool RaceMbarriers::guess() {
  Object* chosen = nullptr;
  for (auto& [where, object] : objects_) {
    const bool unknown = std::any_of(object.waiters.begin(), object.waiters.end(),
                                     [](auto& each) { return each.parity == kUnknownParity; });
    if (!unknown) continue;
    if (chosen != nullptr) unit_.unsure = true;
    if (chosen == nullptr) chosen = &object;
  }
  if (chosen == nullptr) return false;
  const auto first = std::find_if(chosen->waiters.begin(), chosen->waiters.end(),
                                  [](auto& each) { return each.parity == kUnknownParity; });
  const Waiter waiter = *first;
  chosen->waiters.erase(first);
  let_go(*chosen, waiter);
  return true;
}

bool RaceMbarriers::force() {
  for (auto& [where, object] : objects_) {
    if (object.early.empty()) continue;
    if (any_init_) {
      const Waiter& first = object.early.front();
      RaceOccurrence found;
      found.kind = RaceKind::mbarrier_uninitialised;
      found.first = unit_.side(first.warp, static_cast<unsigned>(std::countr_zero(first.lanes)),
                               first.site, first.op);
      found.address = where.second;
      found.has_address = true;
      unit_.tell(found);
    }
    object.usable = true;
    wake_early(object);
    return true;
  }
  if (guess()) return true;
  for (auto& [where, object] : objects_) {
    if (object.waiters.empty()) continue;
    const Waiter first = object.waiters.front();
    // A wait of a real run did return: the trace lacks an arrival (another block, another engine).
    const bool ran = !unit_.launch->device.name.empty();
    const bool copies_missing = ran && object.bytes > 0;
    if (object.counted && !copies_missing && unit_.launch->cluster.count() == 1 &&
        unit_.launch->dropped_events == 0) {
      RaceOccurrence found;
      found.kind = RaceKind::mbarrier_incomplete;
      found.severity = ran ? RaceSeverity::info : RaceSeverity::error;
      found.first = unit_.side(first.warp, static_cast<unsigned>(std::countr_zero(first.lanes)),
                               first.site, Operation::mbarrier_wait);
      found.address = where.second;
      found.has_address = true;
      found.detail = static_cast<std::uint64_t>(object.pending);
      found.detail2 = static_cast<std::uint64_t>(std::max<std::int64_t>(0, object.bytes));
      unit_.tell(found);
    } else if (!copies_missing) {
      unit_.unsure = true;
    }
    complete(object);
    return true;
  }
  return false;
}

}  // namespace smemsim
