// Reads Accel-Sim traces (docs/accelsim.md): a kernel's .trace or .traceg, either of them
// compressed with xz, and lists of kernels (kernelslist, kernelslist.g). Each kernel is read twice;
// what comes through a pipe is put into a temporary file first.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "sim/trace_sink.hpp"
#include "trace/accelsim_survey.hpp"
#include "trace/byte_io.hpp"
#include "trace/launch_filter.hpp"

namespace smemsim::trace {

class AccelsimReader final : public TraceSource {
 public:
  AccelsimReader(std::unique_ptr<ByteSource> bytes, LaunchFilter filter);
  ~AccelsimReader() override;

  /// The first bytes of a kernel's trace, of a list of kernels, or of an .xz file.
  static bool recognises(std::string_view first_bytes);

  Status read(TraceSink& sink) override;
  std::vector<std::string> warnings() const override { return warnings_; }

 private:
  Status read_list(TraceSink& sink);
  Status read_kernel(std::unique_ptr<ByteSource> bytes, TraceSink& sink);
  Status deliver_kernel(ByteSource& bytes, TraceSink& sink);

  std::unique_ptr<ByteSource> bytes_;
  LaunchFilter filter_;
  FilterLog log_;
  AccelsimLosses losses_;
  std::vector<std::string> warnings_;
};

}  // namespace smemsim::trace
