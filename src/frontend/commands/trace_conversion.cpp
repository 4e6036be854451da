#include "frontend/commands/trace_conversion.hpp"

#include <ostream>

#include "frontend/options.hpp"
#include "trace/byte_io.hpp"

namespace smemsim::cli {
namespace {

class StreamSink final : public trace::ByteSink {
 public:
  explicit StreamSink(std::ostream& out) : out_(out) {}
  const std::string& name() const override { return name_; }

  Status write(std::span<const std::byte> bytes) override {
    out_.write(reinterpret_cast<const char*>(bytes.data()),
               static_cast<std::streamsize>(bytes.size()));
    return check();
  }
  Status flush() override {
    out_.flush();
    return check();
  }

 private:
  Status check() const { return out_ ? Status{} : io_error(name_, "cannot write"); }

  std::ostream& out_;
  std::string name_ = "standard output";
};

}  // namespace

Status convert_trace(TraceSource& source, trace::TraceFormat format, const std::string& path,
                     Environment& environment) {
  const bool standard = path.empty() || path == "-";
  if (standard && format == trace::TraceFormat::smt && environment.out_is_terminal) {
    return usage_error("-o", "will not write a binary trace to a terminal", "name a file with -o");
  }
  std::unique_ptr<trace::ByteSink> sink = std::make_unique<StreamSink>(environment.out);
  if (!standard) {
    Result<std::unique_ptr<trace::ByteSink>> file = trace::open_sink(path);
    if (!file) return file.error();
    sink = *std::move(file);
  }
  const std::unique_ptr<trace::TraceWriter> writer = trace::make_writer(format, *sink);
  {
    ProgressSink progress(*writer, environment);
    SMEMSIM_TRY(source.read(progress));
  }
  for (const std::string& warning : source.warnings()) print_warning(environment, warning);
  return writer->finish();
}

}  // namespace smemsim::cli
