// Lane masks through if, loops, break, continue, return and short-circuit operators.
#include "expr_events.hpp"

namespace smemsim::expr {

namespace {

std::vector<LaneMask> masks(const std::string& text, Operation op = Operation::store) {
  std::vector<LaneMask> out;
  for (const SeenEvent& e : run_events("__shared__ int s[64]; " + text).events_seen) {
    if (e.shape.op == op) out.push_back(e.shape.active);
  }
  return out;
}

using Masks = std::vector<LaneMask>;

}  // namespace

TEST_CASE("Both branches run, each with its lanes") {
  CHECK(masks("if (lane < 8) s[lane] = 1; else s[lane] = 2;") == Masks{0xff, 0xffffff00});
  CHECK(masks("if (lane < 8) { if (lane & 1) s[lane] = 1; } s[lane] = 2;") ==
        Masks{0xaa, 0xffffffff});
  CHECK(masks("if (lane > 99) s[lane] = 1;").empty());
}

TEST_CASE("A loop runs until its last lane is done") {
  CHECK(masks("for (int i = 0; i < lane - 28; ++i) s[lane] = i;") ==
        Masks{0xe0000000, 0xc0000000, 0x80000000});
  CHECK(masks("int i = 30; while (i <= lane) { s[i] = 0; i++; }") == Masks{0xc0000000, 0x80000000});
  CHECK(masks("int i = 0; do { s[i] = 0; } while (++i < 2 && lane < 4);") ==
        Masks{0xffffffff, 0xf});
}

TEST_CASE("break, continue and return take lanes out") {
  CHECK(masks("for (int i = 0; i < 2; ++i) { if (lane < 16) continue; s[lane] = i; } s[0] = 1;") ==
        Masks{0xffff0000, 0xffff0000, 0xffffffff});
  CHECK(
      masks("for (int i = 0; i < 9; ++i) { if (i == lane / 16) break; s[lane] = i; } s[0] = 1;") ==
      Masks{0xffff0000, 0xffffffff});
  CHECK(masks("if (lane >= 20) return; s[lane] = 1;") == Masks{0xfffff});
  CHECK(masks("if (lane >= 20) return; s[lane] = 1;", Operation::exit) == Masks{0xfff00000});
  CHECK(
      masks(
          "for (int i = 0; i < 2; ++i) for (int j = 0; j < 2; ++j) { if (j) break; s[i] = j; }") ==
      Masks{0xffffffff, 0xffffffff});
}

TEST_CASE("Operators that need one side only evaluate it with fewer lanes") {
  CHECK(masks("float x = lane < 4 && s[lane] == 0;", Operation::load) == Masks{0xf});
  CHECK(masks("float x = lane < 4 || s[lane] == 0;", Operation::load) == Masks{0xfffffff0});
  CHECK(masks("float x = lane < 4 ? s[lane] : 0;", Operation::load) == Masks{0xf});
  CHECK(masks("float x = lane < 4 ? s[lane] : s[lane + 1];", Operation::load) ==
        Masks{0xf, 0xfffffff0});
}

TEST_CASE("A block that is no multiple of a warp leaves lanes out") {
  const Seen seen = run_events("__shared__ int s[64]; s[threadIdx.x] = 1;", with_block(40));
  REQUIRE(seen.events_seen.size() == 2);
  CHECK(seen.events_seen[0].shape.active == 0xffffffff);
  CHECK(seen.events_seen[1].shape.active == 0xff);
}

TEST_CASE("Compound assignment reads, then writes") {
  const Seen seen =
      run_events("__shared__ int s[64]; s[lane] += s[lane + 1]; s[lane] ^= 1; s[lane] <<= 2;");
  std::vector<Operation> ops;
  for (const SeenEvent& e : seen.events_seen) ops.push_back(e.shape.op);
  const auto ld = Operation::load, st = Operation::store;
  CHECK(ops == std::vector<Operation>{ld, ld, st, ld, st, ld, st});
  CHECK(seen.launch.sites.size() == 7);
  CHECK(seen.launch.sites[1].instruction == "s[lane + 1]");
}

TEST_CASE("Blocks see their index; only as many as asked for run") {
  RunOptions options = with_block(32);
  options.grid = {2, 3, 1};
  options.blocks = 4;
  const Seen seen =
      run_events("__shared__ int s[64]; s[blockIdx.x + 2 * blockIdx.y] = 1;", options);
  REQUIRE(seen.events_seen.size() == 4);
  for (std::size_t i = 0; i < 4; ++i) {
    CHECK(seen.events_seen[i].block == i);
    CHECK(seen.events_seen[i].address(0) == 1024 + 4 * i);
  }
  CHECK(seen.launch.recorded_blocks == 4);
}

TEST_CASE("Macros, typedefs, enumerated constants and --define") {
  const Seen seen = run_events(
      "#define FLOAT4(p) (reinterpret_cast<float4*>(&(p))[0])\n#define PITCH (N + 4)\n"
      "const int N = 16; typedef float T; using U = T;\n__shared__ U a[8][PITCH];\n"
      "FLOAT4(a[lane / 4][4 * (lane % 4)]) = 0;",
      {}, {{"N", 32}});
  REQUIRE(seen.events_seen.size() == 1);
  CHECK(seen.events_seen[0].shape.width == 16);
  CHECK(seen.events_seen[0].address(4) == 1024 + 36 * 4);
}

TEST_CASE("The counter of a loop hides a --define of its name, as it hides a parameter") {
  const Seen seen = run_events(
      "__shared__ int a[64]; for (int n = 0; n < 4; ++n) a[n] = n; a[n] = 0;", {}, {{"n", 32}});
  REQUIRE(seen.events_seen.size() == 5);
  CHECK(seen.events_seen[3].address(0) == 1024 + 4 * 3);
  CHECK(seen.events_seen[4].address(0) == 1024 + 4 * 32);
}

TEST_CASE("Unknown conditions are passed over where they decide about no access") {
  CHECK(
      masks(
          "float best = 0, v = s[lane]; if (v > best) best = v; else best = -v; s[lane] = best;") ==
      Masks{0xffffffff});
  CHECK(masks("float v = s[lane]; v = v > 0 ? v : 0; s[lane] = v;") == Masks{0xffffffff});
  CHECK(run_error("__shared__ int s[64]; int i = 0; if (s[lane] > 0) i = 1; s[i] = 1;")
            .message.find("address of this access is not known") != std::string::npos);
  CHECK(run_error("__shared__ int s[64]; float x = s[lane] > 0 ? s[0] : s[1];")
            .message.find("this condition is not known") != std::string::npos);
}

}  // namespace smemsim::expr
