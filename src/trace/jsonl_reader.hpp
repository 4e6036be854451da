// Reads traces written as JSON Lines (docs/trace-format.md). Holds one launch at a time.
#pragma once

#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "sim/trace_sink.hpp"
#include "trace/byte_io.hpp"
#include "trace/launch_filter.hpp"

namespace smemsim::trace {

class JsonlReader final : public TraceSource {
 public:
  JsonlReader(std::unique_ptr<ByteSource> bytes, LaunchFilter filter);
  ~JsonlReader() override;

  Status read(TraceSink& sink) override;
  std::vector<std::string> warnings() const override { return warnings_; }

 private:
  std::unique_ptr<ByteSource> bytes_;
  LaunchFilter filter_;
  std::vector<std::string> warnings_;
  bool started_ = false;
};

}  // namespace smemsim::trace
