// What a trace without declarations tells about arrays and rows.
#include "layout_fixture.hpp"

namespace smemsim::testing {
namespace {

std::function<std::uint64_t(unsigned)> column(std::uint64_t base, std::uint64_t pitch) {
  return [=](unsigned lane) { return base + lane * pitch; };
}

TEST_CASE("layout: sites with common bytes are one array, others are not") {
  const KernelAccesses kernel = collect({
      access(Operation::store, 4, column(1024, 4)),
      access(Operation::load, 4, column(1024, 128)),
      access(Operation::load, 4, column(8192, 128)),
  });
  const auto regions = inferred_regions(kernel);
  REQUIRE(regions.size() == 2);
  CHECK(regions[0].base == 1024);
  CHECK(regions[0].bytes == 31 * 128 + 4);
  CHECK(regions[0].sites.size() == 2);
  CHECK(regions[0].element == 4);
  REQUIRE(!regions[0].pitches.empty());
  CHECK(regions[0].pitches[0].bytes == 128);
  CHECK(regions[1].base == 8192);
  CHECK(!regions[0].assumptions.empty());
}

TEST_CASE("layout: rows of a matrix instruction are told apart from its chunks") {
  const KernelAccesses kernel = collect({access(
      Operation::ldmatrix, 16,
      [](unsigned lane) { return 1024 + lane % 16 * 128 + lane / 16 * 16; }, 0xffffffff, 4)});
  const auto regions = inferred_regions(kernel);
  REQUIRE(regions.size() == 1);
  CHECK(regions[0].element == 2);
  REQUIRE(!regions[0].pitches.empty());
  CHECK(regions[0].pitches[0].bytes == 128);
}

TEST_CASE("layout: repeated executions are counted, not kept") {
  const KernelAccesses kernel = collect({access(Operation::load, 4, column(1024, 128))}, 1000);
  CHECK(kernel.classes.size() == 1);
  CHECK(kernel.classes[0].count == 1000);
  CHECK(kernel.executed == 1000);
  const LayoutCost cost = layout_cost(kernel, inferred_regions(kernel)[0], nullptr);
  CHECK(cost.total() == 32000);
  CHECK(cost.total_ideal() == 1000);
}

TEST_CASE("layout: too many different accesses are left out and counted") {
  AccessCollector collector(on_hopper(), 4);
  Launch launch;
  launch.kernel = "k";
  REQUIRE(collector.begin_launch(launch).ok());
  const Access one = access(Operation::load, 4, column(1024, 4));
  const std::vector<EventShape> shapes{one.shape};
  std::vector<Event> events;
  for (std::uint64_t i = 0; i < 10; ++i) events.push_back({0, 1024 + 4 * i, 0});
  REQUIRE(collector.events({0, 0, shapes, events, 1}).ok());
  REQUIRE(collector.end_launch().ok());
  const KernelAccesses kernel = collector.take().at(0);
  CHECK(kernel.classes.size() == 4);
  CHECK(kernel.left_out == 6);
  CHECK(kernel.executed == 10);
}

TEST_CASE("layout: a gather is called one") {
  std::uint64_t state = 1;
  std::vector<std::uint64_t> at;
  for (unsigned lane = 0; lane < 32; ++lane) {
    state = state * 6364136223846793005U + 1442695040888963407U;
    at.push_back(1024 + (state >> 40) % 1024 * 4);
  }
  std::vector<Access> accesses;
  for (std::uint64_t i = 0; i < 12; ++i) {
    accesses.push_back(access(Operation::load, 4, [&](unsigned lane) {
      return 1024 + (at[(lane * 7 + i) % 32] * (2 * i + 3) + lane * lane * 4 * i) % 4096;
    }));
  }
  const AdviceReport report = advise_trace(accesses);
  const RegionAdvice& region = report.kernels[0].regions[0];
  CHECK(region.excess() > 0);
  CHECK(region.remainder == Remainder::gather);
}

TEST_CASE("layout: a store and a load that want different layouts are judged together") {
  // Rows of 32 words read along row and column: a XOR serves both, so nothing may remain.
  const AdviceReport both = advise_trace({access(Operation::store, 4, column(1024, 4)),
                                          access(Operation::load, 4, column(1024, 128))});
  const RegionAdvice& region = both.kernels[0].regions[0];
  REQUIRE(!region.proposals.empty());
  CHECK(region.proposals[0].wavefronts == region.ideal);
  CHECK(region.proposals[0].site_wavefronts == region.site_ideal);
}

TEST_CASE("layout: padding that no longer fits the block is refused") {
  std::vector<Access> accesses{access(Operation::load, 4, column(1024, 128))};
  KernelAccesses kernel = collect(accesses);
  kernel.launch.dynamic_shared = expr::hopper().occupancy.shared_per_block;
  const auto regions = inferred_regions(kernel);
  const RegionAdvice advice = search_layouts(kernel, regions[0]);
  CHECK(best(advice, LayoutChangeKind::padding) == nullptr);
  CHECK(best(advice, LayoutChangeKind::row_xor) != nullptr);
  REQUIRE(!advice.rejected.empty());
  CHECK(advice.rejected[0].reason == RejectedLayout::Reason::too_large);
}

}  // namespace
}  // namespace smemsim::testing
