// Predicted against measured cycles: statistics, the full size, and what is not comparable.
#include "sim/cycle_diff.hpp"

#include <cmath>

#include "catch.hpp"
#include "trace/machine_file.hpp"

using namespace smemsim;

namespace {

CyclePair pair_of(double predicted, double measured) {
  return {predicted, measured, 0, 0, 1};
}

MeasuredLaunch measured(const std::string& kernel, std::uint32_t grid, double instructions) {
  MeasuredLaunch out;
  out.kernel = kernel;
  out.grid = {grid, 1, 1};
  out.block = {64, 1, 1};
  out.counters["smsp__inst_executed.sum"] = instructions;
  out.clocks = BlockClocks{grid, 1, 100, 90, 110, 200, 300};
  return out;
}

Launch launch_of(const std::string& kernel, std::uint32_t grid, std::uint64_t index = 0) {
  Launch out;
  out.kernel = kernel;
  out.grid = {grid, 1, 1};
  out.block = {64, 1, 1};
  out.launch_index = index;
  return out;
}

/// What is said of a launch that has no events, so that no clock reading is found in it.
CycleComparison compare(const MeasuredRun& run, const MeasuredRun* full) {
  const Machine machine = trace::load_machine("sm_90").value();
  CycleDiffAnalysis analysis([&](const Launch&) -> Result<const Machine*> { return &machine; }, run,
                             full);
  const Launch launch = launch_of("scale(float*)", 4);
  REQUIRE(analysis.begin_launch(launch).ok());
  REQUIRE(analysis.end_launch().ok());
  const auto results = analysis.take_results();
  REQUIRE(results.size() == 1);
  CHECK_FALSE(results[0].block.has_value());
  CHECK_FALSE(results[0].sm.has_value());
  return results[0];
}

}  // namespace

TEST_CASE("the error of a prediction is relative to the measurement and has a sign") {
  CHECK(pair_of(110, 100).error() == Approx(0.1));
  CHECK(pair_of(75, 100).error() == Approx(-0.25));
}

TEST_CASE("errors of both signs add up, and the correlation is that of the cycles") {
  // Deviations of the predictions -2, -1, 3 and of the measurements -2, 0, 2: 10 / sqrt(14 * 8).
  const std::vector<CyclePair> pairs{pair_of(1, 2), pair_of(2, 4), pair_of(6, 6)};
  const CycleStatistics all = cycle_statistics(pairs);
  CHECK(all.kernels == 3);
  CHECK(all.mean_absolute_error == Approx((0.5 + 0.5 + 0) / 3));
  REQUIRE(all.correlation.has_value());
  CHECK(*all.correlation == Approx(10 / std::sqrt(14.0 * 8.0)));

  const std::vector<CyclePair> both{pair_of(120, 100), pair_of(80, 100)};
  CHECK(cycle_statistics(both).mean_absolute_error == Approx(0.2));
}

TEST_CASE("predictions that fall where measurements rise correlate with -1") {
  const std::vector<CyclePair> pairs{pair_of(30, 10), pair_of(20, 20), pair_of(10, 30)};
  CHECK(cycle_statistics(pairs).correlation.value() == Approx(-1));
}

TEST_CASE("there is no correlation of too few kernels, or of kernels that are all alike") {
  CHECK(cycle_statistics({}).kernels == 0);
  CHECK(cycle_statistics({}).mean_absolute_error == 0);
  const std::vector<CyclePair> two{pair_of(1, 2), pair_of(2, 3)};
  CHECK_FALSE(cycle_statistics(two).correlation.has_value());
  const std::vector<CyclePair> alike{pair_of(1, 7), pair_of(2, 7), pair_of(3, 7)};
  CHECK_FALSE(cycle_statistics(alike).correlation.has_value());
}

TEST_CASE("every SM gets as many blocks as the one in the middle has") {
  CHECK(median_blocks(1, 132) == 1);
  CHECK(median_blocks(131, 132) == 131);
  CHECK(median_blocks(132, 132) == 132);
  CHECK(median_blocks(197, 132) == 132);  // 65 SMs have a second block: fewer than half
  CHECK(median_blocks(198, 132) == 264);  // 66 have one
  CHECK(median_blocks(1024, 132) == 8 * 132);
  CHECK(median_blocks(7, 1) == 7);
}

TEST_CASE("a launch without clocks or without a measurement has no cycles to compare") {
  MeasuredRun run;
  CHECK(compare(run, nullptr).block_gap == CycleGap::no_measurement);
  run.launches.push_back(measured("other(float *)", 4, 400));
  CHECK(compare(run, nullptr).block_gap == CycleGap::no_measurement);
  run.launches.push_back(measured("scale(float *)", 4, 400));
  CHECK(compare(run, nullptr).block_gap == CycleGap::no_clock_read);
  CHECK(compare(run, nullptr).sm_gap == CycleGap::no_measurement);
  run.launches[1].clocks.reset();
  CHECK(compare(run, nullptr).block_gap == CycleGap::no_clocks);
}

TEST_CASE("the full size counts when it has another grid of blocks that do the same work") {
  MeasuredRun run, full;
  run.launches.push_back(measured("scale(float *)", 4, 400));
  full.launches.push_back(measured("scale(float *)", 64, 6400));
  CHECK(compare(run, &full).sm_gap == CycleGap::no_clock_read);
  full.launches[0].counters["smsp__inst_executed.sum"] = 6400 * 1.009;
  CHECK(compare(run, &full).sm_gap == CycleGap::no_clock_read);
  full.launches[0].counters["smsp__inst_executed.sum"] = 6400 * 1.011;
  CHECK(compare(run, &full).sm_gap == CycleGap::other_work);
  full.launches[0].counters.clear();
  CHECK(compare(run, &full).sm_gap == CycleGap::no_counters);
  full.launches[0] = measured("scale(float *)", 4, 400);
  CHECK(compare(run, &full).sm_gap == CycleGap::same_grid);
  full.launches[0] = measured("scale(float *)", 64, 6400);
  full.launches[0].clocks.reset();
  CHECK(compare(run, &full).sm_gap == CycleGap::no_clocks);
  full.launches[0] = measured("scale(float *)", 64, 6400);
  full.launches[0].block = {128, 1, 1};
  CHECK(compare(run, &full).sm_gap == CycleGap::no_measurement);
}

TEST_CASE("launches are matched by index, else in order among those of the same geometry") {
  MeasuredRun run;
  run.launches = {measured("scale(float *)", 4, 1), measured("scale(float *)", 8, 2),
                  measured("scale(float *)", 4, 3)};
  const auto number = [&](const MeasuredLaunch* found) { return found - run.launches.data(); };
  LaunchMatcher by_index(run);
  CHECK(number(by_index(launch_of("scale(float*)", 4, 2))) == 2);
  run.every_launch = false;
  LaunchMatcher by_order(run);
  CHECK(number(by_order(launch_of("scale(float*)", 4, 2))) == 0);
  CHECK(number(by_order(launch_of("scale(float*)", 8, 3))) == 1);
  CHECK(number(by_order(launch_of("scale(float*)", 4, 4))) == 2);
  CHECK(by_order(launch_of("scale(float*)", 4, 5)) == nullptr);
  LaunchMatcher any(run, LaunchMatcher::Grid::any);
  CHECK(number(any(launch_of("scale(float*)", 1, 7))) == 0);
  CHECK(number(any(launch_of("scale(float*)", 2, 8))) == 1);
}

TEST_CASE("kernel names of different tools give one name") {
  for (const char* name :
       {"void scale<int>(int *, int)", "scale<int>(int*, int)", "void <unnamed>::scale<int>(int *)",
        "(anonymous namespace)::scale<int>(int*, int)",
        "void <unnamed>::<unnamed>::scale<int>(int *)"}) {
    CAPTURE(name);
    CHECK(kernel_base_name(name) == "scale<int>");
  }
  CHECK(kernel_base_name("a::(anonymous namespace)::b(int)") == "a::b");
}
