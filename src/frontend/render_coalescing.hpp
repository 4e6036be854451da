// How a CoalescingReport is shown.
#pragma once

#include <string>

#include "frontend/command.hpp"
#include "sim/coalescing.hpp"

namespace smemsim::cli {

/// A table of the global accesses of each kernel, the first `top` sites (0 = all). Prints nothing
/// when there are none.
Status render_coalescing_text(const CoalescingReport& report, Environment& environment,
                              std::size_t top = 0);
/// The same as an answer of its own: a verdict before the tables, the words explained behind them.
Status render_coalescing_report(const CoalescingReport& report, const std::string& trace,
                                std::size_t top, Environment& environment);
/// {"schema": "smemsim/coalescing/1", ...}; docs/coalescing.md.
Status render_coalescing_json(const CoalescingReport& report, Environment& environment);
Status render_coalescing_csv(const CoalescingReport& report, Environment& environment);

/// "kernel.cu:24", "line 3" of a text, or the pc.
std::string coalescing_place(const Site& site);

}  // namespace smemsim::cli
