// Block barriers: 12.7 + 2 * warps cycles back to back, measured on an H200.
#include "catch.hpp"
#include "sim/cycle/units/barrier_unit.hpp"
#include "unit/cycle_fixture.hpp"

using namespace smemsim;
using namespace smemsim::testing;

namespace {

Access barrier() {
  Access out;
  out.shape.op = Operation::barrier_sync;
  out.shape.active = 0xffffffff;
  return out;
}

double each(unsigned warps, unsigned blocks, SimulateOptions options = {}) {
  constexpr unsigned kSteps = 32;
  Kernel kernel(warps, blocks);
  for (unsigned i = 0; i < kSteps; ++i) kernel.add({"BAR.SYNC.DEFER_BLOCKING 0x0", 1}, barrier());
  kernel.end();
  Machine machine = h200();
  machine.cycle->block_interval = machine.cycle->warp_interval = 0;
  return kernel.run(machine, options).sm.cycles / kSteps;
}

}  // namespace

TEST_CASE("a barrier costs a fixed time and two cycles per warp of the SM") {
  for (const unsigned warps : {1U, 2U, 4U, 8U, 16U, 32U}) {
    CAPTURE(warps);
    CHECK(each(warps, 1) == Approx(12.7 + 2.0 * warps).epsilon(0.05));
  }
  CHECK(each(16, 2) == Approx(64).epsilon(0.04));
  CHECK(each(8, 3) == Approx(47.6).epsilon(0.04));
}

TEST_CASE("without barriers they cost an instruction") {
  SimulateOptions options;
  options.what_if.no_barriers = true;
  CHECK(each(8, 1, options) < 4);
}

namespace {

/// When the first warp of a block of two issues the instruction at `pc`, the second one coming 500
/// cycles late.
double issue_with_late_warp(Kernel& kernel, std::uint64_t pc) {
  SimulateOptions options;
  options.timeline_cycles = 2000;
  Machine machine = h200();
  machine.cycle->launch_code = 0;
  machine.cycle->warp_interval = 500;
  for (const TimelineEntry& entry : kernel.run(machine, options).timeline) {
    if (entry.warp.warp == 0 && entry.pc == pc) return entry.cycle;
  }
  return -1;
}

double behind_late_barrier(const std::string& text) {
  Kernel kernel(2);
  kernel.add({"MUFU.EX2 R2, R3", 1});
  kernel.add({"BAR.SYNC.DEFER_BLOCKING 0x0", 1}, barrier());
  kernel.add({text, 1});
  kernel.end();
  return issue_with_late_warp(kernel, 32);
}

}  // namespace

// Measured with the probe barrier_run_ahead: which instructions wait for a warp that comes late.
TEST_CASE("a warp runs past a barrier up to an instruction that the barrier holds") {
  for (const char* text :
       {"LOP3.LUT R2, R2, R3, RZ, 0x1b, !PT", "FFMA R2, R2, R3, R3", "IMAD R2, R2, R3, R3",
        "HFMA2.MMA R2, R2, R3, R3", "VOTE.ANY R3, PT, P1", "HMMA.1688.F32 R4, R2, R2, RZ"}) {
    CAPTURE(text);
    CHECK(behind_late_barrier(text) < 20);
  }
  for (const char* text : {"MUFU.EX2 R2, R3", "POPC R2, R3", "SHFL.BFLY PT, R2, R3, 0x1, 0x1f",
                           "BRA 0x30", "@!PT LDS R2, [RZ]"}) {
    CAPTURE(text);
    CHECK(behind_late_barrier(text) > 500);
  }
}

TEST_CASE("a barrier that does not defer blocking holds every instruction") {
  Kernel kernel(2);
  kernel.add({"BAR.SYNC 0x0", 1}, barrier());
  kernel.add({"FFMA R2, R2, R3, R3", 1});
  kernel.end();
  CHECK(issue_with_late_warp(kernel, 16) > 500);
}

TEST_CASE("an arrival at an unknown barrier counts where a warp waits for it") {
  // Warps 0 and 1 of four arrive somewhere, the others wait at barrier 3.
  BarrierUnit unit(2, 10);
  BarrierUnit::Release release;
  CHECK_FALSE(unit.arrive_somewhere(0, 0, 4, 5, release));
  CHECK_FALSE(unit.arrive(0, 3, 2, true, 4, false, 20, release));
  CHECK_FALSE(unit.arrive(0, 3, 3, true, 4, false, 30, release));
  CHECK_FALSE(unit.arrive_somewhere(0, 1, 2, 40, release));  // of a barrier of two arrivals
  CHECK_FALSE(unit.arrive_somewhere(0, 0, 4, 50, release));  // warp 0 has arrived there
  CHECK_FALSE(unit.arrive_somewhere(1, 1, 4, 60, release));  // another block
  REQUIRE(unit.arrive_somewhere(0, 1, 4, 70, release));
  CHECK(release.at == 70 + 2 + 10);
  CHECK(release.warps == std::vector<std::uint32_t>{2, 3});
}

TEST_CASE(
    "an arrival at an unknown barrier is none at one of the whole block, or where none waits") {
  BarrierUnit unit(2, 10);
  BarrierUnit::Release release;
  CHECK_FALSE(unit.arrive_somewhere(0, 0, 0, 5, release));
  CHECK_FALSE(unit.arrive(0, 0, 1, true, 2, true, 20, release));
  CHECK_FALSE(unit.arrive(0, 4, 1, false, 2, false, 20, release));
  CHECK(unit.arrive(0, 5, 1, true, 2, false, 20, release));
}
