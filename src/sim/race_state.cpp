#include "sim/race_state.hpp"

#include <algorithm>

namespace smemsim {

void RaceUnit::start() {
  const std::uint64_t threads = launch->block.count();
  warps.assign(std::size_t{warps_per_block} * blocks.size(), {});
  knowledge.reset(warps.size() * lanes, check_fences);
  epoch += 2;  // so that nothing looks adjacent to the unit before
  first_epoch = epoch;
  needed = unsure = false;
  exit_sites.assign(warps.size() * lanes, kNoSite);
  if (warps.empty()) return;
  const Knowledge::Row row = knowledge.make();
  for (std::size_t i = 0; i < warps.size(); ++i) {
    RaceWarp& warp = warps[i];
    warp.block = static_cast<std::uint32_t>(i / warps_per_block);
    warp.number = static_cast<std::uint32_t>(i % warps_per_block);
    const std::uint64_t first = std::uint64_t{warp.number} * lanes;
    warp.exists =
        first_lanes(static_cast<unsigned>(std::min<std::uint64_t>(lanes, threads - first)));
    warp.rows.fill(Knowledge::kNone);
    set_rows(warp, warp.exists, row);
    warp.uniform = true;
  }
  knowledge.release(row);
}

void RaceUnit::set_rows(RaceWarp& warp, LaneMask lane_mask, Knowledge::Row row) {
  if (lane_mask == 0) return;
  knowledge.retain(row, lane_count(lane_mask));
  for_each_lane(lane_mask, [&](unsigned lane) {
    Knowledge::Row& own = warp.rows[lane];
    if (own != Knowledge::kNone) knowledge.release(own);
    own = row;
  });
  warp.uniform = (warp.exists & ~lane_mask) == 0;
}

void RaceUnit::release_into(Knowledge::Row into, std::uint32_t index, LaneMask lane_mask) {
  RaceWarp& warp = warps[index];
  for_each_row(warp, lane_mask, [&](Knowledge::Row row, LaneMask) { knowledge.join(into, row); });
  std::uint32_t* known = knowledge.known(into) + thread_index(index, 0);
  for_each_lane(lane_mask, [&](unsigned lane) { known[lane] = warp.time + 1; });
  ++warp.time;
}

void RaceUnit::acquire_from(Knowledge::Row from, std::uint32_t index, LaneMask lane_mask) {
  RaceWarp& warp = warps[index];
  // Collected first: set_rows changes what for_each_row walks over.
  std::array<std::pair<Knowledge::Row, LaneMask>, kMaxLanes> groups;
  std::size_t count = 0;
  for_each_row(warp, lane_mask, [&](Knowledge::Row row, LaneMask group) {
    groups[count++] = {row, group};
  });
  for (std::size_t i = 0; i < count; ++i) {
    const auto [row, group] = groups[i];
    if (knowledge.owners(row) == lane_count(group)) {
      knowledge.join(row, from);
      continue;
    }
    const Knowledge::Row joined = knowledge.copy(row);
    knowledge.join(joined, from);
    set_rows(warp, group, joined);
    knowledge.release(joined);
  }
}

void RaceUnit::fence(std::uint32_t index, LaneMask lane_mask) {
  if (!check_fences) return;
  RaceWarp& warp = warps[index];
  std::array<std::pair<Knowledge::Row, LaneMask>, kMaxLanes> groups;
  std::size_t count = 0;
  for_each_row(warp, lane_mask, [&](Knowledge::Row row, LaneMask group) {
    groups[count++] = {row, group};
  });
  for (std::size_t i = 0; i < count; ++i) {
    const auto [row, group] = groups[i];
    const Knowledge::Row next = knowledge.copy(row);
    const std::uint32_t* known = knowledge.known(next);
    std::uint32_t* fenced = knowledge.fenced(next);
    for (std::size_t t = 0; t < knowledge.threads(); ++t) fenced[t] = std::max(fenced[t], known[t]);
    set_rows(warp, group, next);
    knowledge.release(next);
  }
  // A fence covers the thread's own accesses only: lanes no longer share one row exactly, but the
  // entries of other lanes of the group are raised in the row of each lane by itself.
  for_each_lane(lane_mask, [&](unsigned lane) {
    Knowledge::Row row = warp.rows[lane];
    if (knowledge.owners(row) > 1 && lane_count(lane_mask) > 1) {
      row = knowledge.copy(row);
      set_rows(warp, lane_bit(lane), row);
      knowledge.release(row);
    }
    knowledge.fenced(row)[thread_index(index, lane)] = warp.time + 1;
  });
  warp.uniform = lane_count(warp.exists) == 1;
  ++warp.time;
}

void RaceUnit::full_sync() {
  const Knowledge::Row row = knowledge.make();
  std::uint32_t* known = knowledge.known(row);
  if (check_fences) {
    std::uint32_t* fenced = knowledge.fenced(row);
    Knowledge::Row last = Knowledge::kNone;
    for (const RaceWarp& warp : warps) {
      for_each_row(warp, warp.exists, [&](Knowledge::Row each, LaneMask) {
        if (each == last) return;
        last = each;
        const std::uint32_t* from = knowledge.fenced(each);
        for (std::size_t t = 0; t < knowledge.threads(); ++t)
          fenced[t] = std::max(fenced[t], from[t]);
      });
    }
  }
  for (std::uint32_t i = 0; i < warps.size(); ++i) {
    RaceWarp& warp = warps[i];
    std::fill_n(known + thread_index(i, 0), lanes, warp.time + 1);
    ++warp.time;
    set_rows(warp, warp.exists, row);
  }
  knowledge.release(row);
  ++epoch;
}

}  // namespace smemsim
