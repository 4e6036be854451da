// What one warp, or a few, see of shared memory. Expected numbers: measured on an H200
// (docs/cycle-model.md); the model must be within 3 %.
#include <bit>

#include "catch.hpp"
#include "unit/cycle_fixture.hpp"

using namespace smemsim;
using namespace smemsim::testing;

namespace {

/// Cycles per step of a chain in which every load needs the one before.
double chain(const std::string& text, const Access& access, std::uint64_t mask = 1) {
  constexpr unsigned kSteps = 64;
  const auto cycles = [&](unsigned steps) {
    Kernel kernel(16);
    for (unsigned i = 0; i < steps; ++i) kernel.add({text, 2, 0, i == 0 ? 0U : 1U}, access);
    kernel.end();
    return kernel.run(h200(), {}, mask).block_cycles;
  };
  return (cycles(2 * kSteps) - cycles(kSteps)) / kSteps;
}

/// Cycles of the SM per instruction, of independent ones once the queues are full.
double rate(const std::string& text, const Access& access, std::uint64_t mask, unsigned stall) {
  constexpr unsigned kSteps = 96;
  const auto cycles = [&](unsigned steps) {
    Kernel kernel(32);
    for (unsigned i = 0; i < steps; ++i) kernel.add({text, stall}, access);
    kernel.end();
    return kernel.run(h200(), {}, mask).block_cycles;
  };
  return (cycles(2 * kSteps) - cycles(kSteps)) /
         (kSteps * static_cast<unsigned>(std::popcount(mask)));
}

Access atomic(Operation op, unsigned lanes_together) {
  return access(op, 4, [=](unsigned lane) { return 1024 + lane / lanes_together * 4; });
}
Access matrix(unsigned count) {
  return access(
      Operation::ldmatrix, 16, [](unsigned lane) { return 1024 + lane * 16; }, 0xffffffff, count);
}
Access store(unsigned width, unsigned stride) {
  return access(Operation::store, width, [=](unsigned lane) { return 1024 + lane * stride; });
}

}  // namespace

TEST_CASE("a load that needs the one before takes 23 cycles and 2 more per extra wavefront") {
  for (const unsigned ways : {1U, 2U, 4U, 8U, 16U, 32U}) {
    CAPTURE(ways);
    CHECK(chain("LDS R2, [R2]", shared_load(4, 4 * ways)) ==
          Approx(23.0 + 2.0 * (ways - 1)).epsilon(0.03));
  }
}

TEST_CASE("wide loads take a cycle more per register") {
  CHECK(chain("LDS.64 R2, [R2]", shared_load(8, 8)) == Approx(26).epsilon(0.03));
  CHECK(chain("LDS.128 R2, [R2]", shared_load(16, 16)) == Approx(32).epsilon(0.03));
}

TEST_CASE("atomics take 26 cycles, compare-and-swap 30") {
  for (const unsigned lanes : {1U, 2U, 4U, 8U, 16U, 32U}) {
    CAPTURE(lanes);
    CHECK(chain("ATOMS.ADD R2, [R2], R3", atomic(Operation::atomic, lanes)) ==
          Approx(26.0 + 2.0 * (lanes - 1)).epsilon(0.03));
  }
  CHECK(chain("ATOMS.CAS R2, [R2], R3, R4", atomic(Operation::cas, 1)) ==
        Approx(29.9).epsilon(0.03));
}

TEST_CASE("chains of several warps share the data stage") {
  CHECK(chain("LDS R2, [R2]", shared_load(4, 64), 0xf) == Approx(65).epsilon(0.03));
  CHECK(chain("LDS R2, [R2]", shared_load(4, 128), 0xf) == Approx(129).epsilon(0.03));
  CHECK(chain("LDS R2, [R2]", shared_load(4, 32), 0xffff) == Approx(129).epsilon(0.03));
}

TEST_CASE("a warp alone gets a wavefront every second cycle, the SM one each cycle") {
  struct Row {
    std::string text;
    Access access;
    std::uint64_t mask;
    unsigned stall;
    double cycles;  // per instruction of the SM, measured
  };
  const Row rows[] = {
      {"LDS R2, [R4]", shared_load(4, 4), 0x1, 4, 4.23},
      {"LDS R2, [R4]", shared_load(4, 4), 0xf, 4, 1.07},
      {"LDS R2, [R4]", shared_load(4, 4), 0x1111, 4, 2.04},
      {"LDS R2, [R4]", shared_load(4, 4), 0xffff, 4, 1.06},
      {"LDS.128 R4, [R8]", shared_load(16, 16), 0x1, 4, 8.35},
      {"LDS.128 R4, [R8]", shared_load(16, 16), 0x7, 4, 4.13},
      {"LDS.128 R4, [R8]", shared_load(16, 16), 0xf, 4, 4.08},
      {"LDS.128 R4, [R8]", shared_load(16, 16), 0x1111, 4, 4.2},
      {"LDS.128 R4, [R8]", shared_load(16, 128), 0x1, 4, 64},
      {"STS [R4], R2", store(4, 4), 0x1, 4, 4.23},
      {"STS [R4], R2", store(4, 4), 0x11, 4, 4.15},
      {"STS [R4], R2", store(4, 4), 0xf, 4, 1.07},
      {"STS.64 [R4], R2", store(8, 8), 0x1111, 4, 6.1},
      {"STS.128 [R4], R8", store(16, 16), 0x1, 4, 10.2},
      {"STS.128 [R4], R8", store(16, 16), 0xf, 4, 4.1},
      {"STS.128 [R4], R8", store(16, 16), 0x1111, 4, 10.2},
      {"ATOMS.ADD R2, [R4], R3", atomic(Operation::atomic, 1), 0x1111, 4, 4.2},
      {"ATOMS.ADD R2, [R4], R3", atomic(Operation::atomic, 8), 0x1, 4, 16.6},
      {"LDSM.16.M88.4 R4, [R8]", matrix(4), 0xf, 4, 4.3},
  };
  for (const Row& row : rows) {
    CAPTURE(row.text, row.mask);
    CHECK(rate(row.text, row.access, row.mask, row.stall) == Approx(row.cycles).epsilon(0.07));
  }
}

// Nsight Compute counts them as wavefronts of op_misc: in traces/reduction_sequential one for each.
TEST_CASE("an access without active lanes takes a wavefront") {
  const auto cycles = [](unsigned steps) {
    Kernel kernel(32);
    for (unsigned i = 0; i < steps; ++i) kernel.add({"@P0 STS [R4], R2", 4});
    kernel.end();
    return kernel.run(h200()).block_cycles;
  };
  CHECK((cycles(192) - cycles(96)) / (96 * 32) == Approx(1).epsilon(0.07));
}
