#include "frontend/render_diff_cycles.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <ostream>

#include "frontend/paint.hpp"
#include "frontend/scatter.hpp"
#include "frontend/table.hpp"
#include "frontend/text.hpp"

namespace smemsim::cli {
namespace {

using Size = std::optional<CyclePair> CycleComparison::*;

std::string_view gap_text(CycleGap gap) {
  switch (gap) {
    case CycleGap::none:
      return "";
    case CycleGap::no_measurement:
      return "not measured";
    case CycleGap::no_clocks:
      return "no clocks measured";
    case CycleGap::no_clock_read:
      return "the traced kernel does not read the clock";
    case CycleGap::same_grid:
      return "the full size has the traced grid";
    case CycleGap::no_counters:
      return "smsp__inst_executed.sum is needed in both sizes";
    case CycleGap::other_work:
      break;
  }
  return "blocks of the full size do other work";
}

std::string cycles_text(double cycles) {
  return with_commas(static_cast<std::uint64_t>(std::llround(std::max(cycles, 0.0))));
}

std::string error_text(const CyclePair& pair) {
  return fmt::format("{:+.1f} %", 100 * pair.error());
}

std::string kernel_text(const CycleComparison& launch) {
  return printable(kernel_base_name(launch.kernel));
}

void print_wrapped(const std::string& text, Environment& environment) {
  const std::size_t width = environment.columns == 0 ? 100 : environment.columns;
  for (const std::string& line : wrap(text, std::max<std::size_t>(width, 20) - 2)) {
    environment.out << "  " << line << '\n';
  }
}

void print_table(const DiffResult& result, const Painter& paint, Environment& environment) {
  Table table({{"kernel", true, 0, 16},
               {"block"},
               {"measured"},
               {"p10..p90", false, 1},
               {"error"},
               {"SM"},
               {"measured"},
               {"error"},
               {"", true}});
  bool any = false, uncertain = false;
  for (const DiffEntry& entry : result.entries) {
    for (const CycleComparison& launch : entry.cycles) {
      if (!launch.block && !launch.sm) continue;
      any = true;
      uncertain = uncertain || launch.uncertain;
      std::vector<Cell> cells{{(launch.uncertain ? "* " : "  ") + kernel_text(launch)}};
      if (const auto& pair = launch.block) {
        cells.push_back({cycles_text(pair->predicted)});
        cells.push_back({cycles_text(pair->measured)});
        cells.push_back({cycles_text(pair->p10) + ".." + cycles_text(pair->p90)});
        cells.push_back({error_text(*pair), result.within(*pair) ? Style::plain : Style::bad});
      } else {
        cells.resize(5);
      }
      if (const auto& pair = launch.sm) {
        cells.push_back({cycles_text(pair->predicted)});
        cells.push_back({cycles_text(pair->measured)});
        cells.push_back({error_text(*pair)});
      } else {
        cells.resize(8);
      }
      cells.push_back({launch.block && !result.within(*launch.block) ? "beyond" : "", Style::bad});
      table.add(std::move(cells));
    }
  }
  if (any) environment.out << table.text(paint, environment.columns, 0);
  if (uncertain) {
    print_wrapped("* the trace does not decide all branches: its path may be another one",
                  environment);
  }
}

/// Kernels without a pair of cycles, a line for each reason.
void print_gaps(const DiffResult& result, CycleGap CycleComparison::*gap,
                std::initializer_list<CycleGap> reasons, std::string_view what,
                Environment& environment) {
  for (const CycleGap reason : reasons) {
    std::vector<std::pair<std::string, std::uint64_t>> kernels;  // with their launches
    for (const DiffEntry& entry : result.entries) {
      for (const CycleComparison& launch : entry.cycles) {
        if (launch.*gap != reason) continue;
        const std::string name = kernel_text(launch);
        const auto at = std::find_if(kernels.begin(), kernels.end(),
                                     [&](const auto& one) { return one.first == name; });
        if (at == kernels.end()) {
          kernels.emplace_back(name, 1);
        } else {
          ++at->second;
        }
      }
    }
    if (kernels.empty()) continue;
    std::string text = fmt::format("{}{}:", what, gap_text(reason));
    for (std::size_t i = 0; i < kernels.size(); ++i) {
      text += fmt::format("{} {}", i == 0 ? "" : ",", kernels[i].first);
      if (kernels[i].second > 1) {
        text += fmt::format(" ({})", count_of(kernels[i].second, "launch", "launches"));
      }
    }
    print_wrapped(text, environment);
  }
}

void print_statistics(const std::vector<CyclePair>& pairs, std::string_view what,
                      Environment& environment) {
  const CycleStatistics all = cycle_statistics(pairs);
  environment.out << fmt::format("\n{}: mean absolute error {:.1f} % of {}", what,
                                 100 * all.mean_absolute_error,
                                 count_of(all.kernels, "launch", "launches"));
  if (all.correlation) environment.out << fmt::format(", correlation {:.4f}", *all.correlation);
  environment.out << '\n';
  std::vector<ScatterPoint> points;
  points.reserve(pairs.size());
  for (const CyclePair& pair : pairs) points.push_back({pair.measured, pair.predicted});
  ScatterView view{"measured cycles", "predicted cycles"};
  constexpr std::size_t kFrame = 14;  // indent, numbers of millions and the axis
  if (environment.columns != 0) {
    view.width = std::clamp<std::size_t>(environment.columns, 20 + kFrame, 60 + kFrame) - kFrame;
  }
  environment.out << indent(scatter_text(points, view), 2);
}

void print_verdict(const DiffResult& result, const std::vector<CyclePair>& blocks,
                   const Painter& paint, Environment& environment) {
  const double most = *result.options.cycle_tolerance;
  if (blocks.empty()) {
    environment.out << '\n'
                    << paint(Style::warning, "no block time to hold against --cycle-tolerance")
                    << '\n';
    return;
  }
  const auto within = std::count_if(blocks.begin(), blocks.end(),
                                    [&](const CyclePair& pair) { return result.within(pair); });
  environment.out << '\n'
                  << paint(result.cycles_within() ? Style::good : Style::bad,
                           fmt::format("{} of {} within {} %", within,
                                       count_of(blocks.size(), "block time"), 100 * most))
                  << '\n';
}

nlohmann::json pair_json(const CyclePair& pair, bool block) {
  nlohmann::json out{{"predicted", pair.predicted},
                     {"measured", pair.measured},
                     {"error", pair.error()},
                     {"grid_blocks", pair.grid_blocks}};
  if (block) {
    out["p10"] = pair.p10;
    out["p90"] = pair.p90;
  }
  return out;
}

nlohmann::json statistics_json(const std::vector<CyclePair>& pairs) {
  const CycleStatistics all = cycle_statistics(pairs);
  nlohmann::json out{
      {"launches", all.kernels}, {"mean_absolute_error", nullptr}, {"correlation", nullptr}};
  if (all.kernels != 0) out["mean_absolute_error"] = all.mean_absolute_error;
  if (all.correlation) out["correlation"] = *all.correlation;
  return out;
}

std::string_view verdict_text(const DiffResult& result, const CyclePair& pair) {
  if (!result.options.cycle_tolerance) return "";
  return result.within(pair) ? "within" : "beyond";
}

}  // namespace

void print_cycles(const DiffResult& result, Environment& environment) {
  const Painter paint(environment.color);
  const auto blocks = result.pairs(&CycleComparison::block);
  const auto sms = result.pairs(&CycleComparison::sm);
  environment.out << '\n' << paint(Style::strong, "Cycles");
  environment.out << " of a block" << (sms.empty() ? "" : ", and of an SM in the full size");
  if (!result.options.ablate.empty()) {
    environment.out << fmt::format(", predicted without {}",
                                   fmt::join(result.options.ablate, ", "));
  }
  environment.out << '\n';
  print_table(result, paint, environment);
  print_gaps(result, &CycleComparison::block_gap,
             {CycleGap::no_measurement, CycleGap::no_clocks, CycleGap::no_clock_read}, "",
             environment);
  print_gaps(
      result, &CycleComparison::sm_gap,
      {CycleGap::no_clocks, CycleGap::same_grid, CycleGap::no_counters, CycleGap::other_work},
      "SM left out, ", environment);
  if (blocks.size() > 1) print_statistics(blocks, "Block", environment);
  if (sms.size() > 1) print_statistics(sms, "SM", environment);
  if (result.options.cycle_tolerance) print_verdict(result, blocks, paint, environment);
  for (const std::string& note : result.notes) environment.out << "note: " << note << '\n';
}

nlohmann::json cycles_json(const DiffResult& result) {
  using nlohmann::json;
  json launches = json::array();
  for (const DiffEntry& entry : result.entries) {
    for (const CycleComparison& launch : entry.cycles) {
      const auto dim = [](const Dim3& size) { return json{size.x, size.y, size.z}; };
      json one{{"trace", entry.trace},
               {"kernel", launch.kernel},
               {"launch", launch.launch_index},
               {"grid", dim(launch.grid)},
               {"block_size", dim(launch.block_size)},
               {"uncertain", launch.uncertain},
               {"block", nullptr},
               {"sm", nullptr}};
      if (launch.block) {
        one["block"] = pair_json(*launch.block, true);
        if (result.options.cycle_tolerance) {
          one["block"]["verdict"] = verdict_text(result, *launch.block);
        }
      } else {
        one["block_missing"] = gap_text(launch.block_gap);
      }
      if (launch.sm) {
        one["sm"] = pair_json(*launch.sm, false);
      } else {
        one["sm_missing"] = gap_text(launch.sm_gap);
      }
      launches.push_back(std::move(one));
    }
  }
  json out{{"launches", launches},
           {"block", statistics_json(result.pairs(&CycleComparison::block))},
           {"sm", statistics_json(result.pairs(&CycleComparison::sm))},
           {"ablated", result.options.ablate},
           {"tolerance", nullptr},
           {"notes", result.notes}};
  if (result.options.cycle_tolerance) out["tolerance"] = *result.options.cycle_tolerance;
  return out;
}

void print_cycles_csv(const DiffResult& result, Environment& environment) {
  const auto size_rows = [&](const CycleComparison& launch, const std::string& trace,
                             std::string_view kind, Size size, CycleGap gap) {
    const std::string kernel = csv_field(launch.kernel);
    const std::optional<CyclePair>& pair = launch.*size;
    if (!pair) {
      environment.out << fmt::format("{},clock64,{},cycles,,,{},,,{},,,,\n", kernel, kind,
                                     csv_field(gap_text(gap)), trace);
      return;
    }
    const bool block = size == &CycleComparison::block;
    environment.out << fmt::format("{},clock64,{},cycles,{},{},{},,,{},{},{},{},\n", kernel, kind,
                                   pair->predicted, pair->measured,
                                   block ? verdict_text(result, *pair) : "", trace,
                                   block ? fmt::format("{}", pair->p10) : "",
                                   block ? fmt::format("{}", pair->p90) : "", pair->error());
  };
  for (const DiffEntry& entry : result.entries) {
    const std::string trace = csv_field(entry.trace);
    for (const CycleComparison& launch : entry.cycles) {
      size_rows(launch, trace, "block", &CycleComparison::block, launch.block_gap);
      size_rows(launch, trace, "sm", &CycleComparison::sm, launch.sm_gap);
    }
  }
  for (const auto& [kind, size] :
       {std::pair("block", &CycleComparison::block), std::pair("sm", &CycleComparison::sm)}) {
    const CycleStatistics all = cycle_statistics(result.pairs(size));
    if (all.kernels < 2) continue;
    environment.out << fmt::format(",clock64,{},mean,,,,,,,,,{},{}\n", kind,
                                   all.mean_absolute_error,
                                   all.correlation ? fmt::format("{}", *all.correlation) : "");
  }
}

}  // namespace smemsim::cli
