#include "sanitizer_api.hpp"

#include <dlfcn.h>

namespace smemsim::capture {
namespace {

SanitizerApi& mutable_api() {
  static SanitizerApi instance;
  return instance;
}

template <typename Function>
bool find(void* library, const char* name, Function& function) {
  function = reinterpret_cast<Function>(dlsym(library, name));
  return function != nullptr;
}

}  // namespace

const SanitizerApi& api() {
  return mutable_api();
}

std::string load_sanitizer_api(const std::string& path) {
  void* library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) return dlerror();
  SanitizerApi& all = mutable_api();
  std::string missing;
#define SMEMSIM_FIND(name) \
  if (!find(library, "sanitizer" #name, all.name)) missing += " sanitizer" #name;
  SMEMSIM_SANITIZER_FUNCTIONS(SMEMSIM_FIND)
#undef SMEMSIM_FIND
  if (!missing.empty()) return path + " has no" + missing;
  return {};
}

const char* result_text(SanitizerResult result) {
  const char* text = nullptr;
  if (api().GetResultString == nullptr ||
      api().GetResultString(result, &text) != SANITIZER_SUCCESS || text == nullptr) {
    return "unknown result";
  }
  return text;
}

const DriverApi& driver() {
  static const DriverApi instance = [] {
    DriverApi found;
    // The program has loaded it already: this runs inside one of its CUDA calls.
    if (void* library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_NOLOAD); library != nullptr) {
      find(library, "cuDeviceGetName", found.DeviceGetName);
      find(library, "cuDeviceGetAttribute", found.DeviceGetAttribute);
    }
    return found;
  }();
  return instance;
}

}  // namespace smemsim::capture
