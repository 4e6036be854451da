// What the check takes from machine code, since no event tells of it.
#include "race_fixture.hpp"
#include "sim/race_sass.hpp"
#include "sim/race_values.hpp"

namespace smemsim::race_test {
namespace {

using Code = std::vector<std::string>;

/// Warp 0 fills the buffer and warp 1 uses it, three times. Nobody records the arrivals at lines 4
/// (full) and 13 (free again); the racy producer does not wait at line 2.
LaunchRaces hand_over(const std::string& full, const std::string& free, bool fixed) {
  Trace trace(64);
  trace.code({"ISETP P0, R0", "@P0 BRA 0xb0", fixed ? "@P2 BAR.SYNC 0x2, 0x40" : "NOP",
              "STS [R2], R3", full, "ISETP P1, R5", "@P1 BRA 0x20", "EXIT", "NOP", "NOP", "NOP",
              "BAR.SYNC 0x1, 0x40", "LDS R3, [R2]", free, "@P1 BRA 0xb0", "EXIT"});
  for (int i = 0; i < 3; ++i) {
    if (fixed && i > 0) trace.named(2, 0, 2, 64);
    trace.store(3, 0, own(0));
    trace.named(11, 1, 1, 64).load(12, 1, own(0));
  }
  trace.op(Operation::exit, 7, 0).op(Operation::exit, 15, 1);
  return trace.check();
}

}  // namespace

TEST_CASE("bar.arrive without events is found on the way between two events", "[races]") {
  const LaunchRaces good = hand_over("BAR.ARV 0x1, 0x40", "@!P1 BAR.ARV 0x2, 0x40", true);
  CHECK(summary(good).empty());
  CHECK(good.notes.empty());
  const Lines bad = summary(hand_over("BAR.ARV 0x1, 0x40", "NOP", false));
  CHECK(std::count(bad.begin(), bad.end(), "write-after-read 12 3 error") == 1);
}

TEST_CASE("a bar.arrive that may have been executed orders, and raises no alarm", "[races]") {
  CHECK(summary(hand_over("@P3 BAR.ARV 0x1, 0x40", "@!P1 BAR.ARV 0x2, 0x40", true)).empty());
  CHECK(summary(hand_over("BAR.ARV R9, 0x40", "@!P1 BAR.ARV R9, R8", true)).empty());
}

TEST_CASE("a barrier for which no arrival can be found is not told", "[races]") {
  const LaunchRaces races = hand_over("BAR.ARV 0x5, 0x40", "@!P1 BAR.ARV 0x2, 0x40", true);
  CHECK(summary(races).empty());
  CHECK(races.notes.size() == 1);
}

TEST_CASE("arrivals that the trace shows are not added again", "[races]") {
  Trace trace(64);
  trace.code({"@P0 BRA 0x40", "STS [R2], R3", "BAR.ARV 0x1, 0x40", "EXIT", "BAR.SYNC 0x1, 0x40",
              "LDS R3, [R2]", "EXIT"});
  trace.store(1, 0, own(0)).arrive(2, 0, 1, 64).op(Operation::exit, 3, 0);
  trace.named(4, 1, 1, 64).load(5, 1, own(0)).op(Operation::exit, 6, 1);
  CHECK(summary(trace.check()).empty());
}

TEST_CASE("proxy fences are found in the code, and so are missing ones", "[races]") {
  for (const std::string fence : {"FENCE.VIEW.ASYNC.S", "@P1 FENCE.VIEW.ASYNC.S", "NOP"}) {
    Trace trace(64);
    trace.code({"FENCE.VIEW.ASYNC.S", "STS [R2], R3", fence, "BAR.SYNC 0x0", "@P0 EXIT",
                "UBLKCP.G.S [UR4], [UR8], UR7", "UTMACMDFLUSH", "DEPBAR.LE SB0, 0x0"});
    each_warp(2, [&](std::uint32_t warp) { trace.store(1, warp, own(warp)).sync(3, warp); });
    trace.op(Operation::bulk_store, 5, 0, 1, 256, 0, 0, 0).op(Operation::bulk_commit, 6, 0, 1);
    trace.op(Operation::bulk_wait, 7, 0, 1, 0, 1);
    CHECK(summary(trace.check()) ==
          (fence == "NOP" ? Lines{"missing-proxy-fence 1 5 error"} : Lines{}));
  }
}

TEST_CASE("the load of a compare-and-swap loop is a part of the atomic", "[races]") {
  const Code loop{"STS [R6], RZ",
                  "BAR.SYNC 0x0",
                  "LDS R8, [R6]",
                  "FADD R9, R8, R7",
                  "ATOMS.CAST.SPIN R9, [R6], R8, R9",
                  "ISETP.EQ.U32.AND P0, PT, R9, 0x1, PT",
                  "@!P0 BRA 0x20",
                  "EXIT"};
  for (const bool atomic : {true, false}) {
    Code code = loop;
    if (!atomic) code[2] = "LDS R8, [R6+0x4]";
    Trace trace(64);
    trace.code(code).store(0, 0, at(0), 1).sync(1, 0).sync(1, 1);
    each_warp(2, [&](std::uint32_t warp) {
      trace.load(2, warp, at(0), 1).access(Operation::cas, 4, warp, at(0), 1);
    });
    CHECK(summary(trace.check()).empty() == atomic);
  }
}

TEST_CASE("constants of mbarrier instructions stand in for what the trace does not know",
          "[races]") {
  // Warp 0 fills and arrives; warp 1 waits for parity 0, or wrongly for 1, which returns at once.
  for (const bool fixed : {false, true}) {
    Trace trace(64);
    trace.code({"UMOV UR5, 0x20", "UIADD3 UR4, -UR5, 0x100000, URZ",
                "USHF.L.U32 UR4, UR4, 0x1, URZ", "SYNCS.EXCH.64 URZ, [UR8], UR4", "BAR.SYNC 0x0",
                "@P0 BRA 0xa0", "STS [R2], R3", "SYNCS.ARRIVE.TRANS64.A1T0 RZ, [UR8], RZ", "EXIT",
                "NOP", fixed ? "MOV R0, RZ" : "IMAD.MOV.U32 R0, RZ, RZ, 0x1",
                "SHF.L.U32 R0, R0, 0x1f, RZ", "SYNCS.PHASECHK.TRANS64.TRYWAIT P0, [UR8], R0",
                "@!P0 BRA 0xc0", "LDS R3, [R2]", "EXIT"});
    trace.op(Operation::mbarrier_init, 3, 0, 1, 0, 0, 8192).sync(4, 0).sync(4, 1);
    trace.store(6, 0, own(0)).op(Operation::mbarrier_arrive, 7, 0, kAll, 1, 0, 8192);
    trace.op(Operation::mbarrier_wait, 12, 1, kAll, 2, 0, 8192).load(14, 1, own(0));
    CHECK(summary(trace.check()) == (fixed ? Lines{} : Lines{"read-after-write 6 14 error"}));
  }
}

TEST_CASE("a constant counts only when every way gives the same", "[races]") {
  const auto parity = [](const Code& code) {
    Program program;
    for (const std::string& text : code) {
      program.instructions.push_back(
          {static_cast<std::uint32_t>(16 * program.instructions.size()), 0, 0, text, 0, 0});
    }
    return RaceValues(program).mbarrier(code.size() - 1);
  };
  const std::string wait = "SYNCS.PHASECHK.TRANS64.TRYWAIT P0, [R4+URZ], R2";
  CHECK(parity({"MOV R2, 0x80000000", wait}) == 1U);
  CHECK(parity({"MOV R2, RZ", "@P0 BRA 0x0", "VIADD R6, R2, 0x1", wait}) == 0U);
  CHECK_FALSE(parity({"MOV R2, RZ", "@P0 BRA 0x30", "MOV R2, 0x80000000", wait}));
  CHECK_FALSE(parity({"MOV R2, RZ", "@P0 MOV R2, 0x80000000", wait}));
  CHECK_FALSE(parity({"MOV R2, RZ", "LDS.64 R1, [R8]", wait}));
  CHECK_FALSE(parity({"VIADD R3, R3, 0x1", wait}));
  CHECK_FALSE(parity({"MOV R2, 0x12345", wait}));
}

TEST_CASE("which loads belong to a compare-and-swap loop", "[races]") {
  const auto loads = [](const Code& code) {
    Program program;
    for (const std::string& text : code) {
      program.instructions.push_back(
          {static_cast<std::uint32_t>(16 * program.instructions.size()), 0, 0, text, 0, 0});
    }
    return cas_loop_loads(program);
  };
  const std::string back = "@P0 BRA 0x10";
  using Found = std::vector<std::size_t>;
  // As in the CUDA guide: the first expected value is loaded, later ones come from the swap.
  CHECK(loads({"LDS.64 R4, [R2]", "IMAD.MOV.U32 R8, RZ, RZ, R4", "DADD R10, R8, R6",
               "ATOMS.CAS.64 R4, [R2], R8, R10", back}) == Found{0});
  CHECK(loads({"LD.E R4, desc[UR4][R2.64]", "IADD3 R5, R4, 0x1, RZ",
               "ATOM.E.CAS.STRONG.GPU PT, R5, desc[UR4][R2.64], R4, R5", back})
            .empty());  // the address is not in brackets of its own
  CHECK(loads({"LDS R4, [R2]", "ATOMS.CAS R5, [R2], R4, R6"}).empty());  // no loop
  CHECK(loads({"LDS R4, [R2]", "VIADD R2, R2, 0x4", "ATOMS.CAS R5, [R2], R4, R6", back}).empty());
  CHECK(loads({"LDS R4, [R2]", "FADD R4, R4, R7", "ATOMS.CAS R5, [R2], R4, R6", back}).empty());
}

}  // namespace smemsim::race_test
