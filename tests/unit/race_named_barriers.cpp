#include "race_fixture.hpp"

namespace smemsim::race_test {

TEST_CASE("a named barrier orders its participants only", "[races]") {
  Trace trace(96);
  trace.store(10, 0, own(0)).named(11, 0, 1, 64);
  trace.named(11, 1, 1, 64).load(12, 1, own(0));
  CHECK(trace.check().findings.empty());
  trace.load(12, 2, own(0));
  CHECK(summary(trace.check()) == Lines{"read-after-write 10 12 error"});
}

TEST_CASE("two groups that use the wrong barrier id do not order each other", "[races]") {
  for (const bool fixed : {false, true}) {
    Trace trace(128);
    each_warp(4, [&](std::uint32_t warp) {
      const std::uint64_t id = fixed ? 1 + warp / 2 : 1 + warp % 2;
      trace.store(10, warp, own(warp)).named(11, warp, id, 64).load(12, warp, own(warp ^ 1));
    });
    CHECK(summary(trace.check()) == (fixed ? Lines{} : Lines{"read-after-write 10 12 error"}));
  }
}

TEST_CASE("producer and consumer with bar.arrive and two ids", "[races]") {
  // Warp 0 fills, warp 1 uses: id 1 = full, id 2 = free again.
  for (const bool fixed : {false, true}) {
    Trace trace(64);
    for (int i = 0; i < 3; ++i) {
      if (i > 0 && fixed) trace.named(20, 0, 2, 64);
      trace.store(21, 0, own(0)).arrive(22, 0, 1, 64);
      trace.named(30, 1, 1, 64).load(31, 1, own(0));
      if (i < 2) trace.arrive(32, 1, 2, 64);
    }
    const Lines lines = summary(trace.check());
    if (fixed) {
      CHECK(lines.empty());
    } else {
      CHECK(lines == Lines{"barrier-count 22 error", "barrier-count 32 error",
                           "write-after-read 31 21 error"});
    }
  }
}

TEST_CASE("a barrier that counts too many threads is told with the number", "[races]") {
  Trace trace(64);
  trace.named(11, 0, 1, 96).named(11, 1, 1, 96);
  const LaunchRaces races = trace.check();
  REQUIRE(summary(races) == Lines{"barrier-count 11 error"});
  CHECK(races.findings.front().what ==
        "the barrier at k.cu:11 waits for 96 threads and only 64 ever arrive");
}

TEST_CASE("different counts in one generation and odd counts are errors", "[races]") {
  Trace mixed(64);
  mixed.named(11, 0, 1, 64).named(12, 1, 1, 32);
  CHECK_FALSE(summary(mixed.check()).empty());
  Trace odd(64);
  odd.named(11, 0, 1, 48).named(11, 1, 1, 48);
  CHECK(summary(odd.check()) == Lines{"barrier-count 11 error"});
}

TEST_CASE("a barrier in divergent code is an error", "[races]") {
  Trace skipped(32);
  skipped.sync(11, 0, 0x55555555).op(Operation::exit, 20, 0);
  CHECK(summary(skipped.check()) == Lines{"barrier-partial 11 error"});

  Trace split(32);
  split.sync(11, 0, 0x55555555).sync(14, 0, 0xAAAAAAAA);
  CHECK(summary(split.check()) == Lines{"barrier-divergent 11 14 error"});

  Trace by_warp(64);
  by_warp.sync(11, 0).sync(14, 1);
  CHECK(summary(by_warp.check()) == Lines{"barrier-divergent 11 14 warning"});

  Trace copies(64);  // two copies of one source line that the compiler made
  Site site{"k", 0x10, "BAR.SYNC", "k.cu", 11};
  copies.builder().add_site(site);
  copies.sync(11, 0).sync(11, 1);
  CHECK(summary(copies.check()).empty());
}

TEST_CASE("a branch that some warps of a block skip hangs the rest", "[races]") {
  Trace trace(64);
  trace.sync(11, 0).sync(13, 0).sync(13, 1);
  const Lines lines = summary(trace.check());
  CHECK_FALSE(lines.empty());
  CHECK(lines.front() == "barrier-divergent 11 13 warning");
}

}  // namespace smemsim::race_test
