// What all renderers of advice show: the choice of proposals, their checks and assumptions.
#include "frontend/render_advise.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "frontend/text.hpp"
#include "sim/cycle/simulate.hpp"

namespace smemsim::cli {
namespace {

constexpr std::size_t kMostRejected = 3;

void add_assumptions(const AdviceView& view, const KernelAdvice& kernel, const RegionAdvice& region,
                     ShownProposal& out) {
  const LayoutProposal& one = *out.proposal;
  const bool inferred =
      one.change.kind != LayoutChangeKind::swizzle && one.pitch.dimension == RowPitch::kInferred;
  if (inferred) {
    out.assumptions.push_back(fmt::format(
        "rows of {}, the distance that lanes of a warp have most often or that helps most",
        count_of(one.change.pitch, "byte")));
  }
  for (const std::string& text : region.region.assumptions) out.assumptions.push_back(text);
  if (out.check == LayoutCheck::differs) {
    out.assumptions.push_back(
        "running the text with this layout gave another number: it walks rows by hand, and those "
        "steps have to change with the layout");
  }
  for (std::size_t i = 0; i < one.site_wavefronts.size(); ++i) {
    if (one.site_wavefronts[i] <= region.site_wavefronts[i]) continue;
    out.assumptions.push_back(fmt::format("{} gets worse: {} wavefronts instead of {}",
                                          exact_place(kernel.accesses, region.region.sites[i]),
                                          with_commas(one.site_wavefronts[i]),
                                          with_commas(region.site_wavefronts[i])));
  }
  if (out.cycles != nullptr && changes_copies(kernel.accesses, region.region, one.change)) {
    out.assumptions.push_back(
        "cp.async.cg takes the time of a store to the same places, which was not found so where "
        "its "
        "rows are far apart: the predicted cycles are uncertain");
  }
  if (one.blocks_after < one.blocks_before) {
    out.assumptions.push_back("fewer blocks are resident, which can cost more than it gains");
  }
  if (one.extra_bytes != 0 && !view.expression && kernel.accesses.launch.dynamic_shared != 0) {
    out.assumptions.push_back("dynamic shared memory: the launch has to ask for the extra bytes");
  }
}

}  // namespace

ArrayText array_text(const AdviceView& view, const LayoutRegion& region, std::uint64_t pitch) {
  const ArrayText* declared = region.name.empty() ? nullptr : view.arrays.text(region.name);
  return declared != nullptr ? *declared : inferred_array(region, pitch);
}

std::vector<ShownProposal> shown_proposals(const AdviceView& view, const KernelAdvice& kernel,
                                           const RegionAdvice& region) {
  std::vector<ShownProposal> out;
  for (const LayoutProposal& one : region.proposals) {
    if (view.top != 0 && out.size() == view.top) break;
    ShownProposal& shown = out.emplace_back();
    shown.proposal = &one;
    const ArrayText array = array_text(view, region.region, one.change.pitch);
    shown.text = paste_text(region.region, array, one.change, one.pitch);
    if (view.check) shown.check = view.check(kernel, region, one);
    switch (shown.check) {
      case LayoutCheck::text:
      case LayoutCheck::layout:
        shown.confidence = "checked";
        break;
      case LayoutCheck::impossible:
        shown.confidence = "assumed";
        break;
      case LayoutCheck::differs:
        shown.confidence = "unconfirmed";
        break;
    }
    const auto cycles = view.cycles.proposals.find(&one);
    if (cycles != view.cycles.proposals.end()) shown.cycles = &cycles->second;
    add_assumptions(view, kernel, region, shown);
  }
  return out;
}

std::vector<std::string> rejected_reasons(const AdviceView& view, const KernelAdvice& kernel,
                                          const RegionAdvice& region) {
  std::vector<std::string> out;
  for (const RejectedLayout& one : region.rejected) {
    if (out.size() == kMostRejected) break;
    const ArrayText array = array_text(view, region.region, one.change.pitch);
    std::string text = rejected_text(kernel.accesses, region.region, array, one);
    if (std::find(out.begin(), out.end(), text) == out.end()) out.push_back(std::move(text));
  }
  return out;
}

const KernelPrediction* kernel_cycles(const AdviceView& view, const KernelAdvice& kernel) {
  const auto found = view.cycles.kernels.find(&kernel);
  return found == view.cycles.kernels.end() ? nullptr : &found->second;
}

std::vector<std::string> kernel_notes(const AdviceView& view, const KernelAdvice& kernel) {
  std::vector<std::string> out;
  const KernelAccesses& accesses = kernel.accesses;
  if (accesses.left_out != 0) {
    out.push_back(fmt::format(
        "the kernel has more different accesses than are kept: {} of {} executions are left out",
        with_commas(accesses.left_out), with_commas(accesses.executed)));
  }
  if (accesses.approximated != 0) {
    out.push_back(
        fmt::format("{} are counted like a copy from another global address",
                    count_of(accesses.approximated, "asynchronous copy", "asynchronous copies")));
  }
  std::uint64_t fixed = 0;
  std::string names;
  for (const auto& [op, count] : accesses.fixed_layout) {
    fixed += count;
    names += (names.empty() ? "" : ", ") + std::string(name(op));
  }
  if (fixed != 0) {
    out.push_back(fmt::format(
        "{} ({}) use shared memory too; their layout is set by descriptors or tensor maps, which "
        "have to agree with any change",
        count_of(fixed, "other event"), names));
  }
  if (const KernelPrediction* cycles = kernel_cycles(view, kernel)) {
    if (cycles->accesses_only && view.expression) {
      out.push_back(
          "cycles are those of the accesses alone, as nothing is known of the instructions between "
          "them: the speed-up of a whole kernel is smaller");
    } else if (cycles->accesses_only) {
      out.push_back(
          "the trace has no machine code: cycles are those of its events alone, and the speed-up "
          "of "
          "the kernel may be smaller");
    } else {
      out.push_back(
          "cycles are simulated without the instructions that a new index takes; how far to trust "
          "them: docs/cycle-model.md");
    }
    if (!has_own_times(*accesses.machine)) {
      out.push_back(fmt::format("{} has no times of its own: cycles are as on sm_90",
                                printable(accesses.machine->name)));
    }
    if (cycles->launches < accesses.launches) {
      out.push_back(fmt::format("cycles are those of the first {} of {}", cycles->launches,
                                count_of(accesses.launches, "launch", "launches")));
    }
  }
  if (view.registers == 0 && accesses.launch.registers == 0) {
    out.push_back(
        "registers per thread are not known: resident blocks leave them out (--registers)");
  }
  return out;
}

}  // namespace smemsim::cli
