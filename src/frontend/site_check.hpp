// --fail-on of report and explain: which sites fulfil a condition that must not hold.
#pragma once

#include <optional>
#include <span>
#include <string>

#include "frontend/command.hpp"
#include "frontend/fail_expression.hpp"
#include "sim/coalescing.hpp"
#include "sim/conflict_report.hpp"

namespace smemsim::cli {

/// Numbers of a shared-memory site that a condition may name.
std::span<const std::string> conflict_fields();
/// Those of a global-memory site.
std::span<const std::string> coalescing_fields();

/// --fail-on CONDITION.
void add_fail_option(CLI::App& app, std::string& condition);
/// The condition over shared or global sites; nothing for "".
Result<std::optional<FailExpression>> parse_condition(const std::string& text, bool global);

/// Names the sites that the condition holds for on stderr; `check_failed` when there are any.
ExitStatus check_sites(const FailExpression& condition, const ConflictReport& report,
                       Environment& environment);
ExitStatus check_sites(const FailExpression& condition, const CoalescingReport& report,
                       Environment& environment);

}  // namespace smemsim::cli
