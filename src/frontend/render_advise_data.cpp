// Advice for programs. docs/advise.md describes schema and columns.
#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <ostream>

#include "frontend/render_advise.hpp"
#include "frontend/text.hpp"

namespace smemsim::cli {
namespace {

using nlohmann::json;

std::string_view kind_name(LayoutChangeKind kind) {
  switch (kind) {
    case LayoutChangeKind::padding:
      return "padding";
    case LayoutChangeKind::row_xor:
      return "row_xor";
    case LayoutChangeKind::swizzle:
      return "swizzle";
  }
  return "";
}

std::string_view remainder_name(Remainder remainder) {
  switch (remainder) {
    case Remainder::none:
      return "none";
    case Remainder::atomics:
      return "atomics";
    case Remainder::gather:
      return "gather";
    case Remainder::sites_disagree:
      return "sites_disagree";
    case Remainder::not_found:
      return "not_found";
  }
  return "";
}

std::string_view check_name(LayoutCheck check) {
  switch (check) {
    case LayoutCheck::impossible:
      return "none";
    case LayoutCheck::text:
      return "text";
    case LayoutCheck::layout:
      return "layout";
    case LayoutCheck::differs:
      return "differs";
  }
  return "";
}

json change_json(const LayoutChange& change) {
  json out = {{"kind", kind_name(change.kind)}};
  if (change.kind != LayoutChangeKind::swizzle) out["pitch_bytes"] = change.pitch;
  if (change.kind == LayoutChangeKind::padding) out["pad_bytes"] = change.pad;
  if (change.kind == LayoutChangeKind::row_xor) {
    out["chunk_bytes"] = change.chunk;
    out["rows_per_step"] = change.rows;
    out["modulus"] = change.ways;
  }
  if (const auto bits = change.as_swizzle()) {
    out["swizzle_bytes"] = {{"bits", bits->bits}, {"base", bits->base}, {"shift", bits->shift}};
  }
  return out;
}

json cycles_json(const CyclePrediction& cycles) {
  return {{"before", cycles.before}, {"after", cycles.after}, {"speedup", cycles.speedup()}};
}

json kernel_cycles_json(const KernelPrediction& cycles) {
  json out = cycles_json(cycles.together);
  out["arrays"] = cycles.arrays;
  out["launches"] = cycles.launches;
  out["accesses_only"] = cycles.accesses_only;
  out["bottleneck"] = cycles.bottleneck;
  out["matters"] = cycles.together.matters();
  return out;
}

json proposal_json(const ShownProposal& shown) {
  const LayoutProposal& one = *shown.proposal;
  return {{"cycles", shown.cycles == nullptr ? json() : cycles_json(*shown.cycles)},
          {"change", change_json(one.change)},
          {"summary", shown.text.summary},
          {"declaration", shown.text.declaration},
          {"index", shown.text.index},
          {"cute_elements", shown.text.cute_elements},
          {"cute_bytes", shown.text.cute_bytes},
          {"wavefronts", one.wavefronts},
          {"site_wavefronts", one.site_wavefronts},
          {"extra_bytes", one.extra_bytes},
          {"blocks_before", one.blocks_before},
          {"blocks_after", one.blocks_after},
          {"confidence", shown.confidence},
          {"check", check_name(shown.check)},
          {"assumptions", shown.assumptions}};
}

json region_json(const AdviceView& view, const KernelAdvice& kernel, const RegionAdvice& region) {
  json sites = json::array();
  for (std::size_t s = 0; s < region.region.sites.size(); ++s) {
    const AccessSite& site = kernel.accesses.sites[region.region.sites[s]];
    sites.push_back({{"function", site.site.function},
                     {"pc", site.site.pc},
                     {"instruction", site.site.instruction},
                     {"file", site.site.file},
                     {"line", site.site.line},
                     {"operation", name(site.op)},
                     {"width", unsigned{site.width}},
                     {"matrices", unsigned{site.matrices}},
                     {"executed", site.executed},
                     {"wavefronts", region.site_wavefronts[s]},
                     {"ideal", region.site_ideal[s]}});
  }
  json proposals = json::array();
  for (const ShownProposal& shown : shown_proposals(view, kernel, region)) {
    proposals.push_back(proposal_json(shown));
  }
  return {{"array", region.region.name},
          {"base", region.region.base},
          {"bytes", region.region.bytes},
          {"element_bytes", region.region.element},
          {"widest_access", region.region.widest},
          {"wavefronts", region.wavefronts},
          {"ideal", region.ideal},
          {"excess", region.excess()},
          {"minor", kernel.is_minor(region)},
          {"verdict", verdict_text(kernel, region)},
          {"remainder", remainder_name(region.remainder)},
          {"layouts_tried", region.tried},
          {"assumptions", region.region.assumptions},
          {"sites", std::move(sites)},
          {"proposals", std::move(proposals)},
          {"rejected", rejected_reasons(view, kernel, region)}};
}

}  // namespace

Status render_advise_json(const AdviceReport& report, const AdviceView& view,
                          Environment& environment) {
  json kernels = json::array();
  for (const KernelAdvice& kernel : report.kernels) {
    const Launch& launch = kernel.accesses.launch;
    json arrays = json::array();
    for (const RegionAdvice& region : kernel.regions) {
      arrays.push_back(region_json(view, kernel, region));
    }
    const KernelPrediction* cycles = kernel_cycles(view, kernel);
    kernels.push_back(
        {{"kernel", kernel.accesses.kernel},
         {"cycles", cycles == nullptr ? json() : kernel_cycles_json(*cycles)},
         {"machine", kernel.accesses.machine->name},
         {"launches", kernel.accesses.launches},
         {"block", {launch.block.x, launch.block.y, launch.block.z}},
         {"shared_bytes", std::uint64_t{launch.static_shared} + launch.dynamic_shared},
         {"registers", view.registers != 0 ? view.registers : launch.registers},
         {"executed", kernel.accesses.executed},
         {"wavefronts", kernel.wavefronts},
         {"ideal", kernel.ideal},
         {"notes", kernel_notes(view, kernel)},
         {"arrays", std::move(arrays)}});
  }
  const json out = {{"schema", "smemsim/advise/1"},
                    {"input", view.input},
                    {"minor_percent", kMinorPercent},
                    {"notes", view.notes},
                    {"kernels", std::move(kernels)}};
  environment.out << out.dump(2, ' ', false, json::error_handler_t::replace) << '\n';
  return {};
}

Status render_advise_csv(const AdviceReport& report, const AdviceView& view,
                         Environment& environment) {
  environment.out << "kernel,array,base,bytes,rank,kind,declaration,index,cute_elements,cute_bytes,"
                     "site,operation,before,after,ideal,extra_bytes,blocks_before,blocks_after,"
                     "confidence,cycles_before,cycles_after\n";
  for (const KernelAdvice& kernel : report.kernels) {
    for (const RegionAdvice& region : kernel.regions) {
      const auto proposals = shown_proposals(view, kernel, region);
      for (std::size_t i = 0; i < proposals.size(); ++i) {
        const ShownProposal& shown = proposals[i];
        const LayoutProposal& one = *shown.proposal;
        for (std::size_t s = 0; s < region.region.sites.size(); ++s) {
          const AccessSite& site = kernel.accesses.sites[region.region.sites[s]];
          environment.out << fmt::format(
              "{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{}\n",
              csv_field(kernel.accesses.kernel), csv_field(region.region.name), region.region.base,
              region.region.bytes, i + 1, kind_name(one.change.kind),
              csv_field(shown.text.declaration), csv_field(shown.text.index),
              csv_field(shown.text.cute_elements), csv_field(shown.text.cute_bytes),
              csv_field(place_of(site)), name(site.op), region.site_wavefronts[s],
              one.site_wavefronts[s], region.site_ideal[s], one.extra_bytes, one.blocks_before,
              one.blocks_after, shown.confidence,
              shown.cycles == nullptr
                  ? ","
                  : fmt::format("{:.1f},{:.1f}", shown.cycles->before, shown.cycles->after));
        }
      }
    }
  }
  return {};
}

}  // namespace smemsim::cli
