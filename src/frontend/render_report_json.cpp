// The report for programs. docs/report.md describes the schema; keys are sorted, so that equal
// reports are equal bytes.
#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <ostream>

#include "frontend/render_report.hpp"
#include "frontend/text.hpp"

namespace smemsim::cli {
namespace {

using nlohmann::json;

double ratio(std::uint64_t part, std::uint64_t whole) {
  return whole == 0 ? 0.0 : static_cast<double>(part) / static_cast<double>(whole);
}

json totals_json(const ConflictTotals& t) {
  return {{"executed", t.executed},     {"active_lanes", t.active_lanes},
          {"wavefronts", t.wavefronts}, {"ideal", t.ideal},
          {"excess", t.excess()},       {"conflicts", t.conflicts},
          {"cycles", t.cycles},         {"passes", t.passes},
          {"merged", t.merged},         {"multicast", t.multicast},
          {"unmodelled", t.unmodelled}, {"uncounted", t.uncounted},
          {"bypass", t.bypass},         {"partial", t.partial}};
}

json kind_json(const ConflictTotals& totals, const CounterNames& names) {
  json out = totals_json(totals);
  out["kind"] = names.kind;
  json counters = json::object();
  const auto add = [&](std::string_view counter, std::uint64_t value) {
    if (!counter.empty()) counters[std::string(counter)] = value;
  };
  add(names.instructions, totals.executed);
  add(names.wavefronts, totals.wavefronts);
  add(names.conflicts, totals.conflicts);
  out["counters"] = std::move(counters);
  return out;
}

json worst_json(const WorstAccess& worst) {
  json addresses = json::array();
  for (unsigned lane = 0; lane < worst.shape.offsets.size(); ++lane) {
    addresses.push_back(has_lane(worst.shape.active, lane)
                            ? json(lane_address(worst.shape, worst.event, lane))
                            : json());
  }
  const AccessCost& cost = worst.cost;
  return {{"launch", worst.launch_index},
          {"block", worst.block},
          {"warp", worst.warp},
          {"active_mask", fmt::format("0x{:x}", worst.shape.active)},
          {"addresses", std::move(addresses)},
          {"wavefronts", cost.wavefronts},
          {"ideal", cost.ideal},
          {"excess", cost.excess()},
          {"ways", cost.ways},
          {"passes", cost.passes},
          {"merged", cost.merged}};
}

json site_json(const SiteConflicts& row, const KernelConflicts& kernel) {
  json out = totals_json(row.totals);
  out["site"] = row.number;
  out["function"] = printable(row.site.function);
  out["pc"] = row.site.pc;
  out["instruction"] = printable(row.site.instruction);
  out["file"] = printable(row.site.file);
  out["line"] = row.site.line;
  out["op"] = name(row.op);
  out["width"] = row.width;
  out["matrices"] = row.matrices;
  out["wavefronts_min"] = row.least_wavefronts;
  out["wavefronts_max"] = row.most_wavefronts;
  out["ways_mean"] = ratio(row.ways_sum, row.costed());
  out["ways_worst"] = row.worst_ways;
  out["share"] = ratio(row.totals.wavefronts, kernel.totals.wavefronts);
  out["why"] = site_reason(row, kernel);
  json histogram = json::array();
  for (const auto& [wavefronts, executions] : row.histogram) {
    histogram.push_back({{"wavefronts", wavefronts}, {"executions", executions}});
  }
  out["histogram"] = std::move(histogram);
  out["worst"] = worst_json(row.worst);
  return out;
}

/// The sites of each source line together.
json lines_json(const KernelConflicts& kernel) {
  json out = json::array();
  for (const LineConflicts& line : lines_of(kernel)) {
    json entry = totals_json(line.totals);
    entry["file"] = printable(line.sites.front()->site.file);
    entry["line"] = line.sites.front()->site.line;
    json sites = json::array();
    for (const SiteConflicts* row : line.sites) sites.push_back(row->number);
    entry["sites"] = std::move(sites);
    entry["share"] = ratio(line.totals.wavefronts, kernel.totals.wavefronts);
    out.push_back(std::move(entry));
  }
  return out;
}

json kernel_json(const KernelConflicts& kernel, const ReportView& view) {
  const auto dims = [](const Dim3& size) { return json::array({size.x, size.y, size.z}); };
  json kinds = json::array();
  for (std::size_t kind = 0; kind < kAccessKinds; ++kind) {
    if (kernel.kinds[kind].executed == 0) continue;
    kinds.push_back(kind_json(kernel.kinds[kind], counter_names(static_cast<AccessKind>(kind))));
  }
  json sites = json::array();
  for (const SiteConflicts* row : shown_sites(kernel, view)) {
    if (!view.site || row->number == *view.site) sites.push_back(site_json(*row, kernel));
  }
  json not_costed = json::object();
  for (const auto& [op, count] : kernel.not_costed) not_costed[std::string(name(op))] = count;
  const Launch& launch = kernel.launch;
  return {{"kernel", printable(kernel.kernel)},
          {"function", printable(launch.function)},
          {"machine", printable(kernel.machine)},
          {"device", printable(launch.device.name)},
          {"launches", kernel.launches},
          {"first_launch", launch.launch_index},
          {"grid", dims(launch.grid)},
          {"block", dims(launch.block)},
          {"static_shared", launch.static_shared},
          {"dynamic_shared", launch.dynamic_shared},
          {"blocks_launched", kernel.launched_blocks},
          {"blocks_recorded", kernel.recorded_blocks},
          {"dropped_events", kernel.dropped_events},
          {"total", kind_json(kernel.totals, total_counter_names())},
          {"kinds", std::move(kinds)},
          {"lines", lines_json(kernel)},
          {"not_costed", std::move(not_costed)},
          {"sites", std::move(sites)}};
}

}  // namespace

Status render_report_json(const ConflictReport& report, const ReportView& view,
                          Environment& environment) {
  json kernels = json::array();
  for (const KernelConflicts& kernel : report.kernels) kernels.push_back(kernel_json(kernel, view));
  json notes = json::array();
  for (const std::string& note : view.notes) notes.push_back(printable(note));
  const json out{{"schema", "smemsim/report/1"},
                 {"tool", {{"name", "smemsim"}, {"version", SMEMSIM_VERSION}}},
                 {"trace", printable(view.trace.substr(view.trace.rfind('/') + 1))},
                 {"notes", std::move(notes)},
                 {"total", totals_json(report.totals)},
                 {"kernels", std::move(kernels)}};
  environment.out << out.dump(2) << '\n';
  return {};
}

}  // namespace smemsim::cli
