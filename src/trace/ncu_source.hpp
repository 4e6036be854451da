// Nsight Compute's source page as CSV (`ncu --csv --page source`): counters of each instruction.
#pragma once

#include <string>
#include <string_view>

#include "sim/measured_run.hpp"
#include "sim/result.hpp"

namespace smemsim::trace {

/// Whether the text holds the table of a source page, not one of launches.
bool is_ncu_source_page(std::string_view text);

/// One launch for each kernel of the page, in its order, with MeasuredLaunch::sites and no
/// geometry. Columns may have their display names or the names of their metrics; rows without an
/// address (source lines above their instructions) are passed over. `file` is for errors.
Result<MeasuredRun> read_ncu_source_page(std::string_view text, const std::string& file);

}  // namespace smemsim::trace
