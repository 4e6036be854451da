#include "trace/launch_builder.hpp"

#include <algorithm>
#include <cassert>

#include "trace/varint.hpp"

namespace smemsim::trace {
namespace {

std::string site_key(const Site& site) {
  std::string key;
  put_text(key, site.function);
  put_varint(key, site.pc);
  put_text(key, site.instruction);
  put_text(key, site.file);
  put_varint(key, site.line);
  return key;
}

/// Splits absolute addresses into the first active lane's and offsets from it. Lanes that the
/// producer left out count as being at the first one's address.
std::uint64_t split(std::span<const std::uint64_t> addresses, LaneMask active,
                    std::vector<std::int64_t>& offsets) {
  const auto lanes = static_cast<unsigned>(std::bit_width(active));
  assert(addresses.size() >= lanes || addresses.empty());
  offsets.assign(lanes, 0);
  const auto first = static_cast<unsigned>(std::countr_zero(active));
  const std::uint64_t base = first < addresses.size() ? addresses[first] : 0;
  for_each_lane(active, [&](unsigned lane) {
    if (lane < addresses.size()) offsets[lane] = static_cast<std::int64_t>(addresses[lane] - base);
  });
  return base;
}

}  // namespace

Event split_event(const FlatEvent& event, EventShape& shape) {
  const OperationTraits& facts = traits(event.op);
  shape.op = event.op;
  shape.width = event.width;
  shape.matrices = event.matrices;
  shape.flags = event.flags;
  shape.site = event.site;
  shape.active = event.active;
  shape.a = event.a;
  shape.b = event.b;
  shape.offsets.clear();
  shape.source_offsets.clear();

  Event out;
  if (facts.lane_addresses) {
    if (event.active != 0) {
      out.base = split(event.addresses, event.active, shape.offsets);
      if (facts.has_source) out.source = split(event.sources, event.active, shape.source_offsets);
    }
  } else if (facts.space != AddressSpace::none) {
    if (!event.addresses.empty()) out.base = event.addresses[0];
    if (facts.has_source && !event.sources.empty()) out.source = event.sources[0];
  }
  return out;
}

std::uint32_t LaunchBuilder::add_site(const Site& site) {
  // Sites may also have been put into the launch directly; those are found as well.
  for (; indexed_sites_ < launch_.sites.size(); ++indexed_sites_) {
    site_index_.emplace(site_key(launch_.sites[indexed_sites_]), indexed_sites_);
  }
  const auto [at, added] = site_index_.emplace(site_key(site), indexed_sites_);
  if (added) {
    launch_.sites.push_back(site);
    ++indexed_sites_;
  }
  return at->second;
}

void LaunchBuilder::add(std::uint64_t block, std::uint32_t warp, const FlatEvent& event) {
  Event out = split_event(event, scratch_);
  out.shape = shapes_.index(scratch_);
  last_site_ = std::max(last_site_, event.site);
  if (warp_events_ == nullptr || block != last_block_ || warp != last_warp_) {
    // Pointers into std::map stay valid; producers mostly stay with one warp for a while.
    warp_events_ = &blocks_[block][warp];
    last_block_ = block;
    last_warp_ = warp;
  }
  warp_events_->push_back(out);
  ++event_count_;
}

std::uint64_t LaunchBuilder::memory() const {
  return event_count_ * sizeof(Event) + shapes_.memory();
}

Status LaunchBuilder::deliver(TraceSink& sink) {
  if (event_count_ != 0 && last_site_ >= launch_.sites.size()) launch_.sites.resize(last_site_ + 1);
  const bool all_blocks = blocks_.size() == launch_.grid.count();
  if (launch_.recorded_blocks == 0 && !all_blocks) launch_.recorded_blocks = blocks_.size();

  SMEMSIM_TRY(sink.begin_launch(launch_));
  for (const Program& program : programs_) SMEMSIM_TRY(sink.program(program));
  EventBatch batch;
  batch.shapes = shapes_.shapes();
  batch.shapes_id = next_shapes_id();
  for (const auto& [block, warps] : blocks_) {
    for (const auto& [warp, events] : warps) {
      batch.block = block;
      batch.warp = warp;
      batch.events = events;
      SMEMSIM_TRY(sink.events(batch));
    }
  }
  return sink.end_launch();
}

}  // namespace smemsim::trace
