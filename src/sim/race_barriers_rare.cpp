// Warp synchronisation, cluster barriers, and barriers that never complete.
#include <algorithm>

#include "sim/race_barriers.hpp"
#include "sim/race_silent.hpp"

namespace smemsim {

void RaceBarriers::warp_sync(std::uint32_t index, LaneMask lanes, LaneMask mask,
                             std::uint32_t site) {
  RaceWarp& warp = unit_.warps[index];
  mask = ((mask == 0 ? lanes : mask) | lanes) & warp.exists;
  std::vector<WarpGroup>& groups = groups_[index];
  if (groups.empty() && (mask & ~(lanes | warp.exited)) == 0) {  // all meet here and now
    const Knowledge::Row row = warp.rows[static_cast<unsigned>(std::countr_zero(lanes))];
    if (warp.uniform && unit_.knowledge.owners(row) == lane_count(warp.exists)) {
      std::uint32_t* known = unit_.knowledge.known(row) + unit_.thread_index(index, 0);
      if (lanes == warp.exists) {
        for_each_lane(lanes, [&](unsigned lane) { known[lane] = warp.time + 1; });
        ++warp.time;
        return;
      }
    }
    const Knowledge::Row joined = unit_.knowledge.make();
    unit_.release_into(joined, index, lanes);
    unit_.set_rows(warp, lanes, joined);
    unit_.knowledge.release(joined);
    return;
  }
  auto group = std::find_if(groups.begin(), groups.end(),
                            [&](const WarpGroup& each) { return each.mask == mask; });
  if (group == groups.end()) group = groups.insert(groups.end(), {mask, 0, site});
  group->arrived |= lanes;
  warp.blocked |= lanes;
  try_warp(index);
}

void RaceBarriers::try_warp(std::uint32_t index) {
  std::vector<WarpGroup>& groups = groups_[index];
  for (std::size_t i = 0; i < groups.size();) {
    if ((groups[i].mask & ~(groups[i].arrived | unit_.warps[index].exited)) == 0) {
      finish_group(index, i);
    } else {
      ++i;
    }
  }
}

void RaceBarriers::finish_group(std::uint32_t index, std::size_t which) {
  RaceWarp& warp = unit_.warps[index];
  const WarpGroup group = groups_[index][which];
  groups_[index].erase(groups_[index].begin() + static_cast<std::ptrdiff_t>(which));
  const Knowledge::Row joined = unit_.knowledge.make();
  unit_.release_into(joined, index, group.arrived);
  unit_.set_rows(warp, group.arrived, joined);
  unit_.knowledge.release(joined);
  warp.blocked &= ~group.arrived;
}

void RaceBarriers::cluster_arrive(std::uint32_t warp, LaneMask lanes, std::uint32_t site) {
  if (cluster_pending_ == Knowledge::kNone) cluster_pending_ = unit_.knowledge.make();
  unit_.release_into(cluster_pending_, warp, lanes);
  for_each_lane(lanes, [&](unsigned lane) { ++cluster_arrivals_[unit_.thread_index(warp, lane)]; });
  cluster_site_ = site;
  try_cluster();
}

void RaceBarriers::cluster_wait(std::uint32_t warp, LaneMask lanes, std::uint32_t site) {
  cluster_site_ = site;
  cluster_waiting_[warp] |= lanes;
  unit_.warps[warp].blocked |= lanes;
  try_cluster();
}

void RaceBarriers::try_cluster() {
  if (cluster_site_ == kNoSite) return;
  bool everyone = true;
  for (std::uint32_t i = 0; everyone && i < unit_.warps.size(); ++i) {
    const RaceWarp& warp = unit_.warps[i];
    for_each_lane(warp.exists & ~warp.exited, [&](unsigned lane) {
      everyone = everyone && cluster_arrivals_[unit_.thread_index(i, lane)] > cluster_done_;
    });
  }
  if (everyone && cluster_pending_ != Knowledge::kNone) {
    ++cluster_done_;
    if (cluster_row_ != Knowledge::kNone) unit_.knowledge.release(cluster_row_);
    cluster_row_ = cluster_pending_;
    cluster_pending_ = Knowledge::kNone;
  }
  for (std::uint32_t i = 0; i < unit_.warps.size(); ++i) {
    LaneMask free = 0;
    for_each_lane(cluster_waiting_[i], [&](unsigned lane) {
      if (cluster_arrivals_[unit_.thread_index(i, lane)] <= cluster_done_) free |= lane_bit(lane);
    });
    if (free == 0) continue;
    if (cluster_row_ != Knowledge::kNone) unit_.acquire_from(cluster_row_, i, free);
    cluster_waiting_[i] &= ~free;
    unit_.warps[i].blocked &= ~free;
  }
}

void RaceBarriers::possible_arrival(std::uint32_t warp, LaneMask lanes, std::uint64_t id) {
  Possible& possible = possible_[{unit_.warps[warp].block, id}][warp];
  const Knowledge::Row row = unit_.knowledge.make();
  if (possible.row != Knowledge::kNone) {
    unit_.knowledge.join(row, possible.row);
    unit_.knowledge.release(possible.row);
  }
  unit_.release_into(row, warp, lanes);
  possible.row = row;
  possible.lanes |= lanes;
}

bool RaceBarriers::fill() {
  for (auto& [key, generations] : barriers_) {
    // bar.arrive always comes with a count; barriers of the whole block have none.
    if (generations.empty() || generations.front().expected == 0) continue;
    Generation& generation = generations.front();
    const Generation before = generation;
    std::vector<std::pair<Key, std::uint32_t>> used;
    for (const Key& from : {key, Key{key.first, kUnknownBarrier}}) {
      const auto found = possible_.find(from);
      if (found == possible_.end()) continue;
      for (const auto& [warp, possible] : found->second) {
        if ((possible.lanes & ~generation.arrived[warp]) == 0) continue;
        generation.arrived[warp] |= possible.lanes;
        used.emplace_back(from, warp);
      }
    }
    count(generation, key);
    if (used.empty() || !complete(generation)) {
      generation = before;
      continue;
    }
    // With more candidates than arrivals it is not known who came, and who comes the next time.
    if (generation.threads > generation.expected) unit_.unsure = true;
    generation.everyone_waits = false;
    if (generation.accumulated == Knowledge::kNone) {
      generation.accumulated = unit_.knowledge.make();
    }
    for (const auto& [from, warp] : used) {
      const auto entry = possible_[from].find(warp);
      unit_.knowledge.join(generation.accumulated, entry->second.row);
      unit_.knowledge.release(entry->second.row);
      possible_[from].erase(entry);
    }
    release(key);
    return true;
  }
  return false;
}

bool RaceBarriers::force(bool only_ended) {
  for (std::uint32_t w = 0; w < groups_.size(); ++w) {
    for (std::size_t i = 0; i < groups_[w].size(); ++i) {
      const WarpGroup group = groups_[w][i];
      const LaneMask missing = group.mask & ~(group.arrived | unit_.warps[w].exited);
      bool over = true;
      for_each_lane(missing, [&](unsigned lane) { over = over && ended(w, lane); });
      if (only_ended && !over) continue;
      RaceOccurrence found;
      found.kind = RaceKind::warp_sync_partial;
      found.severity = over ? RaceSeverity::warning : RaceSeverity::error;
      found.scope = RaceScope::warp;
      found.first = unit_.side(w, static_cast<unsigned>(std::countr_zero(group.arrived)),
                               group.site, Operation::warp_sync);
      found.detail = group.mask;
      found.detail2 = missing;
      unit_.tell(found);
      finish_group(w, i);
      return true;
    }
  }
  for (auto& [key, generations] : barriers_) {
    if (generations.empty()) continue;
    Generation& generation = generations.front();
    const std::uint32_t first = key.first * unit_.warps_per_block;
    std::uint64_t waiting = 0;
    bool over = true;
    RaceOccurrence found;
    for (std::uint32_t i = first; i < first + unit_.warps_per_block; ++i) {
      const LaneMask missing = unit_.warps[i].exists & ~generation.arrived[i];
      for_each_lane(missing, [&](unsigned lane) {
        const bool gone = ended(i, lane);
        if (over && !gone) found.second = unit_.side(i, lane, kNoSite, Operation::instructions);
        over = over && gone;
      });
      waiting += lane_count(generation.waiting[i]);
      if (generation.waiting[i] != 0 && found.first.site == kNoSite) {
        found.first = unit_.side(i, static_cast<unsigned>(std::countr_zero(generation.waiting[i])),
                                 generation.sites[i], Operation::barrier_sync);
      }
    }
    if (waiting == 0 || (only_ended && !over)) continue;
    if (unit_.hidden_arrivals && generation.expected != 0) {
      unit_.unsure = true;
    } else if (generation.expected != 0) {
      found.kind = RaceKind::barrier_count;
      found.detail = generation.expected;
      found.detail2 = generation.threads;
      found.variant = kRaceCountShort;
      found.second = {};
      unit_.tell(found);
    } else if (!over) {
      found.kind = RaceKind::barrier_partial;
      found.variant = kRaceStuckElsewhere;
      found.detail = unit_.launch->block.count() - waiting;
      unit_.tell(found);
      generation.expected = 1;  // told: no second finding from the release
    }
    release(key);
    return true;
  }
  for (std::uint32_t i = 0; i < unit_.warps.size(); ++i) {
    if (cluster_waiting_[i] == 0) continue;
    // Other blocks of the cluster may be missing from the trace: nothing to report.
    if (cluster_row_ != Knowledge::kNone) unit_.acquire_from(cluster_row_, i, cluster_waiting_[i]);
    unit_.warps[i].blocked &= ~cluster_waiting_[i];
    cluster_waiting_[i] = 0;
    return true;
  }
  return false;
}

void RaceBarriers::finish() {
  for (const Missed& missed : missed_) {
    RaceOccurrence found;
    found.kind = RaceKind::barrier_partial;
    const std::uint32_t missing_exit = unit_.exit_sites[missed.missing_thread];
    const std::uint32_t present_exit = unit_.exit_sites[missed.present_thread];
    // A thread that leaves by another way than the others returned early; one that leaves with them
    // went around the barrier.
    const bool early = missing_exit != kNoSite && missing_exit != present_exit;
    found.severity = early ? RaceSeverity::warning : RaceSeverity::error;
    found.first = missed.barrier;
    found.second = missed.missing;
    found.helper_site = early ? missing_exit : kNoSite;
    found.detail = missed.threads;
    found.variant = early ? kRaceEarlyExit : kRacePlain;
    unit_.tell(found);
  }
}

}  // namespace smemsim
