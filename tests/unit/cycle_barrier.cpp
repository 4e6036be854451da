// Block barriers: 12.7 + 2 * warps cycles back to back, measured on an H200.
#include "catch.hpp"
#include "unit/cycle_fixture.hpp"

using namespace smemsim;
using namespace smemsim::testing;

namespace {

Access barrier() {
  Access out;
  out.shape.op = Operation::barrier_sync;
  out.shape.active = 0xffffffff;
  return out;
}

double each(unsigned warps, unsigned blocks, SimulateOptions options = {}) {
  constexpr unsigned kSteps = 32;
  Kernel kernel(warps, blocks);
  for (unsigned i = 0; i < kSteps; ++i) kernel.add({"BAR.SYNC.DEFER_BLOCKING 0x0", 1}, barrier());
  kernel.end();
  Machine machine = h200();
  machine.cycle->block_interval = machine.cycle->warp_interval = 0;
  return kernel.run(machine, options).sm.cycles / kSteps;
}

}  // namespace

TEST_CASE("a barrier costs a fixed time and two cycles per warp of the SM") {
  for (const unsigned warps : {1U, 2U, 4U, 8U, 16U, 32U}) {
    CAPTURE(warps);
    CHECK(each(warps, 1) == Approx(12.7 + 2.0 * warps).epsilon(0.05));
  }
  CHECK(each(16, 2) == Approx(64).epsilon(0.04));
  CHECK(each(8, 3) == Approx(47.6).epsilon(0.04));
}

TEST_CASE("without barriers they cost an instruction") {
  SimulateOptions options;
  options.what_if.no_barriers = true;
  CHECK(each(8, 1, options) < 4);
}
