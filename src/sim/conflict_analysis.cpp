#include "sim/conflict_analysis.hpp"

#include <algorithm>
#include <bit>
#include <cassert>
#include <limits>
#include <map>
#include <tuple>
#include <vector>

#include "sim/multicast.hpp"

namespace smemsim {
namespace {

/// What identifies a site across the launches of one kernel.
using SiteKey = std::tuple<std::string, std::uint32_t, std::string, std::string, std::uint32_t,
                           Operation, std::uint8_t, std::uint8_t>;

/// A kernel under construction.
struct KernelRows {
  KernelConflicts kernel;
  std::map<SiteKey, std::uint32_t> index;  ///< into kernel.sites
};

/// Executions of one shape whose costs are equal.
struct CostClass {
  AccessCost cost;
  bool multicast = false;
  std::uint64_t count = 0;
};

/// What is kept for a shape while its table stays the same. An event passes without a second look
/// when its bases are as well aligned as those of the first, and its lanes stay inside the block.
struct ShapeState {
  std::uint64_t base = 0, source = 0;  ///< of the event that was checked in full
  std::uint64_t align = 0;             ///< bits in which other bases have to agree
  std::uint64_t low = 0, span = 0;     ///< accepted: low <= base <= low + span
  std::uint64_t always_slow = 1;       ///< 1: each event takes the slow path
  std::uint64_t phase_mask = 0;        ///< bits of the base on which the cost depends
  std::uint32_t first_class = 0;       ///< of phase 0, in State::classes
  std::uint32_t row = 0;               ///< in KernelConflicts::sites
  Operation op = Operation::instructions;
  std::uint8_t flags = 0;
  std::uint8_t lanes = 0;  ///< active ones
  bool seen = false;
  bool keyed = false;  ///< costs are in State::keyed
};

/// Data movement through shared memory that this report gives no cost for.
bool moves_shared_data(Operation op) {
  const OperationTraits& row = traits(op);
  return (row.reads || row.writes) &&
         (row.space == AddressSpace::shared || row.space == AddressSpace::remote_shared);
}

bool worse(const AccessCost& a, const AccessCost& b) {
  return std::tuple(a.excess(), a.wavefronts, a.ways) >
         std::tuple(b.excess(), b.wavefronts, b.ways);
}

std::string site_text(const Site& site) {
  if (site.line != 0) return site.file + ':' + std::to_string(site.line);
  if (!site.instruction.empty()) return site.instruction;
  return "pc " + std::to_string(site.pc);
}

}  // namespace

struct ConflictAnalysis::State {
  MachineOf machine_of;
  GroupBy group_by = GroupBy::kernel;
  std::string trace_name;

  std::vector<std::unique_ptr<KernelRows>> kernels;
  std::map<std::tuple<std::string, std::string, std::string>, KernelRows*> kernel_index;

  // The current launch.
  const Launch* launch = nullptr;
  const SharedMemory* shared = nullptr;
  std::uint64_t shared_end = 0;
  KernelRows* rows = nullptr;

  // The current shape table.
  std::uint64_t shapes_id = 0;
  std::vector<ShapeState> shapes;
  std::vector<CostClass> classes;
  std::map<std::pair<std::uint32_t, std::uint64_t>, CostClass> keyed;  ///< by shape, cost_key

  Error located(const Error& error, const EventBatch& batch, const EventShape& shape) const;
  Status slow(const EventBatch& batch, const Event& event);
  Status first_sight(const EventShape& shape, const Event& event, ShapeState& state);
  void first_of_class(const EventBatch& batch, const Event& event, CostClass& out);
  std::uint32_t row_of(const EventShape& shape);
  void fold();
  void add(const ShapeState& shape, const CostClass& cost);
};

ConflictAnalysis::ConflictAnalysis(MachineOf machine_of, GroupBy group_by, std::string trace_name)
    : state_(std::make_unique<State>()) {
  state_->machine_of = std::move(machine_of);
  state_->group_by = group_by;
  state_->trace_name = std::move(trace_name);
}

ConflictAnalysis::~ConflictAnalysis() = default;

Status ConflictAnalysis::begin_launch(const Launch& launch) {
  State& s = *state_;
  const Result<const Machine*> machine = s.machine_of(launch);
  if (!machine.ok()) return machine.error();
  s.launch = &launch;
  s.shared = &machine.value()->shared;
  const bool sizes_known = launch.static_shared != 0 || launch.dynamic_shared != 0;
  s.shared_end = sizes_known ? launch.shared_end() : 0;

  KernelRows*& rows = s.kernel_index[{launch.kernel, launch.function, machine.value()->name}];
  if (rows == nullptr || s.group_by == GroupBy::launch) {
    s.kernels.push_back(std::make_unique<KernelRows>());
    rows = s.kernels.back().get();
    KernelConflicts& kernel = rows->kernel;
    kernel.kernel = launch.kernel;
    kernel.machine = machine.value()->name;
    kernel.shared = machine.value()->shared;
    kernel.launch = launch;
    kernel.launch.sites.clear();
  }
  s.rows = rows;
  const std::uint64_t blocks = launch.grid.count();
  rows->kernel.launches += 1;
  rows->kernel.launched_blocks += blocks;
  rows->kernel.recorded_blocks += launch.recorded_blocks == 0 ? blocks : launch.recorded_blocks;
  rows->kernel.dropped_events += launch.dropped_events;
  return {};
}

Status ConflictAnalysis::events(const EventBatch& batch) {
  State& s = *state_;
  if (batch.shapes_id != s.shapes_id) {
    s.fold();
    s.shapes_id = batch.shapes_id;
  }
  // The table of a stream may grow while its id stays.
  if (s.shapes.size() < batch.shapes.size()) s.shapes.resize(batch.shapes.size());
  for (const Event& event : batch.events) {
    assert(event.shape < batch.shapes.size());
    const ShapeState& shape = s.shapes[event.shape];
    const std::uint64_t misaligned =
        ((event.base ^ shape.base) | (event.source ^ shape.source)) & shape.align;
    const std::uint64_t outside = event.base - shape.low > shape.span ? 1 : 0;
    if ((misaligned | outside | shape.always_slow) != 0) {
      SMEMSIM_TRY(s.slow(batch, event));
      if (shape.keyed) continue;
    }
    CostClass& cost = s.classes[shape.first_class + (event.base & shape.phase_mask)];
    if (cost.count++ == 0) s.first_of_class(batch, event, cost);
  }
  return {};
}

Status ConflictAnalysis::end_launch() {
  State& s = *state_;
  s.fold();
  s.launch = nullptr;
  s.rows = nullptr;
  return {};
}

Error ConflictAnalysis::State::located(const Error& error, const EventBatch& batch,
                                       const EventShape& shape) const {
  Error out = error;
  out.place = trace_name.empty() ? "" : trace_name + ": ";
  out.place += "launch " + std::to_string(launch->launch_index) +
               (launch->kernel.empty() ? "" : " (" + launch->kernel + ")") + ", block " +
               std::to_string(batch.block) + ", warp " + std::to_string(batch.warp);
  if (shape.site < launch->sites.size()) out.place += ", " + site_text(launch->sites[shape.site]);
  if (!error.place.empty()) out.place += ", " + error.place;
  return out;
}

Status ConflictAnalysis::State::slow(const EventBatch& batch, const Event& event) {
  const EventShape& shape = batch.shapes[event.shape];
  ShapeState& state = shapes[event.shape];
  if (is_shared_access(shape.op)) {
    if (const Status checked = check_access(shape, event, *shared, shared_end); !checked.ok()) {
      return located(checked.error(), batch, shape);
    }
  }
  if (!state.seen) SMEMSIM_TRY(first_sight(shape, event, state));
  if (state.keyed) {
    CostClass& cost = keyed[{event.shape, cost_key(shape, event, *shared)}];
    if (cost.count++ == 0) first_of_class(batch, event, cost);
  }
  return {};
}

Status ConflictAnalysis::State::first_sight(const EventShape& shape, const Event& event,
                                            ShapeState& state) {
  state.seen = true;
  state.op = shape.op;
  state.flags = shape.flags;
  state.lanes = static_cast<std::uint8_t>(lane_count(shape.active));
  state.base = event.base;
  state.source = event.source;
  state.first_class = static_cast<std::uint32_t>(classes.size());
  if (!is_shared_access(shape.op)) {
    state.span = std::numeric_limits<std::uint64_t>::max();
    state.always_slow = 0;
    classes.emplace_back();
    return {};
  }
  state.row = row_of(shape);
  const AccessRule* rule = shared->rule(shape.op, shape.width, shape.matrices);
  state.keyed = rule->through_tags || rule->uncounted || !std::has_single_bit(shared->bank_bytes);
  state.always_slow = state.keyed ? 1 : 0;
  if (state.keyed) return {};

  state.phase_mask = shared->bank_bytes - 1;
  classes.resize(classes.size() + shared->bank_bytes);
  state.align = std::bit_ceil(std::uint64_t{shape.width}) - 1;
  LaneMask looked_at = 0;
  for (const LaneMask pass : rule->passes) looked_at |= pass & shape.active;
  std::int64_t least = 0, most = 0;
  for_each_lane(looked_at, [&](unsigned lane) {
    least = std::min(least, shape.offsets[lane]);
    most = std::max(most, shape.offsets[lane]);
  });
  state.low = static_cast<std::uint64_t>(-least);
  // check_access has accepted one base, so the highest acceptable one is not below it.
  state.span = shared_end == 0
                   ? std::numeric_limits<std::uint64_t>::max() - state.low
                   : shared_end - shape.width - static_cast<std::uint64_t>(most) - state.low;
  return {};
}

void ConflictAnalysis::State::first_of_class(const EventBatch& batch, const Event& event,
                                             CostClass& out) {
  const EventShape& shape = batch.shapes[event.shape];
  if (!is_shared_access(shape.op)) return;
  out.cost = access_cost(shape, event, *shared);
  out.multicast = uses_multicast(shape, event, *shared, out.cost);
  WorstAccess& worst = rows->kernel.sites[shapes[event.shape].row].worst;
  if (worst.shape.active != 0 && !worse(out.cost, worst.cost)) return;
  worst = {shape, event, out.cost, launch->launch_index, batch.block, batch.warp};
  worst.event.shape = 0;  // the table does not stay
}

std::uint32_t ConflictAnalysis::State::row_of(const EventShape& shape) {
  const Site site = shape.site < launch->sites.size() ? launch->sites[shape.site] : Site{};
  const auto [entry, added] =
      rows->index.try_emplace(SiteKey{site.function, site.pc, site.instruction, site.file,
                                      site.line, shape.op, shape.width, shape.matrices},
                              static_cast<std::uint32_t>(rows->kernel.sites.size()));
  if (added) {
    SiteConflicts& row = rows->kernel.sites.emplace_back();
    row.site = site;
    row.op = shape.op;
    row.width = shape.width;
    row.matrices = shape.matrices;
    row.least_wavefronts = std::numeric_limits<std::uint32_t>::max();
  }
  return entry->second;
}

/// Moves the counts of the current shape table into the rows.
void ConflictAnalysis::State::fold() {
  for (const ShapeState& shape : shapes) {
    if (!shape.seen || shape.keyed) continue;
    for (std::uint64_t phase = 0; phase <= shape.phase_mask; ++phase) {
      add(shape, classes[shape.first_class + phase]);
    }
  }
  for (const auto& [key, cost] : keyed) add(shapes[key.first], cost);
  shapes.clear();
  classes.clear();
  keyed.clear();
  shapes_id = 0;
}

void ConflictAnalysis::State::add(const ShapeState& shape, const CostClass& cost) {
  const std::uint64_t n = cost.count;
  if (n == 0) return;
  KernelConflicts& kernel = rows->kernel;
  if (!is_shared_access(shape.op)) {
    if (moves_shared_data(shape.op)) kernel.not_costed[shape.op] += n;
    return;
  }
  SiteConflicts& row = kernel.sites[shape.row];
  ConflictTotals totals;
  totals.executed = n;
  totals.active_lanes = n * shape.lanes;
  totals.partial = (shape.flags & kAddressesPartial) != 0 ? n : 0;
  const AccessRule* rule = shared->rule(row.op, row.width, row.matrices);
  if (rule->uncounted) {
    totals.uncounted = n;
    totals.bypass = n * cost.cost.bypass.value_or(0);
    totals.bypass_unknown = cost.cost.bypass ? 0 : n;
  } else if (!cost.cost.modelled) {
    totals.unmodelled = n;
  } else {
    const AccessCost& one = cost.cost;
    totals.wavefronts = n * one.wavefronts;
    totals.ideal = n * one.ideal;
    totals.conflicts = n * one.conflicts;
    totals.cycles = n * one.cycles;
    totals.passes = n * one.passes;
    totals.merged = one.merged ? n : 0;
    totals.multicast = cost.multicast ? n : 0;
    row.least_wavefronts = std::min(row.least_wavefronts, one.wavefronts);
    row.most_wavefronts = std::max(row.most_wavefronts, one.wavefronts);
    row.worst_ways = std::max(row.worst_ways, one.ways);
    row.ways_sum += n * one.ways;
    row.histogram[one.wavefronts] += n;
  }
  row.totals += totals;
  kernel.kinds[static_cast<std::size_t>(access_kind(row.op))] += totals;
  kernel.totals += totals;
}

ConflictReport ConflictAnalysis::take_report() {
  ConflictReport report;
  std::uint32_t number = 0;
  for (const auto& rows : state_->kernels) {
    KernelConflicts& kernel = rows->kernel;
    std::stable_sort(kernel.sites.begin(), kernel.sites.end(),
                     [](const SiteConflicts& a, const SiteConflicts& b) {
                       const auto key = [](const SiteConflicts& row) {
                         return std::tuple(~row.totals.excess(), ~row.totals.wavefronts,
                                           std::string_view(row.site.function), row.site.pc,
                                           row.site.line);
                       };
                       return key(a) < key(b);
                     });
    for (SiteConflicts& row : kernel.sites) {
      row.number = ++number;
      if (row.costed() == 0) row.least_wavefronts = 0;
    }
    report.totals += kernel.totals;
    report.kernels.push_back(std::move(kernel));
  }
  state_->kernels.clear();
  state_->kernel_index.clear();
  return report;
}

}  // namespace smemsim
