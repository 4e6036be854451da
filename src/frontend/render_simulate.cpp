// Predicted cycles as text, JSON and CSV.
#include "frontend/render_simulate.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <ostream>

#include "frontend/table.hpp"
#include "frontend/text.hpp"

namespace smemsim::cli {
namespace {

std::string rounded(double value) {
  return with_commas(static_cast<std::uint64_t>(std::llround(std::max(value, 0.0))));
}

std::string share(double value) {
  return fmt::format("{:.1f} %", 100 * value);
}

double part(std::uint64_t some, std::uint64_t all) {
  return all == 0 ? 0.0 : static_cast<double>(some) / static_cast<double>(all);
}

void print_kernel(const SimulateEntry& entry, const SimulateView& view, const Painter& paint,
                  Environment& environment) {
  const KernelCycles& now = entry.now;
  auto& out = environment.out;
  out << paint(Style::strong, printable(now.kernel)) << fmt::format(" on {}\n", now.machine);
  out << fmt::format("  {} cycles on the busiest SM, {} per block ({} to {}); IPC {:.2f}\n",
                     paint(Style::strong, rounded(now.cycles)), rounded(now.block_cycles),
                     rounded(now.block_least), rounded(now.block_most),
                     now.instructions_per_cycle());
  out << fmt::format("  {} of the grid on that SM, {} at a time; {} run, {} of the trace\n",
                     count_of(now.blocks_per_sm, "block"), now.resident, now.blocks_run,
                     now.blocks_known);
  if (now.clocked_block > 0) {
    out << fmt::format("  between clock readings: {} cycles per block, {} on the SM\n",
                       rounded(now.clocked_block), rounded(now.clocked_sm));
  }
  out << fmt::format("  bottleneck: {} ({})\n", paint(Style::warning, now.bottleneck),
                     share(now.bottleneck_share));
  if (entry.changed) {
    const double faster = entry.changed->cycles > 0 ? now.cycles / entry.changed->cycles : 1;
    out << fmt::format("  {}: {} cycles, {} times as fast; bottleneck then: {} ({})\n",
                       view.what_if, rounded(entry.changed->cycles),
                       paint(Style::good, fmt::format("{:.2f}", faster)), entry.changed->bottleneck,
                       share(entry.changed->bottleneck_share));
  }
  Table stalls({{"warp cycles by reason", true}, {"share", false}});
  for (const auto& [stall, part_of] : stall_shares(now)) {
    if (part_of >= 0.0005) stalls.add({{std::string(name(stall))}, {share(part_of)}});
  }
  out << '\n' << stalls.text(paint, environment.columns, 2);
  Table units({{"unit", true}, {"use", false}});
  for (const UnitUse& use : unit_use(now)) units.add({{std::string(use.name)}, {share(use.share)}});
  out << '\n' << units.text(paint, environment.columns, 2);
  const StreamQuality& quality = now.quality;
  if (quality.from_slots) {
    out << "\n  The trace has no program: the result rests on its issue slots.\n";
  } else {
    out << fmt::format(
        "\n  {} instructions, {} on stretches with more than one possible path, {} diverged; "
        "{} without a path\n",
        with_commas(quality.instructions), share(part(quality.ambiguous, quality.instructions)),
        share(part(quality.diverged, quality.instructions)), count_of(quality.unknown, "event"));
  }
  if (now.sm.broken_waits != 0) {
    out << fmt::format("  {} would never end by what the trace holds; they were let go\n",
                       count_of(now.sm.broken_waits, "wait"));
  }
  if (view.timeline) {
    out << '\n'
        << timeline_text(now, view.timeline_from, view.timeline_cycles, environment.columns);
  }
  out << '\n';
}

nlohmann::json to_json(const KernelCycles& kernel) {
  nlohmann::json out;
  out["kernel"] = kernel.kernel;
  out["machine"] = kernel.machine;
  out["launch_index"] = kernel.launch_index;
  out["grid"] = {kernel.grid.x, kernel.grid.y, kernel.grid.z};
  out["block"] = {kernel.block.x, kernel.block.y, kernel.block.z};
  out["cycles"] = kernel.cycles;
  out["block_cycles"] = {
      {"median", kernel.block_cycles}, {"least", kernel.block_least}, {"most", kernel.block_most}};
  if (kernel.clocked_block > 0) {
    out["clocked"] = {{"block_cycles_median", kernel.clocked_block},
                      {"sm_cycles", kernel.clocked_sm}};
  }
  out["blocks"] = {{"per_sm", kernel.blocks_per_sm},
                   {"resident", kernel.resident},
                   {"run", kernel.blocks_run},
                   {"of_trace", kernel.blocks_known}};
  out["instructions_per_cycle"] = kernel.instructions_per_cycle();
  out["instructions"] = kernel.sm.instructions;
  out["bottleneck"] = {{"name", kernel.bottleneck}, {"share", kernel.bottleneck_share}};
  for (const UnitUse& use : unit_use(kernel)) out["use"][std::string(use.name)] = use.share;
  for (std::size_t i = 0; i < kSubCores; ++i) {
    nlohmann::json stalls;
    for (std::size_t s = 0; s < kStalls; ++s) {
      stalls[std::string(name(static_cast<Stall>(s)))] = kernel.sm.stalls[i][s];
    }
    out["sub_cores"].push_back({{"warp_cycles", std::move(stalls)}});
  }
  out["stream"] = {
      {"instructions", kernel.quality.instructions}, {"ambiguous", kernel.quality.ambiguous},
      {"diverged", kernel.quality.diverged},         {"without_path", kernel.quality.unknown},
      {"from_slots", kernel.quality.from_slots},     {"broken_waits", kernel.sm.broken_waits}};
  return out;
}

}  // namespace

std::vector<std::pair<Stall, double>> stall_shares(const KernelCycles& kernel) {
  std::vector<std::pair<Stall, double>> out;
  double all = 0;
  for (std::size_t i = 0; i < kStalls; ++i) {
    double sum = 0;
    for (const StallCounts& counts : kernel.sm.stalls) sum += counts[i];
    out.emplace_back(static_cast<Stall>(i), sum);
    all += sum;
  }
  for (auto& [stall, sum] : out) sum = all > 0 ? sum / all : 0;
  std::stable_sort(out.begin(), out.end(),
                   [](const auto& a, const auto& b) { return a.second > b.second; });
  return out;
}

Status render_simulate_text(const std::vector<SimulateEntry>& entries, const SimulateView& view,
                            Environment& environment) {
  const Painter paint(environment.color);
  if (entries.empty()) environment.out << "No kernel in the trace.\n";
  for (const SimulateEntry& entry : entries) print_kernel(entry, view, paint, environment);
  for (const std::string& note : view.notes) environment.out << "note: " << note << '\n';
  return {};
}

Status render_simulate_json(const std::vector<SimulateEntry>& entries, const SimulateView& view,
                            Environment& environment) {
  nlohmann::json root;
  root["schema"] = "smemsim/simulate/1";
  root["kernels"] = nlohmann::json::array();
  for (const SimulateEntry& entry : entries) {
    nlohmann::json kernel = to_json(entry.now);
    if (entry.changed) kernel["what_if"] = to_json(*entry.changed);
    root["kernels"].push_back(std::move(kernel));
  }
  if (!view.what_if.empty()) root["what_if"] = view.what_if;
  root["notes"] = view.notes;
  environment.out << root.dump(2, ' ', false, nlohmann::json::error_handler_t::replace) << '\n';
  return {};
}

Status render_simulate_csv(const std::vector<SimulateEntry>& entries, Environment& environment) {
  environment.out << "kernel,machine,launch,cycles,block_cycles,blocks_per_sm,resident,ipc,"
                     "bottleneck,share,what_if_cycles\n";
  for (const SimulateEntry& entry : entries) {
    const KernelCycles& now = entry.now;
    environment.out << fmt::format(
        "{},{},{},{:.0f},{:.1f},{},{},{:.3f},{},{:.4f},{}\n", csv_field(now.kernel), now.machine,
        now.launch_index, now.cycles, now.block_cycles, now.blocks_per_sm, now.resident,
        now.instructions_per_cycle(), csv_field(now.bottleneck), now.bottleneck_share,
        entry.changed ? fmt::format("{:.0f}", entry.changed->cycles) : "");
  }
  return {};
}

}  // namespace smemsim::cli
