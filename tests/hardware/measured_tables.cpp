// The model against tables measured on an H200: no row may disagree.
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
