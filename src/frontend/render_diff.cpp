#include "frontend/render_diff.hpp"

#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <ostream>

#include "frontend/paint.hpp"
#include "frontend/render_diff_cycles.hpp"
#include "frontend/table.hpp"
#include "frontend/text.hpp"

namespace smemsim::cli {
namespace {

std::string_view verdict_name(CounterVerdict verdict) {
  switch (verdict) {
    case CounterVerdict::equal:
      return "equal";
    case CounterVerdict::arbitration:
      return "arbitration";
    case CounterVerdict::different:
      break;
  }
  return "different";
}

Style verdict_style(CounterVerdict verdict) {
  return verdict == CounterVerdict::equal         ? Style::good
         : verdict == CounterVerdict::arbitration ? Style::warning
                                                  : Style::bad;
}

/// Whole numbers with commas; scaled predictions may have a fraction.
std::string count_text(double value) {
  const bool whole = value == std::floor(value) && value >= 0;
  return whole ? with_commas(static_cast<std::uint64_t>(value)) : fmt::format("{:.1f}", value);
}

std::string kernel_line(const KernelComparison& kernel) {
  std::string out = fmt::format("{} ({}", printable(kernel_base_name(kernel.kernel)),
                                count_of(kernel.launches, "launch", "launches"));
  if (kernel.scaled()) {
    out += fmt::format(", scaled from {} of {} blocks", with_commas(kernel.recorded_blocks),
                       with_commas(kernel.launched_blocks));
  }
  out += ')';
  if (kernel.unmatched != 0) {
    out +=
        fmt::format(": {} without a measurement", count_of(kernel.unmatched, "launch", "launches"));
  }
  if (kernel.unmodelled != 0) {
    out += fmt::format(": {} unmodelled executions", with_commas(kernel.unmodelled));
  }
  if (kernel.unmatched_sites != 0) {
    out += fmt::format(": {} not on the source page (another build?)",
                       count_of(kernel.unmatched_sites, "instruction"));
  }
  return out;
}

/// Rows of a table; measurements of instructions stand below those of kernels.
void add_row(Table& table, const std::string& what, double predicted, double measured,
             std::string_view verdict, Style style) {
  const double difference = predicted - measured;
  const double relative =
      difference == 0 ? 0 : std::abs(difference) / (measured == 0 ? 0.0 : std::abs(measured));
  table.add({{what},
             {count_text(predicted)},
             {count_text(measured)},
             {fmt::format("{:+.6g}", difference)},
             {fmt::format("{:.3g} %", 100 * relative)},
             {std::string(verdict), style}});
}

std::string site_text(const SiteComparison& row) {
  return fmt::format("0x{:04x} {}", row.pc, printable(row.instruction));
}

void render_sites(const KernelComparison& kernel, const Painter& paint, Environment& environment) {
  Table table({{"instruction", true, 0, 24},
               {"predicted"},
               {"measured"},
               {"difference", false, 2},
               {"relative", false, 1},
               {"", true}});
  // Instructions that agree take one row, with their wavefronts.
  for (std::size_t begin = 0, end = 0; begin < kernel.sites.size(); begin = end) {
    bool equal = true;
    const SiteComparison* shown = &kernel.sites[begin];
    for (; end < kernel.sites.size() && kernel.sites[end].pc == kernel.sites[begin].pc; ++end) {
      equal = equal && kernel.sites[end].equal;
      if (kernel.sites[end].quantity == "wavefronts") shown = &kernel.sites[end];
    }
    if (equal) {
      add_row(table, site_text(*shown) + ", " + shown->quantity, shown->predicted, shown->measured,
              "equal", Style::good);
      continue;
    }
    for (std::size_t i = begin; i < end; ++i) {
      const SiteComparison& row = kernel.sites[i];
      if (row.equal) continue;
      add_row(table, site_text(row) + ", " + row.quantity, row.predicted, row.measured, "different",
              Style::bad);
    }
  }
  environment.out << table.text(paint, environment.columns, 2);
}

/// Everything about one kernel. Returns whether counters of it lost arbitration.
bool render_kernel(const KernelComparison& kernel, const std::string& heading, const Painter& paint,
                   Environment& environment) {
  environment.out << '\n' << paint(Style::strong, heading) << '\n';
  if (!kernel.sites.empty()) render_sites(kernel, paint, environment);
  if (kernel.counters.empty()) {
    if (kernel.sites.empty()) environment.out << "  no shared-memory counter on either side\n";
    return false;
  }
  Table table({{"counter", true, 0, 24},
               {"predicted"},
               {"measured"},
               {"difference", false, 2},
               {"relative", false, 1},
               {"", true}});
  bool lost = false;
  for (const CounterComparison& row : kernel.counters) {
    lost = lost || row.verdict == CounterVerdict::arbitration;
    add_row(table, row.counter, row.predicted, row.measured, verdict_name(row.verdict),
            verdict_style(row.verdict));
  }
  environment.out << table.text(paint, environment.columns, 2);
  return lost;
}

nlohmann::json kernels_json(const CounterDiff& diff) {
  using nlohmann::json;
  json kernels = json::array();
  for (const KernelComparison& kernel : diff.kernels) {
    json counters = json::array();
    for (const CounterComparison& row : kernel.counters) {
      counters.push_back({{"counter", row.counter},
                          {"kind", row.kind},
                          {"quantity", row.quantity},
                          {"predicted", row.predicted},
                          {"measured", row.measured},
                          {"verdict", verdict_name(row.verdict)}});
    }
    json sites = json::array();
    for (const SiteComparison& row : kernel.sites) {
      sites.push_back({{"pc", row.pc},
                       {"instruction", row.instruction},
                       {"quantity", row.quantity},
                       {"predicted", row.predicted},
                       {"measured", row.measured},
                       {"verdict", row.equal ? "equal" : "different"}});
    }
    kernels.push_back({{"kernel", kernel.kernel},
                       {"launches", kernel.launches},
                       {"unmatched_launches", kernel.unmatched},
                       {"recorded_blocks", kernel.recorded_blocks},
                       {"launched_blocks", kernel.launched_blocks},
                       {"unmodelled", kernel.unmodelled},
                       {"agrees", kernel.agrees()},
                       {"counters", counters},
                       {"sites", sites},
                       {"unmatched_sites", kernel.unmatched_sites}});
  }
  return kernels;
}

nlohmann::json entry_json(const DiffEntry& entry) {
  return {{"trace", entry.trace},
          {"measured", entry.measured},
          {"device", entry.device},
          {"agrees", entry.counters.agrees()},
          {"kernels", kernels_json(entry.counters)}};
}

}  // namespace

Status render_diff_text(const DiffResult& result, Environment& environment) {
  const Painter paint(environment.color);
  const bool suite = result.entries.size() > 1;
  std::size_t kernels = 0, agreeing = 0, counters = 0;
  std::string device = result.entries.front().device;
  for (const DiffEntry& entry : result.entries) {
    if (entry.device != device) device.clear();
    kernels += entry.counters.kernels.size();
    for (const KernelComparison& kernel : entry.counters.kernels) {
      agreeing += kernel.agrees() ? 1 : 0;
      counters += kernel.counters.size() + kernel.sites.size();
    }
  }
  const double tolerance = result.options.tolerance;
  environment.out << paint(result.agrees() ? Style::good : Style::bad,
                           fmt::format("{} of {} agree", agreeing, count_of(kernels, "kernel")))
                  << fmt::format(" in {} with {}{}\n", count_of(counters, "counter"),
                                 !device.empty() ? printable(device)
                                 : suite         ? "the measurements"
                                                 : "the measurement",
                                 tolerance == 0 ? ", to the last digit"
                                                : fmt::format(", within {} %", 100 * tolerance));
  bool lost = false;
  for (const DiffEntry& entry : result.entries) {
    for (const KernelComparison& kernel : entry.counters.kernels) {
      if (suite && kernel.agrees()) continue;
      const std::string heading =
          suite ? printable(entry.trace) + ": " + kernel_line(kernel) : kernel_line(kernel);
      lost = render_kernel(kernel, heading, paint, environment) || lost;
    }
  }
  if (lost) {
    environment.out
        << "\narbitration: the pipe counter includes cycles that accesses lost to other "
           "users of the\ndata stage; the per-instruction counter of the same accesses "
           "is equal (docs/measurement.md)\n";
  }
  if (result.options.cycles) print_cycles(result, environment);
  return {};
}

Status render_diff_json(const DiffResult& result, Environment& environment) {
  using nlohmann::json;
  json root;
  if (result.entries.size() == 1) {
    root = entry_json(result.entries.front());
  } else {
    root["agrees"] = result.agrees();
    for (const DiffEntry& entry : result.entries) root["traces"].push_back(entry_json(entry));
  }
  root["schema"] = "smemsim/diff/1";
  root["tolerance"] = result.options.tolerance;
  if (result.options.cycles) root["cycles"] = cycles_json(result);
  environment.out << root.dump(2, ' ', false, json::error_handler_t::replace) << '\n';
  return {};
}

Status render_diff_csv(const DiffResult& result, Environment& environment) {
  environment.out << "kernel,counter,kind,quantity,predicted,measured,verdict,pc,instruction,trace,"
                     "p10,p90,error,correlation\n";
  for (const DiffEntry& entry : result.entries) {
    const std::string trace = csv_field(entry.trace);
    for (const KernelComparison& kernel : entry.counters.kernels) {
      for (const CounterComparison& row : kernel.counters) {
        environment.out << fmt::format("{},{},{},{},{},{},{},,,{},,,,\n", csv_field(kernel.kernel),
                                       row.counter, row.kind, row.quantity, row.predicted,
                                       row.measured, verdict_name(row.verdict), trace);
      }
      for (const SiteComparison& row : kernel.sites) {
        environment.out << fmt::format("{},,,{},{},{},{},{},{},{},,,,\n", csv_field(kernel.kernel),
                                       row.quantity, row.predicted, row.measured,
                                       row.equal ? "equal" : "different", row.pc,
                                       csv_field(row.instruction), trace);
      }
    }
  }
  if (result.options.cycles) print_cycles_csv(result, environment);
  return {};
}

}  // namespace smemsim::cli
