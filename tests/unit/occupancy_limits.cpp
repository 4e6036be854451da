// Resident blocks: check values, cliffs, and steps against asking at every amount.
#include "sim/occupancy.hpp"

#include "catch.hpp"
#include "trace/machine_file.hpp"

namespace smemsim {

namespace {

OccupancyLimits limits_of(const std::string& machine) {
  return trace::load_machine(machine).value().occupancy;
}

OccupancyResult on_hopper(std::uint32_t threads, std::uint32_t registers, std::uint64_t shared) {
  return occupancy(limits_of("sm_90"), {threads, registers, shared});
}

}  // namespace

TEST_CASE("Check values of NVIDIA's calculator for sm_90") {
  struct Row {
    std::uint32_t threads, registers;
    std::uint64_t shared;
    std::uint32_t blocks, warps;
  };
  for (const Row& row :
       {Row{128, 32, 0, 16, 64}, Row{256, 32, 0, 8, 64}, Row{256, 64, 0, 4, 32},
        Row{384, 168, 0, 1, 12}, Row{128, 255, 0, 2, 8}, Row{256, 255, 0, 1, 8},
        Row{384, 255, 0, 0, 0}, Row{128, 32, 49152, 4, 16}, Row{128, 32, 115712, 2, 8},
        Row{128, 32, 232448, 1, 4}, Row{1024, 64, 0, 1, 32}, Row{1024, 168, 0, 0, 0}}) {
    const OccupancyResult result = on_hopper(row.threads, row.registers, row.shared);
    CAPTURE(row.threads, row.registers, row.shared);
    CHECK(result.blocks == row.blocks);
    CHECK(result.warps == row.warps);
  }
  CHECK(on_hopper(128, 32, 49152).shared_per_block == 50176);
  CHECK(on_hopper(128, 32, 49152).limiters == std::vector{OccupancyLimiter::shared});
}

TEST_CASE("Unknown registers do not limit; impossible blocks have a reason") {
  CHECK(on_hopper(128, 0, 0).limit_registers == kNoLimit);
  CHECK(on_hopper(2048, 32, 0).blocks == 0);
  CHECK(on_hopper(2048, 32, 0).limiters == std::vector{OccupancyLimiter::warps});
  CHECK(on_hopper(128, 32, 232449).blocks == 0);
  CHECK(on_hopper(0, 32, 0).blocks == 0);
  CHECK(on_hopper(128, 256, 0).blocks == 0);
}

TEST_CASE("Barriers limit where the machine counts them") {
  BlockResources block{32, 32, 0};
  block.barriers = 16;
  CHECK(occupancy(limits_of("sm_90"), block).limit_barriers == 4);
  CHECK(occupancy(limits_of("sm_90"), block).blocks == 4);
  CHECK(occupancy(limits_of("sm_80"), block).limit_barriers == kNoLimit);
}

TEST_CASE("A carve-out that is too small for one block is raised") {
  BlockResources block{128, 32, 20000};
  block.carveout = 8192;
  CHECK(occupancy(limits_of("sm_90"), block).carveout == 32768);
  CHECK(occupancy(limits_of("sm_90"), block).blocks == 1);
  block.carveout = 65536;
  CHECK(occupancy(limits_of("sm_90"), block).blocks == 3);
  CHECK(occupancy(limits_of("sm_90"), {128, 32, 49152}).smallest_carveout == 200704);
}

TEST_CASE("Steps are exactly where the number of resident blocks changes") {
  for (const std::string machine :
       {"sm_70", "sm_75", "sm_80", "sm_86", "sm_89", "sm_90", "sm_100", "sm_120"}) {
    const OccupancyLimits limits = limits_of(machine);
    for (const std::uint32_t threads : {32U, 96U, 256U, 1024U}) {
      const BlockResources block{threads, 40, 4000};
      const std::vector<OccupancyStep> shared = shared_steps(limits, block);
      std::size_t step = 0;
      for (std::uint64_t bytes = 0; bytes <= limits.shared_per_block; bytes += 64) {
        while (step < shared.size() && shared[step].most < bytes) ++step;
        REQUIRE(step < shared.size());
        BlockResources other = block;
        other.shared_bytes = bytes;
        if (occupancy(limits, other).blocks != shared[step].blocks) {
          FAIL(machine << " " << threads << " threads, " << bytes << " bytes");
        }
      }
      const std::vector<OccupancyStep> registers = register_steps(limits, block);
      for (std::size_t i = 0; i < registers.size(); ++i) {
        BlockResources other = block;
        other.registers = static_cast<std::uint32_t>(registers[i].most);
        CHECK(occupancy(limits, other).blocks == registers[i].blocks);
        if (++other.registers <= limits.max_registers_per_thread) {
          CHECK(occupancy(limits, other).blocks < registers[i].blocks);
        }
      }
    }
  }
}

}  // namespace smemsim
