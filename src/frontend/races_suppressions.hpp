// Findings that a project has looked at and accepted, in a file under version control.
//
// One rule a line:   KIND PLACE [PLACE] : REASON
// KIND and PLACE are globs ('*', '?'). A place is "file.cu:31" (or the end of such a path), or
// "function+0x90" without line information. With one place either side has to match, with two both,
// in any order. The reason is required. '#' starts a comment line.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "sim/race_report.hpp"
#include "sim/result.hpp"

namespace smemsim::cli {

struct RaceSuppression {
  std::string kind, first, second;  ///< `second` may be empty
  std::string reason;
  std::uint32_t line = 0;     ///< of the file
  std::uint64_t matched = 0;  ///< findings
};

/// `name` is used in errors, which tell the line.
Result<std::vector<RaceSuppression>> parse_suppressions(std::string_view text,
                                                        const std::string& name);

/// Marks the findings that a rule covers, and counts in the rules.
void suppress(RaceReport& report, std::vector<RaceSuppression>& rules);

}  // namespace smemsim::cli
