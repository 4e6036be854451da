// How well the global-memory accesses of a warp fit together: sectors and lines per request.
//
// Global memory is read and written in sectors of 32 bytes, tagged in L1 by lines of 128 bytes. For
// one warp instruction (request) with active lanes i, each touching [a_i, a_i + width):
//   sectors = number of different floor(byte / 32) over all touched bytes
//   lines   = number of different floor(byte / 128)
//   ideal   = ceil(different touched bytes / 32): the sectors if the same bytes lay side by side
//   excess  = sectors - ideal
// These are Nsight Compute's sectors per request (l1tex__t_sectors / l1tex__t_requests) and its
// "excessive sectors" for accesses without duplicated bytes. The global side of cp.async counts as
// a read; a bulk copy is one request of its bytes. Sector size: CUDA C++ Best Practices Guide,
// "Coalesced access to global memory".
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <tuple>
#include <vector>

#include "sim/launch.hpp"
#include "sim/trace_sink.hpp"

namespace smemsim {

inline constexpr std::uint64_t kSectorBytes = 32;
inline constexpr std::uint64_t kLineBytes = 128;

/// One request.
struct SectorCost {
  std::uint32_t sectors = 0;
  std::uint32_t ideal = 0;  ///< sectors
  std::uint32_t lines = 0;
  std::uint32_t ideal_lines = 0;
  std::uint64_t bytes = 0;  ///< different bytes that the lanes ask for

  std::uint32_t excess() const { return sectors - ideal; }
  friend bool operator==(const SectorCost&, const SectorCost&) = default;
};

/// Cost of `width` bytes at each of the addresses, in any order, with duplicates.
SectorCost sector_cost(std::vector<std::uint64_t> addresses, std::uint64_t width);

/// Whether the operation touches global memory, with its lane addresses or as a copy's other side.
bool is_global_access(Operation op);
/// Cost of an event for which is_global_access holds.
SectorCost sector_cost(const EventShape& shape, const Event& event);

struct SectorTotals {
  std::uint64_t requests = 0;  ///< warp instructions
  std::uint64_t sectors = 0, ideal = 0;
  std::uint64_t lines = 0, ideal_lines = 0;
  std::uint64_t bytes = 0;

  std::uint64_t excess() const { return sectors - ideal; }
  SectorTotals& operator+=(const SectorCost& cost);
  SectorTotals& operator+=(const SectorTotals& other);
  friend bool operator==(const SectorTotals&, const SectorTotals&) = default;
};

/// One static instruction.
struct SiteCoalescing {
  Site site;
  Operation op = Operation::global_load;
  std::uint8_t width = 0;  ///< bytes per lane; 0 = bulk copy
  SectorTotals totals;
  std::uint32_t worst_sectors = 0;  ///< of one request
};

struct KernelCoalescing {
  std::string kernel;
  std::uint64_t launches = 0;
  SectorTotals totals;
  std::vector<SiteCoalescing> sites;  ///< most excess first, then most sectors, then pc
};

struct CoalescingReport {
  std::vector<KernelCoalescing> kernels;  ///< in order of first launch; those with global accesses
  SectorTotals totals;
};

/// Builds the report from a trace. Memory: one entry per site, and per shape of the current batch.
class CoalescingAnalysis : public TraceSink {
 public:
  Status begin_launch(const Launch& launch) override;
  Status events(const EventBatch& batch) override;
  Status end_launch() override;

  CoalescingReport take_report();

 private:
  using SiteKey = std::tuple<std::string, std::uint32_t, std::string, std::uint32_t, Operation,
                             std::uint8_t>;  ///< function, pc, text, line, operation, width
  struct Kernel {
    std::uint64_t launches = 0;
    std::map<SiteKey, SiteCoalescing> sites;
  };
  Kernel& kernel(const std::string& name);
  SectorCost cached_cost(const EventBatch& batch, const Event& event);

  const Launch* launch_ = nullptr;
  Kernel* current_ = nullptr;
  std::vector<std::string> order_;
  std::map<std::string, Kernel> kernels_;
  /// Of the launch's sites, by index, operation and width.
  std::map<std::tuple<std::uint32_t, Operation, std::uint8_t>, SiteCoalescing*> known_;
  std::uint64_t shapes_id_ = 0;
  std::map<std::tuple<std::uint32_t, std::uint64_t>, SectorCost> costs_;  ///< shape, base mod line
};

}  // namespace smemsim
