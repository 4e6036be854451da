// Accel-Sim traces as the tracer writes them: compressed with xz.
#include "accelsim_text.hpp"
#include "catch.hpp"
#include "trace/xz.hpp"
#include "trace_fixtures.hpp"

#if SMEMSIM_HAVE_LZMA
#include <lzma.h>
#endif

namespace smemsim::test {
namespace {

AccelsimText many_lines() {
  AccelsimText text;
  for (int i = 0; i < 5000; ++i) {
    text.steps.push_back({i / 2500, 0,
                          "0040 00000003 1 R5 LDS 1 R2 4 1 0x7f120000" +
                              std::to_string(1000 + i % 3000 / 4 * 4) + " 4 0"});
  }
  return text;
}

#if SMEMSIM_HAVE_LZMA
std::string packed(const std::string& bytes) {
  std::string out(lzma_stream_buffer_bound(bytes.size()), '\0');
  std::size_t size = 0;
  REQUIRE(lzma_easy_buffer_encode(1, LZMA_CHECK_CRC64, nullptr,
                                  reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size(),
                                  reinterpret_cast<std::uint8_t*>(out.data()), &size,
                                  out.size()) == LZMA_OK);
  out.resize(size);
  return out;
}

TEST_CASE("a compressed trace is the trace") {
  const std::string bytes = many_lines().grouped();
  const ReadBack plain = read_back(bytes);
  REQUIRE(plain.error.empty());
  CHECK(read_back(packed(bytes)).launches == plain.launches);
  // Two streams one after the other are one file.
  const std::size_t half = bytes.size() / 2;
  CHECK(read_back(packed(bytes.substr(0, half)) + packed(bytes.substr(half))).launches ==
        plain.launches);
}

TEST_CASE("damaged compression names the byte") {
  const std::string bytes = packed(many_lines().grouped());
  const ReadBack cut = read_back(bytes.substr(0, bytes.size() - 20));
  CHECK_THAT(cut.error, ContainsSubstring("the xz data ends too early"));
  CHECK_THAT(cut.error, ContainsSubstring("t: byte " + std::to_string(bytes.size() - 20)));
  std::string flipped = bytes;
  flipped[flipped.size() / 2] = static_cast<char>(flipped[flipped.size() / 2] ^ 0x55);
  CHECK_THAT(read_back(flipped).error, ContainsSubstring("t"));
  CHECK_FALSE(read_back(flipped).error.empty());
}
#else
TEST_CASE("a build without liblzma says so") {
  const ReadBack read =
      read_back(std::string("\xfd"
                            "7zXZ\0..........",
                            16));
  CHECK_THAT(read.error, ContainsSubstring("is compressed with xz, which this build cannot read"));
  CHECK_THAT(read.error, ContainsSubstring("xz -d"));
}
#endif

}  // namespace
}  // namespace smemsim::test
