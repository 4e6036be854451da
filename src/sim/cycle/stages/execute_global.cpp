// Global accesses: the way through L1, the two halves of L2 and the store buffer.
#include <algorithm>
#include <bit>
#include <cmath>
#include <utility>

#include "sim/cycle/stages/execute.hpp"

namespace smemsim {
namespace {

/// Where the slice of a line lies, 0 to 1. Which one it is is not known: a hash of the line, in
/// which lines next to each other are as far apart as others (Steele et al., SplitMix64, 2014).
double slice_of(std::uint64_t line) {
  line = (line ^ line >> 30U) * 0xBF58476D1CE4E5B9U;
  line = (line ^ line >> 27U) * 0x94D049BB133111EBU;
  return static_cast<double>((line ^ line >> 31U) >> 54U) / 1024;
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

bool ExecuteStage::waits_for_lines(const EventCost& event, const WarpState& warp, double at) {
  for (std::uint32_t i = 0; i < event.lines; ++i) {
    const LineUse use = line_of(warp, event.first_line + i);
    if (units_.l1.missing(use, units_.l1_clock) != 0 || units_.l1.arrival(use) > at) return true;
  }
  return false;
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
  const bool past_l1 = event.op == Operation::cp_async_cg;
  if (past_l1) {
    const double all = std::max(event.lines, event.wavefronts);
    requests = all / std::max(event.lines, 1U);
    at = units_.copy_free = std::max(units_.copy_free, at) + p.copy_request_cycles * all;
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
    // Measured: lines that are asked for in pieces gain nothing from being shared.
    const bool whole = requests <= 1;
    MemoryPort& port = shared && whole ? units_.l2_shared : units_.l2;
    const double moved = std::max(bytes, 32 * requests);
    double asked = moved;
    if (!shared || !whole) asked += (past_l1 ? p.copy_request_bytes : p.l2_line) * requests;
    double there = port.pass(sent, moved, asked) - port.cycles(moved, asked);
    if (fresh != 0 && !shared) {
      there = std::max(there, units_.far_link.pass(sent, p.l2_far_piece * pieces(fresh), far));
    }
    if (!whole && use.everywhere && warp.id.start < units_.first_blocks &&
        units_.slice_interval > 0) {
      // Until their first blocks have ended all SMs do the same, though less and less in step. Each
      // slice serves what they ask of its lines one after another.
      const double step = p.launch_skew + p.sm_drift * std::max(0.0, sent);
      const auto slices = static_cast<double>(units_.slices.size());
      double& free = units_.slices[static_cast<std::size_t>(slice_of(use.line) * slices)];
      free = std::max(free, sent - step) + units_.slice_interval * requests;
      there = std::max(there, free);
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

double ExecuteStage::to_global_queue(WarpState& warp, const Decoded& one, double now) {
  const double arrived = units_.queues[warp.id.sub_core].transfer(now + kLead, one.operands);
  warp.boards.hold(one.read_barrier, arrived + units_.parameters.source_release,
                   Stall::long_scoreboard);
  return std::max(arrived, warp.shared_end);
}

void ExecuteStage::copy(WarpState& warp, const Decoded& one, const EventCost* event, double now) {
  const CycleParameters& p = units_.parameters;
  const double ready = to_global_queue(warp, one, now);
  const bool past_l1 = event != nullptr && event->op == Operation::cp_async_cg;
  double wavefronts = 0, written = 0;  // at once, and when the lines have come
  if (event != nullptr) {
    warp.global_since_fence = true;
    // Measured: one wavefront more for 4 and 8 bytes a lane.
    wavefronts =
        std::max(event->lines, event->wavefronts) + (event->bytes < 16U * event->lanes ? 1 : 0);
    if (past_l1) {
      written = p.copy_line_cycles * event->lines;
    } else if (waits_for_lines(*event, warp, ready)) {
      written = std::exchange(wavefronts, 1);
    }
  }
  DataStage::Slot slot{ready, ready};
  if (!past_l1) slot = units_.data.serve(ready, wavefronts);
  warp.shared_end = slot.end;
  units_.global_queues[warp.id.sub_core].hold_until(slot.start);
  double done = slot.end;
  if (event != nullptr) done = load(*event, warp, slot.end, one.by_l2 || past_l1);
  if (written > 0) {
    units_.data.serve_later(done, written);
    done = units_.written = std::max(units_.written, done) + written;
  }
  done += (past_l1 ? p.copy_l2_extra : 0) + tail(p.l1_latency, 2) - p.result_interval;
  warp.copies_done = std::max(warp.copies_done, done + p.copy_extra);
  warp.boards.hold(one.write_barrier, done + p.copy_extra, Stall::long_scoreboard);
}

void ExecuteStage::global(WarpState& warp, const Decoded& one, const EventCost* event, double now) {
  const CycleParameters& p = units_.parameters;
  const double ready = to_global_queue(warp, one, now);
  const bool stores = event != nullptr && event->op == Operation::global_store;
  if (event != nullptr) warp.global_since_fence = true;
  double wavefronts = event == nullptr ? 0 : event->lines;
  if (stores) wavefronts = std::ceil(event->bytes / p.store_bytes);
  const DataStage::Slot slot =
      units_.data.serve(ready, wavefronts, stores ? units_.stores.room() : 0);
  warp.shared_end = slot.end;
  units_.global_queues[warp.id.sub_core].hold_until(slot.start);
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
    done = load(*event, warp, slot.end, one.by_l2 || event->op == Operation::global_atomic);
  }
  if (one.results == 0) return;
  done += tail(p.l1_latency, 2) + p.result_interval * (one.results - 2);
  warp.boards.hold(one.write_barrier, done, Stall::long_scoreboard);
}

}  // namespace smemsim
