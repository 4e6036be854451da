#include "recorder.hpp"

#include <algorithm>
#include <fstream>

#include "log.hpp"
#include "sanitizer_api.hpp"

namespace smemsim::capture {
namespace {

/// The graph that this thread is launching; null until a kernel of it is wanted.
thread_local std::shared_ptr<GraphRecord> graph;
thread_local bool in_graph_launch = false;

constexpr unsigned kPatienceMs = 10'000;    ///< for records of a kernel that has ended well
constexpr unsigned kShortPatienceMs = 200;  ///< for those of one that failed

std::uint32_t attribute(CUdevice device, CUdevice_attribute which) {
  int value = 0;
  if (driver().DeviceGetAttribute == nullptr ||
      driver().DeviceGetAttribute(&value, which, device) != CUDA_SUCCESS || value < 0) {
    return 0;
  }
  return static_cast<std::uint32_t>(value);
}

DeviceInfo describe(CUdevice device) {
  DeviceInfo info;
  char name[256] = {};
  if (driver().DeviceGetName != nullptr &&
      driver().DeviceGetName(name, sizeof name - 1, device) == CUDA_SUCCESS) {
    info.name = name;
  }
  info.arch = "sm_" +
              std::to_string(attribute(device, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR)) +
              std::to_string(attribute(device, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR));
  info.sms = attribute(device, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT);
  info.warp_lanes = 32;
  info.shared_per_sm = attribute(device, CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_MULTIPROCESSOR);
  info.shared_per_block_max =
      attribute(device, CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN);
  info.shared_reserved = attribute(device, CU_DEVICE_ATTRIBUTE_RESERVED_SHARED_MEMORY_PER_BLOCK);
  info.clock_khz = attribute(device, CU_DEVICE_ATTRIBUTE_CLOCK_RATE);
  std::ifstream version("/sys/module/nvidia/version");
  std::getline(version, info.driver);
  info.toolkit =
      std::to_string(CUDA_VERSION / 1000) + "." + std::to_string(CUDA_VERSION / 10 % 100);
  return info;
}

Dim3 dim3(std::uint32_t x, std::uint32_t y, std::uint32_t z) {
  return {std::max(1U, x), std::max(1U, y), std::max(1U, z)};
}

void add_note(Launch& launch, const std::string& note) {
  if (!launch.note.empty()) launch.note += "; ";
  launch.note += note;
}

/// Lowest offset that the kernel owns. From sm_90 on the driver's reserved bytes are at the start
/// of the window that addresses count in; before, addresses count from behind them.
std::uint32_t first_shared(const DeviceInfo& device) {
  const bool counted = device.arch.size() > 5 || device.arch >= "sm_90";
  return counted ? device.shared_reserved : 0;
}

/// Bytes of static shared memory. The device tells them rounded up; the cubin tells them exactly,
/// with the driver's reserved bytes in newer toolkits.
std::uint32_t static_shared(const LaunchRecord& record, std::uint32_t first) {
  const std::uint32_t rounded =
      record.total_shared - std::min(record.total_shared, record.dynamic_shared);
  for (const std::uint32_t reserved : {first, 0U}) {
    if (record.function_shared < reserved) continue;
    const std::uint32_t exact = record.function_shared - reserved;
    if (exact <= rounded && rounded - exact < 1024) return exact;
  }
  return rounded;
}

/// What can be accessed is inside of the window, whatever the sources of its bounds said.
void fit_window(Launch& launch, const LaunchRecord& record) {
  if (record.end_shared == 0) return;
  if (record.lowest_shared < launch.first_shared) {
    debug("window moved down to %#llx", static_cast<unsigned long long>(record.lowest_shared));
    launch.dynamic_shared += launch.first_shared;
    launch.first_shared = 0;
  }
  // Less than the unit of allocation beyond its end, the kernel is wrong and not the bounds.
  constexpr std::uint64_t kUnit = 128;
  if (record.end_shared > (launch.shared_end() + kUnit - 1) / kUnit * kUnit) {
    debug("window extended to %#llx", static_cast<unsigned long long>(record.end_shared));
    launch.dynamic_shared += static_cast<std::uint32_t>(record.end_shared - launch.shared_end());
  }
}

}  // namespace

void Recorder::resource(Sanitizer_CallbackId id, const void* data) {
  switch (id) {
    case SANITIZER_CBID_RESOURCE_MODULE_LOADED:
      modules_.loaded(*static_cast<const Sanitizer_ResourceModuleData*>(data));
      break;
    case SANITIZER_CBID_RESOURCE_MODULE_UNLOAD_STARTING:
      modules_.unloading(static_cast<const Sanitizer_ResourceModuleData*>(data)->module);
      break;
    case SANITIZER_CBID_RESOURCE_CONTEXT_DESTROY_STARTING: {
      // The ring's memory goes with the context; a new one may get the same handle.
      const CUcontext handle = static_cast<const Sanitizer_ResourceContextData*>(data)->context;
      modules_.context_destroyed(handle);
      const std::lock_guard lock(mutex_);
      const auto found = contexts_.find(handle);
      if (found == contexts_.end()) break;
      static auto* const graveyard = new std::vector<std::unique_ptr<Context>>;
      graveyard->push_back(std::move(found->second));
      contexts_.erase(found);
      break;
    }
    default:
      break;
  }
}

Recorder::Context* Recorder::context(CUcontext handle, CUdevice device) {
  {
    const std::lock_guard lock(mutex_);
    const auto found = contexts_.find(handle);
    if (found != contexts_.end()) return found->second.get();
  }
  auto made = std::make_unique<Context>();
  made->device = describe(device);
  debug("context %p: device %d, %s, %s", static_cast<void*>(handle), device,
        made->device.name.c_str(), made->device.arch.c_str());
  made->ring = Ring::create(handle, options_);
  // Another thread may have been as fast; then this ring is one too many and stays unused.
  const std::lock_guard lock(mutex_);
  const auto [entry, added] = contexts_.try_emplace(handle, nullptr);
  if (added) entry->second = std::move(made);
  return entry->second.get();
}

std::shared_ptr<LaunchRecord> Recorder::wanted(const Sanitizer_LaunchData& data,
                                               Sanitizer_StreamHandle stream) {
  Launch launch;
  launch.function = data.functionName == nullptr ? "" : data.functionName;
  launch.grid = dim3(data.gridDim_x, data.gridDim_y, data.gridDim_z);
  launch.block = dim3(data.blockDim_x, data.blockDim_y, data.blockDim_z);
  launch.cluster = dim3(data.clusterDim_x, data.clusterDim_y, data.clusterDim_z);
  launch.command = options_.command;
  const Selection selection = select_blocks(options_.blocks, launch.grid, launch.cluster);
  bool wanted = selection.blocks != 0;
  {
    const std::lock_guard lock(mutex_);
    launch.launch_index = launches_++;
    std::string& kernel = names_[launch.function];
    if (kernel.empty()) kernel = demangle(launch.function);
    launch.kernel = kernel;
    wanted = wanted && kernel_matches(options_.kernel, kernel) &&
             options_.launches.contains(matching_++);
  }
  debug(
      "launch %llu %s grid %ux%ux%u block %ux%ux%u cluster %ux%ux%u stream %p own stream %p handle "
      "%p id %llu: %s",
      static_cast<unsigned long long>(launch.launch_index), launch.kernel.c_str(), data.gridDim_x,
      data.gridDim_y, data.gridDim_z, data.blockDim_x, data.blockDim_y, data.blockDim_z,
      data.clusterDim_x, data.clusterDim_y, data.clusterDim_z, static_cast<void*>(stream),
      static_cast<void*>(data.hStream), static_cast<void*>(data.hLaunch),
      static_cast<unsigned long long>(data.gridId), wanted ? "wanted" : "not wanted");
  if (!wanted) return nullptr;
  return prepare(data, std::move(launch), selection, stream);
}

std::shared_ptr<LaunchRecord> Recorder::begin(const Sanitizer_LaunchData& data) {
  std::shared_ptr<LaunchRecord> record = wanted(data, data.hStream);
  if (record && !open(record)) record.reset();
  const void* control = nullptr;
  if (record) {
    control = record->ring->set_control(record->tag, record->selection, data.hStream);
    if (control == nullptr) {
      collector_.close(*record);
      record.reset();
    }
  }
  const SanitizerResult result =
      api().SetLaunchCallbackData(data.hLaunch, data.function, data.hStream, control);
  if (result != SANITIZER_SUCCESS) {
    debug("setting the patches' data: %s", result_text(result));
    if (record) {
      problem("a launch of %s could not be recorded (%s)",
              record->builder().launch().kernel.c_str(), result_text(result));
      collector_.close(*record);
      record.reset();
    }
  }
  return record;
}

void Recorder::begin_node(const Sanitizer_LaunchData& data) {
  // The control block travels on the stream that the graph is launched on, so it is there first.
  const Sanitizer_StreamHandle stream = data.hApiStream;
  std::shared_ptr<LaunchRecord> record = wanted(data, stream);
  if (record && graph && graph->ring != record->ring) {
    problem("%s of a graph on several devices is not recorded",
            record->builder().launch().kernel.c_str());
    record.reset();
  }
  if (record && !graph) {
    auto made = std::make_shared<GraphRecord>();
    made->ring = record->ring;
    if (open(made))
      graph = std::move(made);
    else
      record.reset();
  }
  const void* control = nullptr;
  if (graph) {
    GraphRecord::Node node;
    node.grid = dim3(data.gridDim_x, data.gridDim_y, data.gridDim_z);
    node.block = dim3(data.blockDim_x, data.blockDim_y, data.blockDim_z);
    node.launch = std::move(record);
    const char* name = data.functionName == nullptr ? "" : data.functionName;
    const SanitizerResult result =
        api().GetFunctionPcAndSize(data.module, name, &node.pc, &node.size);
    debug("node: pc %#llx, %llu bytes: %s", static_cast<unsigned long long>(node.pc),
          static_cast<unsigned long long>(node.size), result_text(result));
    collector_.change([&] { graph->add_node(std::move(node)); });
    control = graph->ring->set_control(graph->tag, graph->selection(), stream);
  }
  const SanitizerResult result =
      api().SetLaunchCallbackData(data.hLaunch, data.function, stream, control);
  if (result != SANITIZER_SUCCESS) debug("setting the patches' data: %s", result_text(result));
}

bool Recorder::open(const std::shared_ptr<RecordTarget>& target) {
  if (collector_.open(target)) return true;
  if (!warned_tags_.exchange(true)) {
    problem("more than %u launches at a time: the rest is not recorded", kTags);
  }
  return false;
}

std::shared_ptr<LaunchRecord> Recorder::prepare(const Sanitizer_LaunchData& data, Launch launch,
                                                const Selection& selection,
                                                Sanitizer_StreamHandle stream) {
  const Context* home = context(data.context, data.device);
  if (home->ring == nullptr) return nullptr;
  launch.device = home->device;
  const CubinFunction resources = modules_.function(data.module, launch.function);
  launch.registers = resources.registers;
  auto record = std::make_shared<LaunchRecord>(std::move(launch), options_.max_records);
  record->function_shared = static_cast<std::uint32_t>(resources.shared);
  record->module = data.module;
  record->stream = stream;
  record->ring = home->ring.get();
  record->selection = selection;
  record->block_list = options_.blocks.list;
  return record;
}

void Recorder::launch(Sanitizer_CallbackId id, const Sanitizer_LaunchData& data) {
  if (id == SANITIZER_CBID_LAUNCH_BEGIN) {
    if (auto record = begin(data)) {
      const std::lock_guard lock(mutex_);
      running_[data.hLaunch] = std::move(record);
    }
  } else if (id == SANITIZER_CBID_LAUNCH_END) {
    std::vector<std::shared_ptr<LaunchRecord>> launches;
    {
      const std::lock_guard lock(mutex_);
      const auto found = running_.find(data.hLaunch);
      if (found == running_.end()) return;
      launches.push_back(std::move(found->second));
      running_.erase(found);
    }
    end(*launches.front(), launches, data.hStream);
  }
}

void Recorder::graphs(Sanitizer_CallbackId id, const void* data) {
  switch (id) {
    case SANITIZER_CBID_GRAPHS_LAUNCH_BEGIN: {
      const auto& launched = *static_cast<const Sanitizer_GraphLaunchData*>(data);
      debug("graph %p launch begins, upload %u", static_cast<void*>(launched.graphExec),
            launched.isGraphUpload);
      in_graph_launch = launched.isGraphUpload == 0;
      graph.reset();
      break;
    }
    case SANITIZER_CBID_GRAPHS_NODE_LAUNCH_BEGIN: {
      const auto& node = *static_cast<const Sanitizer_GraphNodeLaunchData*>(data);
      debug("graph %p launch %u node %p type %d upload %u", static_cast<void*>(node.graphExec),
            node.launchId, static_cast<void*>(node.node), static_cast<int>(node.nodeType),
            node.isGraphUpload);
      if (node.nodeType == CU_GRAPH_NODE_TYPE_KERNEL && in_graph_launch) {
        begin_node(node.launchData);
      }
      break;
    }
    case SANITIZER_CBID_GRAPHS_LAUNCH_END: {
      const auto& launched = *static_cast<const Sanitizer_GraphLaunchData*>(data);
      debug("graph %p launch ends", static_cast<void*>(launched.graphExec));
      if (graph) end(*graph, graph->launches(), launched.hStream);
      graph.reset();
      in_graph_launch = false;
      break;
    }
    default:
      break;
  }
}

void Recorder::end(const RecordTarget& target,
                   const std::vector<std::shared_ptr<LaunchRecord>>& launches,
                   Sanitizer_StreamHandle stream) {
  const SanitizerResult result = api().StreamSynchronize(stream);
  if (result != SANITIZER_SUCCESS) {
    problem("%s failed: %s; what its warps did before is kept",
            launches.front()->builder().launch().kernel.c_str(), result_text(result));
  }
  Ring& ring = *target.ring;
  std::uint64_t head = 0;
  bool whole = result == SANITIZER_SUCCESS;
  if (ring.read_head(stream, head)) {
    whole = collector_.wait_until(ring, head, whole ? kPatienceMs : kShortPatienceMs) && whole;
  } else {
    whole = false;
    collector_.wait_until(ring, ~std::uint64_t{0}, kShortPatienceMs);
  }
  debug("ring: head %llu tail %llu", static_cast<unsigned long long>(head),
        static_cast<unsigned long long>(ring.tail()));
  collector_.close(target);
  for (const auto& record : launches) write(*record, whole);
}

void Recorder::write(LaunchRecord& record, bool whole) {
  Launch& launch = record.builder().launch();
  debug(
      "%s: %llu blocks kept, %llu left out, records by kind:%s; shared: total %u dynamic %u "
      "cubin %u, addresses %#llx to %#llx",
      launch.kernel.c_str(), static_cast<unsigned long long>(record.kept_blocks()),
      static_cast<unsigned long long>(record.left_out_blocks()), record.statistics().c_str(),
      record.total_shared, record.dynamic_shared, record.function_shared,
      static_cast<unsigned long long>(record.lowest_shared),
      static_cast<unsigned long long>(record.end_shared));
  if (record.misplaced != 0) {
    problem("a launch of %s: %llu records fit no block of its grid and are left out",
            launch.kernel.c_str(), static_cast<unsigned long long>(record.misplaced));
  }
  if (record.kept_blocks() == 0) {
    problem("a launch of %s left no records%s", launch.kernel.c_str(),
            whole ? ": its module may not be patched" : "");
    return;
  }
  const std::uint64_t seen = record.kept_blocks() + record.left_out_blocks();
  if (whole && seen != record.selection.blocks) {
    problem("a launch of %s: %llu blocks were to be recorded, %llu left records",
            launch.kernel.c_str(), static_cast<unsigned long long>(record.selection.blocks),
            static_cast<unsigned long long>(seen));
  }
  if (record.entered) {
    launch.first_shared = first_shared(launch.device);
    launch.dynamic_shared = record.dynamic_shared;
    launch.static_shared = static_shared(record, launch.first_shared);
    fit_window(launch, record);
  }
  const std::vector<std::uint64_t>& pcs = record.site_pcs();
  for (std::size_t i = 0; i < pcs.size() && i < launch.sites.size(); ++i) {
    const CodePlace place = modules_.place(record.module, launch.function, pcs[i]);
    if (place.function.empty()) {
      debug("pc %#llx is in no known function", static_cast<unsigned long long>(pcs[i]));
    }
    // Code outside of the module (the device runtime) has no name: sites differ by their pc.
    launch.sites[i].function = place.function;
    launch.sites[i].pc = place.function.empty() ? static_cast<std::uint32_t>(pcs[i]) : place.offset;
  }
  launch.recorded_blocks = record.kept_blocks();
  if (launch.recorded_blocks == launch.grid.count()) launch.recorded_blocks = 0;
  if (record.left_out_blocks() != 0) {
    add_note(launch, "the limit of " + std::to_string(options_.max_records) +
                         " records was reached: " + std::to_string(record.left_out_blocks()) +
                         " blocks that started later are left out");
  }
  if (!whole) add_note(launch, "the kernel did not end well: its last events may be missing");
  output_.write(record.builder(), modules_.keep_image(record.module));
}

}  // namespace smemsim::capture
