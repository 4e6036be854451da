#include "race_fixture.hpp"

namespace smemsim::race_test {

TEST_CASE("lanes of a warp are not ordered without a warp synchronisation", "[races]") {
  const Address next = [](unsigned lane) { return 4ULL * ((lane + 1) % 32); };
  for (const bool fixed : {false, true}) {
    Trace trace(32);
    trace.store(21, 0, own(0));
    if (fixed) trace.syncwarp(22, 0);
    trace.load(23, 0, next);
    const LaunchRaces races = trace.check();
    if (fixed) {
      CHECK(summary(races).empty());
    } else {
      REQUIRE(summary(races) == Lines{"read-after-write 21 23 warning"});
      CHECK(races.findings.front().advice == "add __syncwarp() between k.cu:21 and k.cu:23");
    }
  }
}

TEST_CASE("a shuffle does not order memory unless asked to", "[races]") {
  Trace trace(32);
  trace.store(21, 0, own(0)).op(Operation::shuffle, 22, 0, kAll, kAll);
  trace.load(23, 0, [](unsigned lane) { return 4ULL * (lane ^ 1); });
  CHECK(summary(trace.check()) == Lines{"read-after-write 21 23 warning"});
  RaceOptions options;
  options.shuffles_order = true;
  CHECK(trace.check(options).findings.empty());
}

TEST_CASE("before Volta the lanes of a warp run in step", "[races]") {
  Trace trace(32);
  trace.launch().device.arch = "sm_61";
  trace.store(21, 0, own(0)).load(23, 0, [](unsigned lane) { return 4ULL * (lane ^ 1); });
  CHECK(trace.check().findings.empty());
}

TEST_CASE("a warp synchronisation orders only the lanes of its mask", "[races]") {
  Trace trace(32);
  trace.store(21, 0, own(0));
  trace.syncwarp(22, 0, 0xFFFF, 0xFFFF);
  trace.load(
      23, 0, [](unsigned lane) { return 4ULL * (lane ^ 1); }, 0xFFFF);
  CHECK(trace.check().findings.empty());
  trace.load(24, 0, at(4 * 20), 1);
  CHECK(summary(trace.check()) == Lines{"read-after-write 21 24 warning"});
}

TEST_CASE("diverged lanes meet at one warp synchronisation", "[races]") {
  Trace trace(32);
  trace.store(21, 0, own(0), 0xFFFF).syncwarp(22, 0, 0xFFFF);
  trace.store(25, 0, own(0), 0xFFFF0000).syncwarp(22, 0, 0xFFFF0000);
  trace.load(26, 0, [](unsigned lane) { return 4ULL * (31 - lane); });
  CHECK(trace.check().findings.empty());
}

TEST_CASE("a mask that names an absent lane is reported", "[races]") {
  Trace trace(32);
  trace.syncwarp(22, 0, 0xFF, 0xFFFF);
  CHECK(summary(trace.check()) == Lines{"warp-sync-partial 22 warning"});
}

TEST_CASE("rows of matrix loads are read by the whole warp", "[races]") {
  for (const bool fixed : {false, true}) {
    Trace trace(32);
    const Address rows = [](unsigned lane) { return 16ULL * lane; };
    trace.store(30, 0, rows, kAll, 16);
    if (fixed) trace.syncwarp(31, 0);
    trace.access(Operation::ldmatrix, 32, 0, rows, kAll, 16, 0, 4);
    CHECK(summary(trace.check()) == (fixed ? Lines{} : Lines{"read-after-write 30 32 warning"}));
  }
}

TEST_CASE("a matrix load of one tile uses the addresses of eight lanes", "[races]") {
  Trace trace(64);
  trace.store(30, 1, at(16 * 9), 1, 4);
  trace.store(31, 1, own(0), kAll, 4);
  trace.sync(32, 0).sync(32, 1);
  trace.store(33, 1, at(16 * 9), 1, 4);
  trace.access(
      Operation::ldmatrix, 34, 0, [](unsigned lane) { return 16ULL * lane; }, kAll, 16, 0, 1);
  CHECK(trace.check().findings.empty());
}

TEST_CASE("lanes of one store that hit one byte are told by what is known", "[races]") {
  const auto with = [](std::uint8_t flags) {
    Trace trace(32);
    trace.access(
        Operation::store, 40, 0, [](unsigned lane) { return 4ULL * (lane / 2); }, kAll, 4, flags);
    return summary(trace.check());
  };
  CHECK(with(0) == Lines{"same-instruction-write 40 40 warning"});
  CHECK(with(kValuesKnown) == Lines{"same-instruction-write 40 40 error"});
  CHECK(with(kValuesKnown | kEqualValues) == Lines{"same-instruction-write 40 40 info"});
}

}  // namespace smemsim::race_test
