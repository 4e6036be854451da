// All units of one SM.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "sim/cycle/cycle_parameters.hpp"
#include "sim/cycle/units/barrier_unit.hpp"
#include "sim/cycle/units/data_stage.hpp"
#include "sim/cycle/units/global_memory.hpp"
#include "sim/cycle/units/mbarrier_unit.hpp"
#include "sim/cycle/units/memory_queue.hpp"
#include "sim/cycle/units/register_ports.hpp"
#include "sim/cycle/units/special_unit.hpp"

namespace smemsim {

inline constexpr std::size_t kSubCores = 4;

/// Global accesses queue apart from those of shared memory.
inline bool on_global_queue(const Decoded& one) {
  return one.kind == InstructionKind::global || one.kind == InstructionKind::copy;
}

struct SmUnits {
  /// `shared_bytes`: what the resident blocks keep of the L1; `active_sms`: that share L2 and DRAM.
  SmUnits(const CycleParameters& p, double shared_bytes, double active_sms)
      : parameters(p),
        data(p.data_ports, p.wavefront_interval),
        queues(kSubCores, MemoryQueue(p.queue_entries, p.operand_interval)),
        global_queues(kSubCores, MemoryQueue(p.queue_entries, p.operand_interval)),
        registers(kSubCores, RegisterPorts(p.register_ports, p.register_slack)),
        store_merge(p.store_merge_lines, p.store_merge_cycles),
        stores(p.store_buffer, p.store_way, p.store_window),
        barriers(p.barrier_interval, p.barrier_latency),
        l1(std::max(0.0, p.l1_bytes - shared_bytes)),
        l2_shared(p.l2_port, p.l2_shared_total / active_sms),
        l2(p.l2_port, p.l2_total / active_sms),
        far_link(p.l2_far_total / active_sms, active_sms <= 1),
        dram(p.dram_port, p.dram_total / active_sms),
        launch_stagger(p.launch_stagger * std::min(1.0, active_sms / p.sms)),
        hot_interval(active_sms > 1 ? p.hot_line * active_sms : 0),
        slice_interval(active_sms > 1 ? p.slice_request * active_sms : 0),
        slices(static_cast<std::size_t>(std::max(1.0, p.l2_slices))),
        special(p.special_interval, -p.launch_code),
        remote_sector(std::max(p.remote_sector, 32 * active_sms / p.remote_total)) {
    for (auto& sub_core : pipe_free) sub_core.fill(0);
  }
  /// Where a memory instruction of that sub-core waits.
  MemoryQueue& queue_of(const Decoded& one, std::size_t sub_core) {
    return (on_global_queue(one) ? global_queues : queues)[sub_core];
  }

  CycleParameters parameters;
  DataStage data;
  std::vector<MemoryQueue> queues;  ///< one for each sub-core
  std::vector<MemoryQueue> global_queues;
  std::vector<RegisterPorts> registers;
  StoreMerge store_merge;
  StoreBuffer stores;
  std::array<double, kSubCores> stores_read{};  ///< when the registers of all so far are
  BarrierUnit barriers;
  MbarrierUnit mbarriers;
  double mbarrier_free = 0;
  L1Cache l1;
  std::uint64_t l1_clock = 0;
  /// Sectors of each line that the SM has fetched before.
  std::unordered_map<std::uint64_t, std::uint8_t> fetched;
  /// Lines of constants that LDC has asked for: when they are there.
  std::unordered_map<std::int32_t, double> constant_lines;
  MemoryPort l2_shared, l2;
  FarLink far_link;
  MemoryPort dram;
  double launch_stagger;  ///< between the first instructions of the sub-cores
  /// Between this SM's requests for a line that all blocks use, and when each such line is free.
  double hot_interval;
  std::unordered_map<std::uint64_t, double> hot_lines;
  /// Between this SM's requests to a slice of L2 for pieces of such lines, and when each is free.
  double slice_interval;
  std::vector<double> slices;
  SpecialUnit special;
  double match_free = 0;
  double written = 0;            ///< to shared memory, by copies whose lines have come
  double copy_free = 0;          ///< requests of copies past L1
  std::size_t first_blocks = 0;  ///< those that begin at once, on all SMs
  bool odd_half = false;         ///< which half of L2 the SM is next to
  double remote_sector;    ///< cycles, of loads from the shared memory of other blocks of a cluster
  double remote_free = 0;  ///< such loads
  bool bulk_cold = true;   ///< no bulk copy yet
  double bulk_free = 0, bulk_port_free = 0;
  std::array<std::array<double, kPipes>, kSubCores> pipe_free;
  std::array<double, kPipes> pipe_busy{};  ///< cycles, all sub-cores
};

}  // namespace smemsim
