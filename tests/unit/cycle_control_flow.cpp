// The way of a warp between two recorded events.
#include "catch.hpp"
#include "sim/cycle/control_flow.hpp"
#include "unit/cycle_fixture.hpp"

using namespace smemsim;
using namespace smemsim::testing;

namespace {

ControlFlow flow_of(const std::vector<std::string>& texts) {
  Program program;
  program.function = "kernel";
  for (const std::string& text : texts) {
    const auto index = static_cast<std::uint32_t>(program.instructions.size());
    program.instructions.push_back(instruction({text}, index));
  }
  ControlFlow flow(decode(program, CycleParameters{}));
  std::vector<bool> events(texts.size(), false);
  for (std::size_t i = 0; i < texts.size(); ++i) events[i] = base_opcode(texts[i]) == "LDS";
  flow.set_stops(events, events);
  return flow;
}

using Steps = std::vector<std::int32_t>;

}  // namespace

TEST_CASE("straight code has one path") {
  ControlFlow flow = flow_of({"MOV R1, R2", "LDS R2, [R1]", "FADD R2, R2, R2", "EXIT"});
  const Path path = flow.path(-1, 1);
  CHECK(path.found);
  CHECK_FALSE(path.ambiguous);
  CHECK(path.steps == Steps{0, 1});
  CHECK(flow.path(1, 3).steps == Steps{2, 3});
}

TEST_CASE("a branch that nothing decides is ambiguous, and the shortest way is taken") {
  ControlFlow flow =
      flow_of({"@P0 BRA 0x30", "FADD R2, R2, R2", "FADD R2, R2, R2", "LDS R2, [R1]", "EXIT"});
  const Path path = flow.path(-1, 3);
  CHECK(path.ambiguous);
  CHECK(path.steps == Steps{0, 3});
}

TEST_CASE("a path does not pass an instruction that would have left an event") {
  ControlFlow flow = flow_of({"@P0 BRA 0x30", "LDS R4, [R1]", "NOP", "LDS R2, [R1]", "EXIT"});
  const Path path = flow.path(-1, 3);
  CHECK_FALSE(path.ambiguous);
  CHECK(path.steps == Steps{0, 3});
}

TEST_CASE("turns of a loop without events follow from its counter") {
  ControlFlow flow = flow_of({"IMAD.MOV.U32 R18, RZ, RZ, RZ", "VIADD R18, R18, 0x4",
                              "ISETP.NE.AND P2, PT, R18, 0x10, PT", "FADD R2, R2, R2",
                              "@P2 BRA 0x10", "LDS R2, [R1]", "EXIT"});
  const Path path = flow.path(-1, 5);
  CHECK_FALSE(path.ambiguous);
  CHECK(path.steps.size() == 1 + 4 * 4 + 1);
}

TEST_CASE("a loop with events turns as often as the trace shows") {
  ControlFlow flow =
      flow_of({"IMAD.MOV.U32 R18, RZ, RZ, RZ", "VIADD R18, R18, 0x4",
               "ISETP.NE.AND P2, PT, R18, 0x10, PT", "LDS R2, [R1]", "@P2 BRA 0x10", "EXIT"});
  CHECK(flow.path(3, 3).steps == Steps{4, 1, 2, 3});
  CHECK(flow.path(3, 5).steps == Steps{4, 5});
}

// The slow path of a division: a test for NaN, one for 0 / 0, which makes a NaN, and the rest.
TEST_CASE("a way that only a NaN takes is not taken, though it is shorter") {
  ControlFlow flow = flow_of(
      {"FSETP.GTU.FTZ.AND P1, PT, |R0|, +INF , PT", "FSETP.GTU.FTZ.AND P2, PT, |R4|, +INF , PT",
       "PLOP3.LUT P1, PT, P1, P2, PT, 0xa8, 0x0", "@P1 BRA 0xb0",
       "LOP3.LUT P1, RZ, R31, 0x7fffffff, R0, 0xc8, !PT", "@!P1 BRA 0x90", "FADD R2, R2, R2",
       "FADD R2, R2, R2", "BRA 0xc0", "MUFU.RSQ R0, -QNAN", "BRA 0xc0", "FADD.FTZ R0, R0, R4",
       "LDS R2, [R1]", "EXIT"});
  const Path path = flow.path(-1, 12);
  CHECK(path.steps == Steps{0, 1, 2, 3, 4, 5, 6, 7, 8, 12});
  CHECK(path.ambiguous);  // a NaN would take another
  // One of the two predicates says something else: the shortest way.
  ControlFlow other =
      flow_of({"FSETP.GTU.FTZ.AND P1, PT, |R0|, +INF , PT", "ISETP.NE.AND P2, PT, R3, RZ, PT",
               "PLOP3.LUT P1, PT, P1, P2, PT, 0xa8, 0x0", "@P1 BRA 0x60", "FADD R2, R2, R2",
               "FADD R2, R2, R2", "LDS R2, [R1]", "EXIT"});
  CHECK(other.path(-1, 6).steps == Steps{0, 1, 2, 3, 6});
  // Where there is no other way, it is taken.
  ControlFlow only = flow_of({"MUFU.RSQ R0, -QNAN", "LDS R2, [R1]", "EXIT"});
  CHECK(only.path(-1, 1).steps == Steps{0, 1});
}
