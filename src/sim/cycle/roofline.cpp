#include "sim/cycle/roofline.hpp"

#include <algorithm>
#include <bit>
#include <charconv>
#include <numeric>

#include "sim/cycle/cycle_parameters.hpp"
#include "sim/cycle/sass.hpp"
#include "sim/cycle/simulate.hpp"

namespace smemsim {
namespace {

constexpr std::uint64_t kSectorSize = 32, kSectorsOfLine = 4;
constexpr std::uint64_t kLinesOfPage = 32;
constexpr std::uint64_t kMostBulk = std::uint64_t{1} << 20;  // bytes
constexpr std::size_t kMostPages = std::size_t{1} << 18;

bool is_bulk(Operation op) {
  return op == Operation::bulk_load || op == Operation::bulk_store || op == Operation::bulk_reduce;
}

/// FLOP of the shape in ".16816" (m16n8k16) or ".64x128x16"; 0 = not understood.
double matrix_flop(std::string_view modifiers) {
  struct Shape {
    std::string_view digits;
    double flop;
  };
  // 2 m n k. On Volta an 884 serves four products of m8n8k4 at once; it is not among these.
  static constexpr std::array<Shape, 6> kShapes{{{".16832", 2.0 * 16 * 8 * 32},
                                                 {".16816", 2.0 * 16 * 8 * 16},
                                                 {".1688", 2.0 * 16 * 8 * 8},
                                                 {".1684", 2.0 * 16 * 8 * 4},
                                                 {".8816", 2.0 * 8 * 8 * 16},
                                                 {".884", 2.0 * 8 * 8 * 4}}};
  for (const Shape& shape : kShapes) {
    const std::size_t at = modifiers.find(shape.digits);
    if (at == std::string_view::npos) continue;
    const std::size_t end = at + shape.digits.size();
    if (end == modifiers.size() || modifiers[end] == '.') return shape.flop;
  }
  const std::size_t x = modifiers.find('x');
  if (x == std::string_view::npos) return 0;
  std::size_t at = modifiers.rfind('.', x);
  double product = 2;
  for (int i = 0; i < 3 && at < modifiers.size(); ++i) {
    unsigned number = 0;
    const char* begin = modifiers.data() + at + 1;
    const auto read = std::from_chars(begin, modifiers.data() + modifiers.size(), number);
    if (read.ec != std::errc()) return 0;
    product *= number;
    at = static_cast<std::size_t>(read.ptr - modifiers.data());
  }
  return product;
}

}  // namespace

std::string_view name(FlopKind kind) {
  static constexpr std::array<std::string_view, kFlopKinds> kNames{"FP32", "FP64", "packed FP16",
                                                                   "tensor", "wgmma"};
  return kNames[static_cast<std::size_t>(kind)];
}

Flops flops_of(std::string_view sass) {
  const std::string_view base = base_opcode(sass);
  const std::size_t at = sass.find(base);
  const std::string_view word =
      base.empty() ? base : sass.substr(at, sass.find_first_of(" ;", at) - at);
  const auto lanes = [](FlopKind kind, double each) { return Flops{kind, each, 0}; };
  if (base == "FFMA" || base == "FFMA32I") return lanes(FlopKind::fp32, 2);
  if (is_any(base, {"FADD", "FMUL", "FADD32I", "FMUL32I"})) return lanes(FlopKind::fp32, 1);
  if (base == "FFMA2") return lanes(FlopKind::fp32, 4);
  if (base == "FADD2" || base == "FMUL2") return lanes(FlopKind::fp32, 2);
  if (base == "DFMA") return lanes(FlopKind::fp64, 2);
  if (base == "DADD" || base == "DMUL") return lanes(FlopKind::fp64, 1);
  if (base == "HFMA2") {
    // Compilers also load constants with it: "HFMA2.MMA R5, -RZ, RZ, 0, 0".
    const bool move = sass.find("-RZ, RZ,") != std::string_view::npos;
    return lanes(FlopKind::fp16, move ? 0 : 4);
  }
  if (base == "HADD2" || base == "HMUL2") {
    // As is "HADD2.F32 R4, -RZ, R3.H0_H0", which converts.
    const bool converts = word.find(".F32") != std::string_view::npos;
    return lanes(FlopKind::fp16, converts ? 0 : 2);
  }
  if (is_any(base, {"HMMA", "QMMA", "OMMA"})) return {FlopKind::tensor, 0, matrix_flop(word)};
  if (base == "DMMA") return {FlopKind::fp64, 0, matrix_flop(word)};
  if (base == "HGMMA" || base == "QGMMA") return {FlopKind::wgmma, 0, matrix_flop(word) / 4};
  return {};
}

double KernelWork::total_flop() const {
  return std::accumulate(flop.begin(), flop.end(), 0.0);
}

KernelWork& KernelWork::operator+=(const KernelWork& other) {
  for (std::size_t i = 0; i < kFlopKinds; ++i) flop[i] += other.flop[i];
  instructions += other.instructions;
  uncertain += other.uncertain;
  wavefronts += other.wavefronts;
  sector_bytes += other.sector_bytes;
  touched_bytes += other.touched_bytes;
  touched_known = touched_known && other.touched_known;
  has_program = has_program || other.has_program;
  return *this;
}

WorkAnalysis::WorkAnalysis(AccessCollector::MachineOf machine_of)
    : machine_of_(std::move(machine_of)) {}

Status WorkAnalysis::begin_launch(const Launch& launch) {
  const Result<const Machine*> machine = machine_of_(launch);
  if (!machine.ok()) return machine.error();
  streams_ = std::make_unique<StreamBuilder>(launch, **machine, StreamOptions{});
  threads_ = launch.threads();
  lanes_ = (*machine)->shared.lanes;
  flops_.clear();
  block_.reset();
  touched_.clear();
  launches_.emplace_back();
  return {};
}

Status WorkAnalysis::program(const Program& program) {
  launches_.back().has_program = true;
  streams_->add_program(program);
  for (const ProgramInstruction& one : program.instructions) flops_.push_back(flops_of(one.text));
  return {};
}

/// FLOP on the way to an event, by the lanes that they count for.
struct WorkAnalysis::PathFlops {
  using Sums = std::array<double, kFlopKinds>;
  Sums before{};      ///< the last conditional branch
  Sums after{};       ///< it, or all without one
  Sums with_event{};  ///< guarded by the event's predicate
  Sums per_warp{};
  bool branches = false;
  bool guarded = false;  ///< the event's instruction
};

WorkAnalysis::PathFlops WorkAnalysis::flops_of_path(const std::vector<std::uint32_t>& steps) const {
  using Kind = InstructionKind;
  const std::vector<Decoded>& code = streams_->instructions();
  const auto same_guard = [](const Decoded& a, const Decoded& b) {
    return a.guarded && b.guarded && a.guard_predicate == b.guard_predicate &&
           a.guard_negated == b.guard_negated;
  };
  const auto is_recorded = [](const Decoded& one) {
    return one.kind == Kind::shared || one.kind == Kind::global || one.kind == Kind::copy;
  };
  PathFlops out;
  if (steps.empty()) return out;
  const Decoded& end = code[steps.back()];
  out.guarded = end.guarded && is_recorded(end);
  std::vector<std::uint32_t> off;  // accesses that left no event
  std::size_t branch = 0;
  for (std::size_t i = 0; i + 1 < steps.size(); ++i) {
    const Decoded& one = code[steps[i]];
    if (one.guarded && is_recorded(one)) off.push_back(steps[i]);
    if (one.kind != Kind::branch || one.always) continue;
    out.branches = true;
    branch = i;
  }
  for (std::size_t i = 0; i < steps.size(); ++i) {
    if (steps[i] >= flops_.size()) continue;
    const Flops& flops = flops_[steps[i]];
    const Decoded& one = code[steps[i]];
    if (one.off || (flops.per_lane == 0 && flops.per_warp == 0)) continue;
    const auto kind = static_cast<std::size_t>(flops.kind);
    out.per_warp[kind] += flops.per_warp;
    if (out.guarded && same_guard(one, end)) {
      out.with_event[kind] += flops.per_lane;
    } else if (std::none_of(off.begin(), off.end(),
                            [&](std::uint32_t step) { return same_guard(one, code[step]); })) {
      (out.branches && i <= branch ? out.before : out.after)[kind] += flops.per_lane;
    }
  }
  return out;
}

void WorkAnalysis::count_block() {
  if (block_ == nullptr) return;
  KernelWork& out = launches_.back();
  std::unordered_map<std::uint32_t, PathFlops> known;
  for (std::size_t w = 0; w < block_->warps.size(); ++w) {
    const std::uint64_t first = std::uint64_t{lanes_} * w;
    double active =
        threads_ > first ? std::min<double>(lanes_, static_cast<double>(threads_ - first)) : lanes_;
    for (const StreamItem& item : block_->warps[w]) {
      const auto [entry, added] = known.try_emplace(item.path);
      PathFlops& path = entry->second;
      if (added) path = flops_of_path(streams_->paths()[item.path]);
      const double lanes =
          item.event == StreamItem::kNone ? active : block_->events[item.event].lanes;
      const double after = path.guarded && !path.branches ? active : lanes;
      for (std::size_t i = 0; i < kFlopKinds; ++i) {
        out.flop[i] += active * path.before[i] + after * path.after[i] +
                       lanes * path.with_event[i] + path.per_warp[i];
      }
      if (!path.guarded) active = lanes;
    }
  }
  for (const EventCost& event : block_->events) out.wavefronts += event.wavefronts;
  for (const LineUse& use : block_->lines) {
    out.sector_bytes += kSectorSize * static_cast<unsigned>(std::popcount(use.sectors));
    touch(use.line, use.sectors);
  }
  block_.reset();
}

void WorkAnalysis::touch(std::uint64_t line, std::uint64_t sectors) {
  KernelWork& out = launches_.back();
  if (!out.touched_known) return;
  const std::uint64_t at = line % kLinesOfPage * kSectorsOfLine;
  touched_[line / kLinesOfPage][at / 64] |= sectors << (at % 64);
  if (touched_.size() <= kMostPages) return;
  out.touched_known = false;
  touched_.clear();
}

void WorkAnalysis::add_bulk(std::uint64_t begin, std::uint64_t bytes) {
  if (bytes == 0) return;
  KernelWork& out = launches_.back();
  constexpr std::uint64_t kLargest = std::uint64_t{1} << 31;
  const std::uint64_t end = begin + std::min({bytes, kLargest, ~begin});  // hostile sizes end too
  const std::uint64_t first = begin / kSectorSize, last = (end - 1) / kSectorSize;
  out.sector_bytes += kSectorSize * (last - first + 1);
  if (bytes > kMostBulk) out.touched_known = false;  // no copy fits into shared memory so
  for (std::uint64_t sector = first; out.touched_known && sector <= last; ++sector) {
    touch(sector / kSectorsOfLine, std::uint64_t{1} << (sector % kSectorsOfLine));
  }
}

Status WorkAnalysis::events(const EventBatch& batch) {
  if (block_ != nullptr && block_->block != batch.block) count_block();
  if (block_ == nullptr) block_ = std::make_unique<BlockTrace>();
  streams_->add(batch, *block_);
  for (const Event& event : batch.events) {
    const EventShape& shape = batch.shapes[event.shape];
    if (is_bulk(shape.op)) add_bulk(event.source, shape.a);
  }
  return {};
}

Status WorkAnalysis::end_launch() {
  count_block();
  KernelWork& out = launches_.back();
  for (const auto& [page, sectors] : touched_) {
    out.touched_bytes +=
        kSectorSize * static_cast<unsigned>(std::popcount(sectors[0]) + std::popcount(sectors[1]));
  }
  const StreamQuality& quality = streams_->quality();
  out.instructions = quality.instructions;
  out.uncertain = quality.ambiguous + quality.diverged;
  streams_.reset();
  touched_.clear();
  return {};
}

Roofline roofline(const KernelWork& work, const Machine& machine, double sms) {
  Roofline out;
  out.flop = work.total_flop();
  out.peaks_known = has_own_times(machine);
  if (out.flop <= 0 || !out.peaks_known) return out;
  const CycleParameters& p = *machine.cycle;
  const double sub_cores = machine.occupancy.sub_cores;
  const double lanes = sub_cores * machine.shared.lanes;
  const auto add = [&](std::string what, std::string unit, double peak, double amount) {
    if (amount <= 0 || peak <= 0) return;
    out.roofs.push_back({std::move(what), std::move(unit), peak, amount, out.flop / amount,
                         out.flop * peak / amount});
  };
  const auto pipe = [&](FlopKind kind, double peak) {
    add(std::string(name(kind)), "FLOP", peak, work.flop[static_cast<std::size_t>(kind)]);
  };
  constexpr double kMma = 2.0 * 16 * 8 * 16;  // FLOP of mma m16n8k16
  pipe(FlopKind::fp32, 2 * lanes / p.fma_interval);
  pipe(FlopKind::fp64, 2 * lanes / p.double_interval);
  pipe(FlopKind::fp16, 4 * lanes / p.half_interval);
  pipe(FlopKind::tensor, sub_cores * kMma / p.tensor16_interval);
  add("issue", "instruction", sub_cores, static_cast<double>(work.instructions));
  add("shared memory", "wavefront", 1, static_cast<double>(work.wavefronts));
  constexpr double kLine = 128;  // bytes; asked for whole
  const double l2_total = p.l2_total * kLine / (kLine + p.l2_line);
  add("L2, if L1 serves nothing", "byte", std::min(p.l2_port, l2_total / sms),
      static_cast<double>(work.sector_bytes));
  if (work.touched_known) {
    add("DRAM, each sector once", "byte", std::min(p.dram_port, p.dram_total / sms),
        static_cast<double>(work.touched_bytes));
  }
  for (std::size_t i = 1; i < out.roofs.size(); ++i) {
    if (out.roofs[i].attainable < out.roofs[out.lowest].attainable) out.lowest = i;
  }
  return out;
}

}  // namespace smemsim
