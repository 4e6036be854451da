// Times and capacities of one SM that the cycle model uses. Unit: SM clock cycles unless said
// otherwise. Defaults are what was measured on an H200 (docs/cycle-model.md tells how); a machine
// file overrides them through the rows "cycle.*" of machine_parameters.hpp.
#pragma once

namespace smemsim {

struct CycleParameters {
  // Shared memory.
  double shared_latency = 23;     ///< issue of a 4-byte load to issue of a user, 1 wavefront
  double wavefront_interval = 2;  ///< between wavefronts of one instruction
  double data_ports = 2;          ///< instructions that the data stage serves in turn
  double operand_interval = 2;    ///< per register moved from a sub-core to the memory queue
  double result_interval = 1;     ///< added latency per result register after the first
  double atomic_extra = 1;        ///< added latency of an atomic
  double matrix_extra = 2;        ///< added latency of ldmatrix
  double queue_entries = 16;      ///< instructions of a sub-core between issue and data stage
  double shuffle_extra = 1;       ///< added latency of a shuffle, which takes a wavefront
  double source_release = 8;      ///< end of operand transfer to release of a read barrier
  // Barriers.
  double barrier_latency = 11.7;  ///< last arrival to release
  double barrier_interval = 2;    ///< between arrivals of the warps of an SM
  double barrier_in_queue = 1;    ///< 1: arrivals go through the memory queue, 0: past it
  double mbarrier_arrive = 7.5;   ///< between arrivals on mbarriers of an SM
  double mbarrier_latency = 45;   ///< completing arrival to the end of a wait
  double mbarrier_test = 84;      ///< a wait on a phase that is complete
  // Issue interval of the pipes, per sub-core.
  double fma_interval = 1;          ///< FP32
  double half_interval = 1;         ///< packed FP16
  double alu_interval = 2;          ///< integer and logic
  double imad_interval = 2;         ///< integer multiply-add, 32 bits
  double imad_wide_interval = 4;    ///< with a 64-bit result or the high half
  double double_interval = 2;       ///< FP64
  double xu_interval = 8;           ///< MUFU, conversions, POPC, FLO, BREV
  double uniform_interval = 2;      ///< uniform datapath
  double tensor16_interval = 6.28;  ///< mma.m16n8k16 and integer m16n8k32
  double tensor8_interval = 4.08;   ///< mma.m16n8k8
  // Latency of instructions that a scoreboard guards.
  double xu_latency = 17;
  double special_register_latency = 40;
  double constant_latency = 42;
  double redux_latency = 38;
  double match_interval = 61;
  double match_latency = 360;
  double other_latency = 20;
  double off_latency = 18;  ///< memory instruction whose predicate is false
  // Control flow and instruction supply.
  double fair_issue = 1;      ///< 1: a warp that paused queues up again, 0: it stays the first
  double branch_extra = 5;    ///< a taken branch beyond its stall count
  double fetch_interval = 1;  ///< per instruction that the SM runs for the first time
  // Global memory.
  double l1_latency = 34;  ///< hit; one line
  double l2_latency = 270;
  double l2_far_extra = 185;  ///< first use of a sector in the other half of L2
  double dram_latency = 650;
  double l1_bytes = 262144;  ///< L1 and shared memory together, bytes
  double l2_port = 105;      ///< bytes per cycle from L2 to one SM alone
  double l2_total = 4224;    ///< bytes per cycle from L2 to all SMs
  double dram_port = 99;     ///< likewise from DRAM
  double dram_total = 2204;
  double shared_lines = 1;         ///< 1: lines that several blocks use pass L2 once for all SMs
  double store_port = 32;          ///< bytes per cycle that an SM sends out
  double store_total = 1805;       ///< bytes per cycle that L2 takes from all SMs
  double store_buffer = 4096;      ///< bytes of stores of an SM under way: an assumption
  double l2_hit = 1;               ///< share of L1 misses that L2 serves, 0 to 1: an assumption
  double copy_commit = 36;         ///< least time from commit to a wait's end
  double copy_hold = 21;           ///< cp.async behind a switched-off load of its warp
  double copy_l2_extra = 26;       ///< cp.async.cg beyond copy_extra
  double copy_extra = 5;           ///< cp.async beyond the latency of its load
  double fence_latency = 10;       ///< membar.cta
  double fence_gpu_latency = 266;  ///< membar.gl
  // Bulk copies.
  double bulk_issue = 72;     ///< between bulk copies of an SM
  double bulk_first = 205;    ///< added for the first bulk copy of an SM
  double bulk_latency = 194;  ///< issue to the first byte's completion beyond bulk_issue
  double bulk_bytes = 106;    ///< bytes per cycle of an SM
  double bulk_store_latency = 65;
  double bulk_store_bytes = 32;  ///< bytes per cycle read by bulk stores of an SM
  // Clusters.
  double cluster_latency = 300;  ///< arrival to the end of a wait
  double remote_latency = 234;   ///< load from another block's shared memory
  double remote_interval = 8.3;  ///< between such loads of an SM
  // Blocks.
  double sms = 132;            ///< SMs of the device, where the trace does not tell
  double block_start = 465;    ///< end of a block to the start of its successor
  double block_interval = 16;  ///< between block starts of an SM, and warp_interval per warp
  double warp_interval = 2;    ///< between warp starts of a block
};

}  // namespace smemsim
