// Entry of the injected library. The driver loads it into every process that uses CUDA while
// CUDA_INJECTION64_PATH names it, and calls InitializeInjection() before anything else happens.

#include <pthread.h>
#include <sanitizer.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>

#include "frontend/capture_options.hpp"
#include "log.hpp"
#include "recorder.hpp"
#include "sanitizer_api.hpp"

namespace smemsim::capture {
namespace {

/// Lives until the process has gone: the driver may call back at any time.
Recorder* recorder = nullptr;
std::atomic<bool> active{false};

void SANITIZERAPI callback(void*, Sanitizer_CallbackDomain domain, Sanitizer_CallbackId id,
                           const void* data) {
  if (!active.load(std::memory_order_acquire)) return;
  switch (domain) {
    case SANITIZER_CB_DOMAIN_RESOURCE:
      recorder->resource(id, data);
      break;
    case SANITIZER_CB_DOMAIN_LAUNCH:
      recorder->launch(id, *static_cast<const Sanitizer_LaunchData*>(data));
      break;
    case SANITIZER_CB_DOMAIN_GRAPHS:
      recorder->graphs(id, data);
      break;
    default:
      break;
  }
}

/// A forked child has neither the parent's CUDA state nor the collector's thread.
void stop_in_child() {
  active.store(false, std::memory_order_release);
}

void finish() {
  if (active.exchange(false, std::memory_order_acq_rel)) recorder->finish();
}

bool start() {
  const char* text = std::getenv(kOptionsVariable);
  if (text == nullptr) return false;  // not started by `smemsim capture`
  auto options = decode(text);
  if (!options || options->directory.empty()) return false;
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  char name[64];
  std::snprintf(name, sizeof name, "/%016llx-%ld",
                static_cast<unsigned long long>(
                    std::chrono::duration_cast<std::chrono::nanoseconds>(now).count()),
                static_cast<long>(getpid()));
  const std::string prefix = options->directory + name;
  const char* verbose = std::getenv(kDebugVariable);
  open_log(prefix, verbose != nullptr && *verbose != '\0' && *verbose != '0');
  debug("options: %s", text);
  const std::string error = load_sanitizer_api(options->sanitizer);
  if (!error.empty()) {
    problem("the Sanitizer API could not be loaded: %s", error.c_str());
    return false;
  }
  recorder = new Recorder(*options, prefix);
  Sanitizer_SubscriberHandle subscriber = nullptr;
  const SanitizerResult result = api().Subscribe(&subscriber, callback, nullptr);
  debug("subscribed: %s", result_text(result));
  if (result != SANITIZER_SUCCESS) {
    problem(
        "the program cannot be observed (%s): the driver may be older than the toolkit, or "
        "another tool observes it already",
        result_text(result));
    return false;
  }
  active.store(true, std::memory_order_release);
  for (const Sanitizer_CallbackDomain domain :
       {SANITIZER_CB_DOMAIN_RESOURCE, SANITIZER_CB_DOMAIN_LAUNCH, SANITIZER_CB_DOMAIN_GRAPHS}) {
    const SanitizerResult enabled = api().EnableDomain(1, subscriber, domain);
    if (enabled != SANITIZER_SUCCESS) {
      problem("callbacks of domain %d are not available (%s)", static_cast<int>(domain),
              result_text(enabled));
    }
  }
  // Tells `smemsim capture` that the process used CUDA, even if no launch is recorded.
  if (std::FILE* mark = std::fopen((prefix + ".started").c_str(), "we")) std::fclose(mark);
  pthread_atfork(nullptr, nullptr, stop_in_child);
  std::atexit(finish);
  return true;
}

}  // namespace
}  // namespace smemsim::capture

extern "C" [[gnu::visibility("default")]] int InitializeInjection() {
  // The program goes on without being recorded when this fails.
  smemsim::capture::start();
  return 1;
}
