#include "race_fixture.hpp"

namespace smemsim::race_test {
namespace {

constexpr std::uint64_t kFull = 8192, kFree = 8200;

struct Pipeline : Trace {
  explicit Pipeline(std::uint32_t threads) : Trace(threads) {}
  Pipeline& bar(Operation what, std::uint32_t line, std::uint32_t warp, LaneMask lanes,
                std::uint64_t a, std::uint64_t object, std::uint64_t b = 0) {
    op(what, line, warp, lanes, a, b, object);
    return *this;
  }
};

}  // namespace

TEST_CASE("an mbarrier hands data from producer to consumer and back", "[races]") {
  for (const std::uint64_t parity : {0U, 1U}) {  // of the producer's first wait: 1 is right
    Pipeline trace(64);
    trace.bar(Operation::mbarrier_init, 5, 0, 1, 32, kFull);
    trace.bar(Operation::mbarrier_init, 6, 0, 1, 32, kFree);
    trace.sync(7, 0).sync(7, 1);
    for (std::uint64_t k = 0; k < 4; ++k) {
      trace.bar(Operation::mbarrier_wait, 20, 0, kAll, (k + parity) & 1, kFree);
      trace.store(21, 0, own(0));
      trace.bar(Operation::mbarrier_arrive, 22, 0, kAll, 1, kFull);
      trace.bar(Operation::mbarrier_wait, 30, 1, kAll, k & 1, kFull);
      trace.load(31, 1, own(0));
      trace.bar(Operation::mbarrier_arrive, 32, 1, kAll, 1, kFree);
    }
    CHECK(trace.check().findings.empty() == (parity == 1));
  }
}

TEST_CASE("one elected arrival releases only the writes of that lane", "[races]") {
  for (const bool fixed : {false, true}) {
    Pipeline trace(64);
    trace.bar(Operation::mbarrier_init, 5, 0, 1, 1, kFull).sync(6, 0).sync(6, 1);
    trace.store(21, 0, own(0));
    if (fixed) trace.syncwarp(22, 0);
    trace.bar(Operation::mbarrier_arrive, 23, 0, 1, 1, kFull);
    trace.bar(Operation::mbarrier_wait, 30, 1, kAll, 0, kFull).load(31, 1, own(0));
    CHECK(summary(trace.check()) == (fixed ? Lines{} : Lines{"read-after-write 21 31 error"}));
  }
}

TEST_CASE("the initialisation has to be visible before the first use", "[races]") {
  Pipeline trace(64);
  trace.bar(Operation::mbarrier_init, 5, 0, 1, 2, kFull);
  trace.bar(Operation::mbarrier_arrive, 6, 0, 1, 1, kFull);
  trace.bar(Operation::mbarrier_arrive, 6, 1, 1, 1, kFull);
  CHECK(summary(trace.check()) == Lines{"mbarrier-init-race 5 6 error"});
}

TEST_CASE("objects that nothing initialises, phases that nothing completes", "[races]") {
  Pipeline trace(64);
  trace.bar(Operation::mbarrier_init, 5, 0, 1, 2, kFull).sync(6, 0).sync(6, 1);
  trace.bar(Operation::mbarrier_arrive, 7, 0, 1, 1, kFull);
  trace.bar(Operation::mbarrier_wait, 8, 1, kAll, 0, kFull);
  trace.bar(Operation::mbarrier_arrive, 9, 0, 1, 1, kFree);
  const LaunchRaces races = trace.check();
  CHECK(summary(races) == Lines{"mbarrier-incomplete 8 error", "mbarrier-uninitialised 9 error"});
}

TEST_CASE("more arrivals than a phase expects", "[races]") {
  Pipeline trace(32);
  trace.bar(Operation::mbarrier_init, 5, 0, 1, 1, kFull).sync(6, 0);
  trace.bar(Operation::mbarrier_arrive, 7, 0, 1, 2, kFull);
  CHECK(summary(trace.check()) == Lines{"mbarrier-overflow 7 error"});
}

TEST_CASE("a bulk load is complete for those that wait for its bytes", "[races]") {
  for (const bool fixed : {false, true}) {
    Pipeline trace(64);
    trace.bar(Operation::mbarrier_init, 5, 0, 1, 1, kFull).sync(6, 0).sync(6, 1);
    trace.bar(Operation::mbarrier_expect_tx, 10, 0, 1, 1, kFull, 256);
    trace.op(Operation::bulk_load, 11, 0, 1, 256, kFull, 0, 0);
    each_warp(2, [&](std::uint32_t warp) {
      if (fixed || warp == 0) trace.bar(Operation::mbarrier_wait, 12, warp, kAll, 0, kFull);
      trace.load(13, warp, own(warp));
    });
    CHECK(summary(trace.check()) == (fixed ? Lines{} : Lines{"copy-not-published 11 13 error"}));
  }
}

TEST_CASE("ordinary writes need a proxy fence before a bulk store", "[races]") {
  for (const int fence : {0, 1, 2}) {  // none, by the writers, by the issuer after the barrier
    Pipeline trace(64);
    each_warp(2, [&](std::uint32_t warp) {
      trace.store(20, warp, own(warp));
      if (fence == 1) trace.op(Operation::fence_proxy_async, 21, warp);
      trace.sync(22, warp);
    });
    if (fence == 2) trace.op(Operation::fence_proxy_async, 23, 0, 1);
    trace.op(Operation::bulk_store, 24, 0, 1, 256, 0, 0, 0);
    trace.op(Operation::bulk_commit, 25, 0, 1).op(Operation::bulk_wait, 26, 0, 1, 0, 1);
    CHECK(summary(trace.check()) ==
          (fence == 0 ? Lines{"missing-proxy-fence 20 24 error"} : Lines{}));
  }
}

TEST_CASE("unknown counts, bytes and parities of an mbarrier hide no missing wait", "[races]") {
  for (const bool fixed : {false, true}) {
    for (const std::uint64_t count : {0U, 1U}) {
      Pipeline trace(64);
      trace.bar(Operation::mbarrier_init, 5, 0, 1, count, kFull).sync(6, 0).sync(6, 1);
      for (std::uint32_t step = 0; step < 3; ++step) {
        trace.bar(Operation::mbarrier_expect_tx, 10, 0, 1, 1, kFull);
        trace.op(Operation::bulk_load, 11, 0, 1, 256, kFull, 0, 0);
        each_warp(2, [&](std::uint32_t warp) {
          if (fixed || warp == 0 || step < 2) {
            trace.bar(Operation::mbarrier_wait, 12, warp, kAll, 2, kFull);
          }
          trace.load(13, warp, own(warp)).sync(14, warp);
        });
      }
      const LaunchRaces races = trace.check();
      CHECK(summary(races) == (fixed ? Lines{} : Lines{"copy-not-published 11 13 error"}));
      CHECK(races.notes.empty());
    }
  }
}

TEST_CASE("waits of which nobody knows what they saw lead to a note and no finding", "[races]") {
  Pipeline trace(64);
  trace.bar(Operation::mbarrier_init, 5, 0, 1, 0, kFull)
      .bar(Operation::mbarrier_init, 6, 0, 1, 0, kFree);
  trace.sync(7, 0).sync(7, 1);
  trace.bar(Operation::mbarrier_wait, 20, 0, kAll, 2, kFree).store(21, 0, own(0));
  trace.bar(Operation::mbarrier_arrive, 22, 0, kAll, 1, kFull);
  trace.bar(Operation::mbarrier_wait, 30, 1, kAll, 2, kFull).load(31, 1, own(0));
  trace.bar(Operation::mbarrier_arrive, 32, 1, kAll, 1, kFree);
  const LaunchRaces races = trace.check();
  CHECK(summary(races).empty());
  CHECK(races.notes.size() == 1);
}

TEST_CASE("a bulk store still reads until its group is waited for", "[races]") {
  for (const bool fixed : {false, true}) {
    Pipeline trace(32);
    trace.store(20, 0, own(0)).op(Operation::fence_proxy_async, 21, 0).syncwarp(22, 0);
    trace.op(Operation::bulk_store, 24, 0, 1, 128, 0, 0, 0).op(Operation::bulk_commit, 25, 0, 1);
    if (fixed) trace.op(Operation::bulk_wait, 26, 0, 1, 0, 1);
    trace.syncwarp(27, 0).store(28, 0, own(0));
    CHECK(summary(trace.check()) == (fixed ? Lines{} : Lines{"copy-not-waited 24 28 error"}));
  }
}

TEST_CASE("wgmma operands must stay until the group is waited for", "[races]") {
  for (const bool fixed : {false, true}) {
    Pipeline trace(128);
    each_warp(4, [&](std::uint32_t warp) {
      trace.store(20, warp, own(warp)).op(Operation::fence_proxy_async, 21, warp).sync(22, warp);
      trace.op(Operation::wgmma, 23, warp, kAll, 256, 256, 0, 256);
      trace.op(Operation::wgmma_commit, 24, warp);
      if (fixed) trace.op(Operation::wgmma_wait, 25, warp).sync(26, warp);
      trace.store(27, warp, own(warp));
    });
    CHECK(summary(trace.check()).empty() == fixed);
  }
}

}  // namespace smemsim::race_test
