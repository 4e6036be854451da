// Renderers of layout advice.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "frontend/advise_cycles.hpp"
#include "frontend/advise_source.hpp"
#include "frontend/command.hpp"
#include "sim/layout_advice.hpp"

namespace smemsim::cli {

/// What the renderers show besides the numbers.
struct AdviceView {
  std::string input;  ///< the trace, or "expression"
  std::vector<std::string> notes;
  std::size_t top = 3;          ///< proposals for each array; 0 = all
  std::uint32_t registers = 0;  ///< of a thread, as given; 0 = those of the launch
  bool expression = false;      ///< arrays are the user's own declarations
  ProgramArrays arrays;         ///< of an expression
  /// How a proposal was checked; `impossible` for traces.
  std::function<LayoutCheck(const KernelAdvice&, const RegionAdvice&, const LayoutProposal&)> check;
  AdviceCycles cycles;  ///< of the proposals that are shown
};

/// One proposal with everything that is shown of it.
struct ShownProposal {
  const LayoutProposal* proposal = nullptr;
  PasteText text;
  LayoutCheck check = LayoutCheck::impossible;
  std::string confidence;                   ///< "checked", "assumed" or "unconfirmed"
  std::vector<std::string> assumptions;     ///< one sentence each
  const CyclePrediction* cycles = nullptr;  ///< null: not simulated
};

/// The array as source text: the declaration of an expression, else one that fits `pitch`.
ArrayText array_text(const AdviceView& view, const LayoutRegion& region, std::uint64_t pitch);
/// The best `view.top` proposals of a region.
std::vector<ShownProposal> shown_proposals(const AdviceView& view, const KernelAdvice& kernel,
                                           const RegionAdvice& region);
/// Reasons of the refused layouts that are worth telling, as sentences.
std::vector<std::string> rejected_reasons(const AdviceView& view, const KernelAdvice& kernel,
                                          const RegionAdvice& region);
/// What the reader should know about the numbers of a kernel.
std::vector<std::string> kernel_notes(const AdviceView& view, const KernelAdvice& kernel);
/// The predicted time with all first proposals together, and what decides it; null without one.
const KernelPrediction* kernel_cycles(const AdviceView& view, const KernelAdvice& kernel);

Status render_advise_text(const AdviceReport& report, const AdviceView& view,
                          Environment& environment);
Status render_advise_json(const AdviceReport& report, const AdviceView& view,
                          Environment& environment);
Status render_advise_csv(const AdviceReport& report, const AdviceView& view,
                         Environment& environment);

}  // namespace smemsim::cli
