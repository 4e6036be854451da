#include "sim/cycle/stream.hpp"

#include <algorithm>
#include <set>
#include <string_view>

#include "sim/bank_model.hpp"

namespace smemsim {
namespace {

constexpr std::uint64_t kLine = 128, kSector = 32;

bool touches_global(Operation op) {
  const OperationTraits& facts = traits(op);
  return facts.lane_addresses &&
         (facts.space == AddressSpace::global || (facts.has_source && is_shared_access(op)));
}

/// Instructions that a made-up stream takes for an event without a program.
Decoded made_up_instruction(const EventShape& shape) {
  using Kind = InstructionKind;
  Decoded out;
  const unsigned words = std::max(1U, shape.width / 4U);
  const auto memory = [&](Kind kind, unsigned operands, unsigned results) {
    out.kind = kind;
    out.pipe = Pipe::memory;
    out.operands = static_cast<std::uint8_t>(operands);
    out.results = static_cast<std::uint8_t>(results);
    if (results != 0) out.write_barrier = 0;
  };
  switch (shape.op) {
    case Operation::load:
      memory(Kind::shared, 1, words);
      break;
    case Operation::ldmatrix:
      memory(Kind::shared, 1, shape.matrices);
      break;
    case Operation::store:
      memory(Kind::shared, 1 + words, 0);
      break;
    case Operation::stmatrix:
      memory(Kind::shared, 1U + shape.matrices, 0);
      break;
    case Operation::atomic:
      memory(Kind::shared, 1 + words, words);
      break;
    case Operation::cas:
    case Operation::cas_spin:
      memory(Kind::shared, 1 + 2 * words, words);
      break;
    case Operation::reduce:
    case Operation::increment:
      memory(Kind::shared, 1 + words, 0);
      break;
    case Operation::cp_async_ca:
    case Operation::cp_async_cg:
      memory(Kind::copy, 3, 0);
      break;
    case Operation::cp_async_commit:
      out.kind = Kind::copy_mark;
      out.write_barrier = 5;
      break;
    case Operation::cp_async_wait:
      out.kind = Kind::depend;
      out.depend_on = 5;
      out.depend_count = static_cast<std::uint8_t>(std::min<std::uint64_t>(shape.a, 63));
      break;
    case Operation::global_load:
      memory(Kind::global, 2, words);
      break;
    case Operation::global_store:
      memory(Kind::global, 2 + words, 0);
      break;
    case Operation::global_atomic:
      memory(Kind::global, 2 + words, 1);
      break;
    case Operation::shuffle:
      memory(Kind::shuffle, 2, 1);
      break;
    case Operation::barrier_sync:
    case Operation::barrier_arrive:
      out.kind = Kind::barrier;
      break;
    case Operation::exit:
      out.kind = Kind::exit;
      break;
    default:
      out.kind = Kind::sync;
      break;
  }
  // Without registers to look at: loads overlap with each other, everything else waits for them.
  const bool loads = out.kind == Kind::shared && out.results != 0 && out.operands == 1;
  const bool fetches = out.kind == Kind::global && out.results != 0;
  if (!loads && !fetches && out.kind != Kind::depend) out.wait_mask = 1;
  return out;
}

}  // namespace

StreamBuilder::StreamBuilder(const Launch& launch, const Machine& machine,
                             const StreamOptions& options)
    : launch_(launch), machine_(machine), options_(options) {}

void StreamBuilder::add_program(const Program& program) {
  Flow flow;
  flow.first = static_cast<std::uint32_t>(instructions_.size());
  flow.control = std::make_unique<ControlFlow>(decode(program, machine_.cycle));
  const auto& code = flow.control->code();
  instructions_.insert(instructions_.end(), code.begin(), code.end());
  flows_[program.function] = std::move(flow);
}

void StreamBuilder::set_stops() {
  stops_known_ = true;
  // An instruction like one that the trace recorded cannot run without an event, unless a
  // predicate may have switched it off.
  std::set<std::tuple<InstructionKind, std::uint8_t, std::uint8_t>> recorded;
  const auto kind_of = [](const Decoded& one) {
    return std::tuple(one.kind, one.operands, one.results);
  };
  for (const Site& site : launch_.sites) {
    const auto flow = flows_.find(site.function);
    if (flow == flows_.end()) continue;
    const std::int32_t at = flow->second.control->index_of(site.pc);
    if (at < 0) continue;
    const Decoded& one = flow->second.control->code()[static_cast<std::size_t>(at)];
    if (one.kind != InstructionKind::plain && one.kind != InstructionKind::branch) {
      recorded.insert(kind_of(one));
    }
  }
  for (auto& [name, flow] : flows_) {
    const auto& code = flow.control->code();
    std::vector<bool> stops(code.size(), false);
    for (std::size_t i = 0; i < code.size(); ++i) {
      stops[i] = !code[i].guarded && recorded.contains(kind_of(code[i]));
    }
    flow.control->set_stops(std::move(stops));
  }
}

std::uint32_t StreamBuilder::keep(std::vector<std::uint32_t> steps) {
  paths_.push_back(std::move(steps));
  return static_cast<std::uint32_t>(paths_.size() - 1);
}

StreamBuilder::KnownPath StreamBuilder::path_to(WarpPlace& place, const Flow& flow, std::int32_t to,
                                                LaneMask active) {
  const bool diverged = place.at >= 0 && (place.active & active) == 0 && active != 0;
  const auto key = std::tuple(place.flow, place.at, &flow, to, diverged);
  const auto [entry, added] = known_.try_emplace(key);
  if (added) {
    Path path;
    const bool same = place.flow == nullptr || place.flow == &flow;
    if (same && !diverged) {
      path = flow.control->path(place.at, to);
    } else {
      path = flow.control->block_path(to);
      path.found = true;
    }
    std::vector<std::uint32_t> steps;
    for (const std::int32_t step : path.steps) {
      steps.push_back(flow.first + static_cast<std::uint32_t>(step));
    }
    entry->second = {keep(std::move(steps)), path.ambiguous || path.relaxed, !path.found, diverged};
  }
  place.flow = &flow;
  place.at = to;
  place.active = active;
  return entry->second;
}

std::uint32_t StreamBuilder::made_up(const EventShape& shape) {
  const bool slots = shape.op == Operation::instructions;
  const std::uint64_t detail = slots                                  ? shape.a
                               : shape.op == Operation::cp_async_wait ? shape.a
                                                                      : shape.matrices;
  const auto [entry, added] = made_up_.try_emplace({shape.op, shape.width, detail});
  if (!added) return entry->second;
  std::vector<std::uint32_t> steps;
  const auto index = static_cast<std::uint32_t>(instructions_.size());
  if (slots) {
    Decoded plain;
    plain.pipe = Pipe::fma;
    Decoded first = plain;
    first.wait_mask = 1;  // the first may use what was loaded
    instructions_.push_back(first);
    instructions_.push_back(plain);
    constexpr std::uint64_t kMost = 1U << 20;
    steps.assign(std::min(shape.a, kMost), index + 1);
    if (!steps.empty()) steps.front() = index;
  } else {
    instructions_.push_back(made_up_instruction(shape));
    steps.push_back(index);
  }
  entry->second = keep(std::move(steps));
  return entry->second;
}

EventCost StreamBuilder::cost(const EventBatch& batch, const Event& event, BlockTrace& block) {
  const EventShape& shape = batch.shapes[event.shape];
  EventCost out;
  out.op = shape.op;
  out.lanes = static_cast<std::uint8_t>(lane_count(shape.active));
  out.base = event.base;
  out.a = shape.a;
  out.b = shape.b;
  if (batch.shapes_id != shapes_id_) {
    shapes_id_ = batch.shapes_id;
    wavefronts_.clear();
  }
  if (is_shared_access(shape.op)) {
    const auto key = std::pair(event.shape, cost_key(shape, event, machine_.shared));
    const auto [entry, added] = wavefronts_.try_emplace(key);
    if (added && check_access(shape, event, machine_.shared).ok()) {
      const AccessCost access = access_cost(shape, event, machine_.shared);
      entry->second = options_.conflict_free ? access.cycles - access.excess() : access.cycles;
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
    const std::int32_t to = flow == flows_.end() ? -1 : flow->second.control->index_of(site->pc);
    StreamItem item;
    if (to >= 0) {
      const KnownPath known = path_to(place, flow->second, to, shape.active);
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
    if (shape.op != Operation::instructions && !skipped) {
      item.event = static_cast<std::uint32_t>(block.events.size());
      block.events.push_back(cost(batch, event, block));
    }
    if (shape.op == Operation::exit) place.left = true;
    warp.push_back(item);
  }
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
