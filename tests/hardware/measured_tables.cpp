// The model against tables measured on an H200: no row may disagree.
#include <fstream>
#include <sstream>

#include "catch.hpp"
#include "sim/bank_model.hpp"
#include "sim/validation.hpp"
#include "trace/machine_file.hpp"
#include "trace/measured_table.hpp"

using namespace smemsim;

namespace {

template <typename Row>
std::vector<Row> rows_of(const std::string& file) {
  auto source = trace::open_source(SMEMSIM_SOURCE_DIR "/tests/hardware/" + file);
  REQUIRE(source.ok());
  const auto table = trace::read_measured_table(**source);
  REQUIRE(table.ok());
  return std::get<std::vector<Row>>(*table);
}

void check_all_agree(const ValidationReport& report, std::uint64_t rows) {
  for (const OperationAgreement& op : report.operations) {
    CAPTURE(op.op);
    CHECK(op.agreeing == op.rows);
  }
  CHECK(report.total().rows == rows);
}

}  // namespace

TEST_CASE("counters of single patterns") {
  const Machine machine = trace::load_machine("sm_90").value();
  check_all_agree(validate_patterns(rows_of<PatternRow>("h200_counters.csv.gz"), machine.shared, 1),
                  1038);
}

TEST_CASE("throughput of single patterns") {
  const Machine machine = trace::load_machine("sm_90").value();
  check_all_agree(
      validate_patterns(rows_of<PatternRow>("h200_throughput.csv.gz"), machine.shared, 1), 25200);
}

TEST_CASE("counting, exchanges of 8 bytes and loops of retries") {
  const Machine machine = trace::load_machine("sm_90").value();
  check_all_agree(validate_patterns(rows_of<PatternRow>("h200_atomics.csv.gz"), machine.shared, 1),
                  810);
  check_all_agree(
      validate_patterns(rows_of<PatternRow>("h200_atomics_time.csv.gz"), machine.shared, 1), 428);
}

TEST_CASE("published cases that were in doubt") {
  Machine machine = trace::load_machine("sm_90").value();
  check_all_agree(validate_patterns(rows_of<PatternRow>("h200_cases.csv.gz"), machine.shared, 1),
                  203);
  check_all_agree(
      validate_patterns(rows_of<PatternRow>("h200_cases_time.csv.gz"), machine.shared, 1), 148);
  machine.shared.copies.hits = 1;
  check_all_agree(
      validate_patterns(rows_of<PatternRow>("h200_cases_hit.csv.gz"), machine.shared, 1), 46);
}

TEST_CASE("a full SM's plain adds take the wavefronts of the model") {
  const Machine machine = trace::load_machine("sm_90").value();
  std::ifstream file(SMEMSIM_SOURCE_DIR "/tests/hardware/h200_adds.csv");
  std::string line;
  std::getline(file, line);
  std::size_t checked = 0;
  while (std::getline(file, line)) {
    std::vector<std::string> cells;
    std::istringstream cut(line);
    for (std::string cell; std::getline(cut, cell, ',');) cells.push_back(cell);
    REQUIRE(cells.size() == 8);
    if (cells[1] != "plain" || cells[4] != "1024") continue;
    ++checked;
    CAPTURE(line);
    const bool counts = cells[2] == "1" && cells[3] == "no";
    EventShape shape = trace::pattern_operation(counts              ? "red.popc.inc.u32"
                                                : cells[3] == "yes" ? "atom.add.u32"
                                                                    : "red.add.u32")
                           .value();
    shape.active = first_lanes(32);
    for (unsigned lane = 0; lane < 32; ++lane) {
      const unsigned bin = cells[0] == "one" ? 0 : cells[0] == "32" ? lane * 7 % 32 : lane;
      shape.offsets.push_back(4 * std::int64_t{bin});
    }
    CHECK(std::stod(cells[7]) ==
          Approx(access_cost(shape, {}, machine.shared).wavefronts).epsilon(0.05));
  }
  CHECK(checked == 12);
}

TEST_CASE("asynchronous copies of lines that are not in L1") {
  const Machine machine = trace::load_machine("sm_90").value();
  check_all_agree(
      validate_patterns(rows_of<PatternRow>("h200_copies_miss.csv.gz"), machine.shared, 1), 2289);
}

TEST_CASE("asynchronous copies of lines that are in L1") {
  Machine machine = trace::load_machine("sm_90").value();
  machine.shared.copies.hits = 1;
  check_all_agree(
      validate_patterns(rows_of<PatternRow>("h200_copies_hit.csv.gz"), machine.shared, 1), 2289);
}

TEST_CASE("asynchronous copies past L1") {
  Machine machine = trace::load_machine("sm_90").value();
  const auto rows = rows_of<PatternRow>("h200_copies_bypass.csv.gz");
  check_all_agree(validate_patterns(rows, machine.shared, 1), 422);
  for (const PatternRow& row : rows) {  // costs are kept by these keys
    Event moved = row.event;
    moved.base += 3 * 128;
    moved.source += 5 * 128;
    REQUIRE(cost_key(row.shape, moved, machine.shared) ==
            cost_key(row.shape, row.event, machine.shared));
    REQUIRE(access_cost(row.shape, moved, machine.shared) ==
            access_cost(row.shape, row.event, machine.shared));
  }
  machine.shared.copies.line_bytes = 256;
  CHECK(validate_patterns(rows, machine.shared, 1).total().agreeing < 400);
  machine.shared.copies.known = false;
  CHECK(validate_patterns(rows, machine.shared, 1).total().unmodelled == 422);
}

TEST_CASE("a wrong rule is noticed") {
  Machine machine = trace::load_machine("sm_90").value();
  machine.shared.banks = 16;
  const auto rows = rows_of<PatternRow>("h200_counters.csv.gz");
  CHECK_FALSE(validate_patterns(rows, machine.shared, 1).all_agree());
}

TEST_CASE("rows without a rule are unmodelled, never agreeing") {
  Machine machine = trace::load_machine("sm_90").value();
  machine.shared.copies.known = false;
  const auto report =
      validate_patterns(rows_of<PatternRow>("h200_counters.csv.gz"), machine.shared, 1);
  CHECK(report.total().unmodelled == 198);
  CHECK(report.total().agreeing == 840);
  CHECK_FALSE(report.all_agree());
}

TEST_CASE("occupancy of NVIDIA's calculator") {
  std::map<std::string, Machine> machines;
  const auto limits = [&](const std::string& arch) -> const OccupancyLimits* {
    if (!machines.contains(arch)) {
      auto machine = trace::load_machine(arch);
      if (!machine) return nullptr;
      machines.emplace(arch, *machine);
    }
    return &machines.at(arch).occupancy;
  };
  check_all_agree(validate_occupancy(rows_of<OccupancyRow>("occupancy.csv.gz"), limits, 1), 21600);
}
