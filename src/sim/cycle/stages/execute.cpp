#include "sim/cycle/stages/execute.hpp"

#include <algorithm>

namespace smemsim {
namespace {

constexpr std::uint64_t kClusterBarrier = ~std::uint64_t{0};  // no barrier of a block has this id

bool is_bulk_copy(Operation op) {
  return op == Operation::bulk_load || op == Operation::bulk_store || op == Operation::bulk_reduce;
}

}  // namespace

double ExecuteStage::tail(double latency, unsigned operands) const {
  const CycleParameters& p = units_.parameters;
  return std::max(0.0, latency - kLead - p.operand_interval * operands - p.wavefront_interval);
}

void ExecuteStage::execute(WarpState& warp, std::uint32_t self, const EventCost* event, double now,
                           std::vector<WakeUp>& woken) {
  const Decoded& one = *warp.next;
  const CycleParameters& p = units_.parameters;
  double& pipe = units_.pipe_free[warp.id.sub_core][static_cast<std::size_t>(one.pipe)];
  const double start = std::max(pipe, now);
  pipe = start + one.interval;
  units_.pipe_busy[static_cast<std::size_t>(one.pipe)] += one.interval;

  using Kind = InstructionKind;
  const bool memory = one.pipe == Pipe::memory;
  if (one.off && memory) warp.off_until = now + p.copy_hold;
  if (one.off || (memory && one.guarded && event == nullptr && one.kind != Kind::special)) {
    switched_off(warp, one, now);
    return;
  }
  switch (one.kind) {
    case Kind::shared:
    case Kind::shuffle:
      shared(warp, one, event, now);
      break;
    case Kind::global:
      global(warp, one, event, now);
      break;
    case Kind::copy:
      copy(warp, one, event, now);
      break;
    case Kind::match: {
      // The lanes that go on to the next event are taken for one of each value, as in code that
      // lets one lane act for those that agree.
      const double values = warp.lanes_ahead();
      const double from = std::max(units_.match_free, now + kLead);
      units_.match_free = from + p.match_interval + p.match_value_interval * values;
      warp.boards.hold(one.write_barrier, from + p.match_latency + p.match_value_latency * values,
                       Stall::short_scoreboard);
      break;
    }
    case Kind::copy_mark:
      warp.boards.add(one.write_barrier < 6 ? one.write_barrier : 0,
                      std::max(warp.copies_done, now + p.copy_commit));
      break;
    case Kind::bulk_mark:
      warp.boards.add(one.read_barrier, std::max(warp.bulk_done, now));
      break;
    case Kind::barrier:
      if (event != nullptr) {
        barrier(warp, self, *event, now, woken);
      } else if (one.arrives_at == kArrivalSomewhere) {
        BarrierUnit::Release release;
        const std::uint32_t needed = (one.arrive_threads + 31U) / 32;
        if (units_.barriers.arrive_somewhere(warp.slot, self, needed, now, release)) {
          woken.push_back({release.at, std::move(release.warps)});
        }
      } else if (one.arrives_at != kNoArrival) {
        EventCost arrival;
        arrival.op = Operation::barrier_arrive;
        arrival.a = one.arrives_at;
        arrival.b = one.arrive_threads;
        barrier(warp, self, arrival, now, woken);
      }
      break;
    case Kind::sync:
      warp.boards.hold(one.write_barrier, now + p.other_latency, Stall::short_scoreboard);
      if (event == nullptr) break;
      sync(warp, self, *event, now, woken);
      if (is_bulk_copy(event->op)) {
        // Its registers are free when the unit has taken it.
        warp.boards.hold(one.read_barrier, units_.bulk_free, Stall::short_scoreboard);
      }
      break;
    case Kind::fence:
      // Measured: a second round trip when the warp has used global memory since its last fence.
      if (one.device_fence) {
        const bool again = warp.global_since_fence;
        warp.release_at = std::max({warp.release_at, now, units_.stores.drained()}) +
                          p.fence_gpu_latency + (again ? p.fence_gpu_extra : 0);
        warp.global_since_fence = false;
      } else {
        warp.release_at = std::max(warp.release_at, now + p.fence_latency);
      }
      if (one.invalidates) units_.l1.clear();
      warp.release_reason = Stall::membar;
      break;
    case Kind::special:
      special(warp, one, event, now);
      break;
    case Kind::plain:
    case Kind::depend:
    case Kind::branch:
    case Kind::exit: {
      const double done = start + static_cast<double>(one.latency);
      warp.boards.hold(one.write_barrier, done, Stall::short_scoreboard);
      warp.boards.hold(one.read_barrier, start + p.source_release, Stall::short_scoreboard);
      break;
    }
  }
}

void ExecuteStage::switched_off(WarpState& warp, const Decoded& one, double now) {
  const CycleParameters& p = units_.parameters;
  double done = now + p.off_latency;
  double read = now + p.source_release;
  if (one.pipe == Pipe::memory && p.off_wavefronts > 0) {
    const double arrived = units_.queues[warp.id.sub_core].transfer(now + kLead, 1);
    const DataStage::Slot slot =
        units_.data.serve(std::max(arrived, warp.shared_end), p.off_wavefronts);
    units_.queue_of(one, warp.id.sub_core).hold_until(slot.start);
    warp.shared_end = slot.end;
    done = slot.end + tail(p.off_latency, 1);
    // A store keeps its registers behind the stores before it (store_run ends with one).
    const bool store = one.kind == InstructionKind::global && one.results == 0;
    read = store ? slot.end : arrived + p.source_release;
  }
  warp.boards.hold(one.write_barrier, done, Stall::short_scoreboard);
  warp.boards.hold(one.read_barrier, read, Stall::short_scoreboard);
}

void ExecuteStage::special(WarpState& warp, const Decoded& one, const EventCost* event,
                           double now) {
  const CycleParameters& p = units_.parameters;
  MemoryQueue& queue = units_.queues[warp.id.sub_core];
  const double arrived = queue.transfer(now + kLead, one.operands);
  // Measured: it leaves the sub-core when the stores before it have been read.
  const double from = units_.special.serve(std::max(arrived, units_.stores_read[warp.id.sub_core]));
  queue.hold_until(from);
  // Off with an access of the same guard that the warp passes without an event.
  const std::uint32_t* access = warp.step + one.off_with;
  const bool off = one.off_with > 0 && access < warp.steps_end &&
                   (access + 1 < warp.steps_end || event == nullptr);
  double done = from - arrived + now + (off ? p.off_latency : static_cast<double>(one.latency));
  if (!off && one.constant_line >= 0) {
    const auto [line, first] = units_.constant_lines.try_emplace(one.constant_line, done);
    if (first) line->second += p.constant_miss;
    done = std::max(done, line->second);
  }
  warp.boards.hold(one.write_barrier, done, Stall::short_scoreboard);
  warp.boards.hold(one.read_barrier, arrived + p.source_release, Stall::short_scoreboard);
}

void ExecuteStage::shared(WarpState& warp, const Decoded& one, const EventCost* event, double now) {
  const CycleParameters& p = units_.parameters;
  MemoryQueue& queue = units_.queues[warp.id.sub_core];
  const double arrived = queue.transfer(now + kLead, one.operands);
  warp.boards.hold(one.read_barrier, arrived + p.source_release, Stall::short_scoreboard);

  double wavefronts = event == nullptr ? 0 : event->wavefronts;
  if (one.kind == InstructionKind::shuffle) wavefronts = 1;
  const DataStage::Slot slot = units_.data.serve(std::max(arrived, warp.shared_end), wavefronts);
  queue.hold_until(slot.start);
  warp.shared_end = slot.end;
  if (one.results == 0) return;

  double done = slot.end + tail(p.shared_latency, 1);
  const bool matrix = event != nullptr && event->op == Operation::ldmatrix;
  if (one.kind == InstructionKind::shuffle) {
    done += p.shuffle_extra;
  } else if (matrix) {
    done += p.matrix_extra;
  } else {
    done += p.result_interval * (one.results - 1);
    if (one.operands > 1) done += p.atomic_extra;
  }
  warp.shared_done = std::max(warp.shared_done, done);
  warp.boards.hold(one.write_barrier, warp.shared_done, Stall::short_scoreboard);
}

void ExecuteStage::barrier(WarpState& warp, std::uint32_t self, const EventCost& event, double now,
                           std::vector<WakeUp>& woken) {
  const bool waits = event.op == Operation::barrier_sync;
  if (!waits && event.op != Operation::barrier_arrive) return;
  const std::uint32_t lanes = 32;
  const auto needed = event.b == 0 ? live_warps_[warp.slot]
                                   : static_cast<std::uint32_t>((event.b + lanes - 1) / lanes);
  if (waits && warp.next->defers_blocking) {
    warp.barrier_until = kNever;
  } else if (waits) {
    warp.release_at = kNever;
    warp.release_reason = Stall::barrier;
  }
  BarrierUnit::Release release;
  double reached = now;
  if (units_.parameters.barrier_in_queue > 0) {
    // Behind the shared accesses that the sub-core's memory queue holds, not the global ones.
    MemoryQueue& queue = units_.queues[warp.id.sub_core];
    queue.advance(now);
    reached = std::max(reached, queue.last_leave());
  }
  if (units_.barriers.arrive(warp.slot, event.a, self, waits, needed, event.b == 0, reached,
                             release)) {
    woken.push_back({release.at, std::move(release.warps)});
  }
}

void ExecuteStage::sync(WarpState& warp, std::uint32_t self, const EventCost& event, double now,
                        std::vector<WakeUp>& woken) {
  const CycleParameters& p = units_.parameters;
  const MbarrierUnit::Key key{warp.slot, event.base};
  const auto serve = [&] {
    units_.mbarrier_free = std::max(units_.mbarrier_free, now) + p.mbarrier_arrive;
    return units_.mbarrier_free;
  };
  const auto wake = [&](std::vector<std::uint32_t> warps) {
    const double at = units_.mbarriers.completed(key) + p.mbarrier_latency;
    if (!warps.empty()) woken.push_back({at, std::move(warps)});
  };
  switch (event.op) {
    case Operation::mbarrier_init:
      units_.mbarriers.init(key, event.a);
      break;
    case Operation::mbarrier_arrive:
      wake(
          units_.mbarriers.arrive(key, std::max<std::uint64_t>(event.a, 1) * event.lanes, serve()));
      break;
    case Operation::mbarrier_expect_tx:
      units_.mbarriers.expect(key, event.b);
      if (event.a != 0) wake(units_.mbarriers.arrive(key, event.a * event.lanes, serve()));
      break;
    case Operation::cp_async_arrive:
      wake(units_.mbarriers.arrive(key, event.lanes, std::max(serve(), warp.copies_done)));
      break;
    case Operation::mbarrier_wait:
      warp.release_reason = Stall::barrier;
      if (units_.mbarriers.wait(key, event.a, self)) {
        warp.release_at = std::max({warp.release_at, now + p.mbarrier_test,
                                    units_.mbarriers.completed(key) + p.mbarrier_latency});
      } else {
        warp.release_at = kNever;
      }
      break;
    case Operation::bulk_load:
    case Operation::bulk_store:
    case Operation::bulk_reduce:
      bulk(warp, event, now, woken);
      break;
    case Operation::cluster_wait: {
      // The other blocks of the cluster are taken to be as far as this one.
      warp.release_reason = Stall::barrier;
      warp.release_at = kNever;
      BarrierUnit::Release release;
      if (units_.barriers.arrive(warp.slot, kClusterBarrier, self, true, live_warps_[warp.slot],
                                 true, now, release)) {
        woken.push_back(
            {release.at - p.barrier_latency + p.cluster_latency, std::move(release.warps)});
      }
      break;
    }
    case Operation::bulk_wait:
      warp.release_reason = Stall::long_scoreboard;
      warp.release_at = std::max(warp.release_at, warp.bulk_done);
      break;
    default:
      break;
  }
}

void ExecuteStage::bulk(WarpState& warp, const EventCost& event, double now,
                        std::vector<WakeUp>& woken) {
  const CycleParameters& p = units_.parameters;
  const auto bytes = static_cast<double>(event.a);
  units_.bulk_free = std::max(units_.bulk_free, now) + p.bulk_issue;
  if (units_.bulk_cold) units_.bulk_free += p.bulk_first;
  units_.bulk_cold = false;
  if (event.op != Operation::bulk_load) {
    units_.bulk_port_free =
        std::max(units_.bulk_port_free, units_.bulk_free) + bytes / p.bulk_store_bytes;
    warp.bulk_done = std::max(warp.bulk_done, units_.bulk_port_free + p.bulk_store_latency);
    units_.l2.pass(now, bytes);
    return;
  }
  const double cycles = std::max(bytes / p.bulk_bytes, units_.l2.cycles(bytes));
  units_.bulk_port_free = std::max({units_.bulk_port_free, units_.bulk_free,
                                    units_.l2.pass(units_.bulk_free, bytes) - cycles}) +
                          cycles;
  const MbarrierUnit::Key key{warp.slot, event.b};
  auto warps = units_.mbarriers.deliver(key, event.a,
                                        units_.bulk_port_free + p.bulk_latency + p.l2_far_extra);
  const double at = units_.mbarriers.completed(key) + p.mbarrier_latency;
  if (!warps.empty()) woken.push_back({at, std::move(warps)});
}

void ExecuteStage::leave(const WarpState& warp, std::vector<WakeUp>& woken) {
  const std::uint32_t before = live_warps_[warp.slot]--;
  BarrierUnit::Release release;
  if (before > 1 && units_.barriers.leave(warp.slot, before, live_warps_[warp.slot], release)) {
    woken.push_back({release.at, std::move(release.warps)});
  }
}

}  // namespace smemsim
