// Arithmetic pipes, issue and the account of where cycles went. Expected numbers: measured on an
// H200 (docs/cycle-model.md).
#include <numeric>

#include "catch.hpp"
#include "unit/cycle_fixture.hpp"

using namespace smemsim;
using namespace smemsim::testing;

namespace {

KernelCycles run(const std::string& text, unsigned stall, std::uint64_t mask,
                 unsigned steps = 128) {
  Kernel kernel(16);
  for (unsigned i = 0; i < steps; ++i) kernel.add({text, stall});
  kernel.end();
  return kernel.run(h200(), {}, mask);
}

/// Cycles of a sub-core per instruction, with `warps` warps on it.
double interval(const std::string& text, unsigned stall, unsigned warps) {
  const std::uint64_t mask = warps == 1 ? 0x1 : warps == 2 ? 0x11 : 0x1111;
  const double more = run(text, stall, mask, 256).sm.cycles - run(text, stall, mask).sm.cycles;
  return more / (128 * warps);
}

}  // namespace

TEST_CASE("issue intervals of the pipes") {
  CHECK(interval("FFMA R2, R2, R3, R3", 1, 1) == Approx(1.01).epsilon(0.02));
  CHECK(interval("FFMA R2, R2, R3, R3", 1, 4) == Approx(1).epsilon(0.02));
  CHECK(interval("LOP3.LUT R2, R2, R3, RZ, 0x1b, !PT", 1, 1) == Approx(2).epsilon(0.02));
  CHECK(interval("LOP3.LUT R2, R2, R3, RZ, 0x1b, !PT", 1, 2) == Approx(2).epsilon(0.03));
  CHECK(interval("IMAD R2, R2, R3, R3", 1, 4) == Approx(2).epsilon(0.03));
  CHECK(interval("MUFU.EX2 R2, R3", 1, 2) == Approx(8).epsilon(0.03));
}

// Measured with the probe outer_products: each bank of registers, by parity, gives one a cycle.
TEST_CASE("operands in one bank of registers cost a cycle each") {
  const auto pair = [](const char* first, const char* second) {
    Kernel kernel(4);
    for (unsigned i = 0; i < 128; ++i) kernel.add({i % 2 == 0 ? first : second, 1});
    kernel.end();
    return kernel.run(h200(), {}, 0x1).sm.cycles / 128;
  };
  CHECK(pair("FFMA R3, R4, R7, RZ", "FFMA R5, R4, R9, RZ") == Approx(1).epsilon(0.1));
  CHECK(pair("FFMA R3, R4, R6, RZ", "FFMA R5, R4, R6, RZ") == Approx(2).epsilon(0.1));
  CHECK(pair("FFMA R3, R4, R6, R8", "FFMA R5, R4, R6, R8") == Approx(3).epsilon(0.1));
  // One place is kept for the next instruction, or one register is read once for two places.
  CHECK(pair("FFMA R3, R4.reuse, R6, RZ", "FFMA R5, R4.reuse, R6, RZ") == Approx(1).epsilon(0.1));
  CHECK(pair("FFMA R3, R4, R4, RZ", "FFMA R5, R4, R4, RZ") == Approx(1).epsilon(0.1));
  // Banks are apart: one that is busy does not hold what reads the other.
  CHECK(pair("FFMA R3, R4, R6, RZ", "FFMA R5, R7, RZ, RZ") == Approx(1).epsilon(0.1));
}

TEST_CASE("a warp that waits for registers holds its sub-core") {
  Kernel kernel(8);
  for (unsigned i = 0; i < 128; ++i) kernel.add({"FFMA R3, R4, R6, R8", 1});
  kernel.end();
  const KernelCycles both = kernel.run(h200(), {}, 0x11);
  CHECK(both.sm.cycles == Approx(2 * 128 * 3).epsilon(0.05));
  CHECK(both.sm.stalls[0][static_cast<std::size_t>(Stall::dispatch_stall)] > 128);
}

TEST_CASE("warps that a pipe holds up take turns") {
  // The first to end runs until shortly before the last: they share the pipe evenly.
  const KernelCycles all = run("LOP3.LUT R2, R2, R3, RZ, 0x1b, !PT", 2, 0x11);
  CHECK(all.sm.cycles == Approx(128 * 2 * 2).epsilon(0.06));
  CHECK(all.sm.stalls[0][static_cast<std::size_t>(Stall::math_pipe_throttle)] +
            all.sm.stalls[0][static_cast<std::size_t>(Stall::not_selected)] >
        2 * 128);
}

TEST_CASE("the stall count of an instruction holds its warp back") {
  CHECK(interval("FFMA R2, R2, R3, R3", 4, 1) == Approx(4).epsilon(0.01));
  CHECK(interval("FFMA R2, R2, R3, R3", 4, 4) == Approx(1).epsilon(0.02));
}

TEST_CASE("every cycle of a warp has a reason") {
  Kernel kernel(8);
  for (unsigned i = 0; i < 16; ++i) {
    kernel.add({"LDS R2, [R4]", 2, 0, 1}, shared_load(4, 32));
    kernel.add({"FFMA R2, R2, R3, R3", 4, 7, 1});
  }
  kernel.end();
  Machine machine = h200();
  machine.cycle->block_interval = machine.cycle->warp_interval = 0;
  const KernelCycles result = kernel.run(machine);
  double accounted = 0;
  for (const StallCounts& counts : result.sm.stalls) {
    accounted += std::accumulate(counts.begin(), counts.end(), 0.0);
  }
  CHECK(accounted <= 8 * result.sm.cycles + 0.5);
  CHECK(accounted >= 0.8 * 8 * result.sm.cycles);
}

TEST_CASE("two runs give the same numbers") {
  const auto once = [] {
    Kernel kernel(8, 4);
    for (unsigned i = 0; i < 32; ++i) kernel.add({"LDS R2, [R4]", 2, 0, 1}, shared_load(4, 8));
    kernel.end();
    return kernel.run(h200());
  };
  const KernelCycles a = once(), b = once();
  CHECK(a.cycles == b.cycles);
  CHECK(a.sm.block_ends == b.sm.block_ends);
  CHECK(a.sm.stalls == b.sm.stalls);
}
