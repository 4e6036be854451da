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

/// Cycles per step of loads that each wait for the one before: of 64 steps behind the first 4 KiB,
/// which are near.
double chain(const std::string& text, std::uint64_t stride, const Machine& machine) {
  const auto run = [&](unsigned steps) {
    Kernel kernel(1);
    for (unsigned i = 0; i < steps; ++i) {
      kernel.add({text, 2, 0, i == 0 ? 0U : 1U}, load(kBase + i * stride));
    }
    kernel.end();
    return kernel.run(machine);
  };
  return (run(96).block_most - run(32).block_least) / 64;
}

/// All warps of these kernels store to the same lines, as if each had its own.
Machine without_merging() {
  Machine machine = h200();
  machine.cycle->store_merge_lines = 0;
  return machine;
}

}  // namespace

TEST_CASE("a load that hits in L1 takes 34 cycles") {
  Machine machine = h200();
  machine.cycle->l2_far_extra = 0;
  CHECK(chain("LDG.E R2, [R2.64]", 0, machine) == Approx(34).epsilon(0.03));
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

TEST_CASE("a scattered store leaves the SM in two cycles a line, 385 of them wait") {
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
    return kernel.run(without_merging()).sm.cycles;
  };
  CHECK(cycles(1) == Approx(8 * 128 * 4).epsilon(0.1));
  // Measured (half_rates): 6.8 cycles a line when all SMs store. 745 sectors wait without the
  // warps.
  CHECK(cycles(132) == Approx((8 * 128 - 745 / 4.0) * 6.8).epsilon(0.1));
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
    return kernel.run(without_merging()).block_cycles;
  };
  const auto each_line = [&](unsigned lane_stride, unsigned lines) {
    return (cycles(lane_stride, 128) - cycles(lane_stride, 64)) / (64 * 16 * lines);
  };
  // Measured with all SMs, half_rates, half of the lines near: 7.1 cycles for a whole line, 5.2 for
  // words of two sectors, 3.6 for words of one.
  CHECK(each_line(4, 1) == Approx(7.1).epsilon(0.05));
  CHECK(each_line(64, 16) == Approx(5.2).epsilon(0.05));
  CHECK(each_line(128, 32) == Approx(3.6).epsilon(0.05));
}

// Measured with half_rates: near lines as fast beside far ones as alone.
TEST_CASE("lines of the near half of L2 do not wait for those of the far one") {
  const auto run = [](unsigned loads) {
    Kernel kernel(16);
    kernel.launch().device.sms = 132;
    kernel.launch().grid = {132, 1, 1};
    for (unsigned i = 0; i < loads; ++i) {  // all in one half: far for every other SM
      kernel.add({"LDG.E R2, [R2.64]", 1, 0}, load(kBase + i * 2 * 8192 * 512));
    }
    kernel.add({"IADD3 R5, R2, 0x1, RZ", 2, 7, 1});
    kernel.end();
    return kernel.run(h200());
  };
  const KernelCycles few = run(8), many = run(24);
  CHECK(many.block_least - few.block_least < 250);  // one line for all 16 warps each time
  CHECK(many.block_most - few.block_most < 350);
}

// Measured with store_run: 753 and 780 cycles until the registers of the last store are free.
TEST_CASE("stores that have left the SM do not hold it while L2 is behind") {
  const auto free_at = [](unsigned sms) {
    Kernel kernel(8);
    kernel.launch().device.sms = sms;
    kernel.launch().grid = {sms, 1, 1};
    for (unsigned i = 0; i < 4; ++i) {
      kernel.add({"STG.E [R2.64], R4", 1, 7, 0, 0},
                 access(Operation::global_store, 4,
                        [=](unsigned lane) { return kBase + i * 4 + lane * 128; }));
    }
    kernel.add({"IADD3 R4, R4, 0x1, RZ", 2, 7, 1});
    kernel.end();
    return kernel.run(h200()).block_most;
  };
  CHECK(free_at(1) == Approx(765).epsilon(0.05));
  CHECK(free_at(132) == Approx(765).epsilon(0.05));
}

// Measured with behind_stores, 8 warps: 226 to 666 cycles until a special register is there, behind
// fewer stores at once.
TEST_CASE("a special register comes when the stores before it have been read") {
  const auto cycles = [](unsigned stores) {
    Kernel kernel(8);
    for (unsigned i = 0; i < stores; ++i) {
      kernel.add({"STG.E [R2.64], R4", 1}, access(Operation::global_store, 4, [=](unsigned lane) {
                   return kBase + i * 32 + lane * 256;
                 }));
    }
    kernel.add({"S2R R5, SR_TID.X", 2, 0});
    kernel.add({"IADD3 R5, R5, 0x1, RZ", 2, 7, 1});
    kernel.end();
    return kernel.run(without_merging());
  };
  CHECK(cycles(4).block_most == Approx(700).epsilon(0.15));
  CHECK(cycles(1).block_most < 120);
}

// Measured with store_merge: while the warps have 16 lines or fewer, all steps to a line take what
// one takes.
TEST_CASE("a store goes along with one before it to the same sectors") {
  const auto cycles = [](unsigned lane_stride, unsigned fill) {
    Kernel kernel(1);
    kernel.launch().device.sms = 132;
    kernel.launch().grid = {132, 1, 1};
    for (unsigned i = 0; i < 512; ++i) {
      kernel.add({"STG.E [R2.64], R4", 1}, access(Operation::global_store, 4, [=](unsigned lane) {
                   return kBase + i / fill * 32 * lane_stride + lane * lane_stride + i % fill * 4;
                 }));
    }
    kernel.end();
    return kernel.run(h200()).block_cycles;
  };
  CHECK(cycles(8, 1) > 1.7 * cycles(8, 2));
  CHECK(cycles(32, 1) > 3 * cycles(32, 8));
  CHECK(cycles(128, 1) < 1.1 * cycles(128, 8));  // 32 lines
}

// Measured with shared_lines: four blocks on each SM that copy the same lines take twice the time
// of one (copy16), those that load them 1.15 times.
TEST_CASE("a copy asks L2 again for what is on its way, a load does not") {
  const auto bytes = [](const std::string& text, Operation op) {
    Kernel kernel(2);
    const auto source = [](unsigned lane) { return kBase + lane * 4; };
    Access line = load(kBase);
    if (op == Operation::cp_async_ca) {
      line = with_source(access(op, 4, [](unsigned lane) { return 1024 + lane * 4; }), source);
    }
    kernel.add({text, 1}, line);
    kernel.end();
    return kernel.run(h200()).sm.l2_bytes;
  };
  CHECK(bytes("LDG.E R2, [R2.64]", Operation::global_load) == 128);
  CHECK(bytes("LDGSTS.E [R2], [R4.64]", Operation::cp_async_ca) == 2 * 128);
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

namespace {

/// Copies of 16 bytes a lane by `warps` warps, lanes `pitch` bytes apart in shared memory.
KernelCycles copies(Operation op, unsigned warps, unsigned count, unsigned pitch,
                    unsigned sms = 1) {
  Kernel kernel(warps, sms > 1 ? 2 : 1);
  kernel.launch().device.sms = sms;
  kernel.launch().grid = {sms, 1, 1};
  const bool past = op == Operation::cp_async_cg;
  for (unsigned i = 0; i < count; ++i) {
    kernel.add({past ? "LDGSTS.E.BYPASS.128 [R2], [R4.64]" : "LDGSTS.E.128 [R2], [R4.64]", 1},
               with_source(access(op, 16, [=](unsigned lane) { return 1024 + lane * pitch; }),
                           [=](unsigned lane) { return kBase + i * 512 + lane * 16; }));
  }
  kernel.add({"LDGDEPBAR", 1, 0});
  kernel.add({"DEPBAR.LE SB0, 0x0", 1, 7, 1});
  kernel.end();
  return kernel.run(h200());
}

}  // namespace

// Measured with line_pieces on one SM: 33 cycles for a copy of 32 requests.
TEST_CASE("a copy past L1 takes a cycle for each of its requests") {
  const auto each = [](unsigned pitch) {
    return (copies(Operation::cp_async_cg, 4, 48, pitch).block_most -
            copies(Operation::cp_async_cg, 4, 16, pitch).block_most) /
           (4 * 32);
  };
  CHECK(each(128) == Approx(32).epsilon(0.02));
  CHECK(each(16) < 5);
}

// Measured with line_pieces: 512 copies take 39,200 cycles when all SMs copy the same lines in
// eight pieces each, and 9,600 when they ask for them whole.
TEST_CASE("lines that all SMs ask for in pieces gain nothing from being shared") {
  const auto cycles = [](unsigned pitch) {
    return copies(Operation::cp_async_cg, 4, 48, pitch, 132).block_most;
  };
  CHECK(cycles(128) > 5 * cycles(16));
}

// Measured with lds_beside_loads: shared loads are not held up before the lines have come.
TEST_CASE("a copy through L1 passes the data stage when its lines have come") {
  const auto loaded = [](bool copy) {
    Kernel kernel(1);
    for (unsigned i = 0; copy && i < 4; ++i) {
      kernel.add({"LDGSTS.E.128 [R2], [R4.64]", 1},
                 with_source(access(Operation::cp_async_ca, 16,
                                    [](unsigned lane) { return 1024 + lane * 128; }),
                             [=](unsigned lane) { return kBase + i * 512 + lane * 16; }));
    }
    kernel.add({"LDS R2, [R2]", 1, 0}, shared_load(4, 4));
    kernel.add({"IADD3 R5, R2, 0x1, RZ", 2, 7, 1});
    kernel.end();
    SimulateOptions options;
    options.timeline_cycles = 5000;
    for (const TimelineEntry& entry : kernel.run(h200(), options).timeline) {
      if (entry.text.find("IADD3") != std::string::npos) return entry.cycle;
    }
    return -1.0;
  };
  CHECK(loaded(true) < loaded(false) + 4 * 12);  // not the 32 wavefronts of each
}
