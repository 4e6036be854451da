// Patterns and sentences about them: every fact is checked against the addresses.
#include <random>

#include "catch.hpp"
#include "sim/access_pattern.hpp"
#include "trace/machine_file.hpp"
#include "unit/event_maker.hpp"

using namespace smemsim;
using smemsim::testing::access;
using smemsim::testing::Access;

namespace {

const SharedMemory& hopper() {
  static const Machine machine = trace::load_machine("sm_90").value();
  return machine.shared;
}

std::string why(const Access& a) {
  return explain_access(a.shape, a.event, hopper());
}

AccessPattern pattern(const Access& a) {
  return find_pattern(a.shape, a.event, a.shape.active);
}

/// The pattern's formula gives the offset of every lane it speaks of.
bool formula_holds(const AccessPattern& p, const EventShape& shape) {
  bool holds = true;
  if (p.lanes == 0) return p.kind == PatternKind::none;
  const auto first = static_cast<unsigned>(std::countr_zero(p.lanes));
  for_each_lane(p.lanes, [&](unsigned lane) {
    const auto steps = std::int64_t{lane} - first;
    std::int64_t expected = shape.offsets[lane];
    switch (p.kind) {
      case PatternKind::none:
        holds = false;
        break;
      case PatternKind::single:
        holds = holds && lane == first;
        break;
      case PatternKind::same:
        expected = shape.offsets[first];
        break;
      case PatternKind::stride:
        expected = shape.offsets[first] + p.stride * steps;
        break;
      case PatternKind::grid:
        expected = shape.offsets[first] + p.stride * (steps % p.group) +
                   p.group_stride * (steps / p.group);
        break;
      case PatternKind::swizzle:  // its basis is not kept: nothing to compute with
      case PatternKind::irregular:
        break;
    }
    holds = holds && shape.offsets[lane] == expected;
  });
  return holds;
}

unsigned below(std::mt19937& random, unsigned limit) {
  return static_cast<unsigned>(random() % limit);
}

}  // namespace

TEST_CASE("a constant distance between lanes is found, also with gaps and downwards") {
  CHECK(pattern(access(Operation::load, 4, [](unsigned l) { return 128 * l; })) ==
        AccessPattern{PatternKind::stride, 0xffffffff, 128});
  CHECK(pattern(access(
            Operation::load, 4, [](unsigned l) { return 4 * l; }, 0x80808081)) ==
        AccessPattern{PatternKind::stride, 0x80808081, 4});
  CHECK(pattern(access(Operation::load, 4, [](unsigned l) { return 4096 - 8 * l; })) ==
        AccessPattern{PatternKind::stride, 0xffffffff, -8});
}

TEST_CASE("the simplest pattern wins") {
  CHECK(pattern(access(Operation::load, 4, [](unsigned) { return 64u; })).kind ==
        PatternKind::same);
  CHECK(pattern(access(
                    Operation::load, 4, [](unsigned) { return 64u; }, 0x10))
            .kind == PatternKind::single);
  CHECK(pattern(access(
                    Operation::load, 4, [](unsigned) { return 64u; }, 0))
            .kind == PatternKind::none);
}

TEST_CASE("two strides are a grid of groups") {
  // The C fragment of a matrix instruction.
  CHECK(pattern(access(Operation::load, 4, [](unsigned l) { return l / 4 * 256 + l % 4 * 4; })) ==
        AccessPattern{PatternKind::grid, 0xffffffff, 4, 4, 256});
  // A 16 x 16 block reads a column.
  CHECK(pattern(access(Operation::load, 4, [](unsigned l) { return l % 16 * 64 + l / 16 * 4; })) ==
        AccessPattern{PatternKind::grid, 0xffffffff, 64, 16, 4});
  // Pairs share an address.
  CHECK(pattern(access(Operation::load, 4, [](unsigned l) { return l / 2 * 4; })) ==
        AccessPattern{PatternKind::grid, 0xffffffff, 0, 2, 4});
}

TEST_CASE("what a pattern says holds for random lanes and addresses") {
  std::mt19937 random(7);
  for (int round = 0; round < 20000; ++round) {
    const LaneMask mask = (random() & random()) | (round % 3 == 0 ? 0xffffffffu : 0u);
    const auto group = 1 + below(random, 16);
    const auto a = 4 * (below(random, 40)), b = 4 * (below(random, 80)), noise = below(random, 8);
    // Patterns count from the first lane of the access.
    const auto first = static_cast<unsigned>(std::countr_zero(mask | LaneMask{1} << 31));
    const Access made = access(
        Operation::load, 4,
        [&](unsigned l) {
          return 4096 + a * ((l - first) % group) + b * ((l - first) / group) +
                 (noise == 0 ? 4 * (below(random, 3)) : 0);
        },
        mask & 0xffffffff);
    const AccessPattern found = pattern(made);
    CAPTURE(round, mask, group, a, b);
    CHECK(formula_holds(found, made.shape));
    // A few scattered lanes need not tell what the strides are.
    if (noise != 0 && mask == 0xffffffff) CHECK(found.kind != PatternKind::irregular);
  }
}

TEST_CASE("a clash names lanes that ask one bank for different words in one pass") {
  std::mt19937 random(11);
  for (int round = 0; round < 5000; ++round) {
    const unsigned width = 1u << (below(random, 5));
    const unsigned rows = 1 + below(random, 64);
    const Access made =
        access(Operation::load, width, [&](unsigned) { return below(random, rows * 8) * width; });
    const AccessDetail detail = access_detail(made.shape, made.event, hopper());
    const auto clash = worst_clash(detail, made.shape, made.event, hopper());
    CHECK(clash.has_value() == (detail.cost.ways > 1));
    if (!clash) continue;
    CHECK(clash->words == detail.cost.ways);
    const LaneMask pass = detail.passes[clash->pass].lanes;
    std::vector<std::uint64_t> words;
    for (const unsigned lane : clash->lanes) {
      CHECK(has_lane(pass, lane));
      const std::uint64_t address = lane_address(made.shape, made.event, lane);
      std::uint64_t touched = 0;
      for (unsigned byte = 0; byte < width; ++byte) {
        if ((address + byte) / 4 % 32 == clash->bank) touched = (address + byte) / 4 + 1;
      }
      CHECK(touched != 0);
      CHECK(std::find(words.begin(), words.end(), touched) == words.end());
      words.push_back(touched);
    }
    bool all_here = true;
    for_each_lane(pass, [&](unsigned lane) {
      all_here = all_here && lane_address(made.shape, made.event, lane) / 4 % 32 == clash->bank;
    });
    CHECK(clash->whole_pass == all_here);
  }
}

TEST_CASE("an XOR swizzle is told from irregular addresses") {
  const auto swizzled = [](unsigned l) { return l % 16 * 128 + 16 * ((l / 16) ^ (l % 8)); };
  CHECK(pattern(access(Operation::ldmatrix, 16, swizzled, 0xffffffff, 4)).kind ==
        PatternKind::swizzle);
  CHECK(why(access(Operation::ldmatrix, 16, swizzled, 0xffffffff, 4)) ==
        "rows are XOR-swizzled: 4 passes for 4 matrices, none with a conflict");
  std::mt19937 random(5);
  unsigned found = 0;
  for (int round = 0; round < 1000; ++round) {
    const Access made =
        access(Operation::load, 4, [&](unsigned) { return 4 * (below(random, 64)); });
    found += pattern(made).kind == PatternKind::irregular ? 1 : 0;
  }
  CHECK(found == 1000);
}

TEST_CASE("sentences about conflicts") {
  CHECK(why(access(Operation::load, 4, [](unsigned l) { return 128 * l; })) ==
        "lanes are 128 bytes apart, so all 32 fall in bank 0");
  CHECK(why(access(Operation::load, 4, [](unsigned l) { return 16 * l; })) ==
        "lanes are 16 bytes apart, so lanes 0, 8, 16 and 24 want 4 different words of bank 0");
  CHECK(why(access(Operation::store, 4, [](unsigned l) { return l / 4 * 256 + l % 4 * 4; })) ==
        "groups of 4 lanes (4 bytes apart) are 256 bytes apart, so lanes 0, 4, 8, ... 28 want 8 "
        "different words of bank 0");
  CHECK(why(access(Operation::load, 16, [](unsigned l) { return 128 * l; })) ==
        "lanes are 128 bytes apart, so all 8 of a pass fall in banks 0-3");
  CHECK(why(access(
            Operation::ldmatrix, 16, [](unsigned l) { return 256 * l; }, 0xffffffff, 4)) ==
        "rows are 256 bytes apart, so all 8 of a matrix fall in banks 0-3");
  CHECK(why(access(Operation::atomic, 4, [](unsigned) { return 12u; })) ==
        "all 32 lanes are at one address, so 32 lanes update one word of bank 3, one after the "
        "other");
  CHECK(why(access(
            Operation::load, 4, [](unsigned l) { return 128 * l; }, 0xffff)) ==
        "lanes are 128 bytes apart (16 of 32 lanes active), so all 16 fall in bank 0");
}

TEST_CASE("sentences about accesses without a conflict never speak of ways") {
  CHECK(why(access(Operation::load, 4, [](unsigned l) { return 4 * l; })) ==
        "lanes are 4 bytes apart: at most one word in each bank");
  CHECK(why(access(Operation::load, 4, [](unsigned) { return 4u; })) ==
        "all 32 lanes are at one address: one read serves them all");
  CHECK(why(access(Operation::load, 16, [](unsigned l) { return 16 * l; })) ==
        "lanes are 16 bytes apart: 4 passes for 16 bytes a lane, none with a conflict");
  CHECK(why(access(Operation::load, 16, [](unsigned) { return 16u; })) ==
        "all 32 lanes are at one address: 2 passes for 16 bytes a lane (equal neighbours share a "
        "pass), none with a conflict");
  CHECK(why(access(
            Operation::load, 4, [](unsigned l) { return 4 * l; }, 0x20)) ==
        "only lane 5 is active: at most one word in each bank");
}

TEST_CASE("lane lists stay short") {
  CHECK(lane_list_text({3}) == "3");
  CHECK(lane_list_text({3, 9}) == "3 and 9");
  CHECK(lane_list_text({0, 8, 16, 24}) == "0, 8, 16 and 24");
  CHECK(lane_list_text({0, 4, 8, 12, 16}) == "0, 4, 8, ... 16");
}
