#include "modules.hpp"

#include <cxxabi.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "log.hpp"
#include "sanitizer_api.hpp"

// The device patches, as a fat binary inside this library.
asm(".section .rodata\n"
    ".balign 64\n"
    ".global smemsim_patches\n"
    "smemsim_patches:\n"
    ".incbin \"" SMEMSIM_PATCHES_FILE
    "\"\n"
    ".previous\n");
extern "C" const char smemsim_patches[];

namespace smemsim::capture {
namespace {

struct Patch {
  Sanitizer_InstructionId id;
  const char* callback;
  bool needed;  ///< exists on every architecture
};

constexpr Patch kPatches[] = {
    {SANITIZER_INSTRUCTION_BLOCK_ENTER, "smemsim_block_enter", true},
    {SANITIZER_INSTRUCTION_BLOCK_EXIT, "smemsim_exit", true},
    {SANITIZER_INSTRUCTION_SHARED_MEMORY_ACCESS, "smemsim_shared", true},
    {SANITIZER_INSTRUCTION_GLOBAL_MEMORY_ACCESS, "smemsim_global", true},
    {SANITIZER_INSTRUCTION_BARRIER, "smemsim_barrier", true},
    {SANITIZER_INSTRUCTION_SYNCWARP, "smemsim_warp_sync", true},
    {SANITIZER_INSTRUCTION_SHFL, "smemsim_shuffle", true},
    {SANITIZER_INSTRUCTION_CALL, "smemsim_call", false},
    {SANITIZER_INSTRUCTION_MATRIX_MEMORY_ACCESS, "smemsim_matrix", false},
    {SANITIZER_INSTRUCTION_MEMCPY_ASYNC, "smemsim_copy", false},
    {SANITIZER_INSTRUCTION_PIPELINE_COMMIT, "smemsim_copy_commit", false},
    {SANITIZER_INSTRUCTION_PIPELINE_WAIT, "smemsim_copy_wait", false},
    {SANITIZER_INSTRUCTION_MEMCPY_ASYNC_BARRIER, "smemsim_copy_arrive", false},
    // Both report every operation that succeeds; the second also failed attempts, and is the one
    // that becomes an event.
    {SANITIZER_INSTRUCTION_CUDA_BARRIER, "smemsim_mbarrier", false},
    {SANITIZER_INSTRUCTION_CUDA_BARRIER_ATTEMPT, "smemsim_mbarrier_attempt", false},
    {SANITIZER_INSTRUCTION_CLUSTER_BARRIER_ARRIVE, "smemsim_cluster_arrive", false},
    {SANITIZER_INSTRUCTION_CLUSTER_BARRIER_WAIT, "smemsim_cluster_wait", false},
    {SANITIZER_INSTRUCTION_WARPGROUP_MMA_ASYNC, "smemsim_wgmma", false},
    {SANITIZER_INSTRUCTION_WARPGROUP_WAIT_GROUP, "smemsim_wgmma_wait", false},
    {SANITIZER_INSTRUCTION_WARPGROUP_FENCE, "smemsim_wgmma_fence", false},
    {SANITIZER_INSTRUCTION_ASYNC_STORE, "smemsim_async_store", false},
    {SANITIZER_INSTRUCTION_ASYNC_REDUCTION, "smemsim_async_reduce", false},
    {SANITIZER_INSTRUCTION_BULK_COPY_GLOBAL_TO_SHARED, "smemsim_bulk_load", false},
    {SANITIZER_INSTRUCTION_BULK_COPY_SHARED_TO_GLOBAL, "smemsim_bulk_store", false},
    {SANITIZER_INSTRUCTION_BULK_COPY_SHARED_TO_SHARED, "smemsim_bulk_remote", false},
    {SANITIZER_INSTRUCTION_BULK_REDUCTION_SHARED_TO_GLOBAL, "smemsim_bulk_reduce", false},
    {SANITIZER_INSTRUCTION_BULK_REDUCTION_SHARED_TO_SHARED, "smemsim_bulk_reduce_remote", false},
};

/// Only for modules whose code knows clusters: with it and the patch of shared accesses in place, a
/// generic access to the own block's memory faults in code that does not (H200, driver
/// 580).
constexpr Patch kClusterPatch = {SANITIZER_INSTRUCTION_REMOTE_SHARED_MEMORY_ACCESS,
                                 "smemsim_remote", false};

/// Set while this thread loads the patches, which is itself the loading of a module.
thread_local bool loading_patches = false;

void apply(const Patch& patch, CUmodule module) {
  const char* skipped = std::getenv("SMEMSIM_CAPTURE_SKIP");  // to find a patch that does harm
  if (skipped != nullptr && std::strstr(skipped, patch.callback) != nullptr) return;
  const SanitizerResult result = api().PatchInstructions(patch.id, module, patch.callback);
  if (result == SANITIZER_SUCCESS) return;
  debug("patch %s: %s", patch.callback, result_text(result));
  if (patch.needed) problem("%s could not be patched (%s)", patch.callback, result_text(result));
}

}  // namespace

std::string demangle(const std::string& name) {
  int status = 0;
  char* text = abi::__cxa_demangle(name.c_str(), nullptr, nullptr, &status);
  std::string out = status == 0 && text != nullptr ? text : name;
  std::free(text);
  return out;
}

void Modules::loaded(const Sanitizer_ResourceModuleData& data) {
  if (loading_patches) return;
  Module module;
  const std::string_view image(data.pCubin == nullptr ? "" : data.pCubin,
                               data.pCubin == nullptr ? 0 : data.cubinSize);
  auto functions = cubin_functions(image);
  if (functions) {
    module.functions = std::move(functions.value());
  } else {
    debug("module %p: image of %zu bytes: %s", static_cast<void*>(data.module), image.size(),
          functions.error().text().c_str());
  }
  const bool wanted =
      module.functions.empty() ||
      std::any_of(module.functions.begin(), module.functions.end(), [&](const auto& function) {
        return kernel_matches(options_.kernel, demangle(function.name));
      });
  const bool clusters = module.functions.empty() ||
                        std::any_of(module.functions.begin(), module.functions.end(),
                                    [](const auto& function) { return function.clusters; });
  debug("module %p: %zu bytes, %zu functions, first %s, %s", static_cast<void*>(data.module),
        image.size(), module.functions.size(),
        module.functions.empty() ? "-" : module.functions.front().name.c_str(),
        wanted ? "patched" : "no kernel of interest");
  if (!wanted) return;
  module.image = image;
  {
    const std::lock_guard lock(mutex_);
    modules_[data.module] = std::move(module);
  }
  patch(data.context, data.module, clusters);
}

void Modules::patch(CUcontext context, CUmodule module, bool clusters) {
  const std::lock_guard lock(patch_mutex_);
  const auto [entry, added] = contexts_.try_emplace(context, false);
  if (added) {
    loading_patches = true;
    const SanitizerResult result = api().AddPatches(smemsim_patches, context);
    loading_patches = false;
    entry->second = result == SANITIZER_SUCCESS;
    debug("patches loaded into context %p: %s", static_cast<void*>(context), result_text(result));
    if (result != SANITIZER_SUCCESS) {
      problem("the device patches could not be loaded (%s): nothing is recorded on this device",
              result_text(result));
    }
  }
  if (!entry->second) return;
  for (const Patch& patch : kPatches) apply(patch, module);
  if (clusters) apply(kClusterPatch, module);
  const SanitizerResult result = api().PatchModule(module);
  debug("module %p patched: %s", static_cast<void*>(module), result_text(result));
  if (result != SANITIZER_SUCCESS) {
    problem("a module could not be patched (%s): its kernels are not recorded",
            result_text(result));
  }
}

void Modules::unloading(CUmodule module) {
  const std::lock_guard lock(mutex_);
  modules_.erase(module);
}

void Modules::context_destroyed(CUcontext context) {
  const std::lock_guard lock(patch_mutex_);
  contexts_.erase(context);
}

std::string Modules::keep_image(CUmodule handle) {
  const std::lock_guard lock(mutex_);
  const auto found = modules_.find(handle);
  if (found == modules_.end() || found->second.image.empty()) return {};
  Module& module = found->second;
  if (!module.kept.empty()) return module.kept;
  const std::uint64_t hash = image_hash(module.image);
  std::string& name = images_[hash];
  if (name.empty()) {
    char text[32];
    std::snprintf(text, sizeof text, "%016llx.cubin", static_cast<unsigned long long>(hash));
    const std::string path = options_.directory + "/" + text;
    // Other processes of the program may write the same image: only a whole one gets the name.
    const std::string partial = path + "." + std::to_string(reinterpret_cast<std::uintptr_t>(this));
    std::FILE* file = std::fopen(partial.c_str(), "we");
    bool good = file != nullptr && std::fwrite(module.image.data(), 1, module.image.size(), file) ==
                                       module.image.size();
    if (file != nullptr && std::fclose(file) != 0) good = false;
    if (!good || std::rename(partial.c_str(), path.c_str()) != 0) {
      problem("the machine code of a module could not be written to %s", path.c_str());
      std::remove(partial.c_str());
      return {};
    }
    name = text;
  }
  module.kept = name;
  return name;
}

CubinFunction Modules::function(CUmodule handle, const std::string& name) {
  const std::lock_guard lock(mutex_);
  const auto found = modules_.find(handle);
  if (found != modules_.end()) {
    for (const CubinFunction& function : found->second.functions) {
      if (function.name == name) return function;
    }
  }
  return {};
}

void Modules::add_code(CUmodule handle, const std::vector<std::string>& names) {
  for (const std::string& name : names) {
    std::uint64_t pc = 0, size = 0;
    const SanitizerResult result = api().GetFunctionPcAndSize(handle, name.c_str(), &pc, &size);
    debug("function %s: pc %#llx, %llu bytes: %s", name.c_str(),
          static_cast<unsigned long long>(pc), static_cast<unsigned long long>(size),
          result_text(result));
    if (result != SANITIZER_SUCCESS || size == 0) continue;
    const std::lock_guard lock(mutex_);
    modules_[handle].code[pc] = {size, name};
  }
}

CodePlace Modules::known_place(CUmodule handle, std::uint64_t pc) {
  const std::lock_guard lock(mutex_);
  const Module& module = modules_[handle];
  auto next = module.code.upper_bound(pc);
  if (next == module.code.begin()) return {};
  --next;
  const std::uint64_t offset = pc - next->first;
  if (offset >= next->second.first) return {};
  return {next->second.second, static_cast<std::uint32_t>(offset)};
}

CodePlace Modules::place(CUmodule handle, const std::string& hint, std::uint64_t pc) {
  CodePlace place = known_place(handle, pc);
  if (!place.function.empty()) return place;
  add_code(handle, {hint});
  place = known_place(handle, pc);
  if (!place.function.empty()) return place;
  // A function that the kernel calls.
  std::vector<std::string> names;
  {
    const std::lock_guard lock(mutex_);
    Module& module = modules_[handle];
    if (module.all_placed) return {};
    module.all_placed = true;
    for (const CubinFunction& function : module.functions) names.push_back(function.name);
  }
  add_code(handle, names);
  return known_place(handle, pc);
}

}  // namespace smemsim::capture
