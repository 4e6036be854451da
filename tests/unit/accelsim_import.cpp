// Accel-Sim traces as warp events.
#include "accelsim_text.hpp"
#include "catch.hpp"
#include "trace_fixtures.hpp"

namespace smemsim::test {
namespace {

/// All events of one warp, a line each: operation, lanes, addresses, scalars.
std::string warp_text(const RecordedLaunch& launch, std::uint64_t block = 0,
                      std::uint32_t warp = 0) {
  std::string out;
  const auto found = launch.events.find({block, warp});
  if (found == launch.events.end()) return out;
  for (const WholeEvent& event : found->second) {
    const EventShape& shape = event.shape;
    out += std::string(name(shape.op));
    if (shape.width != 0) out += "/" + std::to_string(shape.width);
    if (shape.matrices != 0) out += "x" + std::to_string(shape.matrices);
    if ((shape.flags & kTransposed) != 0) out += "t";
    out += " " + std::to_string(lane_count(shape.active));
    if (shape.a != 0 || shape.b != 0) {
      out += " a=" + std::to_string(shape.a) + " b=" + std::to_string(shape.b);
    }
    if (!shape.offsets.empty() || event.base != 0) {
      out += " @" + std::to_string(event.base);
      for (unsigned lane = 0; lane < shape.offsets.size(); ++lane) {
        if (has_lane(shape.active, lane)) out += "+" + std::to_string(shape.offsets[lane]);
      }
    }
    if (!shape.source_offsets.empty()) out += " from " + std::to_string(event.source);
    out += "\n";
  }
  return out;
}

std::string one_warp(const std::string& instruction) {
  AccelsimText text;
  text.steps = {{0, 0, instruction}};
  const ReadBack grouped = read_back(text.grouped()), raw = read_back(text.raw());
  if (!grouped.error.empty()) return "error: " + grouped.error;
  CHECK(grouped.broken.empty());
  CHECK(grouped.launches == raw.launches);
  return warp_text(grouped.launches.at(0));
}

std::string import_error(const std::string& bytes) {
  const ReadBack read = read_back(bytes);
  return read.error.empty() ? "no error" : read.error;
}

TEST_CASE("both forms give the same launch, blocks and events") {
  const AccelsimText text = two_warps();
  const ReadBack raw = read_back(text.raw()), grouped = read_back(text.grouped());
  REQUIRE(raw.error.empty());
  REQUIRE(grouped.error.empty());
  CHECK(raw.broken.empty());
  CHECK(grouped.broken.empty());
  CHECK(raw.launches == grouped.launches);
  CHECK(raw.warnings.empty());
  REQUIRE(raw.launches.size() == 1);
  const Launch& launch = raw.launches[0].launch;
  CHECK(launch.kernel == "transpose(float*, float const*)");
  CHECK(launch.function == "_Z9transposePfPKf");
  CHECK(launch.grid == Dim3{2, 2, 1});
  CHECK(launch.block == Dim3{64, 1, 1});
  CHECK(launch.static_shared == 4096);
  CHECK(launch.dynamic_shared == 0);
  CHECK(launch.first_shared == 0);
  CHECK(launch.registers == 24);
  CHECK(launch.launch_index == 2);
  CHECK(launch.stream == 7);
  CHECK(launch.device.arch == "sm_80");
  CHECK(launch.recorded_blocks == 2);
  REQUIRE(launch.sites.size() == 6);
  CHECK(launch.sites[2].instruction == "STS");
  CHECK(launch.sites[2].pc == 0x20);
  CHECK(launch.sites[2].function == launch.function);
  for (const std::uint64_t block : {std::uint64_t{0}, std::uint64_t{3}}) {
    for (const std::uint32_t warp : {0U, 1U}) {
      std::string lanes;
      for (int lane = 0; lane < 32; ++lane) lanes += "+" + std::to_string(4 * lane);
      CHECK(warp_text(raw.launches[0], block, warp) ==
            "instructions 32 a=1 b=0\nld.global/4 32 @139637976727552" + lanes + "\nst/4 32 @0" +
                lanes + "\nbar.sync 32\nld/4 2 @0+0+128\nexit 32\n");
    }
  }
}

TEST_CASE("the three forms of addresses") {
  CHECK(one_warp("0040 0000000f 1 R5 LDS 1 R2 4 1 0x7f1200000100 8 0") ==
        "ld/4 4 @256+0+8+16+24\n");
  CHECK(one_warp("0040 000000f0 1 R5 LDS 1 R2 4 1 0x7f1200000100 -4 0") ==
        "ld/4 4 @256+0+-4+-8+-12\n");
  CHECK(one_warp("0040 80000005 1 R5 LDS 1 R2 4 2 0x7f1200000100 12 -4 0") ==
        "ld/4 3 @256+0+12+8\n");
  CHECK(one_warp("0040 00000400 1 R5 LDS 1 R2 4 2 0x7f1200000100 0") == "ld/4 1 @256+0\n");
  CHECK(one_warp("0040 00000005 1 R5 LDS 1 R2 4 0 0x00007f1200000000 0x00007f1200000008 0") ==
        "ld/4 2 @0+0+8\n");
  // Shared addresses may also be offsets.
  CHECK(one_warp("0040 00000003 1 R5 LDS 1 R2 4 1 0x100 8 0") == "ld/4 2 @256+0+8\n");
  // No lane: whatever is printed for addresses is left over.
  CHECK(one_warp("0040 00000000 1 R28 LDS 1 R24 4 1 0x0 0") == "instructions 0 a=1 b=0\n");
}

TEST_CASE("opcodes tell operation and size") {
  const auto event = [](const std::string& opcode, const std::string& results = "0") {
    return one_warp("0040 00000001 " + results + " " + opcode + " 1 R2 4 2 0x7f1200000100 0");
  };
  CHECK(event("LDS.U.128", "1 R4") == "ld/16 1 @256+0\n");
  CHECK(event("LDS.S8", "1 R4") == "ld/1 1 @256+0\n");
  CHECK(event("STS.U16") == "st/2 1 @256+0\n");
  CHECK(event("LDSM.16.M88.4", "1 R4") == "ldmatrix/16x4 1 @256+0\n");
  CHECK(event("LDSM.16.MT88.2", "1 R4") == "ldmatrix/16x2t 1 @256+0\n");
  CHECK(event("STSM.16.M88") == "stmatrix/16x1 1 @256+0\n");
  CHECK(event("ATOMS.ADD", "1 R4") == "atom/4 1 @256+0\n");
  CHECK(event("ATOMS.ADD", "1 R255") == "red/4 1 @256+0\n");
  CHECK(event("ATOMS.CAS.64", "1 R4") == "atom.cas/8 1 @256+0\n");
  CHECK(event("ATOMS.POPC.INC.32", "1 R255") == "red.popc/4 1 @256+0\n");
  CHECK(event("ATOMS.CAST.SPIN", "1 R4") == "atom.cas.spin/4 1 @256+0\n");
  CHECK(event("LDG.E.LTC128B.64", "1 R4") == "ld.global/8 1 @139715286139136+0\n");
  CHECK(event("RED.E.ADD.F32.FTZ.RN.STRONG.GPU") == "atom.global/4 1 @139715286139136+0\n");
}

TEST_CASE("rows of ldmatrix that do not exist have no address of their own") {
  CHECK(one_warp("0040 000003ff 1 R4 LDSM.16.M88 1 R2 4 1 0x7f1200000000 16 0") ==
        "ldmatrix/16x1 10 @0+0+16+32+48+64+80+96+112+0+16\n");
}

TEST_CASE("generic accesses go where their addresses point") {
  CHECK(one_warp("0040 00000003 1 R4 LD.E 1 R2 4 0 0x00007f1200000040 0x00007f1200000080 0") ==
        "ld/4 2 @64+0+64\n");
  CHECK(one_warp("0040 00000003 1 R4 LD.E 1 R2 4 0 0x00007f1200000040 0x00007f0000000080 0") ==
        "ld/4 1 @64+0\nld.global/4 1 @139637976727680+0\n");
  CHECK(one_warp("0040 00000003 0 ST.E 2 R2 R4 4 1 0x7f1202000040 4 0") ==
        "instructions 2 a=1 b=0\n");
  AccelsimText text;
  text.window = false;
  text.steps = {{0, 0, "0040 00000001 1 R4 LD.E 1 R2 4 2 0x7f1200000040 0"}};
  const ReadBack read = read_back(text.raw());
  REQUIRE(read.error.empty());
  CHECK(warp_text(read.launches[0]) == "ld.global/4 1 @139715286138944+0\n");
  REQUIRE(read.warnings.size() == 1);
  CHECK_THAT(read.warnings[0], ContainsSubstring("no \"shmem base_addr\""));
}

TEST_CASE("barriers, waits and what else orders warps") {
  CHECK(one_warp("0040 ffffffff 0 BAR.SYNC.DEFER_BLOCKING 0 0 2") == "bar.sync 32 a=2 b=0\n");
  CHECK(one_warp("0040 ffffffff 0 WARPSYNC 0 0 -1") == "warpsync 32 a=4294967295 b=0\n");
  CHECK(one_warp("0040 ffffffff 0 WARPSYNC.ALL 0 0 0") == "warpsync 32 a=4294967295 b=0\n");
  CHECK(one_warp("0040 ffffffff 1 R4 SHFL.BFLY 1 R4 0 31") == "shfl 32\n");
  CHECK(one_warp("0040 00000001 0 FENCE.VIEW.ASYNC.S 0 0 0") == "fence.proxy.async 1\n");
  // Not a wait for copies where there are none.
  CHECK(one_warp("0040 ffffffff 0 DEPBAR.LE 0 0 1") == "instructions 32 a=1 b=0\n");

  AccelsimText named;
  named.steps = {{0, 0, "0040 ffffffff 0 BAR.SYNC 0 0 64"},
                 {0, 0, "0050 ffffffff 0 BAR.ARV 0 0 64"}};
  const ReadBack read = read_back(named.raw());
  CHECK(warp_text(read.launches.at(0)) == "bar.sync 32 a=1 b=64\nbar.arrive 32 a=1 b=64\n");
  REQUIRE(read.warnings.size() == 1);
  CHECK_THAT(read.warnings[0], ContainsSubstring("BAR: 2 executions whose barrier number"));
}

TEST_CASE("asynchronous copies: two lines in the raw form, one in the grouped") {
  AccelsimText text;
  text.steps = {
      {0, 0, "0040 00000003 0 LDGSTS.E.BYPASS.128 2 R2 R4 16 1 0x7f1200000100 16 0"},
      {0, 1, "0040 00000001 0 LDGSTS.E.BYPASS.128 2 R2 R4 16 2 0x7f1200000180 0"},
      {0, 0, "0040 00000003 0 LDGSTS.E.BYPASS.128 2 R2 R4 16 1 0x7f0000000000 16 0"},
      {0, 1, "0040 00000001 0 LDGSTS.E.BYPASS.128 2 R2 R4 16 2 0x7f0000000080 0"},
      {0, 0, "0050 00000000 0 LDGSTS.E 2 R2 R4 4 1 0x0 0 0"},
      {0, 0, "0050 00000000 0 LDGSTS.E 2 R2 R4 4 1 0x0 0 0"},
      {0, 0, "0060 ffffffff 0 LDGDEPBAR 0 0 0"},
      {0, 0, "0070 ffffffff 0 DEPBAR.LE 0 0 1"},
      {0, 0, "0080 00000003 0 LDGSTS.E 2 R2 R4 4 1 0x7f1200000100 4 0"},
      {0, 0, "0080 00000003 0 LDGSTS.E 2 R2 R4 4 1 0x7f0000000000 4 0"},
  };
  const ReadBack raw = read_back(text.raw());
  REQUIRE(raw.error.empty());
  CHECK(raw.broken.empty());
  CHECK(raw.warnings.empty());
  CHECK(warp_text(raw.launches[0]) ==
        "cp.async.cg/16 2 @256+0+16 from 139637976727552\n"
        "instructions 0 a=1 b=0\ncp.async.commit 32\ncp.async.wait 32 a=1 b=0\n"
        "cp.async.ca/4 2 @256+0+4 from 139637976727552\n");
  CHECK(warp_text(raw.launches[0], 0, 1) == "cp.async.cg/16 1 @384+0 from 139637976727680\n");

  // What the tool that groups the lines leaves: the second line of each pair.
  AccelsimText left = text;
  left.steps = {text.steps[2], text.steps[5], text.steps[6], text.steps[7], text.steps[9]};
  const ReadBack grouped = read_back(left.grouped());
  REQUIRE(grouped.error.empty());
  CHECK(warp_text(grouped.launches[0]) ==
        "ld.global/16 2 @139637976727552+0+16\ninstructions 0 a=1 b=0\n"
        "cp.async.commit 32\ncp.async.wait 32 a=1 b=0\nld.global/4 2 @139637976727552+0+4\n");
  REQUIRE(grouped.warnings.size() == 1);
  CHECK_THAT(grouped.warnings[0],
             ContainsSubstring("LDGSTS: 2 executions imported as global loads"));

  text.steps = {text.steps[0], text.steps[6]};
  CHECK_THAT(import_error(text.raw()),
             ContainsSubstring("t:18: an LDGSTS of this warp lacks its second line"));
  text.steps = {text.steps[0]};
  CHECK_THAT(
      import_error(text.raw()),
      ContainsSubstring("t:17: the block ends and warp 0 has an LDGSTS with one of its two"));
}

TEST_CASE("what is not known is counted and reported") {
  AccelsimText text;
  for (int i = 0; i < 3; ++i) text.steps.push_back({0, 0, "0040 ffffffff 1 R4 FROB.X 1 R5 0 0"});
  text.steps.push_back({0, 0, "0050 ffffffff 1 R4 FROB.Y 1 R5 0 0"});
  text.steps.push_back({0, 0, "0060 00000001 0 SYNCS.ARRIVE.TRANS64 1 R5 8 2 0x7f1200000000 0"});
  const ReadBack read = read_back(text.grouped());
  REQUIRE(read.error.empty());
  CHECK(warp_text(read.launches[0]) == "instructions 32 a=5 b=0\n");
  REQUIRE(read.warnings.size() == 3);
  CHECK(read.warnings[0] == "t: unknown opcode FROB.X: 3 executions, imported as issue slots only");
  CHECK(read.warnings[1] == "t: unknown opcode FROB.Y: 1 execution, imported as issue slots only");
  CHECK_THAT(read.warnings[2], ContainsSubstring("t: SYNCS: 1 execution, imported as issue slots"));
}

TEST_CASE("source lines, cores, clusters and newer versions") {
  AccelsimText text = two_warps();
  const std::string plain = read_back(text.raw()).error;
  REQUIRE(plain.empty());
  const ReadBack expected = read_back(text.raw());
  for (const std::string extra : {"17 3 ", "0 0 0 0 0 0 0 ", "0 0 0 0 0 0 0 17 3 "}) {
    text.extra = extra;
    const ReadBack read = read_back(text.raw());
    CHECK(read.error.empty());
    CHECK(read.launches == expected.launches);
  }
  text.extra.clear();
  text.line_info = 1;
  for (AccelsimStep& step : text.steps) step.text = "42 " + step.text;
  for (const std::string& bytes : {text.raw(), text.grouped()}) {
    const ReadBack read = read_back(bytes);
    REQUIRE(read.error.empty());
    CHECK(read.launches[0].launch.sites.back().line == 42);
    CHECK(read.launches[0].events == expected.launches[0].events);
  }

  AccelsimText newer;
  newer.version = 6;
  newer.binary = 90;
  newer.steps = {
      {0, 0, "0040 00000003 1 R5 LDS 2 R2 UR4 4 1 0x7f1200000400 4 0 0 NoVal"},
      {0, 0, "0050 ffffffff 0 BAR.SYNC.DEFER_BLOCKING 0 0 3 64 NoVal"},
      {0, 0, "0060 ffffffff 1 R4 HGMMA.64x64x16.F32 2 R4 UR4 1 0 0 0 NoVal"},
      {0, 0, "0070 ffffffff 1 P0 ISETP.GE.AND 1 R4 0 0 0 Val 1 0 1 5"},
  };
  const ReadBack read = read_back(newer.grouped());
  REQUIRE(read.error.empty());
  CHECK(warp_text(read.launches[0]) ==
        "ld/4 2 @1024+0+4\nbar.sync 32 a=3 b=64\ninstructions 32 a=2 b=0\n");
  CHECK(read.launches[0].launch.first_shared == 1024);
  REQUIRE(read.warnings.size() == 1);
  CHECK_THAT(read.warnings[0], ContainsSubstring("t: HGMMA: 1 execution"));
}

TEST_CASE("the window grows with what is accessed") {
  AccelsimText text;
  text.shared = 64;
  text.steps = {{0, 0, "0040 00000001 1 R5 LDS.128 1 R2 16 2 0x7f1200000100 0"}};
  const Launch launch = read_back(text.raw()).launches.at(0).launch;
  CHECK(launch.shared_end() == 256 + 16);
  CHECK(launch.static_shared == 64);
}

}  // namespace
}  // namespace smemsim::test
