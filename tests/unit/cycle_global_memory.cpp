// Global memory and asynchronous copies as a lone warp sees them. Expected numbers: measured on an
// H200 (docs/cycle-model.md).
#include "catch.hpp"
#include "unit/cycle_fixture.hpp"

using namespace smemsim;
using namespace smemsim::testing;

namespace {

constexpr std::uint64_t kBase = std::uint64_t{1} << 32;

Access load(std::uint64_t base) {
  return access(Operation::global_load, 4, [=](unsigned lane) { return base + lane * 4; });
}

/// Cycles per step of loads that each wait for the one before.
double chain(const std::string& text, std::uint64_t stride, const Machine& machine) {
  const auto cycles = [&](unsigned steps) {
    Kernel kernel(1);
    for (unsigned i = 0; i < steps; ++i) {
      kernel.add({text, 2, 0, i == 0 ? 0U : 1U}, load(kBase + i * stride));
    }
    kernel.end();
    return kernel.run(machine).block_cycles;
  };
  return (cycles(96) - cycles(32)) / 64;
}

}  // namespace

TEST_CASE("a load that hits in L1 takes 34 cycles") {
  CHECK(chain("LDG.E R2, [R2.64]", 0, h200()) == Approx(34).epsilon(0.03));
}

TEST_CASE("a load from L2 takes 270 cycles, the first from its far half 185 more") {
  Machine machine = h200();
  machine.cycle->l2_far_extra = 0;
  CHECK(chain("LDG.E.STRONG.GPU R2, [R2.64]", 128, machine) == Approx(270).epsilon(0.03));
  // Whole pieces of 4 KiB lie in one half: here the second and third of a page, the far ones.
  CHECK(chain("LDG.E.STRONG.GPU R2, [R2.64]", 128, h200()) == Approx(270 + 185).epsilon(0.03));
  CHECK(chain("LDG.E.STRONG.GPU R2, [R2.64]", 4096, h200()) ==
        Approx(270 + 185 / 2.0).epsilon(0.06));
}

TEST_CASE("a scattered store leaves the SM in two cycles a line, 770 cycles of them wait") {
  const auto load_behind = [](unsigned stores) {
    Kernel kernel(8);
    for (unsigned i = 0; i < stores; ++i) {
      kernel.add({"STG.E [R2.64], R4", 1}, access(Operation::global_store, 4, [=](unsigned lane) {
                   return kBase + i * 4 + lane * 128;
                 }));
    }
    kernel.add({"LDS R5, [R6]", 2, 0},
               access(Operation::load, 4, [](unsigned lane) { return std::uint64_t{lane} * 4; }));
    kernel.add({"IADD3 R5, R5, 0x1, RZ", 2, 7, 1});
    kernel.end();
    return kernel.run(h200()).block_cycles;
  };
  // Measured: 1,200, 3,245 and 5,295 cycles behind 1,024, 2,048 and 3,072 lines.
  CHECK(load_behind(8) - load_behind(4) == Approx(2045).epsilon(0.03));
  CHECK(load_behind(12) - load_behind(8) == Approx(2050).epsilon(0.03));
  CHECK(load_behind(4) == Approx(1200).epsilon(0.15));
}

TEST_CASE("stores leave an SM at 32 bytes a cycle, all SMs share what L2 takes") {
  const auto cycles = [](unsigned sms) {
    Kernel kernel(8);
    kernel.launch().device.sms = sms;
    kernel.launch().grid = {sms, 1, 1};
    for (unsigned i = 0; i < 128; ++i) {
      kernel.add({"STG.E [R2.64], R4", 1}, access(Operation::global_store, 4, [=](unsigned lane) {
                   return kBase + i * 128 + lane * 4;
                 }));
    }
    kernel.end();
    return kernel.run(h200()).sm.cycles;
  };
  CHECK(cycles(1) == Approx(8 * 128 * 4).epsilon(0.1));
  // Measured: 6.2 cycles a line when all SMs store; the last 770 cycles go on without the warps.
  CHECK(cycles(132) == Approx(8 * 128 * 6.2 - 770).epsilon(0.1));
}

TEST_CASE("of L2 a store takes what its lines and sectors take") {
  const auto cycles = [](unsigned lane_stride, unsigned stores) {
    Kernel kernel(16);
    kernel.launch().device.sms = 132;
    kernel.launch().grid = {132, 1, 1};
    for (unsigned i = 0; i < stores; ++i) {
      kernel.add({"STG.E [R2.64], R4", 1}, access(Operation::global_store, 4, [=](unsigned lane) {
                   return kBase + i * 4096 + lane * lane_stride;
                 }));
    }
    kernel.end();
    return kernel.run(h200()).block_cycles;
  };
  const auto each_line = [&](unsigned lane_stride, unsigned lines) {
    return (cycles(lane_stride, 128) - cycles(lane_stride, 64)) / (64 * 16 * lines);
  };
  // Measured with all SMs, store_fill and loads_and_stores: 6.7 to 8.9 for four sectors of a line,
  // 5.1 for two, 3.5 to 4.2 for one.
  CHECK(each_line(4, 1) == Approx(7.7).epsilon(0.05));
  CHECK(each_line(64, 16) == Approx(5.1).epsilon(0.05));
  CHECK(each_line(128, 32) == Approx(3.6).epsilon(0.05));
}

TEST_CASE("a line that all SMs ask for serves one request after another") {
  const auto last = [](unsigned sms, unsigned warps) {
    Kernel kernel(warps, 2);
    kernel.launch().device.sms = sms;
    kernel.launch().grid = {sms, 1, 1};
    kernel.add({"LDG.E.STRONG.GPU R2, [R2.64]", 1, 0},
               access(Operation::global_load, 4, [](unsigned) { return kBase; }));
    kernel.add({"IADD3 R5, R2, 0x1, RZ", 2, 7, 1});
    kernel.end();
    return kernel.run(h200()).block_most;
  };
  // 0.13 cycles for each warp of the device.
  CHECK(last(132, 32) - last(132, 16) == Approx(0.13 * 132 * 16).epsilon(0.15));
  CHECK(last(1, 32) - last(1, 16) < 60);
}
