// Decides which launches are recorded and takes each from its beginning to the file.
#pragma once

#include <sanitizer.h>

#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>

#include "frontend/capture_options.hpp"
#include "graph_record.hpp"
#include "launch_record.hpp"
#include "modules.hpp"
#include "output.hpp"
#include "ring.hpp"

namespace smemsim::capture {

class Recorder {
 public:
  explicit Recorder(Options options, std::string prefix)
      : options_(std::move(options)), modules_(options_), output_(std::move(prefix)) {}

  void resource(Sanitizer_CallbackId id, const void* data);
  void launch(Sanitizer_CallbackId id, const Sanitizer_LaunchData& data);
  void graphs(Sanitizer_CallbackId id, const void* data);
  /// The process is about to end.
  void finish() { output_.finish(); }

 private:
  struct Context {
    std::unique_ptr<Ring> ring;  ///< null when it could not be made
    DeviceInfo device;
  };

  /// A record for the launch, not yet open, if it is wanted.
  std::shared_ptr<LaunchRecord> wanted(const Sanitizer_LaunchData& data,
                                       Sanitizer_StreamHandle stream);
  std::shared_ptr<LaunchRecord> prepare(const Sanitizer_LaunchData& data, Launch launch,
                                        const Selection& selection, Sanitizer_StreamHandle stream);
  /// Starts recording if the launch is wanted, else turns its patches off. Null when not recorded.
  std::shared_ptr<LaunchRecord> begin(const Sanitizer_LaunchData& data);
  /// The same for a kernel of the graph that this thread is launching.
  void begin_node(const Sanitizer_LaunchData& data);
  bool open(const std::shared_ptr<RecordTarget>& target);
  Context* context(CUcontext handle, CUdevice device);
  /// Waits for the stream and writes what was recorded. `launches` ran on it in this order;
  /// `target` took their records.
  void end(const RecordTarget& target, const std::vector<std::shared_ptr<LaunchRecord>>& launches,
           Sanitizer_StreamHandle stream);
  void write(LaunchRecord& record, bool whole);

  const Options options_;
  Modules modules_;
  Output output_;
  Collector collector_;
  /// Of what follows. Never held while the Sanitizer API is called: another thread may be in a
  /// callback with a lock of the driver and wait for this one.
  std::mutex mutex_;
  std::map<CUcontext, std::unique_ptr<Context>> contexts_;
  std::map<Sanitizer_LaunchHandle, std::shared_ptr<LaunchRecord>> running_;
  std::map<std::string, std::string> names_;  ///< demangled, by mangled
  std::uint64_t launches_ = 0;                ///< of any kernel
  std::uint64_t matching_ = 0;                ///< of kernels that --kernel means
  std::atomic<bool> warned_tags_{false};
};

}  // namespace smemsim::capture
