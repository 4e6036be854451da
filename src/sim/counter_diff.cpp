#include "sim/counter_diff.hpp"

#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <limits>
#include <string_view>

namespace smemsim {
namespace {

enum class Quantity : std::uint8_t { wavefronts, conflicts, bypass };
enum class Family : std::uint8_t { sass, pipe };

/// A counter and the kinds of accesses that it counts.
struct PredictedCounter {
  std::string_view counter;
  std::string_view kind;
  Family family;
  Quantity quantity;
  std::initializer_list<AccessKind> kinds;
};

// The sass counters of a kind stand before its pipe counters, which refer to their verdict.
// The pipe counters have no kind of their own for ldmatrix and stmatrix: they count as ld and st.
const PredictedCounter kCounters[] = {
    {"sm__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_ld.sum",
     "ld",
     Family::sass,
     Quantity::wavefronts,
     {AccessKind::load}},
    {"sm__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_ldsm.sum",
     "ldmatrix",
     Family::sass,
     Quantity::wavefronts,
     {AccessKind::ldmatrix}},
    {"sm__sass_l1tex_data_bank_conflicts_pipe_lsu_mem_shared_op_ldsm.sum",
     "ldmatrix",
     Family::sass,
     Quantity::conflicts,
     {AccessKind::ldmatrix}},
    {"l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum",
     "ld",
     Family::pipe,
     Quantity::wavefronts,
     {AccessKind::load, AccessKind::ldmatrix}},
    {"l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum",
     "ld",
     Family::pipe,
     Quantity::conflicts,
     {AccessKind::load, AccessKind::ldmatrix}},
    {"sm__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_st.sum",
     "st",
     Family::sass,
     Quantity::wavefronts,
     {AccessKind::store}},
    {"sm__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_stsm.sum",
     "stmatrix",
     Family::sass,
     Quantity::wavefronts,
     {AccessKind::stmatrix}},
    {"sm__sass_l1tex_data_bank_conflicts_pipe_lsu_mem_shared_op_stsm.sum",
     "stmatrix",
     Family::sass,
     Quantity::conflicts,
     {AccessKind::stmatrix}},
    {"l1tex__data_pipe_lsu_wavefronts_mem_shared_op_st.sum",
     "st",
     Family::pipe,
     Quantity::wavefronts,
     {AccessKind::store, AccessKind::stmatrix}},
    {"l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_st.sum",
     "st",
     Family::pipe,
     Quantity::conflicts,
     {AccessKind::store, AccessKind::stmatrix}},
    {"sm__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_atom.sum",
     "atom",
     Family::sass,
     Quantity::wavefronts,
     {AccessKind::atomic}},
    {"l1tex__data_pipe_lsu_wavefronts_mem_shared_op_atom.sum",
     "atom",
     Family::pipe,
     Quantity::wavefronts,
     {AccessKind::atomic}},
    {"l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_atom.sum",
     "atom",
     Family::pipe,
     Quantity::conflicts,
     {AccessKind::atomic}},
    {"sm__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_ldgsts_cache_access.sum",
     "ldgsts",
     Family::sass,
     Quantity::wavefronts,
     {AccessKind::copy}},
    {"sm__sass_l1tex_data_bank_conflicts_pipe_lsu_mem_shared_op_ldgsts_cache_access.sum",
     "ldgsts",
     Family::sass,
     Quantity::conflicts,
     {AccessKind::copy}},
    {"sm__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_ldgsts_cache_bypass.sum",
     "ldgsts",
     Family::sass,
     Quantity::bypass,
     {AccessKind::copy}},
};

/// Launches of one kernel, added up.
struct Sums {
  std::array<double, std::size(kCounters)> predicted{}, measured{};
  std::array<bool, std::size(kCounters)> known{};
};

std::uint64_t quantity_of(const ConflictTotals& totals, Quantity quantity) {
  switch (quantity) {
    case Quantity::wavefronts:
      return totals.wavefronts;
    case Quantity::conflicts:
      return totals.conflicts;
    case Quantity::bypass:
      break;
  }
  return totals.bypass;
}

bool within(double predicted, double measured, double tolerance) {
  return std::abs(predicted - measured) <= tolerance * std::abs(measured);
}

double scale_of(const KernelConflicts& launch) {
  return launch.recorded_blocks == 0 ? 1.0
                                     : static_cast<double>(launch.launched_blocks) /
                                           static_cast<double>(launch.recorded_blocks);
}

void add_launch(Sums& sums, const KernelConflicts& predicted, const MeasuredLaunch& measured) {
  const double scale = scale_of(predicted);
  for (std::size_t i = 0; i < std::size(kCounters); ++i) {
    const PredictedCounter& row = kCounters[i];
    const auto at = measured.counters.find(std::string(row.counter));
    if (at == measured.counters.end()) continue;
    // Machines other than the measured one have no rule for copies past L1.
    if (row.quantity == Quantity::bypass && predicted.totals.bypass_unknown != 0) continue;
    sums.known[i] = true;
    sums.measured[i] += at->second;
    for (const AccessKind kind : row.kinds) {
      sums.predicted[i] +=
          scale * static_cast<double>(
                      quantity_of(predicted.kinds[static_cast<std::size_t>(kind)], row.quantity));
    }
  }
}

void compare(KernelComparison& kernel, const Sums& sums, double tolerance) {
  for (std::size_t i = 0; i < std::size(kCounters); ++i) {
    const PredictedCounter& row = kCounters[i];
    const double predicted = sums.predicted[i], measured = sums.measured[i];
    if (!sums.known[i] || (predicted == 0 && measured == 0)) continue;
    CounterVerdict verdict = CounterVerdict::equal;
    if (!within(predicted, measured, tolerance)) {
      // Lost arbitration only adds cycles, and leaves the per-instruction counters alone.
      const auto sass_equal = [&] {
        bool any = false;
        for (std::size_t j = 0; j < std::size(kCounters); ++j) {
          const PredictedCounter& other = kCounters[j];
          const bool same_accesses =
              std::any_of(other.kinds.begin(), other.kinds.end(), [&](AccessKind kind) {
                return std::find(row.kinds.begin(), row.kinds.end(), kind) != row.kinds.end();
              });
          if (other.family != Family::sass || !same_accesses || !sums.known[j]) continue;
          if (!within(sums.predicted[j], sums.measured[j], tolerance)) return false;
          any = any || sums.predicted[j] != 0;
        }
        return any;
      };
      verdict = row.family == Family::pipe && measured > predicted && sass_equal()
                    ? CounterVerdict::arbitration
                    : CounterVerdict::different;
    }
    kernel.counters.push_back({std::string(row.counter), std::string(row.kind),
                               row.quantity == Quantity::conflicts ? "conflicts" : "wavefronts",
                               predicted, measured, verdict});
  }
}

}  // namespace

std::string kernel_base_name(std::string demangled) {
  // cu++filt writes one, Nsight Compute the other.
  for (const std::string_view nameless : {"(anonymous namespace)::", "<unnamed>::"}) {
    for (std::size_t at; (at = demangled.find(nameless)) != std::string::npos;) {
      demangled.erase(at, nameless.size());
    }
  }
  // The parameter list is the last top-level parenthesis; template arguments may hold others.
  std::size_t end = demangled.size();
  int depth = 0;
  for (std::size_t i = 0; i < demangled.size(); ++i) {
    const char c = demangled[i];
    if (c == '<') ++depth;
    if (c == '>') --depth;
    if (c == '(' && depth == 0 && demangled.compare(i, 9, "(unnamed ") != 0) {
      end = i;
      break;
    }
  }
  // A return type stands before the first top-level space.
  std::size_t begin = 0;
  depth = 0;
  for (std::size_t i = 0; i < end; ++i) {
    if (demangled[i] == '<' || demangled[i] == '(') ++depth;
    if (demangled[i] == '>' || demangled[i] == ')') --depth;
    if (demangled[i] == ' ' && depth == 0) begin = i + 1;
  }
  std::string out = demangled.substr(begin, end - begin);
  std::erase(out, ' ');
  return out;
}

const MeasuredLaunch* LaunchMatcher::operator()(const Launch& launch) {
  const std::string name = kernel_base_name(launch.kernel);
  const auto fits = [&](const MeasuredLaunch& measured) {
    return kernel_base_name(measured.kernel) == name &&
           (!measured.geometry_known ||
            ((any_grid_ || measured.grid == launch.grid) && measured.block == launch.block));
  };
  // Launches that are equal in this differ by their order only.
  std::string alike = launch.kernel;
  const auto add = [&](const Dim3& dim) {
    for (const std::uint32_t size : {dim.x, dim.y, dim.z}) alike += " " + std::to_string(size);
  };
  if (!any_grid_) add(launch.grid);
  add(launch.block);
  std::size_t nth = seen_[alike]++;
  if (run_.every_launch && launch.launch_index < run_.launches.size() &&
      fits(run_.launches[launch.launch_index])) {
    return &run_.launches[launch.launch_index];
  }
  for (const MeasuredLaunch& measured : run_.launches) {
    if (fits(measured) && nth-- == 0) return &measured;
  }
  return nullptr;
}

double CounterComparison::relative() const {
  if (difference() == 0) return 0;
  return measured == 0 ? std::numeric_limits<double>::infinity()
                       : std::abs(difference()) / measured;
}

bool KernelComparison::agrees() const {
  return launches != 0 && unmatched == 0 && unmodelled == 0 && unmatched_sites == 0 &&
         std::all_of(sites.begin(), sites.end(),
                     [](const SiteComparison& row) { return row.equal; }) &&
         std::none_of(counters.begin(), counters.end(), [](const CounterComparison& row) {
           return row.verdict == CounterVerdict::different;
         });
}

bool CounterDiff::agrees() const {
  return std::all_of(kernels.begin(), kernels.end(),
                     [](const KernelComparison& kernel) { return kernel.agrees(); });
}

CounterDiff diff_counters(const ConflictReport& report, const MeasuredRun& run, double tolerance) {
  CounterDiff diff;
  std::map<std::string, std::size_t> index;
  std::vector<Sums> sums;
  std::vector<SiteDiff> sites;
  LaunchMatcher measured_of(run);
  for (const KernelConflicts& launch : report.kernels) {
    const auto [at, added] = index.try_emplace(launch.kernel, diff.kernels.size());
    if (added) {
      diff.kernels.emplace_back().kernel = launch.kernel;
      sums.emplace_back();
      sites.emplace_back();
    }
    KernelComparison& kernel = diff.kernels[at->second];
    const MeasuredLaunch* measured = measured_of(launch.launch);
    if (measured == nullptr) {
      ++kernel.unmatched;
      continue;
    }
    ++kernel.launches;
    kernel.recorded_blocks += launch.recorded_blocks;
    kernel.launched_blocks += launch.launched_blocks;
    kernel.unmodelled += launch.totals.unmodelled;
    add_launch(sums[at->second], launch, *measured);
    if (!measured->sites.empty()) sites[at->second].add(launch, *measured, scale_of(launch));
  }
  for (std::size_t i = 0; i < diff.kernels.size(); ++i) {
    compare(diff.kernels[i], sums[i], tolerance);
    diff.kernels[i].sites = sites[i].compare(tolerance);
    diff.kernels[i].unmatched_sites = sites[i].unmatched();
  }
  return diff;
}

}  // namespace smemsim
