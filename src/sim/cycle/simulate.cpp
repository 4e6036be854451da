#include "sim/cycle/simulate.hpp"

#include <algorithm>
#include <cmath>

#include "sim/occupancy.hpp"

namespace smemsim {
namespace {

/// Collects the instructions of a window.
class Timeline : public SmListener {
 public:
  Timeline(const std::vector<std::string>& texts, double from, double cycles)
      : texts_(texts), from_(from), to_(from + cycles) {}
  void issued(const WarpId& warp, std::uint32_t instruction, const Decoded& one,
              double cycle) override {
    if (cycle < from_ || cycle >= to_ || entries.size() >= kMost) return;
    TimelineEntry entry;
    entry.warp = warp;
    entry.pc = one.pc;
    if (instruction < texts_.size()) entry.text = texts_[instruction];
    entry.cycle = cycle;
    if (last_.start == warp.start && last_.warp == warp.warp) {
      entry.stall = stall_;
      entry.waited = waited_;
    }
    waited_ = 0;
    entries.push_back(std::move(entry));
  }
  void stalled(const WarpId& warp, Stall stall, double from, double to) override {
    if (last_.start != warp.start || last_.warp != warp.warp) waited_ = 0;
    last_ = warp;
    if (to - from > waited_) {
      stall_ = stall;
      waited_ = to - from;
    }
  }
  std::vector<TimelineEntry> entries;

 private:
  static constexpr std::size_t kMost = 1U << 20;
  const std::vector<std::string>& texts_;
  double from_, to_;
  WarpId last_;
  Stall stall_ = Stall::selected;
  double waited_ = 0;
};

double median(std::vector<double> values) {
  if (values.empty()) return 0;
  std::sort(values.begin(), values.end());
  const std::size_t half = values.size() / 2;
  return values.size() % 2 != 0 ? values[half] : (values[half - 1] + values[half]) / 2;
}

/// The rest of the blocks at the pace of the last ones that were run.
double extrapolated(const SmRun& run, std::uint64_t blocks, std::uint32_t resident) {
  const std::size_t ran = run.block_ends.size();
  if (ran >= blocks || ran == 0) return run.cycles;
  std::size_t back = resident;
  if (ran <= 2 * std::size_t{resident}) back = std::max<std::size_t>(1, ran / 2);
  if (ran <= back) return run.cycles * static_cast<double>(blocks) / static_cast<double>(ran);
  const double pace =
      (run.block_ends[ran - 1] - run.block_ends[ran - 1 - back]) / static_cast<double>(back);
  return run.cycles + pace * static_cast<double>(blocks - ran);
}

void find_bottleneck(KernelCycles& out) {
  for (const UnitUse& use : unit_use(out)) {
    if (use.share > out.bottleneck_share) {
      out.bottleneck = use.name;
      out.bottleneck_share = use.share;
    }
  }
  constexpr double kBusy = 0.75;  // a unit that is used less than this does not decide alone
  if (out.bottleneck_share >= kBusy) return;
  StallCounts sum{};
  double all = 0;
  for (const StallCounts& counts : out.sm.stalls) {
    for (std::size_t i = 0; i < kStalls; ++i) {
      sum[i] += counts[i];
      all += counts[i];
    }
  }
  std::size_t most = 1;
  for (std::size_t i = 1; i < kStalls; ++i) {
    if (sum[i] > sum[most]) most = i;
  }
  if (all <= 0) return;
  out.bottleneck = std::string("latency: ") + std::string(name(static_cast<Stall>(most)));
  out.bottleneck_share = sum[most] / all;
}

/// What is told of all SMs that were run. The middle one becomes `out.sm`.
void summarise(std::vector<SmRun> runs, KernelCycles& out) {
  std::vector<double> blocks, clocked, clocked_sms;
  std::vector<std::pair<double, std::size_t>> cycles;
  for (std::size_t i = 0; i < runs.size(); ++i) {
    const SmRun& run = runs[i];
    cycles.emplace_back(extrapolated(run, out.blocks_per_sm, out.resident), i);
    blocks.insert(blocks.end(), run.block_cycles.begin(), run.block_cycles.end());
    if (run.clocks.empty()) continue;
    double first = run.clocks.front().first, last = 0;
    for (const auto& [begin, end] : run.clocks) {
      clocked.push_back(end - begin);
      first = std::min(first, begin);
      last = std::max(last, end);
    }
    clocked_sms.push_back(last - first + (cycles.back().first - run.cycles));
  }
  std::sort(cycles.begin(), cycles.end());
  out.cycles = cycles[cycles.size() / 2].first;
  out.sm = std::move(runs[cycles[cycles.size() / 2].second]);
  out.block_cycles = median(blocks);
  const auto [least, greatest] = std::minmax_element(blocks.begin(), blocks.end());
  if (least != blocks.end()) {
    out.block_least = *least;
    out.block_most = *greatest;
  }
  out.clocked_block = median(clocked);
  out.clocked_sm = median(clocked_sms);
}

constexpr std::uint64_t kMostChoices = 3;

}  // namespace

bool has_own_times(const Machine& machine) {
  const auto first = machine.provenance.lower_bound("cycle.");
  return first != machine.provenance.end() && first->first.starts_with("cycle.");
}

double KernelCycles::instructions_per_cycle() const {
  return sm.cycles > 0 ? static_cast<double>(sm.instructions) / sm.cycles : 0;
}

std::vector<UnitUse> unit_use(const KernelCycles& kernel) {
  std::vector<UnitUse> out;
  const double cycles = std::max(kernel.sm.cycles, 1.0);
  out.push_back({"shared data stage", kernel.sm.data_busy / cycles});
  double issued = 0;
  for (const StallCounts& counts : kernel.sm.stalls) {
    issued += counts[static_cast<std::size_t>(Stall::selected)];
  }
  out.push_back({"issue", issued / (cycles * kSubCores)});
  for (std::size_t i = 0; i < kPipes; ++i) {
    const auto pipe = static_cast<Pipe>(i);
    if (pipe == Pipe::control || pipe == Pipe::memory) continue;
    out.push_back({name(pipe), kernel.sm.pipe_busy[i] / (cycles * kSubCores)});
  }
  return out;
}

SimulateAnalysis::SimulateAnalysis(MachineOf machine_of, SimulateOptions options)
    : machine_of_(std::move(machine_of)), options_(options) {}

Status SimulateAnalysis::begin_launch(const Launch& launch) {
  launch_ = &launch;
  auto machine = machine_of_(launch);
  if (!machine.ok()) return machine.error();
  machine_ = *machine;
  streams_ = std::make_unique<StreamBuilder>(launch, *machine_, options_.what_if);
  texts_.clear();
  blocks_.clear();
  skipping_ = false;
  return {};
}

Status SimulateAnalysis::program(const Program& program) {
  streams_->add_program(program);
  for (const ProgramInstruction& one : program.instructions) texts_.push_back(one.text);
  return {};
}

Status SimulateAnalysis::events(const EventBatch& batch) {
  if (blocks_.empty() || batch.block != block_) {
    if (!blocks_.empty() && !skipping_) streams_->finish(*blocks_.back());
    block_ = batch.block;
    skipping_ = blocks_.size() >= kMostBlocks;
    if (!skipping_) blocks_.push_back(std::make_unique<BlockTrace>());
  }
  if (!skipping_) streams_->add(batch, *blocks_.back());
  return {};
}

Status SimulateAnalysis::end_launch() {
  if (!blocks_.empty() && !skipping_) streams_->finish(*blocks_.back());
  KernelCycles out;
  out.kernel = launch_->kernel;
  out.machine = machine_->name;
  out.launch_index = launch_->launch_index;
  out.grid = launch_->grid;
  out.block = launch_->block;
  out.quality = streams_->quality();

  BlockResources resources;
  resources.threads = launch_->threads();
  resources.registers = launch_->registers;
  resources.shared_bytes = std::uint64_t{launch_->static_shared} + launch_->dynamic_shared;
  const OccupancyResult fit = occupancy(machine_->occupancy, resources);
  const double sms = launch_->device.sms != 0 ? launch_->device.sms : machine_->cycle->sms;
  const auto grid =
      static_cast<double>(options_.grid_blocks != 0 ? options_.grid_blocks : launch_->grid.count());
  out.blocks_per_sm = static_cast<std::uint64_t>(std::ceil(grid / std::max(sms, 1.0)));
  out.resident = static_cast<std::uint32_t>(std::min<std::uint64_t>(
      std::max(fit.blocks, 1U), std::max<std::uint64_t>(out.blocks_per_sm, 1)));
  if (!blocks_.empty()) {
    find_shared_lines(blocks_);
    // Enough for the first wave, a steady one and the last.
    const std::uint64_t most =
        options_.blocks != 0 ? options_.blocks : 4 * std::uint64_t{out.resident} + 4;
    out.blocks_run = std::min(out.blocks_per_sm, most);
    out.blocks_known = std::min<std::uint64_t>(blocks_.size(), out.blocks_run);
    const double shared = static_cast<double>(fit.shared_per_block) * out.resident;
    Timeline timeline(texts_, options_.timeline_from, options_.timeline_cycles);
    // SMs differ in the blocks that they get and in the half of L2 that they are next to. Each
    // choice of blocks is run next to either half: which lines are near is luck, and the median of
    // an even number lies between the two.
    const auto choices =
        std::clamp<std::uint64_t>(static_cast<std::uint64_t>(grid), 1, kMostChoices);
    std::vector<SmRun> runs;
    for (std::uint64_t k = 0; k < 2 * choices; ++k) {
      std::vector<const BlockTrace*> run;
      for (std::uint64_t i = 0; i < out.blocks_run; ++i) {
        run.push_back(blocks_[(k / 2 * blocks_.size() / choices + i) % blocks_.size()].get());
      }
      Sm sm(*streams_, *machine_->cycle, shared, std::min(sms, grid), k % 2 != 0);
      if (k == 0 && options_.timeline_cycles > 0) sm.add_listener(timeline);
      runs.push_back(sm.run(run, out.resident));
    }
    out.sms_run = runs.size();
    out.timeline = std::move(timeline.entries);
    summarise(std::move(runs), out);
    find_bottleneck(out);
  }
  results_.push_back(std::move(out));
  blocks_.clear();
  streams_.reset();
  return {};
}

}  // namespace smemsim
