// A trace with its addresses rewritten takes what advice promised, site by site, in the report of
// the rewritten trace.
#include <map>
#include <set>

#include "layout_fixture.hpp"
#include "sim/conflict_analysis.hpp"
#include "sim/layout_rewriter.hpp"
#include "trace/open.hpp"

namespace smemsim::testing {
namespace {

void read(const std::string& name, TraceSink& sink) {
  auto source = trace::open_trace(std::string(SMEMSIM_SOURCE_DIR) + "/traces/" + name + ".smt");
  REQUIRE(source.ok());
  const Status status = (*source)->read(sink);
  if (!status.ok()) FAIL(status.error().text());
}

struct Seen : TraceSink {
  std::vector<Launch> launches;
  std::set<std::uint64_t> ids;
  std::map<std::uint64_t, std::vector<EventShape>> shapes;
  std::uint64_t events_seen = 0;
  Status begin_launch(const Launch& launch) override {
    launches.push_back(launch);
    return {};
  }
  Status events(const EventBatch& batch) override {
    const std::vector<EventShape> now(batch.shapes.begin(), batch.shapes.end());
    const auto [known, added] = shapes.try_emplace(batch.shapes_id, now);
    CHECK((added || known->second == now));  // what an id stands for never changes
    for (const Event& event : batch.events) CHECK(event.shape < batch.shapes.size());
    events_seen += batch.events.size();
    return {};
  }
  Status end_launch() override { return {}; }
};

TEST_CASE("layout: rewritten traces take the promised wavefronts at every site") {
  std::size_t proposals = 0;
  for (const char* name :
       {"transpose_naive", "matmul_float4_naive", "matmul_tensor_naive", "fft_radix8_naive",
        "double_column_naive", "micro_atomic_same_bank", "records_structs",
        "reduction_interleaved_strided", "matmul_async2_naive"}) {
    CAPTURE(name);
    AccessCollector collector(on_hopper());
    read(name, collector);
    const AdviceReport report = advise(collector.take(), inferred_regions);
    REQUIRE(report.kernels.size() == 1);
    const KernelAdvice& kernel = report.kernels[0];
    for (const RegionAdvice& region : kernel.regions) {
      for (const LayoutProposal& one : region.proposals) {
        ++proposals;
        AccessCollector moved(on_hopper());
        LayoutRewriter rewriter(moved, kernel.accesses, {{&region.region, one.change}});
        read(name, rewriter);
        CHECK(rewriter.unmoved() == 0);
        const auto after = moved.take();
        REQUIRE(after.size() == 1);
        REQUIRE(after[0].sites.size() == kernel.accesses.sites.size());
        CHECK(after[0].executed == kernel.accesses.executed);
        CHECK(after[0].launch.shared_end() ==
              kernel.accesses.launch.shared_end() + one.extra_bytes);
        std::vector<std::uint64_t> by_site(after[0].sites.size(), 0);
        for (const AccessClass& c : after[0].classes) {
          by_site[c.site] +=
              c.count * access_cost(after[0].shapes[c.event.shape], c.event, expr::hopper().shared)
                            .wavefronts;
        }
        for (std::size_t i = 0; i < region.region.sites.size(); ++i) {
          CHECK(by_site[region.region.sites[i]] == one.site_wavefronts[i]);
        }
      }
    }
  }
  CHECK(proposals > 15);
}

TEST_CASE("layout: all arrays of a kernel are rewritten together, the rest passes as it is") {
  AccessCollector collector(on_hopper());
  read("matmul_tensor_naive", collector);
  const AdviceReport report = advise(collector.take(), inferred_regions);
  const KernelAdvice& kernel = report.kernels.at(0);
  std::vector<RegionChange> changes;
  std::uint64_t saved = 0;
  for (const RegionAdvice& region : kernel.regions) {
    if (region.proposals.empty()) continue;
    changes.push_back({&region.region, region.proposals[0].change});
    saved += region.wavefronts - region.proposals[0].wavefronts;
  }
  REQUIRE(changes.size() > 1);
  const auto wavefronts = [&](std::vector<RegionChange> with) {
    ConflictAnalysis analysis(on_hopper(), ConflictAnalysis::GroupBy::kernel, "test");
    LayoutRewriter rewriter(analysis, kernel.accesses, std::move(with));
    read("matmul_tensor_naive", rewriter);
    return analysis.take_report().totals.wavefronts;
  };
  CHECK(wavefronts({}) == kernel.wavefronts);
  CHECK(wavefronts(changes) == kernel.wavefronts - saved);

  Seen before, after;
  read("matmul_tensor_naive", before);
  LayoutRewriter rewriter(after, kernel.accesses, changes);
  read("matmul_tensor_naive", rewriter);
  CHECK(after.events_seen == before.events_seen);
  CHECK(after.launches[0].sites == before.launches[0].sites);
}

}  // namespace
}  // namespace smemsim::testing
