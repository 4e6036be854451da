#include "sim/layout_collect.hpp"

#include <bit>
#include <limits>
#include <tuple>
#include <unordered_map>

#include "sim/bank_model.hpp"

namespace smemsim {
namespace {

constexpr std::uint32_t kNotShared = std::numeric_limits<std::uint32_t>::max();
constexpr std::uint32_t kUnknown = kNotShared - 1;
constexpr std::uint32_t kNoRoom = kNotShared - 2;

struct ClassKey {
  std::uint64_t base = 0, source = 0;
  std::uint32_t shape = 0;
  friend bool operator==(const ClassKey&, const ClassKey&) = default;
};
struct ClassHash {
  std::size_t operator()(const ClassKey& key) const {
    std::uint64_t x = key.base * 0x9e3779b97f4a7c15U + key.source;
    x = (x ^ (x >> 29)) * 0xbf58476d1ce4e5b9U + key.shape;
    return static_cast<std::size_t>(x ^ (x >> 32));
  }
};

using SiteKey = std::tuple<std::string, std::uint32_t, std::string, std::string, std::uint32_t,
                           Operation, std::uint8_t, std::uint8_t>;

struct KernelState {
  KernelAccesses out;
  std::map<SiteKey, std::uint32_t> sites;
  std::map<std::vector<std::uint64_t>, std::uint32_t> shapes;
  std::unordered_map<ClassKey, std::uint32_t, ClassHash> classes;
  std::unordered_map<ClassKey, std::uint32_t, ClassHash> by_address;  ///< source = 0
};

/// The shape as numbers, for comparison.
std::vector<std::uint64_t> content(const EventShape& shape) {
  std::vector<std::uint64_t> out{static_cast<std::uint64_t>(shape.op),
                                 shape.width,
                                 shape.matrices,
                                 shape.site,
                                 shape.active,
                                 shape.offsets.size()};
  for (const std::int64_t x : shape.offsets) out.push_back(static_cast<std::uint64_t>(x));
  for (const std::int64_t x : shape.source_offsets) out.push_back(static_cast<std::uint64_t>(x));
  return out;
}

}  // namespace

LaneMask addressed_lanes(const EventShape& shape, const SharedMemory& shared) {
  const AccessRule* rule = shared.rule(shape.op, shape.width, shape.matrices);
  if (rule == nullptr) return shape.active;
  LaneMask used = 0;
  for (const LaneMask pass : rule->passes) used |= pass;
  return used & shape.active;
}

struct AccessCollector::State {
  MachineOf machine_of;
  std::size_t most = 0;
  std::vector<std::unique_ptr<KernelState>> kernels;
  std::map<std::tuple<std::string, std::string, std::string>, KernelState*> index;

  const Launch* launch = nullptr;
  KernelState* kernel = nullptr;
  std::uint64_t shapes_id = 0;
  std::vector<std::uint32_t> local;  ///< shape of the batch -> shape of the kernel

  std::uint32_t site_of(const EventShape& shape);
  std::uint32_t shape_of(const EventShape& shape);
  Status add(const EventShape& shape, const Event& event, std::uint32_t index_of_shape);
};

AccessCollector::AccessCollector(MachineOf machine_of, std::size_t most_classes)
    : state_(std::make_unique<State>()) {
  state_->machine_of = std::move(machine_of);
  state_->most = most_classes;
}

AccessCollector::~AccessCollector() = default;

Status AccessCollector::begin_launch(const Launch& launch) {
  State& s = *state_;
  const Result<const Machine*> machine = s.machine_of(launch);
  if (!machine.ok()) return machine.error();
  s.launch = &launch;
  s.shapes_id = 0;
  KernelState*& kernel = s.index[{launch.kernel, launch.function, (*machine)->name}];
  if (kernel == nullptr) {
    s.kernels.push_back(std::make_unique<KernelState>());
    kernel = s.kernels.back().get();
    kernel->out.kernel = launch.kernel;
    kernel->out.machine = *machine;
    kernel->out.launch = launch;
    kernel->out.launch.sites.clear();
  }
  kernel->out.launches += 1;
  s.kernel = kernel;
  return {};
}

std::uint32_t AccessCollector::State::site_of(const EventShape& shape) {
  const Site site = shape.site < launch->sites.size() ? launch->sites[shape.site] : Site{};
  const auto [entry, added] =
      kernel->sites.try_emplace(SiteKey{site.function, site.pc, site.instruction, site.file,
                                        site.line, shape.op, shape.width, shape.matrices},
                                static_cast<std::uint32_t>(kernel->out.sites.size()));
  if (added) kernel->out.sites.push_back({site, shape.op, shape.width, shape.matrices, 0});
  return entry->second;
}

std::uint32_t AccessCollector::State::shape_of(const EventShape& shape) {
  const OperationTraits& row = traits(shape.op);
  if (!is_shared_access(shape.op)) {
    if (row.space == AddressSpace::shared && (row.reads || row.writes)) return kUnknown;
    return kNotShared;
  }
  if (shape.active == 0) return kNotShared;
  EventShape kept = shape;
  kept.site = site_of(shape);
  kept.flags = 0;
  kept.a = kept.b = 0;
  const LaneMask used = addressed_lanes(shape, kernel->out.machine->shared);
  for (unsigned lane = 0; lane < kept.offsets.size(); ++lane) {
    if (!has_lane(used, lane)) kept.offsets[lane] = 0;
  }
  if (shape.op != Operation::cp_async_ca) kept.source_offsets.clear();
  std::vector<std::uint64_t> key = content(kept);
  const auto known = kernel->shapes.find(key);
  if (known != kernel->shapes.end()) return known->second;
  if (kernel->out.shapes.size() >= most) return kNoRoom;
  const auto number = static_cast<std::uint32_t>(kernel->out.shapes.size());
  kernel->shapes.emplace(std::move(key), number);
  kernel->out.shapes.push_back(std::move(kept));
  return number;
}

Status AccessCollector::State::add(const EventShape& shape, const Event& event,
                                   std::uint32_t number) {
  KernelAccesses& out = kernel->out;
  ++out.executed;
  if (number == kNoRoom) {
    ++out.left_out;
    return {};
  }
  const std::uint32_t site = out.shapes[number].site;
  const ClassKey key{event.base, shape.op == Operation::cp_async_ca ? event.source : 0, number};
  const auto known = kernel->classes.find(key);
  if (known != kernel->classes.end()) {
    ++out.classes[known->second].count;
    ++out.sites[site].executed;
    return {};
  }
  const bool sizes_known = launch->static_shared != 0 || launch->dynamic_shared != 0;
  SMEMSIM_TRY(
      check_access(shape, event, out.machine->shared, sizes_known ? launch->shared_end() : 0));
  const ClassKey address{event.base, 0, number};
  if (out.classes.size() >= most) {
    const auto similar = kernel->by_address.find(address);
    if (similar == kernel->by_address.end()) {
      ++out.left_out;
    } else {
      ++out.approximated;
      ++out.classes[similar->second].count;
      ++out.sites[site].executed;
    }
    return {};
  }
  const auto index_of_class = static_cast<std::uint32_t>(out.classes.size());
  kernel->classes.emplace(key, index_of_class);
  kernel->by_address.emplace(address, index_of_class);
  out.classes.push_back({site, {number, event.base, key.source}, 1});
  ++out.sites[site].executed;
  return {};
}

Status AccessCollector::events(const EventBatch& batch) {
  State& s = *state_;
  if (batch.shapes_id != s.shapes_id) {
    s.local.clear();
    s.shapes_id = batch.shapes_id;
  }
  s.local.resize(batch.shapes.size(), kUnknown);
  for (const Event& event : batch.events) {
    const EventShape& shape = batch.shapes[event.shape];
    std::uint32_t& number = s.local[event.shape];
    if (number == kUnknown) {
      if (is_shared_access(shape.op)) {
        // Before anything is made of its addresses.
        const Status checked = check_access(shape, event, s.kernel->out.machine->shared, 0);
        if (!checked.ok()) {
          Error error = checked.error();
          error.place = s.launch->kernel + ", block " + std::to_string(batch.block) + ", warp " +
                        std::to_string(batch.warp) + (error.place.empty() ? "" : ", ") +
                        error.place;
          return error;
        }
      }
      number = s.shape_of(shape);
    }
    if (number == kNotShared) continue;
    if (number == kUnknown) {
      ++s.kernel->out.fixed_layout[shape.op];
      continue;
    }
    SMEMSIM_TRY(s.add(shape, event, number));
  }
  return {};
}

Status AccessCollector::end_launch() {
  state_->launch = nullptr;
  return {};
}

std::vector<KernelAccesses> AccessCollector::take() {
  std::vector<KernelAccesses> out;
  for (const auto& kernel : state_->kernels) out.push_back(std::move(kernel->out));
  state_->kernels.clear();
  state_->index.clear();
  return out;
}

}  // namespace smemsim
