#include "sim/machine_parameters.hpp"

#include "sim/cycle/cycle_parameters.hpp"
#include "sim/word_map.hpp"

namespace smemsim {
namespace {

#define SLOT(field) [](Machine& m) -> ParameterSlot { return &m.field; }

constexpr double kMost = 16.0 * 1024 * 1024;

const Parameter kParameters[] = {
    {"shared.banks", "banks", "banks that serve one word each per cycle", SLOT(shared.banks), 1,
     kMaxBanks},
    {"shared.bank_bytes", "bytes", "bytes of one bank per cycle: the word", SLOT(shared.bank_bytes),
     1, 64},
    {"shared.lanes", "lanes", "lanes of a warp", SLOT(shared.lanes), 1, kMaxLanes},
    {"copies.line_bytes", "bytes", "global line of one L1 tag", SLOT(shared.copies.line_bytes), 4,
     4096},
    {"copies.hits", "0 or 1", "1: copied lines are in L1 already, so that no tag pass is needed",
     SLOT(shared.copies.hits), 0, 1},
    {"copies.set_hash", "bit masks",
     "tag set index: bit i is the parity of the line number under mask i",
     SLOT(shared.copies.set_hash), 0, 9007199254740992.0},
    {"occupancy.max_warps", "warps", "resident warps per SM", SLOT(occupancy.max_warps), 1, 256},
    {"occupancy.max_blocks", "blocks", "resident blocks per SM", SLOT(occupancy.max_blocks), 1,
     256},
    {"occupancy.max_threads_per_block", "threads", "largest block",
     SLOT(occupancy.max_threads_per_block), 1, 4096},
    {"occupancy.registers_per_sm", "registers", "32-bit registers per SM",
     SLOT(occupancy.registers_per_sm), 1, 1 << 24},
    {"occupancy.max_registers_per_thread", "registers", "most that one thread may use",
     SLOT(occupancy.max_registers_per_thread), 1, 1024},
    {"occupancy.register_granularity", "registers", "allocation unit, per warp",
     SLOT(occupancy.register_granularity), 1, 4096},
    {"occupancy.sub_cores", "sub-cores", "sub-cores that share the register file evenly",
     SLOT(occupancy.sub_cores), 1, 16},
    {"occupancy.warp_granularity", "warps", "warps are counted in this unit per block",
     SLOT(occupancy.warp_granularity), 1, 16},
    {"occupancy.shared_per_sm", "bytes", "most shared memory that the SM's blocks can hold",
     SLOT(occupancy.shared_per_sm), 0, kMost},
    {"occupancy.shared_per_block", "bytes", "most for one block, with opt-in",
     SLOT(occupancy.shared_per_block), 0, kMost},
    {"occupancy.shared_default", "bytes", "most for one block without opt-in",
     SLOT(occupancy.shared_default), 0, kMost},
    {"occupancy.shared_reserved", "bytes", "added to each block by the driver",
     SLOT(occupancy.shared_reserved), 0, kMost},
    {"occupancy.shared_granularity", "bytes", "allocation unit of a block",
     SLOT(occupancy.shared_granularity), 1, 65536},
    {"occupancy.carveouts", "bytes", "shared sizes that the L1 can be split into",
     SLOT(occupancy.carveouts), 0, kMost},
    {"occupancy.barriers_per_sm", "barriers", "hardware barriers; 0 = no limit",
     SLOT(occupancy.barriers_per_sm), 0, 1024},
#define CYCLE(name, value, unit, least, most, meaning)                 \
  {"cycle." #name, unit, meaning, [](Machine& m) -> ParameterSlot { return &m.cycle->name; }, \
   least,          most},
#include "sim/cycle/cycle_parameters.def"
#undef CYCLE
};

#undef SLOT

}  // namespace

std::span<const Parameter> machine_parameters() {
  return kParameters;
}

const Parameter* find_parameter(std::string_view path) {
  for (const Parameter& parameter : kParameters) {
    if (parameter.path == path) return &parameter;
  }
  return nullptr;
}

}  // namespace smemsim
