// How comparisons with measurements are shown.
#pragma once

#include "frontend/command.hpp"
#include "frontend/diff_run.hpp"

namespace smemsim::cli {

/// Of several traces, only kernels that differ get a table of their own.
Status render_diff_text(const DiffResult&, Environment&);
/// {"schema": "smemsim/diff/1", ...}; docs/measurement.md.
Status render_diff_json(const DiffResult&, Environment&);
Status render_diff_csv(const DiffResult&, Environment&);

}  // namespace smemsim::cli
