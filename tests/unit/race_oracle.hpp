// Random programs and a slow, obvious check of them: every pair of accesses, explicit vector clocks
// per thread. The generator knows which arrivals meet, so the oracle matches nothing by itself.
#pragma once

#include <cstdint>
#include <limits>
#include <map>
#include <random>
#include <set>
#include <utility>
#include <vector>

#include "race_fixture.hpp"

namespace smemsim::race_test {

using SitePair = std::pair<std::uint32_t, std::uint32_t>;  ///< lines, smaller first

class RandomProgram {
 public:
  static constexpr unsigned kWarps = 3, kLanes = 4, kThreads = kWarps * kLanes;
  static constexpr LaneMask kWarpMask = (1U << kLanes) - 1;

  explicit RandomProgram(std::uint32_t seed) : random_(seed), trace_(kThreads, 8192) {
    trace_.launch().device.warp_lanes = kLanes;
    for (auto& clock : clocks_) clock.assign(kThreads, 0);
    for (int i = 0; i < 3; ++i) {
      trace_.op(Operation::mbarrier_init, 900, 0, 1, 2 * kLanes, 0, object(i));
    }
    block_barrier(false);
    const unsigned steps = 12 + pick(25);
    for (unsigned i = 0; i < steps; ++i) step();
  }

  Trace& trace() { return trace_; }

  /// Site pairs that race, and whether some pair of threads of different warps does (taken as so
  /// for copies, which may be in flight in one thread).
  std::map<SitePair, bool> races() const {
    std::map<SitePair, bool> out;
    for (std::size_t i = 0; i < accesses_.size(); ++i) {
      for (std::size_t j = i + 1; j < accesses_.size(); ++j) {
        const Access& a = accesses_[i];
        const Access& b = accesses_[j];
        if (a.event == b.event || a.byte + a.width <= b.byte || b.byte + b.width <= a.byte)
          continue;
        if ((!a.writes && !b.writes) || (a.atomic && b.atomic)) continue;
        if (before(a, b) || before(b, a)) continue;
        bool& across = out[{std::min(a.line, b.line), std::max(a.line, b.line)}];
        across = across || a.thread / kLanes != b.thread / kLanes || a.copy || b.copy;
      }
    }
    return out;
  }

 private:
  static constexpr std::uint64_t kNever = std::numeric_limits<std::uint64_t>::max();
  struct Access {
    unsigned thread;
    std::uint64_t byte, width;
    bool writes, atomic, copy;
    std::uint32_t line;
    std::uint64_t event;
    std::uint64_t begin, end;  ///< own clock at issue, and when it is known to be over
    std::vector<std::uint64_t> knows;
  };

  static std::uint64_t object(int index) { return 4096 + 8 * static_cast<std::uint64_t>(index); }
  unsigned pick(unsigned below) { return static_cast<unsigned>(random_() % below); }
  static bool before(const Access& a, const Access& b) {
    if (a.end == kNever) return false;
    if (a.thread == b.thread) return b.begin > a.end || (!a.copy && b.begin > a.begin);
    return b.knows[a.thread] >= a.end;
  }

  std::uint64_t tick(unsigned thread) { return ++clocks_[thread][thread]; }
  void join(const std::vector<unsigned>& threads) {
    std::vector<std::uint64_t> sum(kThreads, 0);
    for (const unsigned t : threads) {
      for (unsigned i = 0; i < kThreads; ++i) sum[i] = std::max(sum[i], clocks_[t][i]);
    }
    for (const unsigned t : threads) {
      clocks_[t] = sum;
      tick(t);
    }
  }
  static std::vector<unsigned> threads_of(unsigned warp, LaneMask lanes) {
    std::vector<unsigned> out;
    for_each_lane(lanes, [&](unsigned lane) { out.push_back(warp * kLanes + lane); });
    return out;
  }
  static std::vector<unsigned> threads_of(const std::vector<unsigned>& warps) {
    std::vector<unsigned> out;
    for (const unsigned warp : warps) {
      for (const unsigned t : threads_of(warp, kWarpMask)) out.push_back(t);
    }
    return out;
  }

  void step() {
    switch (pick(16)) {
      case 0:
        block_barrier(pick(2) == 0);
        break;
      case 1:
        named();
        break;
      case 2:
        arrive_and_wait();
        break;
      case 3:
        sync_warp();
        break;
      case 4:
        split_sync_warp();
        break;
      case 5:
        mbarrier();
        break;
      case 6:
      case 7:
        copy();
        break;
      case 8:
        commit();
        break;
      case 9:
        wait();
        break;
      default:
        access();
        break;
    }
  }

  void access() {
    const unsigned warp = pick(kWarps);
    const LaneMask lanes = 1 + pick(kWarpMask);
    const unsigned kind = pick(4);
    const std::uint8_t width = static_cast<std::uint8_t>(1U << pick(3));
    const Operation op = kind == 0   ? Operation::store
                         : kind == 1 ? Operation::reduce
                                     : Operation::load;
    const std::uint8_t used = op == Operation::reduce ? std::uint8_t{4} : width;
    touch(op, warp, lanes, used, op == Operation::store || op == Operation::reduce,
          op == Operation::reduce);
  }
  void copy() { touch(Operation::cp_async_ca, pick(kWarps), 1 + pick(kWarpMask), 4, true, false); }
  void touch(Operation op, unsigned warp, LaneMask lanes, std::uint8_t width, bool writes,
             bool atomic) {
    const std::uint32_t line = 10 * static_cast<std::uint32_t>(op) + 1 + pick(3);
    std::vector<std::uint64_t> bytes(kLanes);
    const unsigned pattern = pick(3);
    const unsigned base = pick(6);
    for (unsigned lane = 0; lane < kLanes; ++lane) {
      const unsigned at = pattern == 0 ? lane : pattern == 1 ? base : pick(6);
      bytes[lane] = 4ULL * at + (width < 4 ? pick(4 / width) * width : 0U);
    }
    trace_.access(
        op, line, warp, [&](unsigned lane) { return bytes[lane]; }, lanes, width);
    ++event_;
    const bool is_copy = op == Operation::cp_async_ca;
    for_each_lane(lanes, [&](unsigned lane) {
      const unsigned t = warp * kLanes + lane;
      const std::uint64_t now = tick(t);
      accesses_.push_back({t, bytes[lane], width, writes, atomic, is_copy, line, event_, now,
                           is_copy ? kNever : now, clocks_[t]});
      if (is_copy) open_[t].push_back(accesses_.size() - 1);
    });
  }
  void commit() {
    const unsigned warp = pick(kWarps);
    const LaneMask lanes = pick(2) == 0 ? kWarpMask : 1 + pick(kWarpMask);
    trace_.commit(800, warp, lanes);
    for (const unsigned t : threads_of(warp, lanes)) {
      groups_[t].push_back(open_[t]);
      open_[t].clear();
    }
  }
  void wait() {
    const unsigned warp = pick(kWarps);
    const LaneMask lanes = pick(2) == 0 ? kWarpMask : 1 + pick(kWarpMask);
    const unsigned left = pick(3);
    trace_.wait(801, warp, left, lanes);
    for (const unsigned t : threads_of(warp, lanes)) {
      const std::uint64_t now = tick(t);
      while (groups_[t].size() > left) {
        for (const std::size_t i : groups_[t].front()) accesses_[i].end = now;
        groups_[t].erase(groups_[t].begin());
      }
    }
  }
  void block_barrier(bool split) {
    for (unsigned warp = 0; warp < kWarps; ++warp) {
      const LaneMask part = split ? 1 + pick(kWarpMask - 1) : kWarpMask;
      trace_.sync(802, warp, part);
      if (part != kWarpMask) trace_.sync(802, warp, kWarpMask & ~part);
    }
    join(threads_of({0, 1, 2}));
  }
  void named() {
    const unsigned skipped = pick(kWarps);
    std::vector<unsigned> warps;
    for (unsigned warp = 0; warp < kWarps; ++warp) {
      if (warp == skipped) continue;
      warps.push_back(warp);
      trace_.named(803, warp, 1 + skipped, 2 * kLanes);
    }
    join(threads_of(warps));
  }
  void arrive_and_wait() {
    const unsigned from = pick(kWarps);
    const unsigned to = (from + 1 + pick(kWarps - 1)) % kWarps;
    const std::uint64_t id = 100 + next_id_++;
    trace_.arrive(804, from, id, 2 * kLanes).named(805, to, id, 2 * kLanes);
    std::vector<std::uint64_t> sum(kThreads, 0);
    for (const unsigned t : threads_of({from, to})) {
      for (unsigned i = 0; i < kThreads; ++i) sum[i] = std::max(sum[i], clocks_[t][i]);
      tick(t);
    }
    learn(threads_of(to, kWarpMask), sum);
  }
  void learn(const std::vector<unsigned>& threads, const std::vector<std::uint64_t>& what) {
    for (const unsigned t : threads) {
      for (unsigned i = 0; i < kThreads; ++i) clocks_[t][i] = std::max(clocks_[t][i], what[i]);
      tick(t);
    }
  }
  void sync_warp() {
    const unsigned warp = pick(kWarps);
    const LaneMask lanes = pick(2) == 0 ? kWarpMask : 1 + pick(kWarpMask);
    trace_.syncwarp(806, warp, lanes, lanes);
    join(threads_of(warp, lanes));
  }
  void split_sync_warp() {
    const unsigned warp = pick(kWarps);
    const LaneMask part = 1 + pick(kWarpMask - 1);
    trace_.syncwarp(806, warp, part, kWarpMask);
    trace_.syncwarp(806, warp, kWarpMask & ~part, kWarpMask);
    join(threads_of(warp, kWarpMask));
  }
  /// One warp and then another arrive; a third, or one of them, waits. Each object has one phase.
  void mbarrier() {
    if (next_object_ == 3) return;
    const std::uint64_t where = object(next_object_++);
    std::vector<std::uint64_t> sum(kThreads, 0);
    for (const unsigned warp : {pick(kWarps), pick(kWarps)}) {
      trace_.op(Operation::mbarrier_arrive, 901, warp, kWarpMask, 1, 0, where);
      for (const unsigned t : threads_of(warp, kWarpMask)) {
        for (unsigned i = 0; i < kThreads; ++i) sum[i] = std::max(sum[i], clocks_[t][i]);
        tick(t);
      }
    }
    const unsigned warp = pick(kWarps);
    const LaneMask lanes = 1 + pick(kWarpMask);
    trace_.op(Operation::mbarrier_wait, 902, warp, lanes, 0, 0, where);
    learn(threads_of(warp, lanes), sum);
  }

  std::mt19937 random_;
  Trace trace_;
  std::vector<std::uint64_t> clocks_[kThreads];
  std::vector<Access> accesses_;
  std::vector<std::size_t> open_[kThreads];
  std::vector<std::vector<std::size_t>> groups_[kThreads];
  std::uint64_t event_ = 0, next_id_ = 0;
  int next_object_ = 0;
};

}  // namespace smemsim::race_test
