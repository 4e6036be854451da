// How kernels begin, and how their stores leave an SM, replayed: h200_start.csv.gz holds what
//   probes launch_phases store_run     (tools/calibrate/probes*.cu)
// measured on the H200, and h200_start.smt the trace of the same program, launch by launch.
#include <algorithm>
#include <map>

#include "catch.hpp"
#include "replay.hpp"

namespace smemsim {
namespace {

/// Rows of one launch: those that differ in `last` alone, which is the last parameter.
struct Launched {
  std::string probe, parameters;
  std::map<std::string, double> medians;  ///< by `last`; of several the greatest
};

std::vector<Launched> measured_launches() {
  std::vector<Launched> out;
  for (const MeasuredRow& row : measured_rows("h200_start")) {
    const std::size_t space = row.parameters.rfind(' ');
    std::string launch = row.parameters.substr(0, space);
    if (const std::size_t order = launch.find(" order="); order != std::string::npos) {
      launch.resize(order);
    }
    if (out.empty() || out.back().probe != row.probe || out.back().parameters != launch) {
      out.push_back({row.probe, launch, {}});
    }
    double& median = out.back().medians[row.parameters.substr(space + 1)];
    median = std::max(median, row.median);
  }
  return out;
}

/// The last `count` readings of the clock by each warp.
std::vector<std::vector<double>> last_clocks(const KernelCycles& kernel, std::size_t count) {
  std::vector<std::vector<double>> out;
  for (auto& [warp, readings] : clocks(kernel)) {
    if (readings.size() < count) continue;
    out.emplace_back(readings.end() - static_cast<std::ptrdiff_t>(count), readings.end());
  }
  return out;
}

/// From the first reading `from` of any warp to the last reading `to`.
double span(const std::vector<std::vector<double>>& warps, std::size_t from, std::size_t to) {
  REQUIRE_FALSE(warps.empty());
  double first = warps[0][from], last = 0;
  for (const std::vector<double>& readings : warps) {
    first = std::min(first, readings[from]);
    last = std::max(last, readings[to]);
  }
  return last - first;
}

}  // namespace

TEST_CASE("Small kernels that fill the device end when they do on the hardware") {
  const std::vector<Launched> measured = measured_launches();
  SimulateOptions options;
  options.what_if.clocked = true;
  const std::vector<KernelCycles> kernels = replay("h200_start", options);
  REQUIRE(kernels.size() == measured.size());
  int launches = 0;
  for (std::size_t i = 0; i < kernels.size(); ++i) {
    // The model is of the first time.
    if (measured[i].probe != "launch_phases" || !contains(measured[i].parameters, "run=0"))
      continue;
    CAPTURE(measured[i].parameters);
    // The lines of a lone block are near or far by luck; the model says what lies between.
    const double luck = contains(measured[i].parameters, "per_sm=0") ? 185.0 / 2 : 0;
    CHECK(kernels[i].clocked_sm ==
          Approx(measured[i].medians.at("clock=end")).epsilon(0.15).margin(luck + 0.15 * 600));
    ++launches;
  }
  CHECK(launches == 8);
}

TEST_CASE("Stores leave an SM and reach L2 when they do on the hardware") {
  const std::vector<Launched> measured = measured_launches();
  SimulateOptions options;
  options.timeline_cycles = 1e6;
  const std::vector<KernelCycles> kernels = replay("h200_start", options);
  REQUIRE(kernels.size() == measured.size());
  int launches = 0;
  for (std::size_t i = 0; i < kernels.size(); ++i) {
    if (measured[i].probe != "store_run") continue;
    CAPTURE(measured[i].parameters);
    const auto warps = last_clocks(kernels[i], 4);
    // Stores to further sectors of the same lines (step=32) take L2 less than the model has it.
    CHECK(span(warps, 0, 3) == Approx(measured[i].medians.at("until=drained")).epsilon(0.3));
    if (contains(measured[i].parameters, "lane_stride=128 step=4")) {
      CHECK(span(warps, 0, 2) == Approx(measured[i].medians.at("until=free")).epsilon(0.12));
    }
    ++launches;
  }
  CHECK(launches == 20);
}

}  // namespace smemsim
