// The distinct shared-memory accesses of each kernel of a trace, with how often each happened.
// Layouts are tried on these instead of on the events.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "sim/launch.hpp"
#include "sim/machine.hpp"
#include "sim/trace_sink.hpp"

namespace smemsim {

/// One static instruction.
struct AccessSite {
  Site site;
  Operation op = Operation::load;
  std::uint8_t width = 0, matrices = 0;
  std::uint64_t executed = 0;
};

/// Executions that have the same cost under every layout: same lanes at the same addresses.
struct AccessClass {
  std::uint32_t site = 0;  ///< index into KernelAccesses::sites
  Event event;             ///< `shape` = index into KernelAccesses::shapes
  std::uint64_t count = 0;
};

/// What the warps of one kernel did in shared memory; launches of a kernel are added up.
struct KernelAccesses {
  std::string kernel;
  const Machine* machine = nullptr;
  Launch launch;  ///< the first one, without its sites
  std::uint64_t launches = 0;
  std::vector<AccessSite> sites;
  std::vector<EventShape> shapes;  ///< offsets of lanes whose address does not matter are 0
  std::vector<AccessClass> classes;
  std::uint64_t executed = 0;
  std::uint64_t approximated = 0;  ///< counted as an access with the same shared addresses
  std::uint64_t left_out = 0;      ///< no room: the trace has too many different accesses
  /// Other traffic in shared memory: bulk copies and operands of tensor cores follow the layout
  /// that their descriptors name.
  std::map<Operation, std::uint64_t> fixed_layout;
};

/// The active lanes whose address an access uses (ldmatrix.x1 uses those of lanes 0-7 only).
LaneMask addressed_lanes(const EventShape& shape, const SharedMemory& shared);

class AccessCollector : public TraceSink {
 public:
  using MachineOf = std::function<Result<const Machine*>(const Launch&)>;
  /// Different accesses that are kept for each kernel.
  static constexpr std::size_t kMostClasses = std::size_t{1} << 14;

  /// The machines must outlive the results.
  explicit AccessCollector(MachineOf machine_of, std::size_t most_classes = kMostClasses);
  ~AccessCollector() override;
  AccessCollector(const AccessCollector&) = delete;
  AccessCollector& operator=(const AccessCollector&) = delete;

  Status begin_launch(const Launch& launch) override;
  /// An access that hardware would fault on is an error.
  Status events(const EventBatch& batch) override;
  Status end_launch() override;

  /// Kernels in order of first launch. Call it once.
  std::vector<KernelAccesses> take();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace smemsim
