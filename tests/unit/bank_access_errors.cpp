// What hardware would fault on is an error that names the lane.
#include "catch.hpp"
#include "sim/bank_model.hpp"
#include "trace/machine_file.hpp"
#include "unit/event_maker.hpp"

using namespace smemsim;

namespace {

std::string error_of(const testing::Access& a, std::uint64_t shared_end = 0) {
  static const Machine machine = trace::load_machine("sm_90").value();
  const Status status = check_access(a.shape, a.event, machine.shared, shared_end);
  return status.ok() ? "" : status.error().text();
}

}  // namespace

TEST_CASE("a misaligned address names its lane") {
  const auto a =
      testing::access(Operation::load, 8, [](unsigned l) { return l == 5 ? 44 : 8 * l; });
  CHECK_THAT(error_of(a), ContainsSubstring("lane 5") && ContainsSubstring("44") &&
                              ContainsSubstring("multiple of the 8"));
}

TEST_CASE("an address past the block's shared memory names its lane") {
  const auto a = testing::access(Operation::store, 4, [](unsigned l) { return 4 * l; });
  CHECK(error_of(a, 128).empty());
  CHECK_THAT(error_of(a, 124), ContainsSubstring("lane 31") && ContainsSubstring("ends at 124"));
}

TEST_CASE("a lane past the warp is an error") {
  const auto a = testing::access(
      Operation::load, 4, [](unsigned l) { return 4 * l; }, 0x1ffffffff);
  CHECK_THAT(error_of(a), ContainsSubstring("lane 32") && ContainsSubstring("32 lanes"));
}

TEST_CASE("a width that does not exist lists those that do") {
  const auto a = testing::access(Operation::load, 3, [](unsigned l) { return 3 * l; });
  CHECK_THAT(error_of(a),
             ContainsSubstring("3 bytes per lane") && ContainsSubstring("1, 2, 4, 8, 16"));
  const auto m = testing::access(
      Operation::ldmatrix, 16, [](unsigned l) { return 16 * l; }, 0xffffffff, 3);
  CHECK_THAT(error_of(m), ContainsSubstring("x3") && ContainsSubstring("x1, x2, x4"));
}

TEST_CASE("ldmatrix does not look at the lanes past its rows") {
  const auto a = testing::access(
      Operation::ldmatrix, 16, [](unsigned l) { return l < 8 ? 16 * l : 7 * l; }, 0xffffffff, 1);
  CHECK(error_of(a, 128).empty());
}
