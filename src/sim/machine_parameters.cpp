#include "sim/machine_parameters.hpp"

#include "sim/word_map.hpp"

namespace smemsim {
namespace {

#define SLOT(field) [](Machine& m) -> ParameterSlot { return &m.field; }

constexpr double kMaxBytes = 16.0 * 1024 * 1024;

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
     SLOT(occupancy.shared_per_sm), 0, kMaxBytes},
    {"occupancy.shared_per_block", "bytes", "most for one block, with opt-in",
     SLOT(occupancy.shared_per_block), 0, kMaxBytes},
    {"occupancy.shared_default", "bytes", "most for one block without opt-in",
     SLOT(occupancy.shared_default), 0, kMaxBytes},
    {"occupancy.shared_reserved", "bytes", "added to each block by the driver",
     SLOT(occupancy.shared_reserved), 0, kMaxBytes},
    {"occupancy.shared_granularity", "bytes", "allocation unit of a block",
     SLOT(occupancy.shared_granularity), 1, 65536},
    {"occupancy.carveouts", "bytes", "shared sizes that the L1 can be split into",
     SLOT(occupancy.carveouts), 0, kMaxBytes},
    {"occupancy.barriers_per_sm", "barriers", "hardware barriers; 0 = no limit",
     SLOT(occupancy.barriers_per_sm), 0, 1024},
    {"cycle.shared_latency", "cycles", "issue of a 4-byte shared load to issue of a user", SLOT(cycle.shared_latency), 0, kMaxBytes},
    {"cycle.wavefront_interval", "cycles", "between the wavefronts of one instruction", SLOT(cycle.wavefront_interval), 0, kMaxBytes},
    {"cycle.data_ports", "instructions", "served by the data stage in turn", SLOT(cycle.data_ports), 1, 64},
    {"cycle.operand_interval", "cycles", "per register from a sub-core to its memory queue", SLOT(cycle.operand_interval), 0, kMaxBytes},
    {"cycle.result_interval", "cycles", "latency per result register after the first", SLOT(cycle.result_interval), 0, kMaxBytes},
    {"cycle.atomic_extra", "cycles", "added latency of a shared atomic", SLOT(cycle.atomic_extra), 0, kMaxBytes},
    {"cycle.matrix_extra", "cycles", "added latency of ldmatrix", SLOT(cycle.matrix_extra), 0, kMaxBytes},
    {"cycle.queue_entries", "instructions", "of a sub-core between issue and data stage", SLOT(cycle.queue_entries), 0, kMaxBytes},
    {"cycle.shuffle_extra", "cycles", "added latency of a shuffle", SLOT(cycle.shuffle_extra), 0, kMaxBytes},
    {"cycle.source_release", "cycles", "operand transfer to release of a read barrier", SLOT(cycle.source_release), 0, kMaxBytes},
    {"cycle.barrier_latency", "cycles", "last arrival at a block barrier to release", SLOT(cycle.barrier_latency), 0, kMaxBytes},
    {"cycle.barrier_interval", "cycles", "between barrier arrivals of an SM", SLOT(cycle.barrier_interval), 0, kMaxBytes},
    {"cycle.mbarrier_arrive", "cycles", "between mbarrier arrivals of an SM", SLOT(cycle.mbarrier_arrive), 0, kMaxBytes},
    {"cycle.mbarrier_latency", "cycles", "completing arrival to the end of a wait", SLOT(cycle.mbarrier_latency), 0, kMaxBytes},
    {"cycle.mbarrier_test", "cycles", "wait on a complete phase", SLOT(cycle.mbarrier_test), 0, kMaxBytes},
    {"cycle.fma_interval", "cycles", "issue interval of FP32", SLOT(cycle.fma_interval), 0, kMaxBytes},
    {"cycle.half_interval", "cycles", "issue interval of packed FP16", SLOT(cycle.half_interval), 0, kMaxBytes},
    {"cycle.alu_interval", "cycles", "issue interval of integer and logic", SLOT(cycle.alu_interval), 0, kMaxBytes},
    {"cycle.imad_interval", "cycles", "issue interval of integer multiply-add", SLOT(cycle.imad_interval), 0, kMaxBytes},
    {"cycle.imad_wide_interval", "cycles", "the same with a 64-bit product", SLOT(cycle.imad_wide_interval), 0, kMaxBytes},
    {"cycle.double_interval", "cycles", "issue interval of FP64", SLOT(cycle.double_interval), 0, kMaxBytes},
    {"cycle.xu_interval", "cycles", "issue interval of special functions", SLOT(cycle.xu_interval), 0, kMaxBytes},
    {"cycle.uniform_interval", "cycles", "issue interval of the uniform datapath", SLOT(cycle.uniform_interval), 0, kMaxBytes},
    {"cycle.tensor16_interval", "cycles", "issue interval of mma m16n8k16", SLOT(cycle.tensor16_interval), 0, kMaxBytes},
    {"cycle.tensor8_interval", "cycles", "issue interval of mma m16n8k8", SLOT(cycle.tensor8_interval), 0, kMaxBytes},
    {"cycle.xu_latency", "cycles", "special functions", SLOT(cycle.xu_latency), 0, kMaxBytes},
    {"cycle.special_register_latency", "cycles", "S2R", SLOT(cycle.special_register_latency), 0, kMaxBytes},
    {"cycle.constant_latency", "cycles", "LDC", SLOT(cycle.constant_latency), 0, kMaxBytes},
    {"cycle.redux_latency", "cycles", "warp reduction", SLOT(cycle.redux_latency), 0, kMaxBytes},
    {"cycle.match_interval", "cycles", "issue interval of MATCH", SLOT(cycle.match_interval), 0, kMaxBytes},
    {"cycle.match_latency", "cycles", "MATCH", SLOT(cycle.match_latency), 0, kMaxBytes},
    {"cycle.other_latency", "cycles", "other instructions with a scoreboard", SLOT(cycle.other_latency), 0, kMaxBytes},
    {"cycle.branch_extra", "cycles", "taken branch beyond its stall count", SLOT(cycle.branch_extra), 0, kMaxBytes},
    {"cycle.fetch_interval", "cycles", "per instruction that the SM runs for the first time", SLOT(cycle.fetch_interval), 0, kMaxBytes},
    {"cycle.l1_latency", "cycles", "L1 hit", SLOT(cycle.l1_latency), 0, kMaxBytes},
    {"cycle.l2_latency", "cycles", "L2 hit", SLOT(cycle.l2_latency), 0, kMaxBytes},
    {"cycle.dram_latency", "cycles", "L2 miss", SLOT(cycle.dram_latency), 0, kMaxBytes},
    {"cycle.l1_bytes", "bytes", "L1 and shared memory together", SLOT(cycle.l1_bytes), 0, kMaxBytes},
    {"cycle.l2_port", "bytes per cycle", "from L2 to one SM alone", SLOT(cycle.l2_port), 0, kMaxBytes},
    {"cycle.l2_total", "bytes per cycle", "from L2 to all SMs", SLOT(cycle.l2_total), 0, kMaxBytes},
    {"cycle.dram_port", "bytes per cycle", "from DRAM to one SM alone", SLOT(cycle.dram_port), 0, kMaxBytes},
    {"cycle.dram_total", "bytes per cycle", "from DRAM to all SMs", SLOT(cycle.dram_total), 0, kMaxBytes},
    {"cycle.l2_hit", "share", "L1 misses that L2 serves", SLOT(cycle.l2_hit), 0, 1},
    {"cycle.copy_commit", "cycles", "commit of copies to the end of a wait, at least", SLOT(cycle.copy_commit), 0, kMaxBytes},
    {"cycle.copy_extra", "cycles", "cp.async beyond a load", SLOT(cycle.copy_extra), 0, kMaxBytes},
    {"cycle.fence_latency", "cycles", "membar.cta", SLOT(cycle.fence_latency), 0, kMaxBytes},
    {"cycle.fence_gpu_latency", "cycles", "membar.gl", SLOT(cycle.fence_gpu_latency), 0, kMaxBytes},
    {"cycle.bulk_issue", "cycles", "between bulk copies of an SM", SLOT(cycle.bulk_issue), 0, kMaxBytes},
    {"cycle.bulk_latency", "cycles", "of a bulk copy, without its bytes", SLOT(cycle.bulk_latency), 0, kMaxBytes},
    {"cycle.bulk_bytes", "bytes per cycle", "bulk loads of an SM", SLOT(cycle.bulk_bytes), 0, kMaxBytes},
    {"cycle.bulk_store_latency", "cycles", "of a bulk store, without its bytes", SLOT(cycle.bulk_store_latency), 0, kMaxBytes},
    {"cycle.bulk_store_bytes", "bytes per cycle", "bulk stores of an SM", SLOT(cycle.bulk_store_bytes), 0, kMaxBytes},
    {"cycle.sms", "SMs", "of the device, if the trace does not tell", SLOT(cycle.sms), 0, kMaxBytes},
    {"cycle.block_start", "cycles", "end of a block to the start of its successor", SLOT(cycle.block_start), 0, kMaxBytes},
    {"cycle.block_interval", "cycles", "between block starts of an SM", SLOT(cycle.block_interval), 0, kMaxBytes},
    {"cycle.warp_interval", "cycles", "the same per warp of a block, if that is more", SLOT(cycle.warp_interval), 0, kMaxBytes},
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
