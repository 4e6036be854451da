#include "race_oracle.hpp"

namespace smemsim::race_test {
namespace {

bool is_hazard(RaceKind kind) {
  return kind <= RaceKind::write_after_write ||
         (kind >= RaceKind::copy_not_waited && kind <= RaceKind::copy_not_published);
}

std::map<SitePair, bool> found(const LaunchRaces& races) {
  std::map<SitePair, bool> out;
  for (const RaceFinding& finding : races.findings) {
    if (!is_hazard(finding.kind)) continue;
    const std::uint32_t a = races.sites[finding.first.site].line;
    const std::uint32_t b = races.sites[finding.second.site].line;
    bool& error = out[{std::min(a, b), std::max(a, b)}];
    const auto is_copy = [](Operation op) { return op == Operation::cp_async_ca; };
    error = error || finding.severity == RaceSeverity::error || is_copy(finding.first.op) ||
            is_copy(finding.second.op);
  }
  return out;
}

/// "11-21 31-41!" with '!' for pairs of different warps, for messages that can be read.
std::string text(const std::map<SitePair, bool>& pairs) {
  std::string out;
  for (const auto& [pair, error] : pairs) {
    out += std::to_string(pair.first) + '-' + std::to_string(pair.second) + (error ? "! " : " ");
  }
  return out;
}

}  // namespace

TEST_CASE("random programs race exactly where every pair of accesses says so", "[races]") {
  std::size_t racy = 0;
  for (std::uint32_t seed = 1; seed <= 3000; ++seed) {
    RandomProgram program(seed);
    const std::map<SitePair, bool> expected = program.races();
    RaceOptions options;
    options.history = 100000;
    CAPTURE(seed);
    REQUIRE(text(found(program.trace().check(options))) == text(expected));
    racy += expected.empty() ? 0 : 1;
  }
  CHECK(racy > 500);
}

TEST_CASE("a short history still finds a race wherever there is one", "[races]") {
  for (std::uint32_t seed = 1; seed <= 1000; ++seed) {
    RandomProgram program(seed);
    const std::map<SitePair, bool> expected = program.races();
    RaceOptions options;
    options.history = 1;
    const std::map<SitePair, bool> some = found(program.trace().check(options));
    CAPTURE(seed);
    REQUIRE(some.empty() == expected.empty());
    for (const auto& [pair, error] : some) {
      CAPTURE(text(some), text(expected), pair.first, pair.second);
      REQUIRE(expected.count(pair) == 1);
    }
  }
}

TEST_CASE("the order in which warps are played changes no finding", "[races]") {
  for (std::uint32_t seed = 1; seed <= 400; ++seed) {
    RandomProgram program(seed);
    RaceOptions options;
    options.history = 100000;
    const std::map<SitePair, bool> reference = found(program.trace().check(options));
    for (options.schedule = 1; options.schedule <= 4; ++options.schedule) {
      CAPTURE(seed, options.schedule);
      REQUIRE(found(program.trace().check(options)) == reference);
    }
  }
}

}  // namespace smemsim::race_test
