#include "frontend/render_coalescing.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <ostream>

#include "frontend/table.hpp"
#include "frontend/text.hpp"

namespace smemsim::cli {

namespace {

using nlohmann::json;

json totals_json(const SectorTotals& totals) {
  return {{"requests", totals.requests}, {"sectors", totals.sectors},
          {"ideal", totals.ideal},       {"excess", totals.excess()},
          {"lines", totals.lines},       {"ideal_lines", totals.ideal_lines},
          {"bytes", totals.bytes}};
}

}  // namespace

std::string coalescing_place(const Site& site) {
  if (site.line != 0 && site.file.empty()) return fmt::format("line {}", site.line);
  if (site.line != 0) return fmt::format("{}:{}", printable(site.file), site.line);
  return fmt::format("0x{:x}", site.pc);
}

Status render_coalescing_text(const CoalescingReport& report, Environment& environment,
                              std::size_t top) {
  const Painter paint(environment.color);
  for (const KernelCoalescing& kernel : report.kernels) {
    const SectorTotals& totals = kernel.totals;
    environment.out << fmt::format(
        "Global memory of {}: {} 32-byte sectors in {}, {} would do ({} excess)\n",
        printable(kernel.kernel), with_commas(totals.sectors), count_of(totals.requests, "request"),
        with_commas(totals.ideal), with_commas(totals.excess()));
    Table table({{"place", true, 0, 12},
                 {"access", true},
                 {"requests", false, 1},
                 {"sectors/request", false},
                 {"ideal", false},
                 {"lines/request", false, 1},
                 {"excess", false},
                 {"share", false, 1},
                 {"source", true, 2, 16}});
    const std::size_t shown = top == 0 ? kernel.sites.size() : std::min(top, kernel.sites.size());
    for (std::size_t i = 0; i < shown; ++i) {
      const SiteCoalescing& site = kernel.sites[i];
      const SectorTotals& t = site.totals;
      table.add({{coalescing_place(site.site)},
                 {site.width == 0 ? std::string(name(site.op))
                                  : fmt::format("{} {}", name(site.op), site.width)},
                 {with_commas(t.requests)},
                 {mean(t.sectors, t.requests)},
                 {mean(t.ideal, t.requests)},
                 {mean(t.lines, t.requests)},
                 {with_commas(t.excess()), t.excess() > 0 ? Style::warning : Style::plain},
                 {percent(t.sectors, totals.sectors)},
                 {printable(site.site.instruction)}});
    }
    environment.out << table.text(paint, environment.columns, 2);
    if (shown < kernel.sites.size()) {
      environment.out << fmt::format("  ... {} more (--top 0 shows all)\n",
                                     count_of(kernel.sites.size() - shown, "site"));
    }
  }
  return {};
}

Status render_coalescing_report(const CoalescingReport& report, const std::string& trace,
                                std::size_t top, Environment& environment) {
  const std::string name = trace == "-" ? "standard input" : printable(trace);
  if (report.kernels.empty()) {
    environment.out << fmt::format("{}: no access to global memory was recorded\n", name);
    return {};
  }
  environment.out << fmt::format(
      "{}: {}, {} of {} global sectors ({}) are excess\n\n", name,
      count_of(report.kernels.size(), "kernel"), with_commas(report.totals.excess()),
      with_commas(report.totals.sectors), percent(report.totals.excess(), report.totals.sectors));
  SMEMSIM_TRY(render_coalescing_text(report, environment, top));
  environment.out << '\n';
  for (const std::string& line : wrap(
           "sector: 32 bytes of global memory, the least that moves. request: one instruction of a "
           "warp. ideal: the sectors if the bytes that its lanes touch lay side by side. excess = "
           "sectors - ideal; caches may serve some of it. share: of the kernel's sectors.",
           environment.columns == 0 ? 100 : std::min(100U, environment.columns))) {
    environment.out << line << '\n';
  }
  return {};
}

Status render_coalescing_json(const CoalescingReport& report, Environment& environment) {
  json out = {{"schema", "smemsim/coalescing/1"}, {"totals", totals_json(report.totals)}};
  out["kernels"] = json::array();
  for (const KernelCoalescing& kernel : report.kernels) {
    json row = {{"kernel", printable(kernel.kernel)},
                {"launches", kernel.launches},
                {"totals", totals_json(kernel.totals)}};
    row["sites"] = json::array();
    for (const SiteCoalescing& site : kernel.sites) {
      json entry = totals_json(site.totals);
      entry["function"] = printable(site.site.function);
      entry["pc"] = site.site.pc;
      entry["instruction"] = printable(site.site.instruction);
      entry["file"] = printable(site.site.file);
      entry["line"] = site.site.line;
      entry["op"] = name(site.op);
      entry["width"] = site.width;
      entry["sectors_worst"] = site.worst_sectors;
      row["sites"].push_back(std::move(entry));
    }
    out["kernels"].push_back(std::move(row));
  }
  environment.out << out.dump(2) << '\n';
  return {};
}

Status render_coalescing_csv(const CoalescingReport& report, Environment& environment) {
  environment.out << "kernel,place,op,width,requests,sectors,ideal,excess,lines,ideal_lines,bytes,"
                     "sectors_worst,instruction\n";
  for (const KernelCoalescing& kernel : report.kernels) {
    for (const SiteCoalescing& site : kernel.sites) {
      const SectorTotals& t = site.totals;
      environment.out << fmt::format(
          "{},{},{},{},{},{},{},{},{},{},{},{},{}\n", csv_field(kernel.kernel),
          csv_field(coalescing_place(site.site)), name(site.op), site.width, t.requests, t.sectors,
          t.ideal, t.excess(), t.lines, t.ideal_lines, t.bytes, site.worst_sectors,
          csv_field(site.site.instruction));
    }
  }
  return {};
}

}  // namespace smemsim::cli
