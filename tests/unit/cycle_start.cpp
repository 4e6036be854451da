// How kernels begin: launch of blocks, code that no SM has run, special registers and constants.
// Expected numbers: measured on an H200 (docs/cycle-model.md).
#include <cstdio>
#include <map>

#include "catch.hpp"
#include "unit/cycle_fixture.hpp"

using namespace smemsim;
using namespace smemsim::testing;

namespace {

constexpr std::uint64_t kGlobal = std::uint64_t{1} << 32;

/// First issue of each warp, by how many blocks were started before its own, and its number.
std::map<std::pair<unsigned, unsigned>, TimelineEntry> begins(unsigned warps, unsigned blocks,
                                                              unsigned sms = 1) {
  Kernel kernel(warps, blocks);
  kernel.launch().device.sms = sms;
  kernel.launch().grid = {blocks * sms, 1, 1};
  for (unsigned i = 0; i < 32; ++i) kernel.add({"FFMA R2, R2, R3, R3", 15});
  kernel.end();
  SimulateOptions options;
  options.timeline_cycles = 1000;
  std::map<std::pair<unsigned, unsigned>, TimelineEntry> out;
  for (const TimelineEntry& entry : kernel.run(h200(), options).timeline) {
    out.try_emplace({entry.warp.start, entry.warp.warp}, entry);
  }
  return out;
}

double cold_cycles(unsigned steps, unsigned stall) {
  Kernel kernel(1);
  for (unsigned i = 0; i < steps; ++i) kernel.add({"FFMA R2, R4, R3, R5", stall});
  kernel.end();
  return kernel.run(trace::load_machine("sm_90").value()).block_cycles;
}

/// A jump over so many instructions that no SM has run.
double jump_cycles(unsigned over) {
  char jump[32];
  std::snprintf(jump, sizeof jump, "BRA 0x%x", 16 * (over + 2));
  Kernel kernel(1);
  kernel.add({"FFMA R2, R4, R3, R5", 1});
  kernel.add({jump, 5});
  for (unsigned i = 0; i < over; ++i) kernel.add({"FFMA R2, R4, R3, R5", 1});
  kernel.end();
  return kernel.run(trace::load_machine("sm_90").value()).block_cycles;
}

double special_cycles(const std::string& text, unsigned steps) {
  Kernel kernel(16);
  for (unsigned i = 0; i < steps; ++i) kernel.add({text, 1, 0});
  kernel.add({"IADD3 R5, R2, 0x1, RZ", 2, 7, 1});
  kernel.end();
  return kernel.run(h200()).block_most;
}

double constant_cycles(const std::string& guard) {
  Kernel kernel(1);
  kernel.add({"ISETP.EQ.U32.AND P0, PT, R2, R3, PT", 13});
  kernel.add({guard + "LDC.64 R4, c[0x0][0x210]", 1, 0});
  kernel.add({"@!P0 STG.E [R4.64], R2", 1, 7, 1});  // leaves no event: P0 holds in all lanes
  kernel.add({"LDG.E R2, [R2.64]", 1, 1},
             access(Operation::global_load, 4, [](unsigned lane) { return kGlobal + lane * 4; }));
  kernel.end();
  return kernel.run(h200()).block_cycles;
}

}  // namespace

// Measured with launch_kernel, by %warpid: successive blocks begin on other sub-cores.
TEST_CASE(
    "a block begins on the sub-core behind the last warp, and on another than the one before") {
  const std::map<unsigned, std::vector<unsigned>> first{{1, {0, 1, 2, 3}},
                                                        {2, {0, 2, 0, 2}},
                                                        {3, {0, 3, 2, 1}},
                                                        {4, {0, 1, 2, 3}},
                                                        {8, {0, 1, 2, 3}}};
  for (const auto& [warps, sub_cores] : first) {
    const auto found = begins(warps, 4);
    for (unsigned block = 0; block < 4; ++block) {
      for (unsigned warp = 0; warp < warps; ++warp) {
        CAPTURE(warps, block, warp);
        CHECK(found.at({block, warp}).warp.sub_core == (sub_cores[block] + warp) % 4);
      }
    }
  }
}

// Measured with launch_phases, the first time: six blocks of 8 warps begin together.
TEST_CASE("blocks that are there before the first instructions begin with them") {
  const auto found = begins(8, 8);
  const auto at = [&](unsigned block) { return found.at({block, 7}).cycle; };
  for (unsigned block = 0; block < 6; ++block) CHECK(at(block) < 30);
  CHECK(at(7) - at(6) >= 30);
  // With all SMs the sub-cores begin one after another.
  const auto all = begins(4, 1, 132);
  for (unsigned warp = 0; warp < 4; ++warp) {
    CHECK(all.at({0, warp}).cycle - all.at({0, 0}).cycle == Approx(28 * warp).margin(2));
  }
}

// Measured with fetch_supply.
TEST_CASE("code that no SM has run comes at 2.1 cycles an instruction, and later behind a jump") {
  CHECK((cold_cycles(512, 1) - cold_cycles(256, 1)) / 256 == Approx(2.1).epsilon(0.02));
  CHECK((cold_cycles(512, 4) - cold_cycles(256, 4)) / 256 == Approx(4).epsilon(0.02));
  CHECK(jump_cycles(64) - jump_cycles(8) == Approx(50).margin(4));
  CHECK(jump_cycles(512) == Approx(jump_cycles(64)).margin(1));
}

// Measured with special_rates.
TEST_CASE("special registers and constants come one every two cycles from one unit") {
  for (const char* text : {"S2R R2, SR_TID.X", "S2UR UR4, SR_CTAID.X", "LDC R2, c[0x3][R4]"}) {
    CAPTURE(text);
    CHECK((special_cycles(text, 64) - special_cycles(text, 32)) / (32 * 16) ==
          Approx(2).epsilon(0.03));
  }
}

TEST_CASE("a constant for an access that is switched off is not fetched") {
  CHECK(constant_cycles("") - constant_cycles("@!P0 ") == Approx(70 + 42 - 18).margin(4));
  CHECK(constant_cycles("@P1 ") == Approx(constant_cycles("")).margin(1));
}

TEST_CASE("the blocks of an SM that holds one at a time are all run") {
  Kernel kernel(4, 3);
  kernel.launch().static_shared = 120U << 10U;
  for (unsigned i = 0; i < 8; ++i) kernel.add({"FFMA R2, R2, R3, R3", 15});
  kernel.end();
  const KernelCycles result = kernel.run(h200());
  CHECK(result.resident == 1);
  CHECK(result.blocks_run == 3);
  REQUIRE(result.sm.block_ends.size() == 3);
  CHECK(result.sm.block_ends[1] > result.sm.block_ends[0] + 465);
  CHECK(result.sm.block_ends[2] > result.sm.block_ends[1] + 465);
}

TEST_CASE("every choice of blocks is run next to either half of L2") {
  const auto cycles = [](double extra) {
    Kernel kernel(1);
    kernel.add({"LDG.E R2, [R2.64]", 2, 0},
               access(Operation::global_load, 4, [](unsigned lane) { return kGlobal + lane * 4; }));
    kernel.add({"IADD3 R5, R2, 0x1, RZ", 2, 7, 1});
    kernel.end();
    Machine machine = h200();
    machine.cycle->l2_far_extra = extra;
    return kernel.run(machine);
  };
  const KernelCycles near = cycles(0), both = cycles(185);
  CHECK(both.sms_run == 2);
  CHECK(both.block_cycles == Approx(near.block_cycles + 185 / 2.0));
  CHECK(both.block_most == Approx(near.block_most + 185));
}
