#include "sim/cycle/stream.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <set>
#include <string_view>
#include <unordered_map>

#include "sim/bank_model.hpp"

namespace smemsim {
namespace {

constexpr std::uint64_t kLine = 128, kSector = 32;

bool touches_global(Operation op) {
  const OperationTraits& facts = traits(op);
  return facts.lane_addresses &&
         (facts.space == AddressSpace::global || (facts.has_source && is_shared_access(op)));
}

}  // namespace

StreamBuilder::StreamBuilder(const Launch& launch, const Machine& machine,
                             const StreamOptions& options)
    : launch_(launch), machine_(machine), options_(options) {}

void StreamBuilder::add_program(const Program& program) {
  Flow flow;
  flow.first = static_cast<std::uint32_t>(instructions_.size());
  flow.control = std::make_unique<ControlFlow>(decode(program, *machine_.cycle));
  const auto& code = flow.control->code();
  instructions_.insert(instructions_.end(), code.begin(), code.end());
  for (std::size_t i = 0; i < code.size(); ++i) {
    if (!code[i].clock) continue;
    if (flow.first_clock < 0) flow.first_clock = static_cast<std::int32_t>(i);
    flow.last_clock = static_cast<std::int32_t>(i);
  }
  flows_[program.function] = std::move(flow);
  mbarriers_.add(program);
}

void StreamBuilder::set_stops() {
  stops_known_ = true;
  // An instruction like one that the trace recorded cannot run without an event, unless a
  // predicate may have switched it off.
  std::set<std::tuple<InstructionKind, std::uint8_t, std::uint8_t>> recorded;
  bool calls = false;
  const auto kind_of = [](const Decoded& one) {
    return std::tuple(one.kind, one.operands,
                      one.arrives_at == 255 ? one.results : std::uint8_t{254});
  };
  for (const Site& site : launch_.sites) {
    const auto flow = flows_.find(site.function);
    if (flow == flows_.end()) continue;
    const std::int32_t at = flow->second.control->index_of(site.pc);
    if (at < 0) continue;
    const Decoded& one = flow->second.control->code()[static_cast<std::size_t>(at)];
    calls = calls || one.callee >= 0;
    if (one.kind != InstructionKind::plain && one.kind != InstructionKind::branch) {
      recorded.insert(kind_of(one));
    }
  }
  for (auto& [name, flow] : flows_) {
    const auto& code = flow.control->code();
    std::vector<bool> stops(code.size(), false), may(code.size(), false);
    for (std::size_t i = 0; i < code.size(); ++i) {
      may[i] = recorded.contains(kind_of(code[i])) || (calls && code[i].callee >= 0);
      stops[i] = may[i] && !code[i].guarded;
    }
    flow.control->set_stops(std::move(stops), may);
  }
}

std::uint32_t StreamBuilder::keep(std::vector<std::uint32_t> steps) {
  paths_.push_back(std::move(steps));
  return static_cast<std::uint32_t>(paths_.size() - 1);
}

StreamBuilder::KnownPath StreamBuilder::path_to(WarpPlace& place, const Flow& flow, std::int32_t to,
                                                LaneMask active, std::int32_t by) {
  const bool diverged = place.at >= 0 && (place.active & active) == 0 && active != 0;
  const bool parted = place.parted && !diverged;
  const auto key = std::tuple(place.flow, place.at, &flow, to, diverged, parted, by, place.calls);
  const auto [entry, added] = known_.try_emplace(key);
  if (added) {
    Path path;
    std::vector<std::int32_t> calls = place.calls;
    const bool same = place.flow == nullptr || place.flow == &flow;
    if (same && !diverged) {
      path = flow.control->path(place.at, by >= 0 ? by : to, calls);
      if (by >= 0) {
        const Path rest = flow.control->path(by, to);
        path.steps.insert(path.steps.end(), rest.steps.begin(), rest.steps.end());
      }
    } else {
      path = flow.control->block_path(to);
      path.found = true;
    }
    std::vector<std::uint32_t> steps;
    bool rejoined = false;
    for (const std::int32_t step : path.steps) {
      steps.push_back(flow.first + static_cast<std::uint32_t>(step));
      // Each part of a warp executes the BSYNC at which it waits for the other.
      if (parted && !rejoined && flow.control->code()[static_cast<std::size_t>(step)].reconverges) {
        steps.push_back(steps.back());
        rejoined = true;
      }
    }
    entry->second = {
        keep(std::move(steps)), path.ambiguous || path.relaxed, !path.found, diverged, rejoined,
        std::move(calls)};
  }
  if (entry->second.rejoined) place.parted = false;
  const Decoded& one = flow.control->code()[static_cast<std::size_t>(to)];
  place.parted = place.parted || (!one.guarded && active != 0 && (place.seen & ~active) != 0);
  place.seen |= active;
  place.calls = entry->second.calls;
  place.flow = &flow;
  place.at = to;
  place.active = active;
  return entry->second;
}

EventCost StreamBuilder::cost(const EventBatch& batch, const Event& event, bool merging,
                              BlockTrace& block) {
  const EventShape& shape = batch.shapes[event.shape];
  EventCost out;
  out.op = shape.op;
  out.lanes = static_cast<std::uint8_t>(lane_count(shape.active));
  out.bytes = std::uint32_t{out.lanes} * shape.width;
  out.base = event.base;
  out.a = shape.a;
  out.b = shape.b;
  if (!traits(shape.op).lane_addresses && !mbarriers_.empty()) {
    EventShape known;
    known.op = shape.op;
    known.site = shape.site;
    known.a = shape.a;
    known.b = shape.b;
    mbarriers_.complete(known, launch_);
    out.a = known.a;
    out.b = known.b;
  }
  if (batch.shapes_id != shapes_id_) {
    shapes_id_ = batch.shapes_id;
    wavefronts_.clear();
  }
  if (is_shared_access(shape.op)) {
    const auto key = std::pair(event.shape, cost_key(shape, event, machine_.shared));
    const auto [entry, added] = wavefronts_.try_emplace(key);
    if (added && merging) {
      // Served like a store to the same addresses.
      EventShape store = shape;
      store.op = Operation::store;
      store.source_offsets.clear();
      if (check_access(store, event, machine_.shared).ok()) {
        entry->second = access_cost(store, event, machine_.shared).cycles;
      }
    } else if (added && check_access(shape, event, machine_.shared).ok()) {
      const AccessCost access = access_cost(shape, event, machine_.shared);
      entry->second = options_.conflict_free ? access.cycles - access.excess() : access.cycles;
      if (access.bypass && !options_.conflict_free) entry->second = *access.bypass;
      if (options_.conflict_free && access.excess() > 0) {
        entry->second = std::max(access.ideal, access.cycles - access.excess());
      }
    }
    out.wavefronts = entry->second;
  }
  if (touches_global(shape.op)) {
    const bool copies = !shape.source_offsets.empty();
    out.first_line = static_cast<std::uint32_t>(block.lines.size());
    for_each_lane(shape.active, [&](unsigned lane) {
      if (lane >= (copies ? shape.source_offsets : shape.offsets).size()) return;
      const std::uint64_t begin =
          copies ? lane_source(shape, event, lane) : lane_address(shape, event, lane);
      const std::uint64_t end = begin + std::max<unsigned>(shape.width, 1);
      for (std::uint64_t at = begin / kSector; at * kSector < end; ++at) {
        const std::uint64_t line = at * kSector / kLine;
        const auto bit = static_cast<std::uint8_t>(1U << (at % (kLine / kSector)));
        auto found = std::find_if(block.lines.begin() + out.first_line, block.lines.end(),
                                  [&](const LineUse& use) { return use.line == line; });
        if (found == block.lines.end()) {
          block.lines.push_back({line, bit});
        } else {
          found->sectors |= bit;
        }
      }
    });
    out.lines = static_cast<std::uint32_t>(block.lines.size()) - out.first_line;
    // Lanes that fill sectors do so side by side: then their bytes are those of the sectors.
    int sectors = 0;
    for (std::uint32_t i = 0; i < out.lines; ++i) {
      sectors += std::popcount(block.lines[out.first_line + i].sectors);
    }
    const bool filled = static_cast<std::uint64_t>(sectors) * kSector <= out.bytes;
    for (std::uint32_t i = 0; i < out.lines; ++i) block.lines[out.first_line + i].filled = filled;
  }
  if (traits(shape.op).space == AddressSpace::remote_shared) {
    std::set<std::uint64_t> lines, sectors;
    for_each_lane(shape.active, [&](unsigned lane) {
      if (lane >= shape.offsets.size()) return;
      const std::uint64_t at = lane_address(shape, event, lane);
      for (std::uint64_t byte = 0; byte < std::max<unsigned>(shape.width, 1); byte += kSector) {
        lines.insert((at + byte) / kLine);
        sectors.insert((at + byte) / kSector);
      }
    });
    out.lines = static_cast<std::uint32_t>(lines.size());
    out.remote_sectors = static_cast<std::uint32_t>(sectors.size());
  }
  return out;
}

void StreamBuilder::add(const EventBatch& batch, BlockTrace& block) {
  if (!stops_known_) set_stops();
  if (batch.block != block_) {
    places_.clear();
    block_ = batch.block;
  }
  block.block = batch.block;
  if (block.warps.size() <= batch.warp) block.warps.resize(batch.warp + 1U);
  std::vector<StreamItem>& warp = block.warps[batch.warp];
  WarpPlace& place = places_[batch.warp];
  for (const Event& event : batch.events) {
    const EventShape& shape = batch.shapes[event.shape];
    const Site* site = shape.site < launch_.sites.size() ? &launch_.sites[shape.site] : nullptr;
    const auto flow = site == nullptr ? flows_.end() : flows_.find(site->function);
    const bool in_program = site != nullptr && flow != flows_.end();
    const std::int32_t to = in_program ? flow->second.control->index_of(site->pc) : -1;
    StreamItem item;
    if (to >= 0) {
      const bool begins = options_.clocked && batch.warp == 0 && place.at < 0;
      const KnownPath known =
          path_to(place, flow->second, to, shape.active, begins ? flow->second.first_clock : -1);
      item.path = known.path;
      const std::size_t steps = paths_[known.path].size();
      quality_.instructions += steps;
      if (known.ambiguous) quality_.ambiguous += steps;
      if (known.diverged) quality_.diverged += steps;
      if (known.unknown) ++quality_.unknown;
    } else {
      if (!flows_.empty()) ++quality_.unknown;
      quality_.from_slots = quality_.from_slots || flows_.empty();
      item.path = made_up(shape);
      quality_.instructions += paths_[item.path].size();
    }
    if (paths_[item.path].empty()) continue;
    const bool skipped = options_.no_barriers && (shape.op == Operation::barrier_sync ||
                                                  shape.op == Operation::barrier_arrive);
    const bool merging =
        to >= 0 && flow->second.control->code()[static_cast<std::size_t>(to)].merging;
    if (shape.op != Operation::instructions && !skipped) {
      item.event = static_cast<std::uint32_t>(block.events.size());
      block.events.push_back(cost(batch, event, merging, block));
    }
    warp.push_back(item);
    if (shape.op == Operation::exit) {
      place.left = true;
      if (options_.clocked && to >= 0) add_clocked_end(flow->second, to, batch.warp, block);
    }
  }
}

void StreamBuilder::add_clocked_end(const Flow& flow, std::int32_t exit, std::uint32_t warp_index,
                                    BlockTrace& block) {
  if (flow.last_clock < 0) return;
  const auto& code = flow.control->code();
  // The barrier in front of the clock, and the last exit of either kind of warp.
  std::int32_t barrier = flow.last_clock;
  while (barrier > exit && code[static_cast<std::size_t>(barrier)].kind != InstructionKind::barrier)
    --barrier;
  if (barrier <= exit) return;
  std::int32_t last = warp_index == 0 ? flow.last_clock : barrier;
  while (last + 1 < static_cast<std::int32_t>(code.size()) &&
         code[static_cast<std::size_t>(last)].kind != InstructionKind::exit) {
    ++last;
  }
  std::vector<StreamItem>& warp = block.warps[warp_index];
  const auto straight = [&](std::int32_t from, std::int32_t to, Operation op) {
    std::vector<std::uint32_t> steps;
    for (std::int32_t at = from + 1; at <= to; ++at) {
      steps.push_back(flow.first + static_cast<std::uint32_t>(at));
    }
    EventCost cost;
    cost.op = op;
    cost.lanes = 32;
    block.events.push_back(cost);
    warp.push_back({keep(std::move(steps)), static_cast<std::uint32_t>(block.events.size() - 1)});
  };
  straight(exit, barrier, Operation::barrier_sync);
  straight(barrier, last, Operation::exit);
}

void StreamBuilder::finish(BlockTrace& block) {
  for (std::size_t i = 0; i < block.warps.size(); ++i) {
    const auto place = places_.find(static_cast<std::uint32_t>(i));
    if (place == places_.end() || place->second.left) continue;
    EventShape shape;
    shape.op = Operation::exit;
    block.warps[i].push_back({made_up(shape), StreamItem::kNone});
  }
}

}  // namespace smemsim
