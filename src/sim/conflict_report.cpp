#include "sim/conflict_report.hpp"

#include <algorithm>
#include <array>
#include <cassert>
#include <limits>
#include <tuple>
#include <unordered_map>

#include "sim/word_map.hpp"

namespace smemsim {
namespace {

/// What identifies a site across the launches of one kernel.
using SiteKey = std::tuple<std::string, std::uint32_t, std::string, std::string, std::uint32_t,
                           Operation, std::uint8_t, std::uint8_t>;

SiteKey key_of(const Site& site, const EventShape& shape) {
  return {site.function, site.pc,    site.instruction, site.file,
          site.line,     shape.op,   shape.width,      shape.matrices};
}

/// A kernel under construction.
struct KernelRows {
  KernelConflicts kernel;
  std::map<SiteKey, std::uint32_t> index;  ///< into kernel.sites
};

/// Executions of one shape whose costs are equal.
struct CostClass {
  AccessCost cost;
  bool multicast = false;
  std::uint64_t count = 0;
};

constexpr std::uint32_t kNoRow = std::numeric_limits<std::uint32_t>::max();

/// What is kept for a shape while its table stays the same. An event passes without a second look
/// when its bases are as well aligned as those of the first, and its lanes stay inside the block.
struct ShapeState {
  std::uint64_t base = 0, source = 0;  ///< of the event that was checked in full
  std::uint64_t align = 0;             ///< bits in which base and source have to be the same
  std::uint64_t low = 0, span = 0;     ///< accepted: low <= base <= low + span
  std::uint64_t every = 1;             ///< 1: each event needs the slow path
  std::uint64_t phase_mask = 0;        ///< bits of the base on which the cost depends
  std::size_t first_class = 0;         ///< in classes_, for phase 0
  std::uint32_t row = kNoRow;
  bool seen = false;
  bool access = false;                 ///< a shared access; else only counted
};

bool touches_shared(Operation op) {
  const AddressSpace space = traits(op).space;
  const bool data = traits(op).reads || traits(op).writes;
  return data && (space == AddressSpace::shared || space == AddressSpace::remote_shared);
}

bool worse(const AccessCost& a, const AccessCost& b) {
  return std::tuple(a.excess(), a.wavefronts, a.ways) > std::tuple(b.excess(), b.wavefronts, b.ways);
}

std::string site_text(const Site& site) {
  if (!site.file.empty()) return site.file + ':' + std::to_string(site.line);
  if (!site.instruction.empty()) return site.instruction;
  return "pc " + std::to_string(site.pc);
}

}  // namespace

ConflictTotals& ConflictTotals::operator+=(const ConflictTotals& other) {
  executed += other.executed;
  active_lanes += other.active_lanes;
  wavefronts += other.wavefronts;
  ideal += other.ideal;
  conflicts += other.conflicts;
  cycles += other.cycles;
  passes += other.passes;
  merged += other.merged;
  multicast += other.multicast;
  unmodelled += other.unmodelled;
  uncounted += other.uncounted;
  return *this;
}

const SiteConflicts* ConflictReport::site(std::uint32_t number,
                                          const KernelConflicts** kernel) const {
  for (const KernelConflicts& candidate : kernels) {
    for (const SiteConflicts& row : candidate.sites) {
      if (row.number != number) continue;
      if (kernel != nullptr) *kernel = &candidate;
      return &row;
    }
  }
  return nullptr;
}

bool uses_multicast(const EventShape& shape, const Event& event, const SharedMemory& machine,
                    const AccessCost& cost) {
  const AccessRule* rule = machine.rule(shape.op, shape.width, shape.matrices);
  if (rule == nullptr || rule->count != BankCount::words || rule->through_tags) return false;
  const WordMap map(machine);
  for (const LaneMask pass : cost.merged ? rule->merged_passes : rule->passes) {
    // Accesses are aligned to their width: they share a word exactly when they begin in one.
    std::array<std::uint64_t, kMaxLanes> words;
    std::size_t count = 0;
    bool rising = true;
    for_each_lane(pass & shape.active, [&](unsigned lane) {
      words[count] = map.word(lane_address(shape, event, lane));
      rising = rising && (count == 0 || words[count - 1] < words[count]);
      ++count;
    });
    if (rising) continue;
    const auto end = words.begin() + static_cast<std::ptrdiff_t>(count);
    std::sort(words.begin(), end);
    if (std::adjacent_find(words.begin(), end) != end) return true;
  }
  return false;
}

struct ConflictAnalysis::State {
  MachineOf machine_of;
  GroupBy group_by;
  std::string trace_name;

  std::vector<std::unique_ptr<KernelRows>> kernels;
  std::map<std::tuple<std::string, std::string, std::string>, std::size_t> kernel_index;

  // The current launch.
  const Launch* launch = nullptr;
  const SharedMemory* shared = nullptr;
  std::uint64_t shared_end = 0;
  KernelRows* rows = nullptr;
  std::uint64_t blocks_seen = 0, last_block = 0;
  bool any_block = false;

  // The current shape table.
  std::uint64_t shapes_id = 0;
  std::vector<EventShape> no_shapes;
  std::vector<ShapeState> shapes;
  std::vector<CostClass> classes;
  std::vector<EventShape> dummy;
  /// Classes of shapes whose cost depends on more than a few bits of the base.
  std::unordered_map<std::uint64_t, CostClass> keyed;
  std::vector<std::unordered_map<std::uint64_t, CostClass>> keyed_by_shape;
  std::vector<std::uint64_t> lanes;  ///< active lanes per shape: the table itself may be gone

  Status check(const EventBatch& batch, const Event& event) const;
  Status slow(const EventBatch& batch, const Event& event);
  Status first_sight(const EventBatch& batch, const Event& event);
  void cost_class(const EventBatch& batch, const Event& event, CostClass& out);
  std::uint32_t row_of(const EventShape& shape);
  void fold();
  void fold(const CostClass& cost, std::uint64_t active, SiteConflicts& row);
};

}  // namespace smemsim
