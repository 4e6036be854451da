// The mechanisms that an ablation switches off: each by parameters under which it costs nothing.
#include "sim/cycle/simulate.hpp"

namespace smemsim {

const std::vector<Mechanism>& mechanisms() {
  static const std::vector<Mechanism> kMechanisms{
      {"data-stage", "wavefronts take no time",
       [](CycleParameters& p) { p.wavefront_interval = 0; }},
      {"turns", "one instruction at a time in the data stage, at one wavefront per cycle",
       [](CycleParameters& p) {
         p.data_ports = 1;
         p.wavefront_interval = 1;
       }},
      {"operand-path", "registers reach the memory queue at once",
       [](CycleParameters& p) { p.operand_interval = 0; }},
      {"queue", "memory queues without end", [](CycleParameters& p) { p.queue_entries = 1e6; }},
      {"barrier", "arrivals and release of block barriers take no time",
       [](CycleParameters& p) { p.barrier_interval = p.barrier_latency = 0; }},
      {"pipes", "pipes accept an instruction every cycle",
       [](CycleParameters& p) {
         p.alu_interval = p.imad_interval = p.imad_wide_interval = p.double_interval = 1;
         p.xu_interval = p.uniform_interval = p.tensor16_interval = p.tensor8_interval = 1;
       }},
      {"registers", "register banks with ports for all operands",
       [](CycleParameters& p) { p.register_ports = 3; }},
      {"branch", "taken branches and returns cost no more than others",
       [](CycleParameters& p) { p.branch_extra = p.return_extra = 0; }},
      {"fetch", "instructions are always there",
       [](CycleParameters& p) { p.fetch_interval = p.fetch_jump = 0; }},
      {"special-unit", "special registers and constants at any rate",
       [](CycleParameters& p) { p.special_interval = 0; }},
      {"l1", "every global load goes to L2", [](CycleParameters& p) { p.l1_bytes = 0; }},
      {"l2-bandwidth", "L2 and DRAM of unlimited bandwidth",
       [](CycleParameters& p) {
         p.l2_port = p.l2_total = p.l2_shared_total = p.l2_far_total = p.dram_port = p.dram_total =
             1e9;
       }},
      {"l2-halves", "all of L2 equally far",
       [](CycleParameters& p) {
         p.l2_far_extra = 0;
         p.l2_far_total = 1e9;
       }},
      {"shared-lines", "each SM fetches lines that several blocks use on its own account",
       [](CycleParameters& p) { p.shared_lines = 0; }},
      {"hot-lines", "a line serves all SMs at once", [](CycleParameters& p) { p.hot_line = 0; }},
      {"stores", "global stores leave at once",
       [](CycleParameters& p) {
         p.store_sector = p.store_line = p.store_share = p.store_partial = 0;
         p.store_bytes = 1e9;
       }},
      {"store-merge", "each store reaches L2 by itself",
       [](CycleParameters& p) { p.store_merge_lines = 0; }},
      {"barrier-queue", "barrier arrivals overtake the memory queue",
       [](CycleParameters& p) { p.barrier_in_queue = 0; }},
      {"run-ahead", "warps stop at a barrier, not at what follows",
       [](CycleParameters& p) { p.barrier_run_ahead = 0; }},
      {"fair-issue", "greedy issue, then the youngest warp",
       [](CycleParameters& p) { p.fair_issue = 0; }},
      {"block-order", "warps of all resident blocks take turns",
       [](CycleParameters& p) { p.block_order = 0; }},
      {"switched-off", "memory instructions without active lanes pass the data stage in no time",
       [](CycleParameters& p) { p.off_wavefronts = 0; }},
      {"copy-hold", "copies do not wait for switched-off loads",
       [](CycleParameters& p) { p.copy_hold = 0; }},
      {"copy-requests", "copies past L1 ask for whole lines",
       [](CycleParameters& p) {
         p.copy_request_cycles = 0;
         p.copy_request_bytes = p.l2_line;
         p.slice_request = 0;
       }},
      {"block-start", "blocks follow each other at once",
       [](CycleParameters& p) { p.block_start = p.block_interval = p.warp_interval = 0; }},
      {"launch", "all warps that are there begin at once",
       [](CycleParameters& p) { p.launch_code = p.launch_stagger = 0; }},
  };
  return kMechanisms;
}

void remove_mechanisms(const std::vector<std::string>& names, CycleParameters& parameters) {
  for (const std::string& name : names) {
    for (const Mechanism& one : mechanisms()) {
      if (one.name == name) one.remove(parameters);
    }
  }
}

}  // namespace smemsim
