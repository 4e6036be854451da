// How a CounterDiff is shown.
#pragma once

#include <string>

#include "frontend/command.hpp"
#include "sim/counter_diff.hpp"
#include "sim/measured_run.hpp"

namespace smemsim::cli {

struct DiffView {
  std::string trace, measured;  ///< as on the command line
  double tolerance = 0;
};

Status render_diff_text(const CounterDiff&, const MeasuredRun&, const DiffView&, Environment&);
Status render_diff_json(const CounterDiff&, const MeasuredRun&, const DiffView&, Environment&);
Status render_diff_csv(const CounterDiff&, const MeasuredRun&, const DiffView&, Environment&);

}  // namespace smemsim::cli
