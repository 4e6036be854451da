// The Sanitizer API, loaded at run time: the library is injected into programs whose library path
// knows nothing of the CUDA toolkit, and can so say clearly what is missing.
#pragma once

#include <sanitizer.h>

#include <string>

namespace smemsim::capture {

#define SMEMSIM_SANITIZER_FUNCTIONS(X) \
  X(Subscribe)                         \
  X(EnableDomain)                      \
  X(AddPatches)                        \
  X(PatchInstructions)                 \
  X(PatchModule)                       \
  X(SetLaunchCallbackData)             \
  X(GetFunctionPcAndSize)              \
  X(Alloc)                             \
  X(AllocHost)                         \
  X(Free)                              \
  X(FreeHost)                          \
  X(MemcpyHostToDeviceAsync)           \
  X(MemcpyDeviceToHost)                \
  X(Memset)                            \
  X(StreamSynchronize)                 \
  X(GetResultString)

/// api().Alloc is sanitizerAlloc, and so on.
struct SanitizerApi {
#define SMEMSIM_MEMBER(name) decltype(&::sanitizer##name) name = nullptr;
  SMEMSIM_SANITIZER_FUNCTIONS(SMEMSIM_MEMBER)
#undef SMEMSIM_MEMBER
};

/// Valid after load_sanitizer_api succeeded.
const SanitizerApi& api();

/// Returns an empty text, or what went wrong.
std::string load_sanitizer_api(const std::string& path);

/// Name of a result, for messages.
const char* result_text(SanitizerResult result);

/// What the driver tells about a device.
struct DriverApi {
  decltype(&::cuDeviceGetName) DeviceGetName = nullptr;
  decltype(&::cuDeviceGetAttribute) DeviceGetAttribute = nullptr;
};
/// Members stay null where the driver library lacks them.
const DriverApi& driver();

}  // namespace smemsim::capture
