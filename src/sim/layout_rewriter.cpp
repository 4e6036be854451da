#include "sim/layout_rewriter.hpp"

#include <algorithm>
#include <limits>

#include "sim/layout_cost.hpp"

namespace smemsim {
namespace {

/// Remembered places of one set of shapes; more are worked out again.
constexpr std::size_t kMostMoved = std::size_t{1} << 16;

}  // namespace

LayoutRewriter::LayoutRewriter(TraceSink& next, const KernelAccesses& kernel,
                               std::vector<RegionChange> changes)
    : next_(next), kernel_(kernel), changes_(std::move(changes)) {}

Status LayoutRewriter::begin_launch(const Launch& launch) {
  launch_ = launch;
  source_id_ = 0;
  sites_.assign(changes_.size(), std::vector<bool>(launch.sites.size() + 1, false));
  std::uint64_t extra = 0;
  for (std::size_t i = 0; i < changes_.size(); ++i) {
    const LayoutRegion& region = *changes_[i].region;
    extra += changes_[i].change.extra_bytes(region.bytes);
    for (const std::uint32_t s : region.sites) {
      for (std::size_t at = 0; at <= launch.sites.size(); ++at) {
        const bool known = at < launch.sites.size();
        if ((known ? launch.sites[at] : Site{}) == kernel_.sites[s].site) sites_[i][at] = true;
      }
    }
  }
  std::uint32_t& bytes =
      launch.dynamic_shared != 0 ? launch_.dynamic_shared : launch_.static_shared;
  bytes = static_cast<std::uint32_t>(
      std::min<std::uint64_t>(bytes + extra, std::numeric_limits<std::uint32_t>::max()));
  return next_.begin_launch(launch_);
}

const RegionChange* LayoutRewriter::change_of(const EventShape& shape, const Event& event,
                                              LaneMask lanes) const {
  std::uint64_t begin = std::numeric_limits<std::uint64_t>::max(), end = 0;
  for_each_lane(lanes, [&](unsigned lane) {
    const std::uint64_t at = lane_address(shape, event, lane);
    begin = std::min(begin, at);
    end = std::max(end, at + shape.width);
  });
  for (std::size_t i = 0; i < changes_.size(); ++i) {
    const LayoutRegion& region = *changes_[i].region;
    const std::size_t site = std::min<std::size_t>(shape.site, sites_[i].size() - 1);
    const bool here = sites_[i][site];
    if (here && begin >= region.base && end <= region.base + region.bytes) return &changes_[i];
  }
  return nullptr;
}

std::uint32_t LayoutRewriter::keep(std::uint32_t from, EventShape shape) {
  const auto [entry, added] =
      known_.try_emplace({from, shape.offsets}, static_cast<std::uint32_t>(shapes_.size()));
  if (added) shapes_.push_back(std::move(shape));
  return entry->second;
}

LayoutRewriter::Moved LayoutRewriter::move(const EventShape& shape, const Event& event) {
  const LaneMask lanes = addressed_lanes(shape, kernel_.machine->shared);
  const RegionChange* change = lanes == 0 ? nullptr : change_of(shape, event, lanes);
  if (change == nullptr) return {event.shape, event.base};
  EventShape plain = shape;
  // Lanes whose address does not count stay with the first one.
  for (unsigned lane = 0; lane < plain.offsets.size(); ++lane) {
    if (!has_lane(lanes, lane)) plain.offsets[lane] = 0;
  }
  auto moved = move_access(plain, event, lanes, change->region->base, change->change);
  if (!moved) {
    ++unmoved_;
    return {event.shape, event.base};
  }
  return {keep(event.shape, std::move(moved->shape)), moved->event.base};
}

Status LayoutRewriter::events(const EventBatch& batch) {
  if (changes_.empty()) return next_.events(batch);
  if (batch.shapes_id != source_id_ || batch.shapes.size() != source_shapes_ ||
      moved_.size() > kMostMoved) {
    source_id_ = batch.shapes_id;
    source_shapes_ = batch.shapes.size();
    shapes_.assign(batch.shapes.begin(), batch.shapes.end());
    moved_.clear();
    known_.clear();
    ++id_;
  }
  const std::size_t before = shapes_.size();
  events_.assign(batch.events.begin(), batch.events.end());
  for (Event& event : events_) {
    const EventShape& shape = batch.shapes[event.shape];
    if (!is_shared_access(shape.op) || shape.active == 0) continue;
    const auto [entry, added] = moved_.try_emplace({event.shape, event.base});
    if (added) entry->second = move(shape, event);
    event.shape = entry->second.shape;
    event.base = entry->second.base;
  }
  if (shapes_.size() != before) ++id_;  // an id stands for the very same shapes
  return next_.events({batch.block, batch.warp, shapes_, events_, id_});
}

Status LayoutRewriter::end_launch() {
  return next_.end_launch();
}

}  // namespace smemsim
