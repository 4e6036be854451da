// Global accesses: the way through L1, the two halves of L2 and the store buffer.
#include <algorithm>
#include <bit>
#include <cmath>

#include "sim/cycle/stages/execute.hpp"

namespace smemsim {
namespace {

/// Where the slice of a line lies, 0 to 1. Which one it is is not known: a hash of the line.
double slice_of(std::uint64_t line) {
  return static_cast<double>(line * 0x9E3779B97F4A7C15u >> 54) / 1024;
}

/// The 64-byte pieces of a line that the sectors lie in: what crosses between the halves of L2.
int pieces(std::uint8_t sectors) {
  return std::popcount((sectors | sectors >> 1U) & 0x55U);
}

}  // namespace

bool ExecuteStage::in_far_half(const LineUse& use) const {
  constexpr std::uint64_t kLine = 128;
  const auto mask = static_cast<std::uint64_t>(units_.parameters.l2_half_mask);
  return (std::popcount(use.line * kLine & mask) % 2 != 0) != units_.odd_half;
}

LineUse ExecuteStage::line_of(const WarpState& warp, std::uint32_t index) const {
  LineUse use = warp.block->lines[index];
  if (!use.everywhere || units_.parameters.shared_lines <= 0) use.line += warp.line_offset;
  return use;
}

void ExecuteStage::store(const EventCost& event, const WarpState& warp, double at) {
  const CycleParameters& p = units_.parameters;
  for (std::uint32_t i = 0; i < event.lines; ++i) {
    const LineUse use = line_of(warp, event.first_line + i);
    const std::uint8_t apart = units_.store_merge.apart(use, at);
    if (apart == 0) {
      units_.stores.take(at, 0, p.store_sector, at);
      continue;
    }
    const double sectors = std::popcount(apart), bytes = 32 * sectors;
    const double partial = use.filled ? 0 : 1;
    const double cycles = p.store_sector * sectors + p.store_line * partial;
    const double slice = units_.l2.pass(at, p.store_share * bytes + p.store_partial * partial);
    const double crossing = units_.far_link.pass(at, bytes, in_far_half(use));
    units_.stores.take(at, sectors, cycles, std::max(slice, crossing));
  }
}

double ExecuteStage::load(const EventCost& event, const WarpState& warp, double at, bool by_l2) {
  const CycleParameters& p = units_.parameters;
  const double beyond = p.l2_latency - p.l1_latency;
  // Measured: a copy past L1 sends a request for each of its steps (docs/model.md).
  double requests = 1;  // for a line
  if (event.op == Operation::cp_async_cg && event.lines > 0) {
    requests = std::max(1.0, event.wavefronts / p.copy_bypass / event.lines);
  }
  double done = at;
  for (std::uint32_t i = 0; i < event.lines; ++i) {
    const LineUse use = line_of(warp, event.first_line + i);
    std::uint8_t missing = use.sectors;
    bool again = false;
    if (!by_l2) {
      missing = units_.l1.missing(use, units_.l1_clock);
      const double arrival = missing == use.sectors ? at : units_.l1.arrival(use);
      // Measured: a copy asks again for what is on its way, a load waits for it.
      again = event.op == Operation::cp_async_ca && arrival > at;
      done = std::max(done, arrival);
      if (again) missing = use.sectors;
      if (missing == 0) continue;
    }
    const double bytes = 32 * std::popcount(missing);
    const double sent = units_.stores.behind(at);
    std::uint8_t& fetched = units_.fetched[use.line];
    const auto fresh = static_cast<std::uint8_t>(missing & ~fetched);
    fetched = static_cast<std::uint8_t>(fetched | missing);
    const bool far = in_far_half(use);
    const bool shared = use.shared && p.shared_lines > 0;
    MemoryPort& port = shared ? units_.l2_shared : units_.l2;
    const double moved = std::max(bytes, 32 * requests);
    const double asked = shared ? moved : moved + p.l2_line * requests;
    double there = port.pass(sent, asked) - port.cycles(asked);
    if (fresh != 0 && !shared) {
      there = std::max(there, units_.far_link.pass(sent, p.l2_far_piece * pieces(fresh), far));
    }
    if (use.everywhere && units_.hot_interval > 0) {
      // The other SMs ask for the line as well.
      double& free = units_.hot_lines[use.line];
      free = std::max(free, at) + units_.hot_interval;
      there = std::max(there, free);
    }
    double latency = beyond + (far && fresh != 0 ? p.l2_far_extra : 0) +
                     p.l2_spread * (slice_of(use.line) - 0.5);
    if (p.l2_hit < 1) {
      const double missed = 1 - p.l2_hit;
      there = std::max(there, units_.dram.pass(at, bytes * missed) - units_.l2.cycles(bytes));
      latency += missed * (p.dram_latency - p.l2_latency);
    }
    there += latency;
    if (!by_l2 && !again) units_.l1.fill({use.line, missing}, there, units_.l1_clock);
    done = std::max(done, there);
  }
  return done;
}

void ExecuteStage::global(WarpState& warp, const Decoded& one, const EventCost* event, double now) {
  const CycleParameters& p = units_.parameters;
  MemoryQueue& queue = units_.global_queues[warp.id.sub_core];
  const double arrived = units_.queues[warp.id.sub_core].transfer(now + kLead, one.operands);
  warp.boards.hold(one.read_barrier, arrived + p.source_release, Stall::long_scoreboard);
  const bool copy = one.kind == InstructionKind::copy;
  const bool by_l2_copy = event != nullptr && event->op == Operation::cp_async_cg;
  const bool stores = event != nullptr && event->op == Operation::global_store;
  if (event != nullptr) warp.global_since_fence = true;
  double wavefronts = event == nullptr ? 0 : event->lines;
  if (copy && event != nullptr) {
    wavefronts = std::max<double>(wavefronts, event->wavefronts);
    // Measured: 2, 3 and 4 cycles for a warp's 4, 8 and 16 bytes a lane without conflicts.
    if (!by_l2_copy && wavefronts < 3) wavefronts += 1;
  }
  if (stores) wavefronts = std::ceil(event->bytes / p.store_bytes);
  const DataStage::Slot slot = units_.data.serve(std::max(arrived, warp.shared_end), wavefronts,
                                                 stores ? units_.stores.room() : 0);
  warp.shared_end = slot.end;
  queue.hold_until(slot.start);
  if (stores) {
    const double read = units_.stores.read(slot.end);
    units_.stores_read[warp.id.sub_core] = std::max(units_.stores_read[warp.id.sub_core], read);
    warp.boards.hold(one.read_barrier, read, Stall::long_scoreboard);
    store(*event, warp, slot.end);
    return;
  }

  double done = slot.end;
  if (event != nullptr && event->op == Operation::remote_load) {
    units_.remote_free = std::max(units_.remote_free, slot.end) +
                         units_.remote_sector * event->remote_sectors +
                         p.remote_line * event->lines;
    done = units_.remote_free + p.remote_latency - p.l1_latency;
  } else if (event != nullptr) {
    const bool by_l2 = one.by_l2 || by_l2_copy || event->op == Operation::global_atomic;
    done = load(*event, warp, slot.end, by_l2);
  }
  done += (by_l2_copy ? p.copy_l2_extra : 0) + tail(p.l1_latency, 2) - p.result_interval +
          p.result_interval * std::max(0, one.results - 1);
  if (copy) {
    warp.copies_done = std::max(warp.copies_done, done + p.copy_extra);
    warp.boards.hold(one.write_barrier, done + p.copy_extra, Stall::long_scoreboard);
  } else if (one.results != 0) {
    warp.boards.hold(one.write_barrier, done, Stall::long_scoreboard);
  }
}

}  // namespace smemsim
