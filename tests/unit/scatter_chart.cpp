// The scatter chart: where points stand, how many they are, and that it fits.
#include "frontend/scatter.hpp"

#include <algorithm>
#include <sstream>
#include <vector>

#include "catch.hpp"

using namespace smemsim::cli;

namespace {

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> out;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) out.push_back(line);
  return out;
}

}  // namespace

TEST_CASE("points stand above, on and below the diagonal") {
  // The axes go from 100 / 1.15 to 1,000 * 1.15: 100 is 5.4 % of the way, 200 32 %, 500 68 %.
  const std::vector<ScatterPoint> points{{100, 100}, {1000, 1000}, {100, 1000}};
  const auto lines = lines_of(scatter_text(points, {"measured", "predicted", 21, 9}));
  REQUIRE(lines.size() == 1 + 9 + 3);
  CHECK(lines[0] == "predicted");
  CHECK(lines[1] == "1,000 | o                 o.");
  CHECK(lines[6] == "  200 |       ..");
  CHECK(lines[9] == "  100 |.o");
  CHECK(lines[10] == "      +-+----+-------+------");
  CHECK(lines[11] == "       100  200     500");
  CHECK(lines[12] == "                    measured");
}

TEST_CASE("points on one place are counted") {
  const auto chart = [](std::size_t count) {
    std::vector<ScatterPoint> points(count, {10, 10});
    points.push_back({1000, 1000});
    return scatter_text(points, {"", "", 30, 10});
  };
  CHECK_THAT(chart(2), ContainsSubstring("2"));
  CHECK_THAT(chart(9), ContainsSubstring("9"));
  CHECK_THAT(chart(9), !ContainsSubstring("#"));
  CHECK_THAT(chart(10), ContainsSubstring("#"));
}

TEST_CASE("a chart is plain ASCII, fits 80 columns and has labels whatever the range") {
  for (const double factor : {1.0, 1.001, 1.5, 4.0, 1e6}) {
    CAPTURE(factor);
    const std::vector<ScatterPoint> points{{777, 777}, {777 * factor, 777 * factor}};
    const std::string text = scatter_text(points, {"x", "y"});
    const auto lines = lines_of(text);
    REQUIRE(lines.size() == 1 + 16 + 3);
    for (const std::string& line : lines) CHECK(line.size() <= 78);
    CHECK(std::all_of(text.begin(), text.end(),
                      [](char c) { return c == '\n' || (c >= ' ' && c <= '~'); }));
    CHECK(std::count_if(lines.begin(), lines.end(), [](const std::string& line) {
            return line.find('|') != std::string::npos && line.front() != '|' &&
                   line.find_first_of("0123456789") < line.find('|');
          }) >= 2);
    CHECK(std::count(lines[17].begin(), lines[17].end(), '+') >= 3);  // the corner and two numbers
  }
}

TEST_CASE("points without a logarithm are left out") {
  const std::vector<ScatterPoint> none{{0, 5}, {5, -1}};
  CHECK(scatter_text(none, {"x", "y"}).empty());
  CHECK(scatter_text({}, {"x", "y"}).empty());
}
