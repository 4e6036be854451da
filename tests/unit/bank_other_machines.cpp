// Banks, lanes and pass groups are data: other architectures need a machine file only.
#include "catch.hpp"
#include "sim/bank_model.hpp"
#include "trace/machine_file.hpp"
#include "unit/event_maker.hpp"

using namespace smemsim;

namespace {

// 64 banks, 64 lanes, 16-byte reads that serve lanes {0-3, 20-23}, ... together, as AMD's LDS does.
constexpr const char* kWide = R"({
  "schema": "smemsim/machine/1", "name": "wide64",
  "sources": {"doc": {"measured": false, "text": "test"}},
  "parameters": {
    "shared.banks": {"value": 64, "source": "doc"},
    "shared.lanes": {"value": 64, "source": "doc"}
  },
  "access_rules": [
    {"operations": ["ld", "st"], "width": [4], "passes": ["0-63"], "source": "doc"},
    {"operations": ["ld"], "width": 16, "source": "doc",
     "passes": ["0-3,20-23", "4-7,16-19", "8-11,28-31", "12-15,24-27",
                "32-35,52-55", "36-39,48-51", "40-43,60-63", "44-47,56-59"]}
  ]
})";

}  // namespace

TEST_CASE("a machine file describes 64 banks, 64 lanes and other lane groups") {
  const Machine machine = trace::parse_machine(kWide, "wide64.json").value();
  const auto cost = [&](unsigned width, unsigned stride) {
    const auto a = testing::access(
        Operation::load, width, [&](unsigned l) { return stride * l; }, ~LaneMask{0});
    return access_cost(a.shape, a.event, machine.shared);
  };
  CHECK(cost(4, 4).wavefronts == 1);
  CHECK(cost(4, 128).wavefronts == 32);  // two banks of 64
  CHECK(cost(4, 256).wavefronts == 64);
  CHECK(cost(16, 16).wavefronts == 8);  // eight lanes of 16 bytes: 32 banks of 64
  // Lanes 0-3 and 20-23 at a pitch of 64 bytes: 0, 64, 128, 192 and 1280, ...: 20 mod 4 = 0.
  CHECK(cost(16, 64).ways == 2);
}

TEST_CASE("a machine file with an error names the key") {
  const auto error = [](std::string text, const std::string& from, const std::string& to) {
    text.replace(text.find(from), from.size(), to);
    const auto machine = trace::parse_machine(text, "m.json");
    REQUIRE_FALSE(machine.ok());
    return machine.error().text();
  };
  CHECK_THAT(error(kWide, "\"value\": 64", "\"value\": 0"), ContainsSubstring("shared.banks"));
  CHECK_THAT(error(kWide, "shared.lanes", "shared.lames"), ContainsSubstring("no such parameter"));
  CHECK_THAT(error(kWide, "60-63", "60-64"), ContainsSubstring("access_rules.1.passes"));
  CHECK_THAT(error(kWide, "[\"ld\", \"st\"]", "[\"load\"]"),
             ContainsSubstring("access_rules.0.operations"));
  CHECK_THAT(error(kWide, "\"source\": \"doc\"}", "\"source\": \"dog\"}"),
             ContainsSubstring("source"));
  CHECK_THAT(error(kWide, "\"access_rules\"", "\"acess_rules\""), ContainsSubstring("unknown key"));
  CHECK_THAT(error(kWide, "[4]", "[-4]"), ContainsSubstring("width"));
  CHECK_THAT(error(kWide, "{", ""), ContainsSubstring("not valid JSON"));
}

TEST_CASE("every built-in machine parses") {
  CHECK_FALSE(trace::embedded_machines().empty());
  for (const trace::EmbeddedMachine& embedded : trace::embedded_machines()) {
    const auto machine = trace::load_machine(std::string(embedded.name));
    CAPTURE(embedded.name);
    REQUIRE(machine.ok());
    CHECK(machine->name == embedded.name);
  }
}
