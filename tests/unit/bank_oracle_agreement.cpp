// Fast bank model against the slow one on random accesses of every kind.
#include "unit/bank_oracle.hpp"

#include <random>

#include "catch.hpp"
#include "sim/bank_model.hpp"
#include "trace/machine_file.hpp"
#include "unit/event_maker.hpp"

using namespace smemsim;

namespace {

struct Kind {
  Operation op;
  unsigned width, matrices;
};

constexpr Kind kKinds[] = {
    {Operation::load, 1, 0},      {Operation::load, 2, 0},      {Operation::load, 4, 0},
    {Operation::load, 8, 0},      {Operation::load, 16, 0},     {Operation::store, 1, 0},
    {Operation::store, 2, 0},     {Operation::store, 4, 0},     {Operation::store, 8, 0},
    {Operation::store, 16, 0},    {Operation::ldmatrix, 16, 1}, {Operation::ldmatrix, 16, 2},
    {Operation::ldmatrix, 16, 4}, {Operation::stmatrix, 16, 4}, {Operation::atomic, 4, 0},
    {Operation::reduce, 4, 0},    {Operation::cas, 4, 0},       {Operation::cas, 8, 0},
};

}  // namespace

TEST_CASE("the fast bank model equals the slow one") {
  const Machine machine = trace::load_machine("sm_90").value();
  std::mt19937 random(20240607);
  for (int round = 0; round < 20000; ++round) {
    const Kind kind = kKinds[random() % std::size(kKinds)];
    // Small footprints make equal words and merges likely, large ones conflicts.
    const unsigned slots = 1u << (random() % 11);
    const unsigned pairing = random() % 4;  // lanes that differ in these bits share an address
    const LaneMask active = random() % 3 == 0 ? random() : 0xffffffffu;
    std::vector<std::uint64_t> lanes(32);
    for (unsigned lane = 0; lane < 32; ++lane) {
      lanes[lane] = (lane & pairing) != 0 && random() % 16 != 0
                        ? lanes[lane & ~pairing]
                        : std::uint64_t{kind.width} * (random() % slots);
    }
    const auto a = testing::access(
        kind.op, kind.width, [&](unsigned lane) { return lanes[lane]; }, active, kind.matrices);
    const AccessCost fast = access_cost(a.shape, a.event, machine.shared);
    const oracle::Cost slow = oracle::cost(a.shape, a.event);
    CAPTURE(round, name(kind.op), kind.width, kind.matrices, active);
    REQUIRE(fast.wavefronts == slow.wavefronts);
    REQUIRE(fast.ideal == slow.ideal);
    REQUIRE(fast.conflicts == slow.conflicts);
    REQUIRE(access_detail(a.shape, a.event, machine.shared).cost == fast);
  }
}

TEST_CASE("moving an access by whole words does not change its cost") {
  const Machine machine = trace::load_machine("sm_90").value();
  std::mt19937 random(7);
  for (int round = 0; round < 2000; ++round) {
    const Kind kind = kKinds[random() % std::size(kKinds)];
    auto a = testing::access(
        kind.op, kind.width, [&](unsigned) { return kind.width * (random() % 256); }, 0xffffffff,
        kind.matrices);
    const AccessCost before = access_cost(a.shape, a.event, machine.shared);
    const std::uint64_t key = cost_key(a.shape, a.event, machine.shared);
    a.event.base += 4 * (random() % 1000);
    REQUIRE(cost_key(a.shape, a.event, machine.shared) == key);
    REQUIRE(access_cost(a.shape, a.event, machine.shared) == before);
  }
}
