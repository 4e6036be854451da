// Applies a proposed layout to the text it was made for, and checks that it keeps its promise.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "frontend/advise_text.hpp"
#include "frontend/expr/ast.hpp"
#include "frontend/expr/evaluator.hpp"
#include "sim/layout_regions.hpp"

namespace smemsim::cli {

/// The shared arrays of a program, as the search and as source text; equal indices.
struct ProgramArrays {
  std::vector<DeclaredArray> arrays;
  std::vector<ArrayText> texts;

  /// By name; null for none.
  const ArrayText* text(const std::string& name) const;
};
Result<ProgramArrays> arrays_of(const expr::Program& program, const Machine& machine);

/// The program's text with the change in the declaration or in every subscript of the array.
/// Nothing where that is not a matter of replacing text: the array's address is taken, rows are
/// indexed by hand, an extent is not spelled out behind the name.
std::optional<std::string> rewritten_text(const expr::Program& program, const LayoutRegion& region,
                                          const LayoutChange& change, const RowPitch& pitch);

enum class LayoutCheck : std::uint8_t {
  impossible,  ///< the change cannot be applied without a person
  text,        ///< the rewritten text was run and takes what was promised
  layout,      ///< the text was run with the array laid out so, and takes what was promised
  differs,     ///< it was run and takes something else
};

/// Runs the changed program. `before` = wavefronts of all its accesses now, `saved` = promised.
LayoutCheck check_proposal(const expr::Program& program,
                           const std::map<std::string, std::int64_t>& defines,
                           const Machine& machine, const expr::RunOptions& options,
                           const LayoutRegion& region, const LayoutProposal& proposal,
                           std::uint64_t before, std::uint64_t saved);

/// Wavefronts of all shared accesses of a run.
Result<std::uint64_t> wavefronts_of(trace::LaunchBuilder& events, const Machine& machine);

}  // namespace smemsim::cli
