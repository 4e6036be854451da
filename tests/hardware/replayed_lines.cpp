// Lines of global memory on their way into an SM, replayed: h200_lines.csv.gz holds what
//   probes line_pieces copy_fills lds_beside_loads tile_phases     (tools/calibrate/probes*.cu)
// measured on the H200, some of the launches, and h200_lines.smt the traces of these.
#include <algorithm>

#include "catch.hpp"
#include "replay.hpp"

namespace smemsim {
namespace {

double median(std::vector<double> values) {
  REQUIRE_FALSE(values.empty());
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

/// Of copy_fills: how long each warp of the first block took the first time and again. Its first
/// warp reads the clock at the start as well.
std::vector<double> fills(const Clocks& clocks, std::size_t again) {
  std::vector<double> out;
  const double start = clocks.begin()->second.at(2 * again);
  for (const auto& [warp, readings] : clocks) {
    if (warp.first != 0) continue;
    out.push_back(readings.at(readings.size() == 2 ? again : 2 * again + 1) - start);
  }
  return out;
}

}  // namespace

TEST_CASE("Copies, loads and steps of a matrix product take what they take on the hardware") {
  const std::vector<MeasuredRow> rows = measured_rows("h200_lines");
  SimulateOptions options;
  options.timeline_cycles = 1e6;
  const std::vector<KernelCycles> kernels = replay("h200_lines", options);
  std::size_t row = 0;
  double errors = 0;
  const auto compare = [&](double predicted, double tolerance) {
    const MeasuredRow& measured = rows.at(row++);
    CAPTURE(measured.probe, measured.parameters);
    CHECK(predicted == Approx(measured.median).epsilon(tolerance));
    errors += std::abs(predicted / measured.median - 1);
  };
  for (const KernelCycles& kernel : kernels) {
    REQUIRE(row < rows.size());
    const std::string& probe = rows[row].probe;
    if (probe == "line_pieces") {
      const Clocks readings = clocks(kernel);
      const std::vector<double>& first = readings.begin()->second;
      compare(first.back() - first.front(), 0.21);
    } else if (probe == "copy_fills") {
      // The lines of one SM are near or far by luck. Again: they are in L1.
      const Clocks readings = clocks(kernel);
      compare(median(fills(readings, 0)), 0.25);
      compare(median(fills(readings, 1)), 0.25);
    } else if (probe == "lds_beside_loads") {
      std::vector<double> shared, taking;
      for (const auto& [warp, readings] : clocks(kernel)) {
        const bool takes = warp.second / 4 % 2 != 0;
        (takes ? taking : shared).push_back(readings.back() - readings.front());
      }
      compare(median(shared), 0.1);
      ++row;  // the others: not what this is for
    } else {
      REQUIRE(probe == "tile_phases");
      double first = kNever;
      for (const auto& [warp, readings] : clocks(kernel)) first = std::min(first, readings.front());
      std::vector<double> ends;
      for (const auto& [warp, readings] : clocks(kernel)) ends.push_back(readings.at(35) - first);
      compare(median(std::move(ends)), 0.08);
    }
  }
  CHECK(row == rows.size());
  CHECK(errors / static_cast<double>(rows.size()) < 0.06);
}

}  // namespace smemsim
