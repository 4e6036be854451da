#include "sim/cycle/sm.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace smemsim {

Sm::Sm(const StreamBuilder& streams, const CycleParameters& parameters, double shared_bytes,
       double active_sms, bool odd_half)
    : streams_(streams),
      units_(parameters, shared_bytes, std::max(1.0, active_sms)),
      execute_(units_, live_warps_),
      fetched_(streams.instructions().size(), false) {
  units_.odd_half = odd_half;
}

SmRun Sm::run(const std::vector<const BlockTrace*>& blocks, std::uint32_t resident) {
  queue_ = blocks;
  const auto slots = std::min<std::size_t>(std::max(1U, resident), blocks.size());
  units_.first_blocks = slots;
  live_warps_.assign(slots, 0);
  block_from_.assign(slots, 0);
  clocks_.assign(slots, {0, 0});
  next_start_ = -units_.parameters.launch_code;
  for (std::uint32_t slot = 0; slot < slots; ++slot) free_slots_.emplace_back(slot, next_start_);
  for (;;) {
    double now = kNever;
    for (const SubCore& sub_core : sub_cores_) now = std::min(now, sub_core.next);
    if (!free_slots_.empty() && started_ < queue_.size()) {
      const auto [slot, from] = free_slots_.front();
      const double at = std::max(from, next_start_);
      if (at <= now || running_warps_ == 0) {
        free_slots_.pop_front();
        start_block(slot, at);
        continue;
      }
    }
    if (running_warps_ == 0) break;
    if (now == kNever) {
      if (!break_deadlock(out_.cycles)) break;
      continue;
    }
    out_.cycles = std::max(out_.cycles, now);
    for (std::size_t i = 0; i < kSubCores; ++i) {
      if (sub_cores_[i].next <= now) step(i, now);
    }
  }
  out_.pipe_busy = units_.pipe_busy;
  out_.data_busy = units_.data.busy();
  out_.l2_bytes = units_.l2.total();
  return std::move(out_);
}

void Sm::start_block(std::uint32_t slot, double at) {
  const BlockTrace* block = queue_[started_];
  const CycleParameters& p = units_.parameters;
  const auto warps = static_cast<std::uint32_t>(block->warps.size());
  at = units_.special.serve(at, p.warp_interval * warps);
  next_start_ = at + p.warp_interval * warps + p.block_interval;
  // A block that is launched before the first instructions have come begins with them.
  const double first = std::ceil(std::max(at, 0.0));
  live_warps_[slot] = 0;
  block_from_[slot] = first;
  const auto before = queue_.begin() + static_cast<std::ptrdiff_t>(started_);
  const auto copies = static_cast<std::uint64_t>(std::count(queue_.begin(), before, block));
  for (std::uint32_t i = 0; i < warps; ++i) {
    if (block->warps[i].empty()) continue;
    WarpState warp;
    warp.id = {block->block, static_cast<std::uint32_t>(started_), i,
               static_cast<std::uint32_t>((first_sub_core_ + i) % kSubCores)};
    warp.slot = slot;
    warp.block = block;
    warp.line_offset = copies << 40;
    warp.items = &block->warps[i];
    const auto& path = streams_.paths()[warp.items->front().path];
    warp.step = path.data();
    warp.steps_end = path.data() + path.size();
    warp.next = &streams_.instructions()[*warp.step];
    double begin = std::max(first, std::ceil(at + p.warp_interval * i));
    begin = std::max(begin, std::floor(units_.launch_stagger * warp.id.sub_core));
    warp.wait_until = warp.ready = begin;
    warp.last_issue = begin - 1;
    warps_.push_back(std::move(warp));
    const auto self = static_cast<std::uint32_t>(warps_.size() - 1);
    SubCore& sub_core = sub_cores_[warps_.back().id.sub_core];
    sub_core.warps.insert(sub_core.warps.begin(), self);
    sub_core.next = std::min(sub_core.next, begin);
    ++live_warps_[slot];
    ++running_warps_;
    prepare(warps_.back(), begin - 1, nullptr, false);
  }
  // Measured (launch_kernel): the next block begins on the sub-core behind its last warp, but not
  // on the one that this block began on.
  first_sub_core_ += warps % kSubCores == 0 ? 1 : warps;
  ++started_;
  if (live_warps_[slot] == 0) free_slots_.emplace_back(slot, first);  // a block without events
}

bool Sm::held(const WarpState& warp, double now, Stall& reason, double& retry) {
  const Decoded& one = *warp.next;
  const double pipe = units_.pipe_free[warp.id.sub_core][static_cast<std::size_t>(one.pipe)];
  if (pipe >= now + 1) {
    reason = Stall::math_pipe_throttle;
    retry = std::floor(pipe);
    return true;
  }
  if (one.pipe == Pipe::memory) {
    MemoryQueue& queue = units_.queue_of(one, warp.id.sub_core);
    queue.advance(now);
    if (queue.full()) {
      reason = on_global_queue(one) ? Stall::lg_throttle : Stall::mio_throttle;
      retry = std::ceil(queue.next_leave());
      return true;
    }
  }
  return false;
}

bool Sm::can_issue(std::uint32_t self, double now, double& next) {
  WarpState& warp = warps_[self];
  if (warp.ready > now) {
    next = std::min(next, warp.ready);
    return false;
  }
  Stall reason = Stall::not_selected;
  double retry = now + 1;
  const bool is_held = held(warp, now, reason, retry);
  if (now > warp.held_since) report(warp, warp.held_by, warp.held_since, now);
  warp.held_since = std::max(warp.held_since, now);
  warp.held_by = reason;
  if (is_held) next = std::min(next, std::max(retry, now + 1));
  return !is_held;
}

std::uint32_t Sm::choose(const SubCore& sub_core, double now, double& next) {
  // The warp that issued in the cycle before goes on if it can.
  const bool fair = units_.parameters.fair_issue > 0;
  const std::uint32_t greedy = sub_core.greedy;
  const bool asked = greedy < warps_.size() && warps_[greedy].next != nullptr &&
                     warps_[greedy].ready <= now && (!fair || warps_[greedy].last_issue >= now - 1);
  if (asked && can_issue(greedy, now, next)) return greedy;
  // Measured: an older block goes first (block clocks of whole launches: blocks of an SM end one
  // after another), then the warp that has been ready for longer (probe issue_order).
  const bool by_block = units_.parameters.block_order > 0;
  const auto before = [&](const WarpState& a, const WarpState& b) {
    if (by_block && a.id.start != b.id.start) return a.id.start < b.id.start;
    return a.ready < b.ready;
  };
  std::uint32_t chosen = kNone;
  for (const std::uint32_t self : sub_core.warps) {
    if ((asked && self == greedy) || !can_issue(self, now, next)) continue;
    if (chosen == kNone || before(warps_[self], warps_[chosen])) chosen = self;
    if (!fair) break;
  }
  return chosen;
}

void Sm::step(std::size_t index, double now) {
  SubCore& sub_core = sub_cores_[index];
  if (sub_core.dispatching == kNone) {
    double next = kNever;
    const std::uint32_t chosen = choose(sub_core, now, next);
    if (chosen == kNone) {
      sub_core.next = next;
      return;
    }
    sub_core.dispatching = chosen;
    sub_core.chosen_at = now;
    const double readable = units_.registers[index].readable(*warps_[chosen].next, chosen);
    sub_core.dispatch_at = std::max(now, std::ceil(readable));
  }
  // The sub-core waits, not just the warp, while registers are read for instructions before it.
  if (now < sub_core.dispatch_at) {
    sub_core.next = sub_core.dispatch_at;
    return;
  }
  WarpState& warp = warps_[sub_core.dispatching];
  report(warp, Stall::dispatch_stall, sub_core.chosen_at, now);
  warp.held_since = std::max(warp.held_since, now);
  sub_core.greedy = std::exchange(sub_core.dispatching, kNone);
  sub_core.next = now + 1;
  issue(sub_core.greedy, now);
}

void Sm::report(const WarpState& warp, Stall stall, double from, double to) {
  if (to <= from) return;
  out_.stalls[warp.id.sub_core][static_cast<std::size_t>(stall)] += to - from;
  for (SmListener* listener : listeners_) listener->stalled(warp.id, stall, from, to);
}

void Sm::account(WarpState& warp, double now) {
  double at = warp.last_issue + 1;
  const auto until = [&](double to, Stall stall) {
    to = std::min(to, now);
    report(warp, stall, at, to);
    at = std::max(at, to);
  };
  until(warp.wait_until, Stall::wait);
  until(warp.branch_until, warp.branch_reason);
  until(warp.board_until, warp.board_reason);
  until(warp.release_at, warp.release_reason);
  if (warp.next->held_by_barrier) until(warp.barrier_until, Stall::barrier);
  // What held it since it became ready was reported as it happened, up to held_since.
  at = std::max(at, std::min(warp.held_since, now));
  until(now, warp.held_since > warp.ready ? warp.held_by : Stall::not_selected);
}

void Sm::issue(std::uint32_t self, double now) {
  WarpState& warp = warps_[self];
  account(warp, now);
  const Decoded* one = warp.next;
  const std::uint32_t index = *warp.step;
  ++out_.instructions;
  out_.stalls[warp.id.sub_core][static_cast<std::size_t>(Stall::selected)] += 1;
  for (SmListener* listener : listeners_) listener->issued(warp.id, index, *one, now);
  const StreamItem& item = (*warp.items)[warp.item];
  const bool last = warp.step + 1 == warp.steps_end;
  const EventCost* event =
      last && item.event != StreamItem::kNone ? &warp.block->events[item.event] : nullptr;
  if (one->clock && warp.id.warp == 0) {
    auto& [first, latest] = clocks_[warp.slot];
    if (first == 0) first = now;
    latest = now;
  }
  warp.release_at = 0;
  if (one->held_by_barrier) warp.barrier_until = 0;
  woken_.clear();
  units_.registers[warp.id.sub_core].issue(*one, self, now);
  execute_.execute(warp, self, event, now, woken_);
  warp.last_issue = now;
  if (!last) {
    ++warp.step;
  } else if (++warp.item == warp.items->size()) {
    wake(woken_);
    retire(self, now);
    return;
  } else {
    const auto& path = streams_.paths()[(*warp.items)[warp.item].path];
    warp.step = path.data();
    warp.steps_end = path.data() + path.size();
  }
  warp.next = &streams_.instructions()[*warp.step];
  const bool jumped = *warp.step != index + 1 && one->kind == InstructionKind::branch;
  const bool other_part = one->reconverges && *warp.step == index;
  prepare(warp, now, one, jumped || other_part);
  wake(woken_);
}

bool Sm::near_fetched(std::uint32_t index) const {
  const auto window = static_cast<std::uint32_t>(units_.parameters.fetch_window);
  for (std::uint32_t back = 1; back <= std::min(window + 1, index); ++back) {
    if (fetched_[index - back]) return true;
  }
  return false;
}

void Sm::prepare(WarpState& warp, double now, const Decoded* before, bool jumped) {
  const CycleParameters& p = units_.parameters;
  const unsigned stall =
      before == nullptr ? 1U : std::max<unsigned>(before->stall, before->yield ? 2U : 1U);
  warp.wait_until = now + stall;
  warp.branch_until = warp.wait_until + (jumped ? p.branch_extra : 0);
  if (before != nullptr && before->returns) warp.branch_until += p.return_extra;
  warp.branch_reason = Stall::branch_resolving;
  const std::uint32_t index = *warp.step;
  if (p.fetch_interval > 0 && !fetched_[index]) {
    fetched_[index] = true;
    const bool straight = before == nullptr || near_fetched(index);
    fetch_free_ =
        std::max(fetch_free_ + p.fetch_interval, straight ? now : warp.branch_until + p.fetch_jump);
    if (fetch_free_ > warp.branch_until) {
      warp.branch_until = fetch_free_;
      warp.branch_reason = Stall::no_instruction;
    }
  }
  if (warp.next->kind == InstructionKind::copy && warp.off_until > warp.branch_until) {
    warp.branch_until = warp.off_until;
    warp.branch_reason = Stall::mio_throttle;
  }
  Stall reason = Stall::short_scoreboard;
  warp.board_until = warp.boards.free(warp.next->wait_mask, warp.branch_until, reason);
  if (warp.next->kind == InstructionKind::depend) {
    const double until = warp.boards.at_most(warp.next->depend_on, warp.next->depend_count);
    if (until > warp.board_until) {
      warp.board_until = until;
      reason = Stall::long_scoreboard;
    }
  }
  warp.board_reason = reason;
  set_ready(warp);
  warp.held_by = Stall::not_selected;
}

void Sm::set_ready(WarpState& warp) {
  const double barrier = warp.next->held_by_barrier ? warp.barrier_until : 0;
  warp.ready = std::ceil(std::max({warp.board_until, warp.release_at, barrier}));
  warp.held_since = warp.ready;
}

void Sm::wake(const std::vector<WakeUp>& woken) {
  for (const WakeUp& group : woken) {
    for (const std::uint32_t self : group.warps) {
      WarpState& warp = warps_[self];
      if (warp.next == nullptr) continue;
      // A warp waits for one thing at a time.
      if (warp.barrier_until == kNever) {
        warp.barrier_until = group.at;
        if (!warp.next->held_by_barrier) continue;
      } else {
        warp.release_at = group.at;
      }
      set_ready(warp);
      SubCore& sub_core = sub_cores_[warp.id.sub_core];
      sub_core.next = std::min(sub_core.next, warp.ready);
    }
  }
}

void Sm::retire(std::uint32_t self, double now) {
  WarpState& warp = warps_[self];
  warp.next = nullptr;
  warp.ready = kNever;
  --running_warps_;
  SubCore& sub_core = sub_cores_[warp.id.sub_core];
  std::erase(sub_core.warps, self);
  woken_.clear();
  execute_.leave(warp, woken_);
  const std::uint32_t slot = warp.slot;
  const std::vector<WakeUp> woken = woken_;
  wake(woken);
  if (live_warps_[slot] != 0) return;
  const double end = now + 1;
  out_.block_cycles.push_back(end - block_from_[slot]);
  out_.block_ends.push_back(end);
  out_.cycles = std::max(out_.cycles, end);
  if (clocks_[slot].second > clocks_[slot].first) out_.clocks.push_back(clocks_[slot]);
  clocks_[slot] = {0, 0};
  for (SmListener* listener : listeners_) {
    listener->block_done(warp.id.block, block_from_[slot], end);
  }
  units_.barriers.forget(slot);
  units_.mbarriers.forget(slot);
  free_slots_.emplace_back(slot, end + units_.parameters.block_start);
}

bool Sm::break_deadlock(double now) {
  bool found = false;
  // The trace lacks what these warps wait for (dropped events): let them go on.
  for (SubCore& sub_core : sub_cores_) {
    for (const std::uint32_t self : sub_core.warps) {
      WarpState& warp = warps_[self];
      if (warp.ready != kNever) continue;
      ++out_.broken_waits;
      found = true;
      wake({{now + 1, {self}}});
    }
  }
  return found;
}

}  // namespace smemsim
