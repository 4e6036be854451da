// Where a kernel stands under the roofs of an SM: floating-point work against what feeds it.
//
// The work is counted along the machine instructions that the trace's events imply. The peaks of
// the pipes follow from the machine's issue intervals, those of L2 and DRAM are its total rates
// divided by the SMs, the data stage serves one wavefront a cycle.
//   attainable FLOP per cycle under a roof = FLOP / (what the kernel needs of it / its peak)
// The lowest roof is the kernel's limit, however many warps there are (Williams et al., "Roofline",
// CACM 52(4), 2009, with the shared memory and the issue slots as roofs of their own).
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "sim/cycle/stream.hpp"
#include "sim/layout_collect.hpp"
#include "sim/trace_sink.hpp"

namespace smemsim {

enum class FlopKind : std::uint8_t {
  fp32,
  fp64,
  fp16,    ///< packed halves, outside the tensor cores
  tensor,  ///< mma of a warp
  wgmma,   ///< mma of a warp group: the machine has no measured peak
  count_
};
inline constexpr std::size_t kFlopKinds = static_cast<std::size_t>(FlopKind::count_);
std::string_view name(FlopKind kind);

/// Floating-point operations of one machine instruction, as Nsight Compute counts them: an add or
/// a multiply is one, a multiply-add two; conversions, comparisons and special functions none.
struct Flops {
  FlopKind kind = FlopKind::fp32;
  double per_lane = 0;
  double per_warp = 0;  ///< of matrix instructions, whatever the lanes
};
Flops flops_of(std::string_view sass);

/// What the recorded blocks of a launch did.
struct KernelWork {
  std::array<double, kFlopKinds> flop{};
  std::uint64_t instructions = 0;   ///< of warps
  std::uint64_t uncertain = 0;      ///< of them on stretches with more than one possible way
  std::uint64_t wavefronts = 0;     ///< of the shared data stage
  std::uint64_t sector_bytes = 0;   ///< global sectors asked for, in bytes
  std::uint64_t touched_bytes = 0;  ///< different sectors among them, in bytes
  bool touched_known = true;        ///< false: too many to remember
  bool has_program = false;         ///< without one no FLOP is known

  double total_flop() const;
  KernelWork& operator+=(const KernelWork& other);
};

/// Counts the work of each launch of a trace. Between two events of a warp, an instruction counts
/// for the lanes of the second one from the last conditional branch on, and for those that were
/// active so far before it. A predicated instruction counts for the lanes of an event that the same
/// predicate guards, and for none where it switched a recorded access off. Memory: one block at a
/// time, and one bit for each sector of the first 2^18 pages of 4 KiB that a launch touches.
class WorkAnalysis : public TraceSink {
 public:
  explicit WorkAnalysis(AccessCollector::MachineOf machine_of);

  Status begin_launch(const Launch& launch) override;
  Status program(const Program& program) override;
  Status events(const EventBatch& batch) override;
  Status end_launch() override;

  /// One entry for each launch, in order.
  const std::vector<KernelWork>& launches() const { return launches_; }

 private:
  struct PathFlops;
  void count_block();
  PathFlops flops_of_path(const std::vector<std::uint32_t>& steps) const;
  void add_bulk(std::uint64_t begin, std::uint64_t bytes);
  /// `sectors`: bit i = sector i of the line; a line has 128 bytes.
  void touch(std::uint64_t line, std::uint64_t sectors);

  AccessCollector::MachineOf machine_of_;
  std::unique_ptr<StreamBuilder> streams_;
  std::uint32_t threads_ = 0, lanes_ = 32;  ///< of a block and of a warp
  std::vector<Flops> flops_;                ///< of StreamBuilder::instructions()
  std::unique_ptr<BlockTrace> block_;
  /// By page of 4 KiB: one bit for each sector.
  std::unordered_map<std::uint64_t, std::array<std::uint64_t, 2>> touched_;
  std::vector<KernelWork> launches_;
};

/// One resource.
struct Roof {
  std::string name;       ///< "FP32", "shared memory", "DRAM"
  std::string unit;       ///< what it serves: "FLOP", "wavefront", "byte"
  double peak = 0;        ///< units per cycle and SM
  double amount = 0;      ///< units that the kernel needs
  double intensity = 0;   ///< FLOP per unit
  double attainable = 0;  ///< FLOP per cycle and SM
};

struct Roofline {
  std::vector<Roof> roofs;  ///< those that the kernel uses
  std::size_t lowest = 0;   ///< index of the limit
  double flop = 0;
  bool peaks_known = true;  ///< false: the machine has no times of its own
};

/// `sms` share L2 and DRAM. Without floating-point work, and on machines without times of their
/// own, there are no roofs.
Roofline roofline(const KernelWork& work, const Machine& machine, double sms);

}  // namespace smemsim
