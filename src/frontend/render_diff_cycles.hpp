// The cycles of a comparison with measurements (`smemsim diff --cycles`).
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "frontend/command.hpp"
#include "frontend/diff_run.hpp"

namespace smemsim::cli {

/// A table of the launches; with more than one, also errors, correlation and a chart of each size.
void print_cycles(const DiffResult& result, Environment& environment);
/// The value of "cycles" in smemsim/diff/1.
nlohmann::json cycles_json(const DiffResult& result);
/// Rows below the counters: each launch, then what is told of all.
void print_cycles_csv(const DiffResult& result, Environment& environment);

}  // namespace smemsim::cli
