#include "sim/race_executor.hpp"

#include <algorithm>
#include <numeric>

namespace smemsim {
namespace {

constexpr std::uint32_t kNoLimit = 0xFFFFFFFF;

/// Before Volta, and on machines with wider warps (AMD), the lanes of a warp run in step.
bool runs_in_lockstep(const DeviceInfo& device) {
  if (device.warp_lanes > 32) return true;
  if (!device.arch.starts_with("sm_")) return false;
  unsigned number = 0;
  for (const char digit : device.arch.substr(3)) {
    if (digit < '0' || digit > '9' || number > 1000) break;
    number = number * 10 + static_cast<unsigned>(digit - '0');
  }
  return number != 0 && number < 70;
}

}  // namespace

RaceExecutor::RaceExecutor(const RaceOptions& options)
    : options_(options),
      copies_(unit_),
      shadow_(unit_, copies_),
      barriers_(unit_, *this),
      mbarriers_(unit_, copies_) {
  unit_.options = options;
  seed_ = options.schedule * 2654435761U + 1;
}

void RaceExecutor::start_launch(const Launch& launch, RaceLog& log, const RaceFacts& facts) {
  unit_.launch = &launch;
  unit_.log = &log;
  unit_.options = options_;
  unit_.lanes = launch.device.warp_lanes;
  unit_.warps_per_block =
      static_cast<std::uint32_t>((launch.block.count() + unit_.lanes - 1) / unit_.lanes);
  unit_.lockstep = runs_in_lockstep(launch.device);
  unit_.check_fences = facts.fences_visible;
  unit_.hidden_arrivals = facts.hidden_arrivals;
  atomic_loads_ = facts.atomic_loads;
  if (launch.dropped_events != 0 || facts.copies_hidden) unit_.options.uninitialised = false;

  exchanges_.clear();
  for (const Site& site : launch.sites) {
    const std::string& text = site.instruction;
    exchanges_.push_back(text.empty() || text.find("EXCH") != std::string::npos ||
                         text.find("Exch") != std::string::npos);
  }
  copies_.start_launch(launch.sites.size());
  shadow_.start_launch(launch);
  barrier_use_.assign(launch.sites.size(), {});
  accesses_ = unsure_units_ = 0;
}

void RaceExecutor::start_unit(std::vector<std::uint64_t> blocks) {
  unit_.blocks = std::move(blocks);
  if (unit_.launch->cluster.count() > unit_.blocks.size()) unit_.options.uninitialised = false;
  unit_.start();
  copies_.start();
  shadow_.start_unit();
  barriers_.start();
  mbarriers_.start();
  queues_.assign(unit_.warps.size(), {});
  order_.resize(unit_.warps.size());
  std::iota(order_.begin(), order_.end(), 0U);
  last_barrier_.clear();
  facts_ = last_facts_ = {};
}

void RaceExecutor::add(std::uint32_t block, std::uint32_t warp, Chunk chunk) {
  if (chunk.events.empty()) return;
  queues_[std::size_t{block} * unit_.warps_per_block + warp].chunks.push_back(std::move(chunk));
}

std::uint32_t RaceExecutor::random() {
  seed_ ^= seed_ << 13;
  seed_ ^= seed_ >> 17;
  seed_ ^= seed_ << 5;
  return seed_;
}

void RaceExecutor::run() {
  for (bool progress = true; progress;) {
    progress = false;
    if (options_.schedule != 0) {
      for (std::size_t i = order_.size(); i > 1; --i) {
        std::swap(order_[i - 1], order_[random() % i]);
      }
    }
    for (const std::uint32_t warp : order_) {
      const std::uint32_t limit = options_.schedule == 0 ? kNoLimit : 1 + random() % 7;
      if (step(warp, limit)) progress = true;
    }
  }
}

bool RaceExecutor::step(std::uint32_t index, std::uint32_t limit) {
  Queue& queue = queues_[index];
  RaceWarp& warp = unit_.warps[index];
  if (queue.chunks.empty()) return false;
  bool moved = false;
  ++warp.runs;
  for (; limit != 0 && !queue.chunks.empty(); --limit) {
    Chunk& chunk = queue.chunks.front();
    if (warp.run_epoch != unit_.epoch) {
      warp.run_epoch = unit_.epoch;
      warp.runs = 1;
      warp.epoch_ordinal = warp.ordinal;
    }
    if (!play(index, *chunk.shapes, chunk.events[queue.next])) break;
    moved = true;
    ++warp.ordinal;
    if (++queue.next == chunk.events.size()) {
      queue.chunks.pop_front();
      queue.next = 0;
    }
  }
  return moved;
}

void RaceExecutor::finish_unit() {
  run();
  for (;;) {
    bool stuck = false;
    for (std::size_t i = 0; i < unit_.warps.size(); ++i) {
      unit_.warps[i].drained = queues_[i].chunks.empty();
      stuck = stuck || !unit_.warps[i].drained || unit_.warps[i].blocked != 0;
    }
    if (!stuck) break;
    const bool settled = barriers_.fill() || mbarriers_.settle();
    if (!settled && !barriers_.force(true) && !mbarriers_.force() && !barriers_.force(false)) {
      for (RaceWarp& warp : unit_.warps) warp.blocked = 0;
    }
    run();
  }
  settle_barrier();
  shadow_.end_epoch();
  barriers_.finish();
  copies_.finish();
  if (unit_.unsure) ++unsure_units_;
}

/// The barrier that began this epoch was needed if anything conflicted across it.
void RaceExecutor::settle_barrier() {
  const bool global = (last_facts_.global_write && facts_.global_access) ||
                      (last_facts_.global_access && facts_.global_write);
  const bool needed = unit_.needed || global || last_facts_.other;
  for (const std::uint32_t site : last_barrier_) {
    ++barrier_use_[site].executions;
    if (needed) ++barrier_use_[site].needed;
  }
  last_barrier_.clear();
}

void RaceExecutor::before_full_sync(std::span<const std::uint32_t> sites) {
  shadow_.end_epoch();
  settle_barrier();
  for (const std::uint32_t site : sites) {
    if (site == kNoSite) continue;
    if (std::find(last_barrier_.begin(), last_barrier_.end(), site) == last_barrier_.end()) {
      last_barrier_.push_back(site);
    }
  }
  unit_.needed = false;
  last_facts_ = facts_;
  facts_ = {};
}

}  // namespace smemsim
