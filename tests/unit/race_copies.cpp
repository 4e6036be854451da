#include "race_fixture.hpp"

namespace smemsim::race_test {

TEST_CASE("an asynchronous copy that nothing waits for", "[races]") {
  Trace trace(64);
  each_warp(2, [&](std::uint32_t warp) {
    trace.copy(40, warp, own(warp)).commit(41, warp).sync(42, warp).load(44, warp, own(1 - warp));
  });
  const LaunchRaces races = trace.check();
  REQUIRE(summary(races) == Lines{"copy-not-waited 40 44 error"});
  CHECK(races.findings.front().advice.find("wait_group 0") != std::string::npos);
}

TEST_CASE("a copy that is waited for and published is ordered", "[races]") {
  Trace trace(64);
  each_warp(2, [&](std::uint32_t warp) {
    trace.copy(40, warp, own(warp)).commit(41, warp).wait(42, warp, 0);
    trace.load(43, warp, own(warp));  // its own part needs no barrier
    trace.sync(44, warp).load(45, warp, own(1 - warp));
  });
  CHECK(trace.check().findings.empty());
}

TEST_CASE("a wait without a barrier publishes nothing", "[races]") {
  Trace trace(64);
  each_warp(2, [&](std::uint32_t warp) {
    trace.copy(40, warp, own(warp))
        .commit(41, warp)
        .wait(42, warp, 0)
        .load(45, warp, own(1 - warp));
  });
  const LaunchRaces races = trace.check();
  REQUIRE(summary(races) == Lines{"copy-not-published 40 45 error"});
  CHECK(races.findings.front().advice == "add __syncthreads() between k.cu:42 and k.cu:45");
}

TEST_CASE("a wait by the threads that did not copy covers nothing", "[races]") {
  Trace trace(64);  // warp 0 copies, warp 1 waits
  trace.copy(40, 0, own(0)).commit(41, 0).sync(43, 0);
  trace.wait(42, 1, 0).sync(43, 1).load(45, 1, own(0));
  CHECK(summary(trace.check()) == Lines{"copy-wrong-thread 40 45 error"});
}

TEST_CASE("a wait for too few groups names the wait and what is left", "[races]") {
  for (const std::uint64_t left : {0U, 1U}) {
    Trace trace(64);
    each_warp(2, [&](std::uint32_t warp) {
      trace.copy(40, warp, own(warp)).commit(41, warp);
      trace.copy(50, warp, own(warp, 1024)).commit(51, warp);
      trace.wait(52, warp, left).sync(53, warp);
      trace.load(54, warp, own(1 - warp)).load(55, warp, own(1 - warp, 1024));
    });
    const LaunchRaces races = trace.check();
    if (left == 0) {
      CHECK(races.findings.empty());
      continue;
    }
    REQUIRE(summary(races) == Lines{"copy-too-few-groups 50 55 error"});
    CHECK(races.sites[races.findings.front().helper_site].line == 52);
    CHECK(races.findings.front().detail == 1);
  }
}

TEST_CASE("a wait before the commit covers only older groups", "[races]") {
  Trace trace(32);
  trace.copy(40, 0, own(0)).wait(41, 0, 0).commit(42, 0).load(43, 0, own(0));
  CHECK(summary(trace.check()) == Lines{"copy-too-few-groups 40 43 error"});
}

TEST_CASE("a multi-stage pipeline is ordered with one barrier a step", "[races]") {
  constexpr std::uint64_t kStages = 3;
  for (const std::uint64_t left : {kStages - 2, kStages - 1}) {
    Trace trace(64);
    each_warp(2, [&](std::uint32_t warp) {
      for (std::uint64_t s = 0; s < kStages - 1; ++s) {
        trace.copy(40, warp, own(warp, s * 1024)).commit(41, warp);
      }
      for (std::uint64_t k = 0; k < 8; ++k) {
        trace.wait(50, warp, left).sync(51, warp);
        trace.load(52, warp, own(1 - warp, k % kStages * 1024));
        trace.copy(53, warp, own(warp, (k + kStages - 1) % kStages * 1024)).commit(54, warp);
      }
    });
    const LaunchRaces races = trace.check();
    CHECK(races.findings.empty() == (left == kStages - 2));
    for (const RaceFinding& finding : races.findings) {
      CHECK(finding.kind == RaceKind::copy_too_few_groups);
    }
  }
}

TEST_CASE("overwriting by a copy what others still read is a missing barrier", "[races]") {
  Trace trace(64);
  each_warp(2, [&](std::uint32_t warp) {
    for (int k = 0; k < 3; ++k) {
      trace.copy(40, warp, own(warp)).commit(41, warp).wait(42, warp, 0).sync(43, warp);
      trace.load(44, warp, own(1 - warp));
    }
  });
  CHECK(summary(trace.check()) == Lines{"write-after-read 44 40 error"});
}

TEST_CASE("copies that complete through an mbarrier", "[races]") {
  for (const bool fixed : {false, true}) {
    Trace trace(64);
    const auto object = [&](Operation what, std::uint32_t line, std::uint32_t warp, LaneMask lanes,
                            std::uint64_t a) { trace.op(what, line, warp, lanes, a, 0, 8192); };
    object(Operation::mbarrier_init, 5, 0, 1, 64);
    trace.sync(6, 0).sync(6, 1);
    each_warp(2, [&](std::uint32_t warp) {
      trace.copy(40, warp, own(warp));
      object(Operation::cp_async_arrive, 41, warp, kAll, 1);
      if (fixed) object(Operation::mbarrier_wait, 42, warp, kAll, 0);
      trace.load(43, warp, own(1 - warp));
    });
    CHECK(summary(trace.check()) == (fixed ? Lines{} : Lines{"copy-not-waited 40 43 error"}));
  }
}

}  // namespace smemsim::race_test
