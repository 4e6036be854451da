#include "race_fixture.hpp"

namespace smemsim::race_test {

TEST_CASE("reads of bytes that nothing wrote are gathered per site", "[races]") {
  Trace trace(32);
  trace.store(10, 0, own(0), 0xFFFF).syncwarp(11, 0).load(12, 0, own(0));
  const LaunchRaces races = trace.check();
  REQUIRE(summary(races) == Lines{"uninitialised-read 12 warning"});
  CHECK(races.findings.front().count == 16);
  CHECK(races.findings.front().address == 64);
}

TEST_CASE("a racing read is not also called uninitialised", "[races]") {
  Trace trace(64);
  trace.load(12, 0, own(0)).store(10, 1, own(0));
  CHECK(summary(trace.check()) == Lines{"read-after-write 10 12 error"});
}

TEST_CASE("a trace of reads alone is an excerpt", "[races]") {
  Trace trace(32);
  trace.load(12, 0, own(0));
  CHECK(summary(trace.check()) == Lines{"uninitialised-read 12 info"});
}

TEST_CASE("an atomic update of bytes that nobody set is a read of them", "[races]") {
  for (const bool fixed : {false, true}) {
    Trace trace(64);
    trace.store(10, 0, at(fixed ? 0 : 64), 1).sync(11, 0).sync(11, 1);
    each_warp(2, [&](std::uint32_t warp) { trace.access(Operation::reduce, 12, warp, at(0)); });
    CHECK(summary(trace.check()) == (fixed ? Lines{} : Lines{"uninitialised-read 12 warning"}));
  }
}

TEST_CASE("an off-by-one halo leaves the window", "[races]") {
  Trace trace(32, 128);
  trace.store(10, 0, own(0));
  trace.store(12, 0, own(0, 4), lane_bit(31));
  const LaunchRaces races = trace.check();
  REQUIRE(summary(races) == Lines{"out-of-window 12 error"});
  CHECK(races.findings.front().address == 128);
  CHECK(races.findings.front().first.thread == 31);
}

TEST_CASE("offsets below the first one that the kernel owns are outside", "[races]") {
  Trace trace(32, 1024);
  trace.launch().first_shared = 1024;
  trace.store(10, 0, own(0, 1024)).store(11, 0, at(1020), 1);
  CHECK(summary(trace.check()) == Lines{"out-of-window 11 error"});
}

TEST_CASE("hostile addresses neither crash nor take memory", "[races]") {
  Trace trace(32, 0);
  trace.store(10, 0, [](unsigned lane) { return lane * 0x1000000000000000ULL; });
  trace.store(11, 0, at(~0ULL - 1), 3, 16);
  trace.op(Operation::bulk_load, 12, 0, 1, ~0ULL, ~0ULL, ~0ULL - 7);
  trace.op(Operation::mbarrier_wait, 13, 0, kAll, ~0ULL, 0, ~0ULL);
  trace.op(Operation::barrier_sync, 14, 0, kAll, ~0ULL, ~0ULL);
  trace.op(Operation::cp_async_wait, 15, 0, kAll, ~0ULL);
  trace.check();
}

TEST_CASE("state of one block does not leak into the next", "[races]") {
  Trace trace(64);
  trace.block(0).copy(40, 0, own(0)).commit(41, 0);
  trace.block(1).store(10, 0, own(0)).sync(11, 0).sync(11, 1).load(12, 1, own(0));
  trace.block(2).store(10, 1, own(0)).sync(11, 0).sync(11, 1).load(12, 0, own(0));
  CHECK(trace.check().findings.empty());
}

TEST_CASE("blocks of a cluster that read each other's memory need a cluster barrier", "[races]") {
  for (const bool fixed : {false, true}) {
    Trace trace(32, 4096, 2);
    for (std::uint64_t block = 0; block < 2; ++block) {
      trace.block(block).store(10, 0, own(0));
      if (fixed) trace.op(Operation::cluster_arrive, 11, 0).op(Operation::cluster_wait, 11, 0);
      const std::uint64_t other = (1 - block) << 24;
      trace.access(Operation::remote_load, 12, 0, own(0, other));
    }
    const LaunchRaces races = trace.check();
    REQUIRE(summary(races) == (fixed ? Lines{} : Lines{"read-after-write 10 12 error"}));
    if (!fixed) CHECK(races.findings.front().scope == RaceScope::cluster);
  }
}

TEST_CASE("blocks of more threads than can be checked are refused", "[races]") {
  Trace trace(4096);
  RaceChecker checker;
  CHECK_FALSE(trace.builder().deliver(checker).ok());
}

}  // namespace smemsim::race_test
