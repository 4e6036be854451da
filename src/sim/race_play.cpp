// What each operation does to the state of the race checker.
#include <algorithm>

#include "sim/race_executor.hpp"
#include "sim/race_silent.hpp"

namespace smemsim {
namespace {

unsigned first_lane(LaneMask lanes) {
  return static_cast<unsigned>(std::countr_zero(lanes));
}

}  // namespace

bool RaceExecutor::play(std::uint32_t index, ShapeSet& shapes, const Event& event) {
  const EventShape& shape = shapes.shape(event.shape);
  RaceWarp& warp = unit_.warps[index];
  const LaneMask active = shape.active & warp.exists;
  if ((active & warp.blocked) != 0) return false;
  if (active == 0) return true;
  switch (shape.op) {
    case Operation::instructions:
      return true;
    case Operation::mbarrier_init:
    case Operation::mbarrier_arrive:
    case Operation::mbarrier_expect_tx:
    case Operation::mbarrier_wait:
    case Operation::mbarrier_try:
    case Operation::mbarrier_invalidate:
    case Operation::cp_async_arrive:
      facts_.other = true;
      return play_mbarrier(index, shape, event, active);
    case Operation::bulk_load:
      if (!mbarriers_.ready(index, active, shape.b, shape.site, shape.op)) return false;
      break;
    default:
      break;
  }

  shadow_.note_site(index, shape.site);
  switch (shape.op) {
    case Operation::load:
    case Operation::store:
    case Operation::ldmatrix:
    case Operation::stmatrix:
    case Operation::atomic:
    case Operation::reduce:
    case Operation::cas:
    case Operation::increment:
    case Operation::cas_spin:
    case Operation::remote_load:
    case Operation::remote_store:
    case Operation::remote_atomic:
      play_access(index, shapes, event);
      break;
    case Operation::cp_async_ca:
    case Operation::cp_async_cg:
      play_copy(index, shapes, event, active);
      break;
    case Operation::cp_async_commit:
      copies_.commit(CopyFamily::cp_async, index, active);
      break;
    case Operation::cp_async_wait:
      copies_.wait(CopyFamily::cp_async, index, active, shape.a, shape.site);
      break;
    case Operation::global_load:
      facts_.global_access = true;
      break;
    case Operation::global_store:
    case Operation::global_atomic:
      facts_.global_access = facts_.global_write = true;
      break;
    case Operation::barrier_sync:
    case Operation::barrier_arrive:
      if ((shape.flags & kSilentUnknown) != 0) {
        unit_.unsure = true;
        break;
      }
      if ((shape.flags & kSilentPossible) != 0) {
        barriers_.possible_arrival(index, active, shape.a);
        break;
      }
      // bar.red also hands out a value: never advise to drop it.
      if (unit_.launch->sites[shape.site].instruction.find("RED") != std::string::npos) {
        facts_.other = true;
      }
      barriers_.block_barrier(index, active, shape.a, shape.b, shape.site,
                              shape.op == Operation::barrier_sync);
      break;
    case Operation::warp_sync:
      barriers_.warp_sync(index, active, shape.a, shape.site);
      break;
    case Operation::shuffle:
      if (options_.shuffles_order) barriers_.warp_sync(index, active, shape.a, shape.site);
      break;
    case Operation::bulk_load:
    case Operation::bulk_store:
    case Operation::bulk_remote:
    case Operation::bulk_reduce:
    case Operation::wgmma:
      play_bulk(index, shape, event, active);
      break;
    case Operation::bulk_commit:
      copies_.commit(CopyFamily::bulk, index, active);
      break;
    case Operation::bulk_wait:
      copies_.wait(CopyFamily::bulk, index, active, shape.a, shape.site);
      break;
    case Operation::wgmma_commit:
      copies_.commit(CopyFamily::wgmma, index, active);
      break;
    case Operation::wgmma_wait:
      copies_.wait(CopyFamily::wgmma, index, active, shape.a, shape.site);
      break;
    case Operation::fence_proxy_async:
      facts_.other = true;
      unit_.fence(index, active);
      break;
    case Operation::cluster_arrive:
      facts_.other = true;
      barriers_.cluster_arrive(index, active, shape.site);
      break;
    case Operation::cluster_wait:
      facts_.other = true;
      barriers_.cluster_wait(index, active, shape.site);
      break;
    case Operation::exit:
      warp.exited |= active;
      for_each_lane(active, [&](unsigned lane) {
        unit_.exit_sites[unit_.thread_index(index, lane)] = shape.site;
      });
      barriers_.exited(index);
      break;
    default:
      break;
  }
  return true;
}

void RaceExecutor::check_overlap(std::uint32_t index, const EventShape& shape, const Event& event,
                                 const Footprint& footprint) {
  if (footprint.overlaps == 0) return;
  RaceOccurrence found;
  found.kind = RaceKind::same_instruction_write;
  found.scope = RaceScope::warp;
  const bool known = (shape.flags & kValuesKnown) != 0;
  const bool equal = known && (shape.flags & kEqualValues) != 0;
  found.severity = equal ? RaceSeverity::info : known ? RaceSeverity::error : RaceSeverity::warning;
  found.variant = equal ? kRaceOverlapEqual : known ? kRaceOverlapKnown : kRacePlain;
  found.first = unit_.side(index, footprint.lane_a, shape.site, shape.op);
  found.second = unit_.side(index, footprint.lane_b, shape.site, shape.op);
  found.address = event.base + static_cast<std::uint64_t>(footprint.overlap_byte);
  found.has_address = true;
  unit_.log->add(found);
}

void RaceExecutor::play_access(std::uint32_t index, ShapeSet& shapes, const Event& event) {
  const EventShape& shape = shapes.shape(event.shape);
  const OperationTraits& facts = traits(shape.op);
  const bool remote = facts.space == AddressSpace::remote_shared;
  ++accesses_;
  if (remote) {
    facts_.other = true;
    if (unit_.blocks.size() == 1) return;  // another block's memory, which is not at hand
  }
  if ((shape.flags & kAddressesPartial) != 0 && facts.writes) unit_.options.uninitialised = false;
  const Footprint& footprint = shapes.footprint(event.shape, unit_.warps[index].exists, event.base);
  check_overlap(index, shape, event, footprint);
  RaceActor actor;
  actor.warp = index;
  actor.site = shape.site;
  actor.op = shape.op;
  actor.reads = facts.reads && !(shape.op == Operation::atomic && exchanges_[shape.site]);
  actor.writes = facts.writes;
  const bool atomic =
      is_atomic(shape.op) || (shape.site < atomic_loads_.size() && atomic_loads_[shape.site]);
  actor.flags = atomic ? kRaceAtomic : 0;
  shadow_.access(actor, unit_.warps[index].block, event.base, footprint, remote);
}

void RaceExecutor::play_copy(std::uint32_t index, ShapeSet& shapes, const Event& event,
                             LaneMask active) {
  const EventShape& shape = shapes.shape(event.shape);
  ++accesses_;
  if ((shape.flags & kAddressesPartial) != 0) unit_.options.uninitialised = false;
  const Footprint& footprint = shapes.footprint(event.shape, unit_.warps[index].exists, event.base);
  check_overlap(index, shape, event, footprint);
  RaceActor actor;
  actor.warp = index;
  actor.site = shape.site;
  actor.op = shape.op;
  actor.writes = true;
  actor.flags = kRaceAsync;
  copies_.issue(CopyFamily::cp_async, index, active, shape.site, shape.op,
                [&](RaceCopies::TokenId token, LaneMask lanes) {
                  shadow_.async_access(actor, unit_.warps[index].block, event.base, footprint,
                                       lanes, token);
                });
}

void RaceExecutor::touch_range(std::uint32_t index, const EventShape& shape, std::uint64_t base,
                               std::uint64_t bytes, LaneMask active, RaceCopies::TokenId token,
                               bool writes) {
  RaceActor actor;
  actor.warp = index;
  actor.site = shape.site;
  actor.op = shape.op;
  actor.reads = !writes;
  actor.writes = writes;
  actor.flags = kRaceAsync | kRaceProxy;
  shadow_.async_access(actor, unit_.warps[index].block, base,
                       RaceShadow::range(base, bytes, active), active, token);
}

void RaceExecutor::play_bulk(std::uint32_t index, const EventShape& shape, const Event& event,
                             LaneMask active) {
  facts_.other = true;
  if (shape.op == Operation::wgmma) {
    // One group of the warp: its lanes wait together.
    copies_.issue(CopyFamily::wgmma, index, active, shape.site, shape.op,
                  [&](RaceCopies::TokenId token, LaneMask lanes) {
                    touch_range(index, shape, event.base, shape.a, lanes, token, false);
                    touch_range(index, shape, event.source, shape.b, lanes, token, false);
                  });
    return;
  }
  // Bulk copies are issued by one thread; further active lanes would repeat the same copy.
  const LaneMask issuer = lane_bit(first_lane(active));
  if (shape.op == Operation::bulk_load) {
    if (shape.a == 0) unit_.options.uninitialised = false;  // a tensor copy of unknown extent
    const RaceCopies::TokenId token = copies_.make(index, shape.site, shape.op);
    touch_range(index, shape, event.base, shape.a, issuer, token, true);
    mbarriers_.bulk(index, shape.b, shape.a, token, issuer);
    copies_.release(token);
    return;
  }
  if (shape.op == Operation::bulk_remote) {
    // It completes on an mbarrier of the target block: only what comes before it can be checked.
    const RaceCopies::TokenId token = copies_.make(index, shape.site, shape.op);
    copies_.observe(token, issuer, index, unit_.warps[index].exists, shape.site);
    copies_.release(token);
    return;
  }
  copies_.issue(CopyFamily::bulk, index, issuer, shape.site, shape.op,
                [&](RaceCopies::TokenId token, LaneMask lanes) {
                  touch_range(index, shape, event.base, shape.a, lanes, token, false);
                });
}

bool RaceExecutor::play_mbarrier(std::uint32_t index, const EventShape& shape, const Event& event,
                                 LaneMask active) {
  const std::uint64_t address = event.base;
  const std::uint32_t site = shape.site;
  const bool init = shape.op == Operation::mbarrier_init;
  const bool looks_only = shape.op == Operation::mbarrier_try;
  if (!init && !looks_only && !mbarriers_.ready(index, active, address, site, shape.op))
    return false;

  shadow_.note_site(index, site);
  RaceActor actor;
  actor.warp = index;
  actor.site = site;
  actor.op = shape.op;
  actor.writes = true;
  const bool setup = init || shape.op == Operation::mbarrier_invalidate;
  actor.flags = kRaceSync;
  actor.flags |= setup ? kRaceInit : kRaceAtomic;
  if (address >> 24 == 0) {  // else an object of another block
    shadow_.access(actor, unit_.warps[index].block, address, RaceShadow::range(address, 8, active),
                   false);
  }
  switch (shape.op) {
    case Operation::mbarrier_init:
      mbarriers_.init(index, address, shape.a, site);
      break;
    case Operation::mbarrier_invalidate:
      mbarriers_.invalidate(index, address);
      break;
    case Operation::mbarrier_arrive:
      mbarriers_.arrive(index, active, address, shape.a, shape.b != 0, site);
      break;
    case Operation::mbarrier_expect_tx:
      if (shape.a != 0) {
        // Bytes first: the arrival must not complete the phase before they are expected.
        mbarriers_.expect_bytes(index, address, shape.b * lane_count(active));
        mbarriers_.arrive(index, active, address, shape.a, false, site);
      } else {
        mbarriers_.expect_bytes(index, address, shape.b * lane_count(active));
      }
      break;
    case Operation::cp_async_arrive:
      mbarriers_.arrive_copies(index, active, address, shape.a != 0, site);
      break;
    case Operation::mbarrier_wait:
      mbarriers_.wait(index, active, address, shape.a, site);
      break;
    default:
      break;
  }
  return true;
}

}  // namespace smemsim
