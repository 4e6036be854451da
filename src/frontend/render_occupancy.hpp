// How occupancy is shown.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "frontend/command.hpp"
#include "sim/cycle/roofline.hpp"
#include "sim/occupancy.hpp"
#include "sim/staging.hpp"

namespace smemsim::cli {

/// One kernel, or one set of numbers from the command line.
struct OccupancyEntry {
  std::string kernel;  ///< empty: from the command line
  std::string machine;
  OccupancyLimits limits;
  BlockResources block;
  OccupancyResult result;
  std::optional<Staging> staging;  ///< of a trace, as all below
  std::optional<KernelWork> work;
  Roofline roofline;
  double sms = 0;  ///< of the device
};

Status render_occupancy_text(const std::vector<OccupancyEntry>& entries, Environment& environment);
/// {"schema": "smemsim/occupancy/1", ...}; docs/occupancy.md.
Status render_occupancy_json(const std::vector<OccupancyEntry>& entries, Environment& environment);
/// The steps of both resources, one a line.
Status render_occupancy_csv(const std::vector<OccupancyEntry>& entries, Environment& environment);

}  // namespace smemsim::cli
