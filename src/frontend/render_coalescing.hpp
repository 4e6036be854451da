// How a CoalescingReport is shown.
#pragma once

#include "frontend/command.hpp"
#include "sim/coalescing.hpp"

namespace smemsim::cli {

/// A table of the global accesses of each kernel. Prints nothing when there are none.
Status render_coalescing_text(const CoalescingReport& report, Environment& environment);
/// {"schema": "smemsim/coalescing/1", ...}; docs/coalescing.md.
Status render_coalescing_json(const CoalescingReport& report, Environment& environment);
Status render_coalescing_csv(const CoalescingReport& report, Environment& environment);

}  // namespace smemsim::cli
