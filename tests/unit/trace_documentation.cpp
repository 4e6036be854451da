// The worked example of docs/trace-format.md is what the program writes.
#include <fstream>
#include <sstream>

#include "catch.hpp"
#include "trace_fixtures.hpp"

namespace smemsim::test {
namespace {

/// The bytes of a listing: lines of "offset or spaces, two spaces, hexadecimal bytes, comment".
std::string listed_bytes(std::istream& lines) {
  std::string out, line;
  while (std::getline(lines, line)) {
    constexpr std::size_t kMargin = 8;
    if (line.size() < kMargin || line.substr(0, 4) != "    ") continue;
    line = line.substr(kMargin, line.find("   ", kMargin) - kMargin);
    std::istringstream bytes(line);
    for (unsigned value = 0; bytes >> std::hex >> value;) out.push_back(static_cast<char>(value));
  }
  return out;
}

TEST_CASE("the documented bytes are those of the documented lines") {
  std::ifstream file(SMEMSIM_SOURCE_DIR "/docs/trace-format.md");
  REQUIRE(file.good());
  std::string line, jsonl;
  while (std::getline(file, line) && line != "## Worked example") {
  }
  while (std::getline(file, line) && line.substr(0, 10) != "imports to") {
    if (line.substr(0, 5) == "    {") jsonl += line + "\n";
  }
  const std::string bytes = listed_bytes(file);
  CHECK(bytes.size() == 253);
  CHECK(converted(jsonl, trace::TraceFormat::smt) == bytes);
  CHECK(read_back(bytes).launches == read_back(jsonl).launches);
}

}  // namespace
}  // namespace smemsim::test
