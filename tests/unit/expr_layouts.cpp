// CuTe layouts and swizzles, TMA modes, Triton's encodings.
#include <set>

#include "expr_events.hpp"
#include "frontend/expr/layout_program.hpp"

namespace smemsim::expr {

TEST_CASE("A CuTe layout maps linear and per-mode coordinates") {
  const Layout layout = parse_layout("(8,(4,2)):(4,(1,32))").value();
  CHECK(layout.size() == 64);
  CHECK(layout.rank() == 2);
  for (std::int64_t i = 0; i < 64; ++i) {
    const std::int64_t row = i % 8, inner = i / 8 % 4, outer = i / 32;
    CHECK(layout.linear(i) == row * 4 + inner + outer * 32);
    CHECK(layout.at({row, i / 8}) == layout.linear(i));
  }
  CHECK(parse_layout("(4,8)")->linear(5) == 5);  // compact, leftmost fastest
  CHECK(parse_layout("(4,8):LayoutRight")->linear(5) == 1 * 8 + 1);
  CHECK(parse_layout("(_8,_64):(_64,_1)")->linear(9) == 64 + 1);
  CHECK(parse_layout("64:2")->linear(7) == 14);
}

TEST_CASE("Swizzles are permutations and equal their definition bit by bit") {
  for (const Swizzle s : {Swizzle{3, 4, 3}, Swizzle{3, 3, 3}, Swizzle{2, 0, 5}, Swizzle{2, 1, -3},
                          Swizzle{0, 4, 3}}) {
    std::set<std::uint64_t> seen;
    for (std::uint64_t x = 0; x < 4096; ++x) {
      std::uint64_t expected = x;
      for (int b = 0; b < s.bits; ++b) {
        const int from = s.base + b + std::max(s.shift, 0), to = s.base + b + std::max(-s.shift, 0);
        expected ^= (x >> from & 1) << to;
      }
      CHECK(s(x) == expected);
      seen.insert(s(x));
    }
    CHECK(seen.size() == 4096);
  }
}

TEST_CASE("TMA's 128-byte mode moves 16-byte chunks by the row of 128 bytes") {
  const Swizzle s = *tma_swizzle("128B");
  for (std::uint64_t row = 0; row < 16; ++row) {
    for (std::uint64_t chunk = 0; chunk < 8; ++chunk) {
      CHECK(s(row * 128 + chunk * 16 + 5) == row * 128 + (chunk ^ row % 8) * 16 + 5);
    }
  }
  CHECK((*tma_swizzle("64B"))(128) == 128 + 16);
  CHECK((*tma_swizzle("32B"))(256) == 256 + 0);
  CHECK(!tma_swizzle("16B"));
}

TEST_CASE("Triton's encodings") {
  const TritonSwizzled t{8, 1, 8};
  CHECK(t(3, 17, 64) == 3 * 64 + ((17 / 8) ^ 3) * 8 + 1);
  CHECK(TritonSwizzled{4, 2, 4}(5, 9, 32) == 5 * 32 + ((9 / 4) ^ 2) * 4 + 1);
  CHECK(nvmma_offset(3, 40, 64, 128) == 3 * 128 + ((40 / 16) ^ 3) * 16 + 8);
  CHECK(nvmma_offset(3, 130, 64, 128) == 64 * 128 + 3 * 128 + (0 ^ 3) * 16 + 2);
}

TEST_CASE("Layouts inside a text") {
  CHECK(cost_of("layout L = (32,32):(32,1); __shared__ float s[1024]; s[L(lane, 0)]").wavefronts ==
        32);
  CHECK(
      cost_of("layout L = Swizzle<5,0,5> o (32,32):(32,1); __shared__ float s[1024]; s[L(lane, 0)]")
          .wavefronts == 1);
  CHECK(cost_of("const int M = 32; layout L = (M,M):(1,M); __shared__ float s[1024]; s[L(lane, 0)]")
            .wavefronts == 1);
  CHECK(cost_of("__shared__ half s[64 * 64]; ldmatrix_x4(&s[triton_swizzle(lane % 16, lane / 16 * "
                "8, 64, 8, 1, 8)]);")
            .wavefronts == 4);
  CHECK(cost_of("__shared__ __align__(1024) char s[8192]; ldmatrix_x4(s + tma_swizzle_128B(lane % "
                "16 * 128 + lane / 16 * 16));")
            .wavefronts == 4);
}

TEST_CASE("A layout as the question: the text that stands for it") {
  LayoutQuestion question;
  question.layout = "Swizzle<3,3,3> o (8,64):(64,1)";
  question.element = "half";
  question.access_bytes = 16;
  question.coordinates = "lane % 8, lane / 8 * 8";
  const auto text = layout_program(question);
  REQUIRE(text.ok());
  CHECK(cost_of(*text).wavefronts == 4);
  question.layout = "(8,64):(64,1)";
  CHECK(cost_of(*layout_program(question)).wavefronts == 32);
  question.layout = "128B o (8,64):(64,1)";
  CHECK(cost_of(*layout_program(question)).wavefronts == 4);
  question.layout = "triton_swizzled(8,1,8) o (8,64)";
  CHECK(cost_of(*layout_program(question)).wavefronts == 4);
  question.layout = "nvmma(128) o (8,64)";
  CHECK(cost_of(*layout_program(question)).wavefronts == 4);
  question.coordinates.clear();  // all of the layout, a warp at a time: 8 rows of 4 chunks
  question.layout = "(8,64):(64,1)";
  CHECK(costs(run_events(*layout_program(question)))[0].wavefronts == 32);
  question.layout = "Swizzle<3,3,3> o (8,64):(64,1)";
  CHECK(costs(run_events(*layout_program(question)))[1].wavefronts == 4);
  question.layout = "(64,8):(8,2)";
  CHECK(!layout_program(question).ok());
  question.layout = "nvmma(128) o (8,64)";
  question.access_bytes = 0;
  CHECK(costs(run_events(*layout_program(question))).size() == 16);
}

TEST_CASE("Layout texts that are wrong") {
  const std::pair<const char*, const char*> wrong[] = {
      {"(8,64", "expected , or )"},           {"(8,64):(64)", "same tuples"},
      {"(8,0):(1,1)", "at least 1"},          {"Swizzle<3,4> o 8:1", "expected , in Swizzle"},
      {"Swizzle<3,4,2> o 8:1", "at least B"}, {"8:1 x", "expected the end"},
      {"(99999999,99999999):(1,1)", "2^31"},  {"", "expected a number"}};
  for (const auto& [text, message] : wrong) {
    const auto layout = parse_layout(text);
    INFO(text);
    REQUIRE(!layout.ok());
    INFO(layout.error().text());
    CHECK(layout.error().message.find(message) != std::string::npos);
  }
}

}  // namespace smemsim::expr
