// Advice for people: for each array the verdict, then the proposals, then where they change what.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <ostream>

#include "frontend/paint.hpp"
#include "frontend/render_advise.hpp"
#include "frontend/render_report.hpp"
#include "frontend/table.hpp"
#include "frontend/text.hpp"

namespace smemsim::cli {
namespace {

std::size_t room(const Environment& environment) {
  return environment.columns == 0 ? 0 : std::max(environment.columns, 40U);
}

std::string paragraph(const std::string& text, std::size_t width, std::size_t indent) {
  std::string out;
  for (const std::string& line : wrap(text, width == 0 ? std::string::npos : width - indent - 2)) {
    out += std::string(out.empty() ? indent : indent + 2, ' ') + line + '\n';
  }
  return out;
}

std::string times(std::uint64_t before, std::uint64_t after) {
  if (after == 0) return "";
  return fmt::format(" ({:.2f}x fewer)", static_cast<double>(before) / static_cast<double>(after));
}

std::string blocks_text(const LayoutProposal& one) {
  if (one.blocks_before == one.blocks_after) {
    return fmt::format("still {} an SM", count_of(one.blocks_after, "block"));
  }
  return fmt::format("{} blocks an SM instead of {}", one.blocks_after, one.blocks_before);
}

std::string cycles_text(const CyclePrediction& cycles) {
  const auto whole = [](double x) {
    return with_commas(static_cast<std::uint64_t>(std::llround(x)));
  };
  return fmt::format("{} -> {} cycles of an SM ({:.2f}x{})", whole(cycles.before),
                     whole(cycles.after), cycles.speedup(),
                     cycles.speedup() > 1.005   ? " faster"
                     : cycles.speedup() < 0.995 ? ", slower"
                                                : "");
}

/// Whether the proposals are worth it, in time.
std::string prediction_text(const KernelPrediction& cycles) {
  std::string out;
  if (cycles.arrays > 1) {
    out = fmt::format("The first proposals of all {} together: {}.",
                      count_of(cycles.arrays, "array"), cycles_text(cycles.together));
  }
  if (!cycles.together.matters()) {
    out += fmt::format(
        "{}It will hardly matter: the conflicts hide behind what decides the kernel's time ({}).",
        out.empty() ? "" : " ", printable(cycles.bottleneck));
  }
  return out;
}

std::string proposal_text(const ShownProposal& shown, std::size_t number,
                          const RegionAdvice& region, const Painter& paint, std::size_t width) {
  const LayoutProposal& one = *shown.proposal;
  std::string out = fmt::format(
      "  {}. {}\n", number,
      paint(Style::strong, fmt::format("{}: {} -> {} wavefronts{}", shown.text.summary,
                                       with_commas(region.wavefronts), with_commas(one.wavefronts),
                                       times(region.wavefronts, one.wavefronts))));
  out += "       " + printable(shown.text.declaration) + '\n';
  out += "       " + printable(shown.text.index) + '\n';
  if (!shown.text.cute_bytes.empty()) {
    out += paragraph(fmt::format("CuTe: {} on elements, {} on bytes", shown.text.cute_elements,
                                 shown.text.cute_bytes),
                     width, 5);
  }
  out += paragraph(
      fmt::format("cost: {}, {}",
                  one.extra_bytes == 0 ? "no extra bytes" : count_of(one.extra_bytes, "extra byte"),
                  blocks_text(one)),
      width, 5);
  if (shown.cycles != nullptr) {
    out += paragraph("predicted: " + cycles_text(*shown.cycles), width, 5);
  }
  if (shown.check == LayoutCheck::text) {
    out += paragraph("checked: the text with this change was run and takes what is promised", width,
                     5);
  } else if (shown.check == LayoutCheck::layout) {
    out += paragraph("checked: the text was run with the array laid out so", width, 5);
  }
  for (const std::string& text : shown.assumptions) {
    out += paragraph("assumes: " + printable(text), width, 5);
  }
  return out;
}

std::string site_table(const KernelAdvice& kernel, const RegionAdvice& region,
                       const std::vector<ShownProposal>& proposals, const Painter& paint,
                       std::size_t width) {
  std::vector<Column> columns{{"now", false, 0, 0}, {"ideal", false, 0, 0}};
  for (std::size_t i = 0; i < proposals.size(); ++i) {
    columns.push_back({fmt::format("with {}", i + 1), false, 0, 0});
  }
  columns.push_back({"executed", false, 1, 0});
  columns.push_back({"access", true, 2, 0});
  columns.push_back({"site", true, 0, 12});
  Table table(std::move(columns));
  for (std::size_t s = 0; s < region.region.sites.size(); ++s) {
    const AccessSite& site = kernel.accesses.sites[region.region.sites[s]];
    std::vector<Cell> cells{{with_commas(region.site_wavefronts[s]), Style::plain},
                            {with_commas(region.site_ideal[s]), Style::plain}};
    for (const ShownProposal& shown : proposals) {
      const std::uint64_t after = shown.proposal->site_wavefronts[s];
      const Style style = after == region.site_ideal[s]       ? Style::good
                          : after > region.site_wavefronts[s] ? Style::bad
                                                              : Style::plain;
      cells.push_back({with_commas(after), style});
    }
    cells.push_back({with_commas(site.executed), Style::plain});
    cells.push_back({access_text(site.op, site.width, site.matrices), Style::plain});
    std::string where = place_of(site);
    if (site.site.line != 0 && !site.site.file.empty() && !site.site.instruction.empty()) {
      where += ' ' + printable(site.site.instruction);
    }
    cells.push_back({where, Style::plain});
    table.add(std::move(cells));
  }
  return table.text(paint, width, 2);
}

void print_region(const AdviceView& view, const KernelAdvice& kernel, const RegionAdvice& region,
                  Environment& environment) {
  const Painter paint(environment.color);
  const std::size_t width = room(environment);
  std::ostream& out = environment.out;
  std::string title = region_title(region.region);
  if (const ArrayText* declared = view.arrays.text(region.region.name)) {
    title += ", " + printable(declared->type);
    for (const std::uint64_t extent : declared->extents) {
      title += extent == 0 ? "[]" : fmt::format("[{}]", extent);
    }
  }
  out << '\n'
      << paint(Style::strong, title) << ", " << count_of(region.region.bytes, "byte") << '\n'
      << paragraph(verdict_text(kernel, region), width, 2);
  const std::vector<ShownProposal> proposals = shown_proposals(view, kernel, region);
  for (std::size_t i = 0; i < proposals.size(); ++i) {
    out << '\n' << proposal_text(proposals[i], i + 1, region, paint, width);
  }
  const std::size_t more = region.proposals.size() - proposals.size();
  if (more != 0) {
    out << "     " << paint(Style::faint, fmt::format("{} more with --top", more)) << '\n';
  }
  const auto rejected = rejected_reasons(view, kernel, region);
  if (!rejected.empty()) out << '\n';
  for (const std::string& text : rejected) out << paragraph("not: " + printable(text), width, 2);
  if (region.excess() != 0) {
    out << '\n' << site_table(kernel, region, proposals, paint, width);
  }
}

}  // namespace

Status render_advise_text(const AdviceReport& report, const AdviceView& view,
                          Environment& environment) {
  const std::size_t width = room(environment);
  bool first = true;
  for (const KernelAdvice& kernel : report.kernels) {
    if (!first) environment.out << '\n';
    first = false;
    const Launch& launch = kernel.accesses.launch;
    environment.out << fmt::format("{}: {} wavefronts, {} ideal; block {}x{}x{}, costs of {}\n",
                                   printable(kernel.accesses.kernel),
                                   with_commas(kernel.wavefronts), with_commas(kernel.ideal),
                                   launch.block.x, launch.block.y, launch.block.z,
                                   printable(kernel.accesses.machine->name));
    if (kernel.regions.empty()) {
      environment.out << "  No access to an array in shared memory.\n";
    }
    for (const RegionAdvice& region : kernel.regions) {
      print_region(view, kernel, region, environment);
    }
    if (const KernelPrediction* cycles = kernel_cycles(view, kernel)) {
      const std::string text = prediction_text(*cycles);
      if (!text.empty()) environment.out << '\n' << paragraph(text, width, 0);
    }
    const auto notes = kernel_notes(view, kernel);
    if (!notes.empty()) environment.out << '\n';
    for (const std::string& note : notes) {
      environment.out << paragraph("note: " + printable(note), width, 0);
    }
  }
  if (report.kernels.empty()) environment.out << "No kernel.\n";
  for (const std::string& note : view.notes) {
    environment.out << paragraph("note: " + printable(note), width, 0);
  }
  return {};
}

}  // namespace smemsim::cli
