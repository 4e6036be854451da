// The bank model on patterns whose cost can be worked out on paper.
#include <numeric>

#include "catch.hpp"
#include "sim/bank_model.hpp"
#include "trace/machine_file.hpp"
#include "unit/event_maker.hpp"

using namespace smemsim;
using smemsim::testing::access;

namespace {

const SharedMemory& hopper() {
  static const Machine machine = trace::load_machine("sm_90").value();
  return machine.shared;
}

AccessCost cost(const testing::Access& a) {
  return access_cost(a.shape, a.event, hopper());
}

}  // namespace

TEST_CASE("a stride of n words costs gcd(n, 32) wavefronts") {
  for (const unsigned stride : {1u, 2u, 3u, 4u, 8u, 16u, 31u, 32u, 33u, 64u}) {
    const unsigned expected = stride % 32 == 0 ? 32u : std::gcd(stride, 32u);
    const AccessCost c =
        cost(access(Operation::load, 4, [&](unsigned l) { return 4 * stride * l; }));
    CAPTURE(stride);
    CHECK(c.wavefronts == expected);
    CHECK(c.ways == expected);
    CHECK(c.ideal == 1);
    CHECK(c.excess() == expected - 1);
    CHECK(c.conflicts == expected - 1);
    CHECK(c.cycles == expected);
  }
}

TEST_CASE("lanes on one word are served together") {
  const AccessCost c = cost(access(Operation::load, 4, [](unsigned) { return 64u; }));
  CHECK(c.wavefronts == 1);
  CHECK(c.ways == 1);
}

TEST_CASE("bytes and halves of one word merge") {
  CHECK(cost(access(Operation::load, 1, [](unsigned l) { return l; })).wavefronts == 1);
  CHECK(cost(access(Operation::store, 2, [](unsigned l) { return 2 * l; })).wavefronts == 1);
  // A column of char[32][32]: eight rows share a bank.
  CHECK(cost(access(Operation::load, 1, [](unsigned l) { return 32 * l; })).wavefronts == 8);
}

TEST_CASE("a clean 16-byte access is four wavefronts and one way") {
  const AccessCost c = cost(access(Operation::load, 16, [](unsigned l) { return 16 * l; }));
  CHECK(c.wavefronts == 4);
  CHECK(c.ideal == 4);
  CHECK(c.ways == 1);
  CHECK(c.excess() == 0);
  CHECK_FALSE(c.merged);
}

TEST_CASE("loads of equal pairs merge, stores never do") {
  const auto pairs = [](unsigned l) { return 16 * (l / 2); };
  const AccessCost load = cost(access(Operation::load, 16, pairs));
  CHECK(load.merged);
  CHECK(load.wavefronts == 2);
  CHECK(load.ideal == 2);
  CHECK(load.cycles == 2);
  const AccessCost store = cost(access(Operation::store, 16, pairs));
  CHECK_FALSE(store.merged);
  CHECK(store.wavefronts == 4);

  SECTION("pairs two apart merge as well, four apart do not") {
    CHECK(cost(access(Operation::load, 8, [](unsigned l) { return 8 * (l & ~2u); })).merged);
    CHECK_FALSE(cost(access(Operation::load, 8, [](unsigned l) { return 8 * (l & ~4u); })).merged);
  }
  SECTION("the whole warp has to agree on one distance") {
    const auto mixed = [](unsigned l) { return 8 * (l < 16 ? l & ~1u : l & ~2u); };
    CHECK_FALSE(cost(access(Operation::load, 8, mixed)).merged);
  }
  SECTION("an inactive partner counts as agreeing") {
    CHECK(cost(access(
                   Operation::load, 8, [](unsigned l) { return 8 * l; }, 0x55555555))
              .merged);
  }
}

TEST_CASE("a pass without an active lane costs nothing") {
  CHECK(cost(access(
                 Operation::load, 16, [](unsigned l) { return 16 * l; }, 0x000180ff))
            .passes == 3);
  CHECK(cost(access(
                 Operation::load, 4, [](unsigned l) { return 4 * l; }, 0))
            .wavefronts == 0);
}

TEST_CASE("ldmatrix serves one matrix per pass and ignores the lanes past its rows") {
  const auto rows = [](unsigned l) { return 128 * l; };
  for (const unsigned n : {1u, 2u, 4u}) {
    const AccessCost bad = cost(access(Operation::ldmatrix, 16, rows, 0xffffffff, n));
    CHECK(bad.wavefronts == 8 * n);
    CHECK(bad.ways == 8);
    CHECK(bad.ideal == n);
    const auto padded = [](unsigned l) { return 144 * l; };
    CHECK(cost(access(Operation::ldmatrix, 16, padded, 0xffffffff, n)).wavefronts == n);
  }
}

TEST_CASE("atomics count lanes, not words") {
  const AccessCost same = cost(access(Operation::atomic, 4, [](unsigned) { return 0u; }));
  CHECK(same.wavefronts == 32);
  CHECK(same.ways == 32);
  const AccessCost cas = cost(access(Operation::cas, 4, [](unsigned l) { return 4 * l; }));
  CHECK(cas.wavefronts == 2);
  CHECK(cas.ideal == 2);
  CHECK(cas.conflicts == 0);
  const AccessCost cas_same = cost(access(Operation::cas, 4, [](unsigned) { return 0u; }));
  CHECK(cas_same.wavefronts == 64);
  CHECK(cas_same.conflicts == 31);
}

TEST_CASE("vector accesses occupy the data stage for their width even when few lanes are active") {
  const AccessCost c = cost(access(
      Operation::load, 16, [](unsigned l) { return 16 * l; }, 0x0f));
  CHECK(c.wavefronts == 1);
  CHECK(c.cycles == 4);
}

TEST_CASE("an operation that the machine lacks is unmodelled, not free") {
  CHECK_FALSE(cost(access(Operation::reduce, 8, [](unsigned l) { return 8 * l; })).modelled);
}
