#include "frontend/render_diff.hpp"

#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <ostream>

#include "frontend/paint.hpp"
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

}  // namespace

Status render_diff_text(const CounterDiff& diff, const MeasuredRun& run, const DiffView& view,
                        Environment& environment) {
  const Painter paint(environment.color);
  std::size_t agreeing = 0, counters = 0, lost = 0;
  for (const KernelComparison& kernel : diff.kernels) {
    agreeing += kernel.agrees() ? 1 : 0;
    counters += kernel.counters.size() + kernel.sites.size();
    for (const CounterComparison& row : kernel.counters) {
      lost += row.verdict == CounterVerdict::arbitration ? 1 : 0;
    }
  }
  environment.out << paint(diff.agrees() ? Style::good : Style::bad,
                           fmt::format("{} of {} agree", agreeing,
                                       count_of(diff.kernels.size(), "kernel")))
                  << fmt::format(" in {} with {}{}\n", count_of(counters, "counter"),
                                 run.device.empty() ? "the measurement" : printable(run.device),
                                 view.tolerance == 0
                                     ? ", to the last digit"
                                     : fmt::format(", within {} %", 100 * view.tolerance));
  for (const KernelComparison& kernel : diff.kernels) {
    environment.out << '\n' << paint(Style::strong, kernel_line(kernel)) << '\n';
    if (!kernel.sites.empty()) render_sites(kernel, paint, environment);
    if (kernel.counters.empty()) {
      if (kernel.sites.empty()) {
        environment.out << "  no shared-memory counter on either side\n";
      }
      continue;
    }
    Table table({{"counter", true, 0, 24},
                 {"predicted"},
                 {"measured"},
                 {"difference", false, 2},
                 {"relative", false, 1},
                 {"", true}});
    for (const CounterComparison& row : kernel.counters) {
      add_row(table, row.counter, row.predicted, row.measured, verdict_name(row.verdict),
              verdict_style(row.verdict));
    }
    environment.out << table.text(paint, environment.columns, 2);
  }
  if (lost != 0) {
    environment.out
        << "\narbitration: the pipe counter includes cycles that accesses lost to other "
           "users of the\ndata stage; the per-instruction counter of the same accesses "
           "is equal (docs/measurement.md)\n";
  }
  return {};
}

Status render_diff_json(const CounterDiff& diff, const MeasuredRun& run, const DiffView& view,
                        Environment& environment) {
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
  environment.out << json{{"schema", "smemsim/diff/1"},  {"trace", view.trace},
                          {"measured", view.measured},   {"device", run.device},
                          {"tolerance", view.tolerance}, {"agrees", diff.agrees()},
                          {"kernels", kernels}}
                         .dump(2, ' ', false, json::error_handler_t::replace)
                  << '\n';
  return {};
}

Status render_diff_csv(const CounterDiff& diff, const MeasuredRun&, const DiffView&,
                       Environment& environment) {
  environment.out << "kernel,counter,kind,quantity,predicted,measured,verdict,pc,instruction\n";
  for (const KernelComparison& kernel : diff.kernels) {
    for (const CounterComparison& row : kernel.counters) {
      environment.out << fmt::format("{},{},{},{},{},{},{},,\n", csv_field(kernel.kernel),
                                     row.counter, row.kind, row.quantity, row.predicted,
                                     row.measured, verdict_name(row.verdict));
    }
    for (const SiteComparison& row : kernel.sites) {
      environment.out << fmt::format(
          "{},,,{},{},{},{},{},{}\n", csv_field(kernel.kernel), row.quantity, row.predicted,
          row.measured, row.equal ? "equal" : "different", row.pc, csv_field(row.instruction));
    }
  }
  return {};
}

}  // namespace smemsim::cli
