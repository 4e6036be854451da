#include "trace/accelsim_blocks.hpp"

#include <algorithm>

namespace smemsim::trace {
namespace {

Operation in_global_memory(Operation op) {
  switch (op) {
    case Operation::load:
      return Operation::global_load;
    case Operation::store:
      return Operation::global_store;
    default:
      return Operation::global_atomic;
  }
}

/// What an atomic is without its result. Those that return one by nature stay what they are.
Operation without_result(Operation op) {
  return op == Operation::atomic ? Operation::reduce : op;
}

}  // namespace

Status AccelsimBlocks::read(AccelsimFile& file) {
  for (;;) {
    const Result<bool> more = file.next();
    if (!more) return more.error();
    if (!*more) return {};
    const std::uint64_t number = file.block();
    block_ = &blocks_[number];
    warp_ = &block_->warps[file.warp()];
    if (Status status = instruction(file); !status) {
      Error error = status.error();
      error.place = file.place();
      return error;
    }
    if (file.line_number() != survey_.last_line(number)) continue;
    for (const auto& [warp, state] : block_->warps) {
      if (state.half_copy == nullptr) continue;
      return invalid_input(file.place(),
                           "the block ends and warp " + std::to_string(warp) +
                               " has an LDGSTS with one of its two lines",
                           "is the file cut off?");
    }
    SMEMSIM_TRY(deliver(number, *block_));
    blocks_.erase(number);
  }
}

Status AccelsimBlocks::deliver(std::uint64_t number, Block& block) {
  for (auto& [warp, state] : block.warps) {
    warp_ = &state;
    flush_slots();
  }
  EventBatch batch;
  batch.block = number;
  batch.shapes = block.shapes.shapes();
  batch.shapes_id = next_shapes_id();
  for (const auto& [warp, state] : block.warps) {
    if (state.events.empty()) continue;
    batch.warp = warp;
    batch.events = state.events;
    SMEMSIM_TRY(sink_.events(batch));
  }
  return {};
}

void AccelsimBlocks::slot(const AccelsimLine& line) {
  ++warp_->slots;
  warp_->slot_lanes |= line.active;
}

void AccelsimBlocks::flush_slots() {
  if (warp_->slots == 0) return;
  FlatEvent event;
  event.op = Operation::instructions;
  event.site = kAccelsimSlots;
  event.active = warp_->slot_lanes;
  event.a = warp_->slots;
  warp_->slots = 0;
  warp_->slot_lanes = 0;
  add(event);
}

void AccelsimBlocks::add(FlatEvent event) {
  flush_slots();
  Event out = split_event(event, scratch_);
  out.shape = block_->shapes.index(scratch_);
  warp_->events.push_back(out);
}

Status AccelsimBlocks::instruction(const AccelsimFile& file) {
  const AccelsimLine& line = file.line();
  const Result<const AccelsimInstruction*> known = survey_.instructions().of(line);
  if (!known) return known.error();
  known_ = *known;
  const AccelsimKind kind = known_->meaning.kind;
  if (kind == AccelsimKind::copy) return copy(file);
  if (warp_->half_copy != nullptr) {
    return invalid_input({}, "an LDGSTS of this warp lacks its second line",
                         "the raw form has one for each side of the copy");
  }
  if (line.active == 0) {
    slot(line);
    return {};
  }
  switch (kind) {
    case AccelsimKind::shared:
    case AccelsimKind::matrix:
    case AccelsimKind::generic:
    case AccelsimKind::global:
      if (!line.has_addresses) {
        slot(line);
      } else if (kind == AccelsimKind::shared) {
        shared(line);
      } else if (kind == AccelsimKind::matrix) {
        matrix(line);
      } else if (kind == AccelsimKind::generic) {
        generic(line);
      } else {
        global(line, line.active);
      }
      return {};
    case AccelsimKind::plain:
    case AccelsimKind::unmodelled:
    case AccelsimKind::unknown:
      slot(line);
      return {};
    default:
      synchronisation(line);
      return {};
  }
}

void AccelsimBlocks::shared(const AccelsimLine& line) {
  std::array<std::uint64_t, kAccelsimLanes> offsets{};
  for_each_lane(line.active, [&](unsigned lane) {
    offsets[lane] = accelsim_shared_offset(line.addresses[lane], header_.shared_base).value_or(0);
  });
  FlatEvent event;
  event.op = line.drops_result ? without_result(known_->meaning.op) : known_->meaning.op;
  event.width = known_->meaning.width;
  event.site = known_->site;
  event.active = line.active;
  event.addresses = offsets;
  add(event);
}

void AccelsimBlocks::matrix(const AccelsimLine& line) {
  std::array<std::uint64_t, kAccelsimLanes> offsets{};
  for_each_lane(line.active, [&](unsigned lane) {
    offsets[lane] = accelsim_shared_offset(line.addresses[lane], header_.shared_base).value_or(0);
  });
  // Lanes past the last row hand over addresses that nobody looks at.
  const unsigned rows = 8U * known_->meaning.matrices;
  for_each_lane(line.active, [&](unsigned lane) {
    if (lane >= rows && has_lane(line.active, lane % rows)) offsets[lane] = offsets[lane % rows];
  });
  FlatEvent event;
  event.op = known_->meaning.op;
  event.width = known_->meaning.width;
  event.matrices = known_->meaning.matrices;
  event.flags = known_->meaning.flags;
  event.site = known_->site;
  event.active = line.active;
  event.addresses = offsets;
  add(event);
}

void AccelsimBlocks::generic(const AccelsimLine& line) {
  LaneMask in_shared = 0, in_local = 0;
  for_each_lane(line.active, [&](unsigned lane) {
    const std::uint64_t address = line.addresses[lane];
    if (accelsim_in_window(address, header_.shared_base)) in_shared |= lane_bit(lane);
    if (accelsim_in_window(address, header_.local_base)) in_local |= lane_bit(lane);
  });
  in_local &= ~in_shared;
  if (in_shared != 0) {
    AccelsimLine part = line;
    part.active = in_shared;
    shared(part);
  }
  if (const LaneMask rest = line.active & ~(in_shared | in_local); rest != 0) global(line, rest);
  if (in_local == line.active) slot(line);
}

void AccelsimBlocks::global(const AccelsimLine& line, LaneMask lanes) {
  FlatEvent event;
  event.op = in_global_memory(known_->meaning.op);
  event.width = known_->meaning.width;
  event.site = known_->site;
  event.active = lanes;
  event.addresses = line.addresses;
  add(event);
}

Status AccelsimBlocks::copy(const AccelsimFile& file) {
  const AccelsimLine& line = file.line();
  if (file.grouped()) {  // only the global side is left
    if (line.active == 0 || !line.has_addresses) {
      slot(line);
      return {};
    }
    FlatEvent event;
    event.op = Operation::global_load;
    event.width = known_->meaning.width;
    event.site = known_->site;
    event.active = line.active;
    event.addresses = line.addresses;
    add(event);
    return {};
  }
  if (warp_->half_copy == nullptr) {
    warp_->half_copy = std::make_unique<HalfCopy>(HalfCopy{line.pc, line.active, line.addresses});
    return {};
  }
  const std::unique_ptr<HalfCopy> first = std::move(warp_->half_copy);
  if (first->pc != line.pc || first->active != line.active) {
    return invalid_input({}, "the two lines of an LDGSTS differ in pc or active lanes",
                         "the raw form has one for each side of the copy");
  }
  if (line.active == 0 || !line.has_addresses) {
    slot(line);
  } else {
    copy_event(line, *first);
  }
  return {};
}

void AccelsimBlocks::copy_event(const AccelsimLine& line, const HalfCopy& first) {
  // The shared side comes first, unless only the second line is in the shared window.
  const auto lane = static_cast<unsigned>(std::countr_zero(line.active));
  const auto in_shared = [&](const std::array<std::uint64_t, kAccelsimLanes>& addresses) {
    return accelsim_shared_offset(addresses[lane], header_.shared_base).has_value();
  };
  const bool swapped = in_shared(line.addresses) && !in_shared(first.addresses);
  std::array<std::uint64_t, kAccelsimLanes> offsets{};
  for_each_lane(line.active, [&](unsigned i) {
    const std::uint64_t address = swapped ? line.addresses[i] : first.addresses[i];
    offsets[i] = accelsim_shared_offset(address, header_.shared_base).value_or(0);
  });
  FlatEvent event;
  event.op = known_->meaning.op;
  event.width = known_->meaning.width;
  event.site = known_->site;
  event.active = line.active;
  event.addresses = offsets;
  event.sources = swapped ? first.addresses : line.addresses;
  add(event);
}

void AccelsimBlocks::synchronisation(const AccelsimLine& line) {
  FlatEvent event;
  event.site = known_->site;
  event.active = line.active;
  std::uint64_t base = 0;
  switch (known_->meaning.kind) {
    case AccelsimKind::copy_commit:
      warp_->copied = true;
      event.op = Operation::cp_async_commit;
      break;
    case AccelsimKind::copy_wait:
      if (!warp_->copied) return slot(line);  // waits for something else
      event.op = Operation::cp_async_wait;
      event.a = static_cast<std::uint64_t>(std::max<std::int64_t>(line.immediate, 0));
      break;
    case AccelsimKind::copy_arrive:
      if (!line.has_addresses) return slot(line);
      event.op = Operation::cp_async_arrive;
      event.a = accelsim_has(line.opcode, "ARVCNT") ? 1 : 0;
      base = accelsim_shared_offset(
                 line.addresses[static_cast<unsigned>(std::countr_zero(line.active))],
                 header_.shared_base)
                 .value_or(0);
      event.addresses = {&base, 1};
      break;
    case AccelsimKind::block_barrier: {
      const AccelsimBarrier barrier = accelsim_barrier(line, header_.layout.version);
      event.op = known_->meaning.op;
      event.a = barrier.number;
      event.b = barrier.threads;
      break;
    }
    case AccelsimKind::warp_barrier:
      event.op = Operation::warp_sync;
      if (known_->meaning.all_lanes) {
        event.a = first_lanes(kAccelsimLanes);
      } else if (line.sources == 0) {
        event.a = static_cast<std::uint64_t>(line.immediate) & first_lanes(kAccelsimLanes);
      }
      break;
    case AccelsimKind::shuffle:
      event.op = Operation::shuffle;
      break;
    case AccelsimKind::cluster_arrive:
      event.op = Operation::cluster_arrive;
      break;
    case AccelsimKind::cluster_wait:
      event.op = Operation::cluster_wait;
      break;
    case AccelsimKind::proxy_fence:
      event.op = Operation::fence_proxy_async;
      break;
    default:
      event.op = Operation::exit;
      break;
  }
  add(event);
}

}  // namespace smemsim::trace
