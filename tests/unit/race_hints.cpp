#include "race_fixture.hpp"

namespace smemsim::race_test {
namespace {

Lines hints(Trace& trace) {
  RaceOptions options;
  options.hints = true;
  return summary(trace.check(options), RaceSeverity::hint);
}

}  // namespace

TEST_CASE("a barrier that orders nothing is a hint", "[races]") {
  Trace trace(64);
  each_warp(2, [&](std::uint32_t warp) {
    trace.store(10, warp, own(warp)).sync(11, warp).load(12, warp, own(1 - warp));
    trace.sync(13, warp).load(14, warp, own(1 - warp)).sync(15, warp).store(16, warp, own(warp));
  });
  // 13 separates reads only; 15 is needed for the overwrite.
  CHECK(hints(trace) == Lines{"redundant-barrier 13 hint"});
}

TEST_CASE("a barrier that orders own elements only is a hint", "[races]") {
  Trace trace(64);
  each_warp(2, [&](std::uint32_t warp) {
    trace.store(10, warp, own(warp)).sync(11, warp).load(12, warp, own(warp));
  });
  CHECK(hints(trace) == Lines{"redundant-barrier 11 hint"});
}

TEST_CASE("a barrier is kept when any block or any reader needs it", "[races]") {
  Trace trace(64);
  for (std::uint64_t block = 0; block < 3; ++block) {
    trace.block(block);
    each_warp(2, [&](std::uint32_t warp) {
      trace.store(10, warp, own(warp)).sync(11, warp).load(12, warp, own(warp));
      if (block == 2 && warp == 1) trace.load(13, warp, own(0));
    });
  }
  CHECK(hints(trace).empty());
}

TEST_CASE("a barrier may order global memory", "[races]") {
  Trace trace(64);
  each_warp(2, [&](std::uint32_t warp) {
    trace.access(Operation::global_store, 10, warp, own(warp)).sync(11, warp);
    trace.access(Operation::global_load, 12, warp, own(1 - warp));
  });
  CHECK(hints(trace).empty());
}

TEST_CASE("the barrier that publishes a copy is needed", "[races]") {
  Trace trace(64);
  each_warp(2, [&](std::uint32_t warp) {
    trace.copy(40, warp, own(warp)).commit(41, warp).wait(42, warp, 0).sync(43, warp);
    trace.load(44, warp, own(warp)).load(45, warp, own(1 - warp));
  });
  CHECK(hints(trace).empty());
}

TEST_CASE("a wait that covers a group nobody uses yet is a hint", "[races]") {
  for (const std::uint64_t left : {0U, 1U}) {
    Trace trace(64);
    each_warp(2, [&](std::uint32_t warp) {
      trace.copy(40, warp, own(warp)).commit(41, warp);
      for (std::uint64_t k = 0; k < 5; ++k) {
        trace.copy(45, warp, own(warp, (k + 1) % 3 * 1024)).commit(46, warp);
        trace.wait(50, warp, left).sync(51, warp);
        trace.load(52, warp, own(1 - warp, k % 3 * 1024));
      }
    });
    CHECK(hints(trace) == (left == 0 ? Lines{"redundant-wait 50 hint"} : Lines{}));
  }
}

}  // namespace smemsim::race_test
