// Advice in words: verdicts and reasons.
#include <fmt/format.h>

#include <algorithm>

#include "frontend/advise_text.hpp"
#include "frontend/text.hpp"

namespace smemsim::cli {
namespace {

std::string remainder_text(const KernelAdvice& kernel, const RegionAdvice& advice) {
  const std::string place = advice.remainder == Remainder::none
                                ? ""
                                : exact_place(kernel.accesses, advice.remainder_site);
  switch (advice.remainder) {
    case Remainder::none:
      return "";
    case Remainder::atomics:
      return fmt::format(
          "lanes of one warp update the same words ({}), one after the other wherever the words "
          "lie: "
          "no layout helps; fewer updates do (combine within the warp first, or give each warp its "
          "own copy)",
          place);
    case Remainder::gather:
      return fmt::format(
          "the addresses of {} follow no pattern: they seem to depend on data, and no fixed layout "
          "suits them all",
          place);
    case Remainder::sites_disagree:
      return fmt::format(
          "each access alone could be free of conflicts, but no layout that was tried serves all "
          "of "
          "them together; most of the rest is at {}",
          place);
    case Remainder::not_found:
      return fmt::format(
          "no padding or XOR swizzle of the {} that were tried removes the rest, "
          "most of it at {}",
          with_commas(advice.tried), place);
  }
  return "";
}

std::string nothing_text(const KernelAdvice& kernel, const RegionAdvice& advice) {
  if (advice.remainder == Remainder::not_found) {
    if (advice.region.pitches.empty()) {
      return fmt::format("no rows can be told from the addresses of {}, so there is nothing to pad",
                         exact_place(kernel.accesses, advice.remainder_site));
    }
    return fmt::format("none of the {} paddings and XOR swizzles that were tried is better",
                       with_commas(advice.tried));
  }
  return remainder_text(kernel, advice);
}

std::string capital(std::string text) {
  if (!text.empty() && text[0] >= 'a' && text[0] <= 'z') {
    text[0] = static_cast<char>(text[0] - 'a' + 'A');
  }
  return text;
}

}  // namespace

std::string place_of(const AccessSite& site) {
  if (site.site.line != 0 && !site.site.file.empty()) {
    return printable(fmt::format("{}:{}", site.site.file, site.site.line));
  }
  if (!site.site.instruction.empty()) return '`' + printable(site.site.instruction) + '`';
  return fmt::format("pc 0x{:x}", site.site.pc);
}

std::string exact_place(const KernelAccesses& kernel, std::uint32_t site) {
  const AccessSite& one = kernel.sites[site];
  const auto on_its_line = [&](const AccessSite& other) {
    return other.site.line == one.site.line && other.site.file == one.site.file;
  };
  std::string place = place_of(one);
  const bool alone = std::count_if(kernel.sites.begin(), kernel.sites.end(), on_its_line) == 1;
  if (alone || one.site.line == 0 || one.site.instruction.empty()) return place;
  return place + " `" + printable(one.site.instruction) + '`';
}

std::string region_title(const LayoutRegion& region) {
  if (!region.name.empty()) return '\'' + printable(region.name) + '\'';
  return fmt::format("bytes {}-{}", region.base, region.base + region.bytes - 1);
}

std::string rejected_text(const KernelAccesses& kernel, const LayoutRegion& region,
                          const ArrayText& array, const RejectedLayout& rejected) {
  const PasteText text = paste_text(region, array, rejected.change, rejected.pitch);
  if (rejected.reason == RejectedLayout::Reason::too_large) {
    return fmt::format(
        "{} ({}): the block would need {} more bytes of shared memory than it may "
        "have, or than the SM has",
        text.declaration, text.summary, with_commas(rejected.change.extra_bytes(region.bytes)));
  }
  const AccessSite& site = kernel.sites[rejected.site];
  const std::uint64_t units = region.widest / region.element;
  return fmt::format(
      "{} ({}): rows of {} would put {}-byte accesses at addresses that are not multiples of {}, "
      "and the GPU faults on them ({}){}",
      text.declaration, text.summary, count_of(rejected.change.pitch + rejected.change.pad, "byte"),
      unsigned{site.width}, unsigned{site.width}, exact_place(kernel, rejected.site),
      units > 1 && region.widest % region.element == 0
          ? fmt::format("; pad by multiples of {} elements", units)
          : "");
}

std::string verdict_text(const KernelAdvice& kernel, const RegionAdvice& advice) {
  if (advice.wavefronts == 0) return "No access that the data-stage counters see.";
  if (advice.excess() == 0) {
    return fmt::format("Already ideal: all {} are needed.",
                       count_of(advice.wavefronts, "wavefront"));
  }
  std::string out = fmt::format("{} of {} ({}) are excess.", with_commas(advice.excess()),
                                count_of(advice.wavefronts, "wavefront"),
                                percent(advice.excess(), advice.wavefronts));
  if (kernel.is_minor(advice)) {
    out += fmt::format(" It will hardly matter: that is {} of the kernel's {} (less than {} %).",
                       percent(advice.excess(), kernel.wavefronts),
                       count_of(kernel.wavefronts, "wavefront"), kMinorPercent);
  }
  if (advice.proposals.empty()) {
    return out + " Nothing to change: " + nothing_text(kernel, advice) + '.';
  }
  const LayoutProposal& best = advice.proposals.front();
  if (best.wavefronts == advice.ideal) return out + " The best layout removes them all.";
  out += fmt::format(" The best layout leaves {}.", with_commas(best.wavefronts - advice.ideal));
  return out + ' ' + capital(remainder_text(kernel, advice)) + '.';
}

}  // namespace smemsim::cli
