#include "race_fixture.hpp"

namespace smemsim::race_test {

TEST_CASE("a tile read by another warp needs a barrier after the write", "[races]") {
  for (const bool fixed : {false, true}) {
    Trace trace(64);
    each_warp(2, [&](std::uint32_t warp) {
      trace.store(31, warp, own(warp));
      if (fixed) trace.sync(32, warp);
      trace.load(34, warp, own(1 - warp));
    });
    const LaunchRaces races = trace.check();
    if (fixed) {
      CHECK(summary(races).empty());
      continue;
    }
    REQUIRE(summary(races) == Lines{"read-after-write 31 34 error"});
    const RaceFinding& finding = races.findings.front();
    CHECK(finding.count == 64);
    CHECK(finding.scope == RaceScope::block);
    CHECK(finding.address == 0);
    CHECK(finding.first.thread == 0);
    CHECK(finding.second.thread == 32);
    CHECK(finding.advice == "add __syncthreads() between k.cu:31 and k.cu:34");
  }
}

TEST_CASE("a tile that is overwritten in a loop needs a second barrier", "[races]") {
  for (const bool fixed : {false, true}) {
    Trace trace(64);
    each_warp(2, [&](std::uint32_t warp) {
      for (int i = 0; i < 4; ++i) {
        trace.store(31, warp, own(warp)).sync(32, warp).load(34, warp, own(1 - warp));
        if (fixed) trace.sync(35, warp);
      }
    });
    const LaunchRaces races = trace.check();
    if (fixed) {
      CHECK(summary(races).empty());
      continue;
    }
    REQUIRE(summary(races) == Lines{"write-after-read 34 31 error"});
    CHECK(races.findings.front().advice ==
          "add __syncthreads() after k.cu:34, before k.cu:31 of the next iteration");
  }
}

TEST_CASE("double buffering needs one barrier per step, not none", "[races]") {
  for (const bool fixed : {false, true}) {
    Trace trace(64);
    each_warp(2, [&](std::uint32_t warp) {
      for (std::uint64_t i = 0; i < 6; ++i) {
        trace.store(31, warp, own(warp, i % 2 * 1024));
        if (fixed || i % 2 == 0) trace.sync(32, warp);
        trace.load(34, warp, own(1 - warp, i % 2 * 1024));
      }
    });
    CHECK(trace.check().findings.empty() == fixed);
  }
}

TEST_CASE("neighbouring bytes do not race and overlapping ones do", "[races]") {
  Trace trace(64);
  trace.access(
      Operation::store, 1, 0, [](unsigned lane) { return 2ULL * lane; }, kAll, 1);
  trace.access(
      Operation::store, 2, 1, [](unsigned lane) { return 2ULL * lane + 1; }, kAll, 1);
  CHECK(trace.check().findings.empty());
  trace.access(Operation::store, 3, 1, at(62), 1, 1);
  const LaunchRaces races = trace.check();
  REQUIRE(summary(races) == Lines{"write-after-write 1 3 error"});
  CHECK(races.findings.front().address == 62);
}

TEST_CASE("a vector access covers all its bytes, also across words", "[races]") {
  Trace trace(64);
  trace.store(1, 0, at(16), 1, 16);
  trace.load(2, 1, at(28), 1, 4);
  trace.load(3, 1, at(32), 1, 4);
  trace.load(4, 1, at(30), 1, 4);  // misaligned: two words, one of them written
  RaceOptions options;
  options.uninitialised = false;
  CHECK(summary(trace.check(options)) ==
        Lines{"read-after-write 1 2 error", "read-after-write 1 4 error"});
}

TEST_CASE("atomics race with plain accesses but not with each other", "[races]") {
  Trace trace(64);
  trace.store(3, 0, at(0), 1).sync(4, 0).sync(4, 1);
  each_warp(2, [&](std::uint32_t warp) { trace.access(Operation::reduce, 5, warp, at(0)); });
  CHECK(trace.check().findings.empty());
  trace.load(6, 1, at(0), 1);
  CHECK(summary(trace.check()) == Lines{"read-after-write 5 6 error"});
}

TEST_CASE("a histogram without atomics is told to use them", "[races]") {
  Trace trace(64);
  each_warp(2, [&](std::uint32_t warp) { trace.load(9, warp, own(0)).store(9, warp, own(0)); });
  const LaunchRaces races = trace.check();
  REQUIRE_FALSE(races.findings.empty());
  for (const RaceFinding& finding : races.findings) {
    if (finding.kind == RaceKind::uninitialised_read) continue;
    CHECK(finding.advice.find("atomic") != std::string::npos);
  }
}

TEST_CASE("findings count the blocks that they occur in", "[races]") {
  Trace trace(64);
  for (std::uint64_t block = 0; block < 5; ++block) {
    trace.block(block);
    trace.store(31, 0, own(0));
    trace.load(34, 1, own(block % 2 == 0 ? 0 : 1));
  }
  RaceOptions options;
  options.uninitialised = false;
  const LaunchRaces races = trace.check(options);
  REQUIRE(races.findings.size() == 1);
  CHECK(races.findings.front().blocks == 3);
  CHECK(races.findings.front().block_examples == std::vector<std::uint64_t>{0, 2, 4});
  CHECK(races.blocks == 5);
}

TEST_CASE("a single-thread write that others read needs a barrier", "[races]") {
  Trace trace(128);  // one thread sums up, all read
  each_warp(4, [&](std::uint32_t warp) { trace.store(10, warp, own(warp)).sync(11, warp); });
  trace.store(13, 0, at(31 * 4), 1);
  each_warp(4, [&](std::uint32_t warp) { trace.load(15, warp, at(31 * 4)); });
  const LaunchRaces races = trace.check();
  CHECK(summary(races) == Lines{"read-after-write 13 15 error"});
}

TEST_CASE("a ragged last warp and threads that left do not hold up a barrier", "[races]") {
  Trace trace(40);
  trace.op(Operation::exit, 5, 0, 0x1);
  trace.store(10, 0, own(0), 0xFFFFFFFE).store(10, 1, own(1), 0xFF);
  trace.sync(11, 0, 0xFFFFFFFE).sync(11, 1, 0xFF);
  trace.load(12, 0, own(1), 0xFE).load(12, 1, own(0), 0xFE);
  trace.op(Operation::exit, 13, 0, 0xFFFFFFFE).op(Operation::exit, 13, 1, 0xFF);
  const LaunchRaces races = trace.check();
  REQUIRE(summary(races) == Lines{"barrier-partial 11 warning"});
  CHECK(races.findings.front().variant == kRaceEarlyExit);
  CHECK(races.findings.front().what ==
        "1 thread left the kernel at k.cu:5 before the barrier at k.cu:11 that the others reach");
}

}  // namespace smemsim::race_test
