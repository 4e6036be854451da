// ConflictAnalysis against an oracle that looks at every event on its own.
#include <map>
#include <random>

#include "catch.hpp"
#include "sim/conflict_analysis.hpp"
#include "trace/machine_file.hpp"
#include "unit/event_maker.hpp"

using namespace smemsim;
using smemsim::testing::access;
using smemsim::testing::Access;

namespace {

const Machine& hopper_machine() {
  static const Machine machine = trace::load_machine("sm_90").value();
  return machine;
}

ConflictAnalysis::MachineOf always_hopper() {
  return [](const Launch&) -> Result<const Machine*> { return &hopper_machine(); };
}

Launch launch_of(std::string kernel, std::size_t sites) {
  Launch launch;
  launch.kernel = std::move(kernel);
  launch.grid = {4, 1, 1};
  launch.block = {128, 1, 1};
  launch.static_shared = 65536;
  for (std::uint32_t i = 0; i < sites; ++i) {
    launch.sites.push_back({"k", 16 * i, "LDS", "k.cu", 10 + i});
  }
  return launch;
}

/// The same sums, one event at a time.
struct Oracle {
  std::map<std::uint32_t, ConflictTotals> sites;
  std::map<std::uint32_t, std::map<std::uint32_t, std::uint64_t>> histograms;
  std::map<std::uint32_t, std::uint32_t> worst_ways;

  void add(const EventShape& shape, const Event& event) {
    if (!is_shared_access(shape.op)) return;
    const AccessDetail detail = access_detail(shape, event, hopper_machine().shared);
    const AccessCost& cost = detail.cost;
    ConflictTotals& t = sites[shape.site];
    t.executed += 1;
    t.active_lanes += lane_count(shape.active);
    t.wavefronts += cost.wavefronts;
    t.ideal += cost.ideal;
    t.conflicts += cost.conflicts;
    t.cycles += cost.cycles;
    t.passes += cost.passes;
    t.merged += cost.merged ? 1 : 0;
    bool multicast = false;
    for (const PassDetail& pass : detail.passes) {
      multicast = multicast || (shape.op != Operation::atomic && multicast_lanes(pass) != 0);
    }
    t.multicast += multicast ? 1 : 0;
    ++histograms[shape.site][cost.wavefronts];
    worst_ways[shape.site] = std::max(worst_ways[shape.site], cost.ways);
  }
};

unsigned one_below(std::mt19937& random, unsigned limit) {
  return static_cast<unsigned>(random() % limit);
}

EventShape random_shape(std::mt19937& random, std::uint32_t sites) {
  static constexpr Operation kOps[] = {Operation::load, Operation::store, Operation::atomic,
                                       Operation::ldmatrix, Operation::barrier_sync};
  const std::uint32_t site = one_below(random, sites);
  const Operation op = kOps[site % 5];  // a site is one instruction
  EventShape shape;
  if (op == Operation::barrier_sync) {
    shape.op = op;
    shape.active = 0xffffffff;
  } else {
    const bool matrix = op == Operation::ldmatrix;
    const unsigned width = matrix ? 16 : op == Operation::atomic ? 4 : 1u << (site / 5 % 5);
    const unsigned stride = 1 + one_below(random, 40), rows = 1 + one_below(random, 20);
    shape = access(
                op, width, [&](unsigned l) { return width * (l % rows * stride + l / rows); },
                one_below(random, 3) == 0 ? random() | 1u : 0xffffffffu, matrix ? 4 : 0)
                .shape;
  }
  shape.site = site;
  return shape;
}

}  // namespace

TEST_CASE("sums agree with an oracle on random batches, tables and launches") {
  std::mt19937 random(3);
  constexpr std::uint32_t kSites = 25;
  const Launch launch = launch_of("k", kSites);
  ConflictAnalysis analysis(always_hopper());
  Oracle oracle;
  std::uint64_t shapes_id = 0;
  for (int launches = 0; launches < 3; ++launches) {
    REQUIRE(analysis.begin_launch(launch).ok());
    for (int table = 0; table < 20; ++table) {
      std::vector<EventShape> shapes(1 + one_below(random, 30));
      for (EventShape& shape : shapes) shape = random_shape(random, kSites);
      ++shapes_id;
      for (std::uint32_t batch = 0; batch < 5; ++batch) {
        std::vector<Event> events(one_below(random, 200));
        for (Event& event : events) {
          event.shape = one_below(random, static_cast<unsigned>(shapes.size()));
          const EventShape& shape = shapes[event.shape];
          const unsigned unit = shape.width == 0 ? 1 : shape.width;
          event.base =
              shape.op == Operation::barrier_sync ? 0 : unit * (one_below(random, 64)) + 8192;
          oracle.add(shape, event);
        }
        REQUIRE(analysis.events({batch / 3, batch % 3, shapes, events, shapes_id}).ok());
      }
    }
    REQUIRE(analysis.end_launch().ok());
  }
  const ConflictReport report = analysis.take_report();
  REQUIRE(report.kernels.size() == 1);
  const KernelConflicts& kernel = report.kernels[0];
  CHECK(kernel.launches == 3);
  REQUIRE(kernel.sites.size() == oracle.sites.size());
  ConflictTotals sum;
  for (const SiteConflicts& row : kernel.sites) {
    const std::uint32_t site = row.site.line - 10;
    CAPTURE(site, name(row.op), int{row.width});
    CHECK(row.totals == oracle.sites[site]);
    CHECK(row.histogram == oracle.histograms[site]);
    CHECK(row.worst_ways == oracle.worst_ways[site]);
    CHECK(row.most_wavefronts == row.histogram.rbegin()->first);
    CHECK(row.least_wavefronts == row.histogram.begin()->first);
    // The worst access is one that happened there and costs what the row says.
    const AccessCost worst = access_cost(row.worst.shape, row.worst.event, hopper_machine().shared);
    CHECK(worst == row.worst.cost);
    CHECK(row.worst.shape.site == site);
    sum += row.totals;
  }
  CHECK(sum == kernel.totals);
  CHECK(sum == report.totals);
  ConflictTotals kinds;
  for (const ConflictTotals& kind : kernel.kinds) kinds += kind;
  CHECK(kinds == sum);
}

namespace {

ConflictReport report_of(const std::vector<Access>& accesses, std::uint32_t launches = 1,
                         ConflictAnalysis::GroupBy by = ConflictAnalysis::GroupBy::kernel) {
  ConflictAnalysis analysis(always_hopper(), by);
  Launch launch = launch_of("k", 8);
  for (std::uint32_t index = 0; index < launches; ++index) {
    launch.launch_index = index;
    REQUIRE(analysis.begin_launch(launch).ok());
    std::vector<EventShape> shapes;
    std::vector<Event> events;
    for (const Access& one : accesses) {
      events.push_back(one.event);
      events.back().shape = static_cast<std::uint32_t>(shapes.size());
      shapes.push_back(one.shape);
      shapes.back().site = events.back().shape;
    }
    REQUIRE(analysis.events({0, 0, shapes, events, 1}).ok());
    REQUIRE(analysis.end_launch().ok());
  }
  return analysis.take_report();
}

}  // namespace

TEST_CASE("sites are numbered from the worst") {
  const ConflictReport report = report_of({
      access(Operation::load, 4, [](unsigned l) { return 4 * l; }),
      access(Operation::load, 4, [](unsigned l) { return 128 * l; }),
      access(Operation::load, 4, [](unsigned l) { return 8 * l; }),
  });
  const auto& sites = report.kernels.at(0).sites;
  CHECK(sites.at(0).totals.excess() == 31);
  CHECK(sites.at(1).totals.excess() == 1);
  CHECK(sites.at(2).totals.excess() == 0);
  const KernelConflicts* kernel = nullptr;
  CHECK(report.site(2, &kernel) == &sites.at(1));
  CHECK(kernel == &report.kernels.at(0));
  CHECK(report.site(4) == nullptr);
}

TEST_CASE("launches of one kernel are one entry, or one each") {
  const std::vector<Access> one{access(Operation::load, 4, [](unsigned l) { return 8 * l; })};
  const ConflictReport merged = report_of(one, 3);
  REQUIRE(merged.kernels.size() == 1);
  CHECK(merged.kernels[0].sites.at(0).totals.executed == 3);
  const ConflictReport apart = report_of(one, 3, ConflictAnalysis::GroupBy::launch);
  REQUIRE(apart.kernels.size() == 3);
  CHECK(apart.kernels[2].launch.launch_index == 2);
  CHECK(apart.kernels[2].sites.at(0).number == 3);
}

TEST_CASE("a conflict-free 16-byte access is 4 wavefronts and 1-way") {
  const ConflictReport report =
      report_of({access(Operation::load, 16, [](unsigned l) { return 16 * l; })});
  const SiteConflicts& row = report.kernels.at(0).sites.at(0);
  CHECK(row.totals.wavefronts == 4);
  CHECK(row.totals.ideal == 4);
  CHECK(row.totals.conflicts == 0);
  CHECK(row.worst_ways == 1);
}

TEST_CASE("copies that the counters do not see are counted apart") {
  const ConflictReport report = report_of(
      {testing::with_source(access(Operation::cp_async_cg, 16, [](unsigned l) { return 16 * l; }),
                            [](unsigned l) { return 4096 + 16 * l; })});
  const ConflictTotals& totals = report.kernels.at(0).totals;
  CHECK(totals.executed == 1);
  CHECK(totals.uncounted == 1);
  CHECK(totals.wavefronts == 0);
}

TEST_CASE("an impossible access is an error that names its place") {
  ConflictAnalysis analysis(always_hopper(), ConflictAnalysis::GroupBy::kernel, "t.smt");
  const Launch launch = launch_of("k", 1);
  REQUIRE(analysis.begin_launch(launch).ok());
  const Access good = access(Operation::load, 8, [](unsigned l) { return 8 * l; });
  std::vector<EventShape> shapes{good.shape};
  std::vector<Event> events{good.event};
  REQUIRE(analysis.events({5, 2, shapes, events, 1}).ok());
  const auto error_at = [&](std::uint64_t base) {
    events[0].base = base;
    const Status status = analysis.events({5, 2, shapes, events, 1});
    return status.ok() ? std::string("ok") : status.error().place;
  };
  // 32 lanes of 8 bytes end exactly at the block's end.
  CHECK(error_at(65536 - 256) == "ok");
  CHECK(error_at(65536 - 248) == "t.smt: launch 0 (k), block 5, warp 2, k.cu:10, ld, lane 31");
  CHECK(error_at(4) == "t.smt: launch 0 (k), block 5, warp 2, k.cu:10, ld, lane 0");
  CHECK(error_at(~std::uint64_t{0} - 7) != "ok");
}
