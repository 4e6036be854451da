// Occupancy for people: what limits, and where the cliffs are.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <ostream>

#include "frontend/render_occupancy.hpp"
#include "frontend/table.hpp"
#include "frontend/text.hpp"

namespace smemsim::cli {

namespace {

constexpr std::uint32_t kWidestBar = 32;
constexpr std::size_t kNeighbours = 4;  // steps shown on each side of the current one

std::string limit_text(std::uint32_t limit) {
  return limit == kNoLimit ? "-" : with_commas(limit);
}

void print_limits(const OccupancyEntry& entry, const Painter& paint, Environment& environment) {
  const OccupancyLimits& limits = entry.limits;
  const OccupancyResult& result = entry.result;
  Table table({{"resource", true},
               {"per block", false},
               {"per SM", false},
               {"blocks that fit", false},
               {"", true}});
  const auto row = [&](OccupancyLimiter limiter, std::string per_block, std::uint64_t per_sm,
                       std::uint32_t limit) {
    const bool limits_now =
        std::find(result.limiters.begin(), result.limiters.end(), limiter) != result.limiters.end();
    table.add({{std::string(name(limiter))},
               {std::move(per_block)},
               {per_sm == 0 ? "-" : with_commas(per_sm)},
               {limit_text(limit), limits_now ? Style::warning : Style::plain},
               {limits_now ? "<- limits" : ""}});
  };
  row(OccupancyLimiter::warps, with_commas(result.warps_per_block), limits.max_warps,
      result.limit_warps);
  row(OccupancyLimiter::registers,
      entry.block.registers == 0 ? "unknown" : with_commas(result.registers_per_block),
      limits.registers_per_sm, result.limit_registers);
  row(OccupancyLimiter::shared, with_commas(result.shared_per_block) + " B", result.carveout,
      result.limit_shared);
  row(OccupancyLimiter::blocks, "1", limits.max_blocks, result.limit_blocks);
  if (limits.barriers_per_sm != 0) {
    row(OccupancyLimiter::barriers, with_commas(entry.block.barriers), limits.barriers_per_sm,
        result.limit_barriers);
  }
  environment.out << table.text(paint, environment.columns, 2);
}

/// One line for each count of resident blocks; the amount at the end of a bar is the cliff.
void print_chart(const std::vector<OccupancyStep>& steps, std::uint64_t now, std::string_view unit,
                 std::uint32_t warps_per_block, const Painter& paint, Environment& environment) {
  std::size_t current = 0;
  while (current + 1 < steps.size() && steps[current].most < now) ++current;
  std::uint32_t most = 1;
  for (const OccupancyStep& step : steps) most = std::max(most, step.blocks);
  std::size_t width = 0;
  for (const OccupancyStep& step : steps) width = std::max(width, with_commas(step.most).size());
  bool gap = false;
  for (std::size_t i = 0; i < steps.size(); ++i) {
    const bool near = i + kNeighbours >= current && i <= current + kNeighbours;
    if (!near && i != 0 && i + 1 != steps.size()) {
      if (!gap) environment.out << "     ...\n";
      gap = true;
      continue;
    }
    gap = false;
    const OccupancyStep& step = steps[i];
    const std::uint32_t length = (step.blocks * kWidestBar + most - 1) / most;
    const bool here = i == current && now <= step.most;
    const std::string bar(length, here ? '#' : '=');
    environment.out << fmt::format(
        "  {:>4} {:<{}}| up to {:>{}} {}{}\n", step.blocks,
        paint(here ? Style::strong : Style::plain, bar),
        bar.size() + (kWidestBar - length) +
            (paint(here ? Style::strong : Style::plain, bar).size() - bar.size()),
        with_commas(step.most), width, unit,
        here ? fmt::format("  <- here: {} {}, {}", with_commas(now), unit,
                           count_of(std::uint64_t{step.blocks} * warps_per_block, "warp"))
             : "");
  }
  if (current > 0) {
    environment.out << fmt::format("  The {} block fits at <= {} {} ({} less).\n",
                                   steps[current].blocks == 0 ? "first" : "next",
                                   with_commas(steps[current - 1].most), unit,
                                   with_commas(now - steps[current - 1].most));
  }
  if (current + 1 < steps.size() && steps[current].blocks > 0) {
    environment.out << fmt::format(
        "  A block is lost above {} {} ({} more are free).\n", with_commas(steps[current].most),
        unit, with_commas(steps[current].most - std::min(now, steps[current].most)));
  }
}

void print_staging(const OccupancyEntry& entry, Environment& environment) {
  const Staging& staging = *entry.staging;
  if (staging.staged_bytes == 0) return;
  environment.out << fmt::format(
      "\nStaging: {} bytes staged in shared memory, {} read: each byte is used {:.1f} times",
      with_commas(staging.staged_bytes), with_commas(staging.read_bytes), staging.reuse());
  if (staging.global_bytes != 0) {
    environment.out << fmt::format("; {} bytes of global sectors moved",
                                   with_commas(staging.global_bytes));
  }
  environment.out << ".\n";
  const double flop = entry.work->total_flop();
  if (flop > 0) {
    environment.out << fmt::format(
        "Arithmetic intensity of the tile: {:.1f} FLOP per byte staged.\n",
        flop / static_cast<double>(staging.staged_bytes));
  }
  if (entry.result.blocks == 0) return;
  environment.out << fmt::format(
      "Against that stand {} of {} warps to hide latency with.{}\n", entry.result.warps,
      entry.limits.max_warps,
      staging.reuse() <= 1.0 ? " No byte is used twice: the tile pays only for its access order."
                             : "");
}

std::string whole(double value) {
  return with_commas(static_cast<std::uint64_t>(std::llround(value)));
}

std::string number(double value) {
  if (value >= 1000 || value == std::floor(value)) return whole(value);
  return fmt::format("{:.{}f}", value, value >= 100 ? 0 : value >= 10 ? 1 : 2);
}

/// The roofs over the kernel, the lowest marked.
void print_roofline(const OccupancyEntry& entry, const Painter& paint, Environment& environment) {
  const KernelWork& work = *entry.work;
  const Roofline& line = entry.roofline;
  if (!work.has_program) {
    environment.out << "\nRoofline: no FLOP are known, since the trace has no machine code.\n";
    return;
  }
  if (line.flop > 0 && !line.peaks_known) {
    environment.out << fmt::format("\nRoofline: {} FLOP; the peaks of {} are not known.\n",
                                   whole(line.flop), entry.machine);
    return;
  }
  if (line.roofs.empty()) {
    environment.out << "\nRoofline: the kernel does no floating-point arithmetic.\n";
    return;
  }
  const Roof& lowest = line.roofs[line.lowest];
  environment.out << fmt::format("\nRoofline: {} FLOP, at most {} a cycle and SM ({})",
                                 whole(line.flop), number(lowest.attainable), lowest.name);
  if (entry.staging->launch.device.clock_khz != 0) {
    const double hertz = 1e3 * entry.staging->launch.device.clock_khz;
    environment.out << fmt::format("; {:.2f} TFLOP/s on {:.0f} SMs at {:.2f} GHz",
                                   lowest.attainable * entry.sms * hertz / 1e12, entry.sms,
                                   hertz / 1e9);
  }
  environment.out << '\n';
  Table table({{"roof", true},
               {"serves a cycle", false},
               {"kernel needs", false},
               {"FLOP for each", false},
               {"FLOP a cycle", false},
               {"", true}});
  for (std::size_t i = 0; i < line.roofs.size(); ++i) {
    const Roof& roof = line.roofs[i];
    const bool is_lowest = i == line.lowest;
    table.add({{roof.name},
               {fmt::format("{} {}", number(roof.peak),
                            roof.unit + (roof.peak == 1 || roof.unit == "FLOP" ? "" : "s"))},
               {whole(roof.amount)},
               {number(roof.intensity)},
               {number(roof.attainable), is_lowest ? Style::warning : Style::plain},
               {is_lowest ? "<- lowest" : ""}});
  }
  environment.out << table.text(paint, environment.columns, 2);
  if (100 * work.uncertain > work.instructions) {
    environment.out << fmt::format(
        "  {} of the instructions lie on stretches with more than one possible way: the FLOP are "
        "an estimate.\n",
        percent(work.uncertain, work.instructions));
  }
}

}  // namespace

Status render_occupancy_text(const std::vector<OccupancyEntry>& entries, Environment& environment) {
  const Painter paint(environment.color);
  bool first = true;
  for (const OccupancyEntry& entry : entries) {
    if (!first) environment.out << '\n';
    first = false;
    const OccupancyResult& result = entry.result;
    const std::string what = entry.kernel.empty() ? "Block" : printable(entry.kernel);
    environment.out << fmt::format(
        "{}: {}, {}, {} of shared memory on {}\n", what, count_of(entry.block.threads, "thread"),
        entry.block.registers == 0 ? "unknown registers"
                                   : count_of(entry.block.registers, "register") + " a thread",
        count_of(entry.block.shared_bytes, "byte"), entry.machine);
    if (result.blocks == 0) {
      std::string why;
      for (const OccupancyLimiter limiter : result.limiters) {
        why += (why.empty() ? "" : " and ") + std::string(name(limiter));
      }
      environment.out << paint(Style::bad,
                               fmt::format("  does not fit: too much for one SM in {}\n", why));
    } else {
      environment.out << paint(
          Style::strong,
          fmt::format("  {} per SM: {} of {} warps, {:.0f} % occupancy\n",
                      count_of(result.blocks, "block"), result.warps, entry.limits.max_warps,
                      100.0 * result.fraction(entry.limits)));
    }
    environment.out << '\n';
    print_limits(entry, paint, environment);
    if (result.blocks > 0 && result.smallest_carveout != 0) {
      environment.out << fmt::format(
          "  Shared memory of the SM: {} of {} bytes in use; the smallest split that holds it is "
          "{}.\n",
          with_commas(result.blocks * result.shared_per_block), with_commas(result.carveout),
          with_commas(result.smallest_carveout));
    }
    environment.out << "\nResident blocks against shared bytes of a block\n";
    print_chart(shared_steps(entry.limits, entry.block), entry.block.shared_bytes, "bytes",
                result.warps_per_block, paint, environment);
    if (entry.block.registers != 0) {
      environment.out << "\nResident blocks against registers of a thread\n";
      print_chart(register_steps(entry.limits, entry.block), entry.block.registers, "registers",
                  result.warps_per_block, paint, environment);
    }
    if (entry.staging) {
      print_staging(entry, environment);
      print_roofline(entry, paint, environment);
    }
  }
  return {};
}

}  // namespace smemsim::cli
