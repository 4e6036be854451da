#include "sim/race_barriers.hpp"

#include <algorithm>

namespace smemsim {

void RaceBarriers::start() {
  barriers_.clear();
  spare_.clear();
  possible_.clear();
  groups_.assign(unit_.warps.size(), {});
  cluster_arrivals_.assign(unit_.warps.size() * unit_.lanes, 0);
  cluster_waiting_.assign(unit_.warps.size(), 0);
  cluster_done_ = 0;
  cluster_pending_ = cluster_row_ = Knowledge::kNone;
  cluster_site_ = kNoSite;
  missed_.clear();
}

bool RaceBarriers::ended(std::uint32_t warp, unsigned lane) const {
  const RaceWarp& w = unit_.warps[warp];
  return has_lane(w.exited, lane) || (w.drained && !has_lane(w.blocked, lane));
}

RaceBarriers::Generation RaceBarriers::fresh() {
  Generation generation;
  if (!spare_.empty()) {
    generation = std::move(spare_.back());
    spare_.pop_back();
  }
  generation.arrived.assign(unit_.warps.size(), 0);
  generation.waiting.assign(unit_.warps.size(), 0);
  generation.sites.assign(unit_.warps.size(), kNoSite);
  generation.accumulated = Knowledge::kNone;
  generation.expected = generation.threads = 0;
  generation.whole_warps = 0;
  generation.everyone_waits = true;
  return generation;
}

void RaceBarriers::drop(Generation& generation) {
  if (generation.accumulated != Knowledge::kNone) unit_.knowledge.release(generation.accumulated);
  spare_.push_back(std::move(generation));
}

/// Hardware counts warps: a warp of which every living lane arrived counts as a full one, also at
/// the ragged end of a block.
void RaceBarriers::count(Generation& generation, Key key) {
  generation.threads = 0;
  generation.whole_warps = 0;
  const std::uint32_t first = key.first * unit_.warps_per_block;
  for (std::uint32_t i = first; i < first + unit_.warps_per_block; ++i) {
    const RaceWarp& warp = unit_.warps[i];
    const LaneMask arrived = generation.arrived[i];
    const bool whole = (warp.exists & ~(arrived | warp.exited)) == 0;
    if (whole) ++generation.whole_warps;
    generation.threads += arrived == 0 ? 0 : whole ? unit_.lanes : lane_count(arrived);
  }
}

bool RaceBarriers::complete(const Generation& generation) const {
  if (generation.expected == 0) return generation.whole_warps == unit_.warps_per_block;
  return generation.threads >= generation.expected;
}

void RaceBarriers::block_barrier(std::uint32_t warp, LaneMask lanes, std::uint64_t id,
                                 std::uint64_t expected, std::uint32_t site, bool waits) {
  const Key key{unit_.warps[warp].block, id};
  std::deque<Generation>& generations = barriers_[key];
  const auto side = [&] {
    return unit_.side(warp, static_cast<unsigned>(std::countr_zero(lanes)), site,
                      waits ? Operation::barrier_sync : Operation::barrier_arrive);
  };
  if (expected % unit_.lanes != 0) {
    RaceOccurrence found;
    found.kind = RaceKind::barrier_count;
    found.variant = kRaceCountNotWarps;
    found.first = side();
    found.detail = expected;
    found.detail2 = unit_.lanes;
    unit_.tell(found);
  }
  LaneMask left = lanes;
  for (std::size_t i = 0; left != 0; ++i) {
    if (i == generations.size()) {
      generations.push_back(fresh());
      generations.back().expected = expected;
    }
    Generation& generation = generations[i];
    const LaneMask here = left & ~generation.arrived[warp];
    if (here == 0) continue;
    left &= ~here;
    if (generation.expected != expected) {
      RaceOccurrence found;
      found.kind = RaceKind::barrier_count;
      found.variant = kRaceCountDiffers;
      found.first = side();
      found.second = found.first;
      for (std::uint32_t w = 0; w < generation.sites.size(); ++w) {
        if (generation.sites[w] == kNoSite) continue;
        found.first = unit_.side(w, static_cast<unsigned>(std::countr_zero(generation.arrived[w])),
                                 generation.sites[w], Operation::barrier_sync);
        break;
      }
      found.detail = generation.expected;
      found.detail2 = expected;
      unit_.tell(found);
      generation.expected = std::max(generation.expected, expected);
    }
    if (generation.sites[warp] == kNoSite) {
      generation.sites[warp] = site;
    } else if (generation.sites[warp] != site) {
      RaceOccurrence found;
      found.kind = RaceKind::barrier_divergent;
      found.scope = RaceScope::warp;
      found.first =
          unit_.side(warp, static_cast<unsigned>(std::countr_zero(generation.arrived[warp])),
                     generation.sites[warp], Operation::barrier_sync);
      found.second = side();
      unit_.tell(found);
    }
    generation.arrived[warp] |= here;
    if (waits) {
      generation.waiting[warp] |= here;
      unit_.warps[warp].blocked |= here;
    } else {
      generation.everyone_waits = false;
      if (generation.accumulated == Knowledge::kNone) {
        generation.accumulated = unit_.knowledge.make();
      }
      unit_.release_into(generation.accumulated, warp, here);
      if (i > 0) {
        RaceOccurrence found;
        found.kind = RaceKind::barrier_count;
        found.variant = kRaceArriveTwice;
        found.first = side();
        found.detail = generations.front().expected;
        found.detail2 = generations.front().threads;
        unit_.tell(found);
      }
    }
    count(generation, key);
  }
  while (!generations.empty() && complete(generations.front())) release(key);
}

/// A whole-block barrier that warps meet from different source lines works on hardware but is
/// undefined in CUDA. Copies of one line that the compiler made are no finding.
void RaceBarriers::check_divergence(const Generation& generation) {
  if (generation.expected != 0) return;
  std::uint32_t first = kNoSite;
  std::uint32_t first_warp = 0;
  for (std::uint32_t w = 0; w < generation.sites.size(); ++w) {
    const std::uint32_t site = generation.sites[w];
    if (site == kNoSite || site == first) continue;
    if (first == kNoSite) {
      first = site;
      first_warp = w;
      continue;
    }
    const Site& a = unit_.launch->sites[first];
    const Site& b = unit_.launch->sites[site];
    if (a.line == 0 || b.line == 0 || (a.line == b.line && a.file == b.file)) continue;
    RaceOccurrence found;
    found.kind = RaceKind::barrier_divergent;
    found.severity = RaceSeverity::warning;
    const auto lane = [&](std::uint32_t warp) {
      return static_cast<unsigned>(std::countr_zero(generation.arrived[warp]));
    };
    found.first = unit_.side(first_warp, lane(first_warp), first, Operation::barrier_sync);
    found.second = unit_.side(w, lane(w), site, Operation::barrier_sync);
    unit_.tell(found);
    return;
  }
}

void RaceBarriers::note_missing(const Generation& generation, Key key) {
  if (generation.expected != 0 || missed_.size() >= 4096) return;
  Missed missed;
  bool present = false;
  const std::uint32_t first = key.first * unit_.warps_per_block;
  for (std::uint32_t i = first; i < first + unit_.warps_per_block; ++i) {
    const LaneMask arrived = generation.arrived[i];
    const LaneMask missing = unit_.warps[i].exists & ~arrived;
    if (arrived != 0 && !present) {
      const auto lane = static_cast<unsigned>(std::countr_zero(arrived));
      missed.barrier = unit_.side(i, lane, generation.sites[i], Operation::barrier_sync);
      missed.present_thread = unit_.thread_index(i, lane);
      present = true;
    }
    if (missing != 0 && missed.threads == 0) {
      const auto lane = static_cast<unsigned>(std::countr_zero(missing));
      missed.missing = unit_.side(i, lane, kNoSite, Operation::exit);
      missed.missing_thread = unit_.thread_index(i, lane);
    }
    missed.threads += lane_count(missing);
  }
  if (missed.threads != 0 && present) missed_.push_back(missed);
}

void RaceBarriers::release(Key key) {
  std::deque<Generation>& generations = barriers_[key];
  Generation generation = std::move(generations.front());
  generations.pop_front();
  check_divergence(generation);
  note_missing(generation, key);
  bool everyone = generation.everyone_waits && unit_.blocks.size() == 1;
  for (std::size_t i = 0; everyone && i < unit_.warps.size(); ++i) {
    const RaceWarp& warp = unit_.warps[i];
    everyone = (warp.exists & ~(generation.waiting[i] | warp.exited)) == 0;
  }
  if (everyone) {
    listener_.before_full_sync(generation.sites);
    unit_.full_sync();
    for (std::size_t i = 0; i < unit_.warps.size(); ++i) {
      unit_.warps[i].blocked &= ~generation.waiting[i];
    }
    drop(generation);
    return;
  }
  if (generation.accumulated == Knowledge::kNone) generation.accumulated = unit_.knowledge.make();
  for (std::uint32_t i = 0; i < unit_.warps.size(); ++i) {
    if (generation.waiting[i] != 0) {
      unit_.release_into(generation.accumulated, i, generation.waiting[i]);
    }
  }
  for (std::uint32_t i = 0; i < unit_.warps.size(); ++i) {
    if (generation.waiting[i] == 0) continue;
    // The lanes were blocked since they arrived: what they know is part of the sum.
    unit_.set_rows(unit_.warps[i], generation.waiting[i], generation.accumulated);
    unit_.warps[i].blocked &= ~generation.waiting[i];
  }
  drop(generation);
}

void RaceBarriers::exited(std::uint32_t warp) {
  for (auto& [key, generations] : barriers_) {
    if (key.first != unit_.warps[warp].block || generations.empty()) continue;
    for (Generation& generation : generations) count(generation, key);
    while (!generations.empty() && complete(generations.front())) release(key);
  }
  try_cluster();
  try_warp(warp);
}

}  // namespace smemsim
