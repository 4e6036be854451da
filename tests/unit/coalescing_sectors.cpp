// Sectors and lines of global accesses, against sets of bytes.
#include "sim/coalescing.hpp"

#include <random>
#include <set>

#include "catch.hpp"
#include "event_maker.hpp"
#include "expr_events.hpp"

namespace smemsim {

namespace {

SectorCost slow_cost(const std::vector<std::uint64_t>& addresses, std::uint64_t width) {
  std::set<std::uint64_t> bytes, sectors, lines;
  for (const std::uint64_t address : addresses) {
    for (std::uint64_t b = address; b < address + width; ++b) {
      bytes.insert(b);
      sectors.insert(b / 32);
      lines.insert(b / 128);
    }
  }
  SectorCost out;
  out.bytes = bytes.size();
  out.sectors = static_cast<std::uint32_t>(sectors.size());
  out.lines = static_cast<std::uint32_t>(lines.size());
  out.ideal = static_cast<std::uint32_t>((bytes.size() + 31) / 32);
  out.ideal_lines = static_cast<std::uint32_t>((bytes.size() + 127) / 128);
  return out;
}

}  // namespace

TEST_CASE("Sector costs equal those of sets of bytes") {
  std::mt19937 random(7);
  for (int i = 0; i < 2000; ++i) {
    const std::uint64_t width = std::uint64_t{1} << random() % 5;
    const std::uint64_t spread = 1 + random() % 4096, base = random() % 4096;
    std::vector<std::uint64_t> addresses(1 + random() % 32);
    for (std::uint64_t& address : addresses) address = base + random() % spread;
    CHECK(sector_cost(addresses, width) == slow_cost(addresses, width));
  }
}

TEST_CASE("Textbook patterns: contiguous, strided, misaligned, broadcast") {
  const auto cost = [](std::uint64_t base, std::uint64_t stride, std::uint64_t width) {
    std::vector<std::uint64_t> addresses;
    for (std::uint64_t lane = 0; lane < 32; ++lane) addresses.push_back(base + lane * stride);
    return sector_cost(addresses, width);
  };
  CHECK(cost(0, 4, 4).sectors == 4);
  CHECK(cost(0, 4, 4).lines == 1);
  CHECK(cost(0, 8, 4).sectors == 8);
  CHECK(cost(0, 8, 4).excess() == 4);
  CHECK(cost(0, 128, 4).sectors == 32);
  CHECK(cost(4, 4, 4).sectors == 5);
  CHECK(cost(0, 0, 4).sectors == 1);
  CHECK(cost(0, 0, 4).excess() == 0);
  CHECK(cost(0, 16, 16).sectors == 16);
  CHECK(cost(0, 16, 16).excess() == 0);
}

TEST_CASE("Addresses at the end of the address space do not wrap") {
  const SectorCost cost = sector_cost({~std::uint64_t{0}, ~std::uint64_t{0} - 3}, 16);
  CHECK(cost.sectors == 1);
  CHECK(cost.excess() == 0);
}

TEST_CASE("The analysis adds up per site; asynchronous copies count their source") {
  const auto events = expr::run_text(
      expr::Source("float* g; __shared__ float s[128]; float x = g[threadIdx.x * 2]; g[lane] = x;"
                   "cp_async_cg(&s[4 * lane], &g[4 * lane]);",
                   ""),
      {}, expr::hopper(), expr::with_block(64));
  REQUIRE(!events.ok() == false);
  CoalescingAnalysis analysis;
  REQUIRE((*events)->deliver(analysis).ok());
  const CoalescingReport report = analysis.take_report();
  REQUIRE(report.kernels.size() == 1);
  REQUIRE(report.kernels[0].sites.size() == 3);
  const SiteCoalescing& worst = report.kernels[0].sites[0];
  CHECK(worst.site.instruction == "g[threadIdx.x * 2]");
  CHECK(worst.totals.requests == 2);
  CHECK(worst.totals.sectors == 16);
  CHECK(worst.totals.excess() == 8);
  CHECK(report.totals.sectors == 16 + 8 + 32);
  CHECK(report.totals.excess() == 8);
}

}  // namespace smemsim
