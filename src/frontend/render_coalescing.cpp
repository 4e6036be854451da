#include "frontend/render_coalescing.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <ostream>

#include "frontend/table.hpp"
#include "frontend/text.hpp"

namespace smemsim::cli {

namespace {

using nlohmann::json;

std::string place(const Site& site) {
  if (site.line != 0 && site.file.empty()) return fmt::format("line {}", site.line);
  if (site.line != 0) return fmt::format("{}:{}", printable(site.file), site.line);
  return fmt::format("0x{:x}", site.pc);
}

json totals_json(const SectorTotals& totals) {
  return {{"requests", totals.requests}, {"sectors", totals.sectors},
          {"ideal", totals.ideal},       {"excess", totals.excess()},
          {"lines", totals.lines},       {"ideal_lines", totals.ideal_lines},
          {"bytes", totals.bytes}};
}

}  // namespace

Status render_coalescing_text(const CoalescingReport& report, Environment& environment) {
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
                 {"source", true, 2, 16}});
    for (const SiteCoalescing& site : kernel.sites) {
      const SectorTotals& t = site.totals;
      table.add({{place(site.site)},
                 {fmt::format("{} {}", name(site.op), site.width)},
                 {with_commas(t.requests)},
                 {mean(t.sectors, t.requests)},
                 {mean(t.ideal, t.requests)},
                 {mean(t.lines, t.requests)},
                 {with_commas(t.excess()), t.excess() > 0 ? Style::warning : Style::plain},
                 {printable(site.site.instruction)}});
    }
    environment.out << table.text(paint, environment.columns, 2);
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
                     "instruction\n";
  for (const KernelCoalescing& kernel : report.kernels) {
    for (const SiteCoalescing& site : kernel.sites) {
      const SectorTotals& t = site.totals;
      environment.out << fmt::format(
          "{},{},{},{},{},{},{},{},{},{},{},{}\n", csv_field(kernel.kernel),
          csv_field(place(site.site)), name(site.op), site.width, t.requests, t.sectors, t.ideal,
          t.excess(), t.lines, t.ideal_lines, t.bytes, csv_field(site.site.instruction));
    }
  }
  return {};
}

}  // namespace smemsim::cli
