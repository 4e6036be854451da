#include "sim/race_check.hpp"

#include <algorithm>
#include <tuple>

#include "sim/race_advice.hpp"
#include "sim/race_executor.hpp"
#include "sim/race_sass.hpp"
#include "sim/race_silent.hpp"
#include "sim/race_values.hpp"

namespace smemsim {
namespace {

/// Blocks with more events are played while they arrive, as far as their warps do not wait.
constexpr std::uint64_t kEagerEvents = std::uint64_t{1} << 22;
constexpr std::uint64_t kMaxThreads = 2048;

bool touches_other_blocks(Operation op) {
  return traits(op).space == AddressSpace::remote_shared;
}

}  // namespace

struct RaceChecker::Pending {
  struct Part {
    std::uint32_t rank = 0, warp = 0;
    RaceExecutor::Chunk chunk;
  };
  std::map<std::uint32_t, std::uint64_t> blocks;  ///< rank -> linear index
  std::vector<Part> parts;
  bool remote = false;
};

RaceChecker::RaceChecker(RaceOptions options)
    : options_(options), silent_(std::make_unique<RaceSilent>()) {}
RaceChecker::~RaceChecker() = default;

Status RaceChecker::begin_launch(const Launch& launch) {
  if (launch.block.count() > kMaxThreads) {
    return invalid_input("", "blocks of " + std::to_string(launch.block.count()) +
                                 " threads; races are checked in blocks of at most 2,048");
  }
  launch_ = &launch;
  log_ = std::make_unique<RaceLog>();
  executor_ = std::make_unique<RaceExecutor>(options_);
  executor_started_ = fence_events_ = program_seen_ = in_block_ = false;
  tensor_copies_ = weaving_ = false;
  silent_->start_launch();
  atomic_loads_.clear();
  mbarrier_constants_.clear();
  shapes_.reset();
  shapes_id_ = 0;
  buffered_ = blocks_ = events_ = 0;
  clusters_.clear();
  return {};
}

Status RaceChecker::program(const Program& program) {
  program_seen_ = true;
  // Most programs have none of it, and a trace may bring many.
  bool silent = false, swaps = false;
  for (const ProgramInstruction& instruction : program.instructions) {
    const auto has = [&](const char* part) {
      return instruction.text.find(part) != std::string::npos;
    };
    silent = silent || has("BAR.ARV") || has("FENCE.VIEW.ASYNC");
    swaps = swaps || has("CAS");
    tensor_copies_ = tensor_copies_ || has("UTMALDG") || has("UTMASTG") || has("UTMAREDG");
  }
  if (silent) silent_->add(program);
  if (swaps) {
    for (const std::size_t load : cas_loop_loads(program)) {
      atomic_loads_.emplace(program.function, program.instructions[load].pc);
    }
  }
  mbarrier_constants_.add(program);
  return {};
}

std::shared_ptr<ShapeSet> RaceChecker::shapes_of(const EventBatch& batch) {
  if (shapes_ == nullptr || batch.shapes_id != shapes_id_) {
    std::vector<EventShape> shapes(batch.shapes.begin(), batch.shapes.end());
    if (!mbarrier_constants_.empty()) {
      for (EventShape& shape : shapes) mbarrier_constants_.complete(shape, *launch_);
    }
    shapes_ = std::make_shared<ShapeSet>(shapes);
    shapes_id_ = batch.shapes_id;
    for (const EventShape& shape : batch.shapes) {
      if (shape.op == Operation::fence_proxy_async) fence_events_ = true;
    }
  }
  return shapes_;
}

/// A missing proxy fence can only be told where fences would be seen: the trace shows some, or the
/// machine code is there, or a person wrote the trace (no machine code, so no pc).
void RaceChecker::start_executor() {
  if (executor_started_) return;
  executor_started_ = true;
  const bool by_hand = !program_seen_ && std::all_of(launch_->sites.begin(), launch_->sites.end(),
                                                     [](const Site& site) { return site.pc == 0; });
  RaceFacts facts;
  facts.fences_visible = fence_events_ || program_seen_ || by_hand;
  facts.copies_hidden = tensor_copies_;
  if (program_seen_) {
    own_launch_ = *launch_;
    weaving_ = silent_->prepare(own_launch_);
    if (weaving_) launch_ = &own_launch_;
  }
  facts.hidden_arrivals = weaving_ && silent_->any_arrivals();
  for (const Site& site : launch_->sites) {
    // In a text the update itself stands as the instruction of its loop's load.
    facts.atomic_loads.push_back(site.instruction.starts_with("atomic") ||
                                 atomic_loads_.contains({site.function, site.pc}));
  }
  executor_->start_launch(*launch_, *log_, facts);
}

std::pair<std::uint64_t, std::uint32_t> RaceChecker::place(std::uint64_t block) const {
  const Dim3& grid = launch_->grid;
  const Dim3& cluster = launch_->cluster;
  const std::uint64_t x = block % grid.x, y = block / grid.x % grid.y, z = block / grid.x / grid.y;
  const std::uint64_t clusters_x = (grid.x + cluster.x - 1) / cluster.x;
  const std::uint64_t clusters_y = (grid.y + cluster.y - 1) / cluster.y;
  const std::uint64_t id =
      (z / cluster.z * clusters_y + y / cluster.y) * clusters_x + x / cluster.x;
  const std::uint64_t rank =
      (z % cluster.z * cluster.y + y % cluster.y) * cluster.x + x % cluster.x;
  return {id, static_cast<std::uint32_t>(rank)};
}

Status RaceChecker::events(const EventBatch& batch) {
  const std::shared_ptr<ShapeSet> shapes = shapes_of(batch);
  start_executor();
  const bool clustered = launch_->cluster.count() > 1;
  if (!in_block_ || batch.block != block_) {
    finish_block();
    in_block_ = true;
    block_ = batch.block;
    ++blocks_;
    if (weaving_) silent_->start_block();
    if (!clustered) executor_->start_unit({block_});
  }
  events_ += batch.events.size();
  const auto deliver = [&](std::shared_ptr<ShapeSet> of, std::vector<Event> events) {
    if (clustered) {
      keep(batch, std::move(of), std::move(events));
    } else {
      buffered_ += events.size();
      executor_->add(0, batch.warp, {std::move(of), std::move(events)});
    }
  };
  if (weaving_) {
    silent_->weave(batch, shapes, deliver);
  } else {
    deliver(shapes, {batch.events.begin(), batch.events.end()});
  }
  if (buffered_ > kEagerEvents) {
    executor_->run();
    buffered_ = 0;
  }
  return {};
}

void RaceChecker::keep(const EventBatch& batch, std::shared_ptr<ShapeSet> shapes,
                       std::vector<Event> events) {
  const auto [id, rank] = place(batch.block);
  std::unique_ptr<Pending>& cluster = clusters_[id];
  if (cluster == nullptr) cluster = std::make_unique<Pending>();
  cluster->blocks[rank] = batch.block;
  for (std::size_t i = 0; !cluster->remote && i < shapes->size(); ++i) {
    cluster->remote = touches_other_blocks(shapes->shape(static_cast<std::uint32_t>(i)).op);
  }
  cluster->parts.push_back({rank, batch.warp, {std::move(shapes), std::move(events)}});
}

void RaceChecker::finish_block() {
  if (!in_block_) return;
  in_block_ = false;
  buffered_ = 0;
  if (launch_->cluster.count() == 1) {
    executor_->finish_unit();
    return;
  }
  const auto [id, rank] = place(block_);
  const auto at = clusters_.find(id);
  if (at != clusters_.end() && at->second->blocks.size() == launch_->cluster.count()) {
    flush(*at->second);
    clusters_.erase(at);
  }
}

void RaceChecker::flush(Pending& cluster) {
  start_executor();
  std::vector<std::uint32_t> ranks;
  ranks.reserve(cluster.blocks.size());
  for (const auto& [rank, block] : cluster.blocks) ranks.push_back(rank);
  // Ranks are positions in the unit: with blocks missing from the trace, remote addresses would
  // name the wrong ones.
  if (cluster.remote && ranks.size() == launch_->cluster.count()) {
    play_block(cluster, ranks);
    return;
  }
  for (const std::uint32_t rank : ranks) play_block(cluster, {rank});
}

void RaceChecker::play_block(Pending& cluster, std::vector<std::uint32_t> ranks) {
  std::vector<std::uint64_t> blocks;
  blocks.reserve(ranks.size());
  for (const std::uint32_t rank : ranks) blocks.push_back(cluster.blocks[rank]);
  executor_->start_unit(std::move(blocks));
  for (Pending::Part& part : cluster.parts) {
    const auto at = std::find(ranks.begin(), ranks.end(), part.rank);
    if (at == ranks.end()) continue;
    executor_->add(static_cast<std::uint32_t>(at - ranks.begin()), part.warp,
                   std::move(part.chunk));
  }
  executor_->finish_unit();
}

Status RaceChecker::end_launch() {
  finish_block();
  for (auto& [id, cluster] : clusters_) flush(*cluster);
  clusters_.clear();
  start_executor();
  LaunchRaces out;
  out.kernel = launch_->kernel;
  out.launch_index = launch_->launch_index;
  out.warp_lanes = launch_->device.warp_lanes;
  out.block = launch_->block;
  out.sites = launch_->sites;
  out.blocks = blocks_;
  out.events = events_;
  out.accesses = executor_->accesses();
  out.findings = log_->take();
  finish_findings(out);
  if (launch_->dropped_events != 0) {
    out.notes.push_back("the trace lacks " + std::to_string(launch_->dropped_events) +
                        " events that its source could not keep; findings may be wrong");
  }
  if (tensor_copies_) {
    out.notes.emplace_back(
        "the kernel copies tensors (TMA), which no trace shows: what they write "
        "and read is not checked");
  }
  if (const std::uint64_t unsure = executor_->unsure_units(); unsure != 0) {
    out.notes.push_back("in " + std::to_string(unsure) +
                        (launch_->cluster.count() == 1 ? " blocks" : " blocks or clusters") +
                        " the trace does not tell which bar.arrive or which mbarrier phase a wait "
                        "went with; what depends on it is not reported");
  }
  report_.launches.push_back(std::move(out));
  executor_.reset();
  return {};
}

void RaceChecker::add_hints(LaunchRaces& out) {
  const auto hint = [&](RaceKind kind, std::size_t site, Operation op, std::uint64_t count) {
    RaceFinding finding;
    finding.kind = kind;
    finding.severity = RaceSeverity::hint;
    finding.first.site = static_cast<std::uint32_t>(site);
    finding.first.op = op;
    finding.count = finding.detail = count;
    finding.blocks = blocks_;
    out.findings.push_back(std::move(finding));
  };
  const auto& barriers = executor_->barrier_use();
  for (std::size_t site = 0; site < barriers.size(); ++site) {
    if (barriers[site].executions != 0 && barriers[site].needed == 0) {
      hint(RaceKind::redundant_barrier, site, Operation::barrier_sync, barriers[site].executions);
    }
  }
  const auto& waits = executor_->copies().wait_use();
  for (std::size_t site = 0; site < waits.size(); ++site) {
    if (waits[site].waits != 0 && waits[site].unused == waits[site].waits) {
      hint(RaceKind::redundant_wait, site, Operation::cp_async_wait, waits[site].waits);
    }
  }
}

bool RaceChecker::stands_below(const Site& wait, std::uint32_t use) const {
  const Site& site = launch_->sites[use];
  if (wait.line != 0 && site.line != 0 && wait.file == site.file) return wait.line > site.line;
  return wait.pc > site.pc && wait.function == site.function;
}

void RaceChecker::finish_findings(LaunchRaces& out) {
  const auto& waited_by = executor_->copies().waited_by();
  for (RaceFinding& finding : out.findings) {
    if (finding.kind == RaceKind::copy_not_waited && finding.scope != RaceScope::thread) {
      // A wait that stands below the use comes too late rather than unpublished.
      const std::uint32_t wait = waited_by[finding.first.site];
      if (wait != kNoSite && !stands_below(launch_->sites[wait], finding.second.site)) {
        finding.kind = RaceKind::copy_not_published;
        finding.helper_site = wait;
      }
    }
    // A trace without a single store is an excerpt (an index expression, a microbenchmark).
    const bool excerpt =
        !executor_->any_write() && (launch_->device.name.empty() || !is_atomic(finding.first.op));
    if (finding.kind == RaceKind::uninitialised_read && excerpt) {
      finding.severity = RaceSeverity::info;
    }
  }
  if (options_.hints) add_hints(out);
  for (RaceFinding& finding : out.findings) describe_race(*launch_, finding);
  std::sort(out.findings.begin(), out.findings.end(),
            [](const RaceFinding& a, const RaceFinding& b) {
              const auto key = [](const RaceFinding& f) {
                return std::tuple(-static_cast<int>(f.severity), static_cast<int>(f.kind),
                                  f.first.site, f.second.site, f.variant);
              };
              return key(a) < key(b);
            });
}

}  // namespace smemsim
