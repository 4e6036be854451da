#include "trace/open.hpp"

#include <algorithm>
#include <array>
#include <cstring>

#include "trace/accelsim_reader.hpp"
#include "trace/importers.hpp"
#include "trace/jsonl_reader.hpp"
#include "trace/jsonl_writer.hpp"
#include "trace/smt_format.hpp"
#include "trace/smt_reader.hpp"
#include "trace/smt_writer.hpp"
#include "trace/suggest.hpp"

namespace smemsim::trace {
namespace {

/// Gives back the bytes that were read to recognise the format of a pipe.
class ReplayedSource final : public ByteSource {
 public:
  ReplayedSource(std::unique_ptr<ByteSource> rest, std::string first)
      : rest_(std::move(rest)), first_(std::move(first)) {}

  const std::string& name() const override { return rest_->name(); }
  std::optional<std::uint64_t> size() const override { return std::nullopt; }
  Status seek(std::uint64_t offset) override { return rest_->seek(offset); }

  Result<std::size_t> read(std::span<std::byte> out) override {
    const std::size_t replayed = std::min(out.size(), first_.size() - position_);
    if (replayed != 0) std::memcpy(out.data(), first_.data() + position_, replayed);
    position_ += replayed;
    if (replayed == out.size()) return replayed;
    const Result<std::size_t> more = rest_->read(out.subspan(replayed));
    if (!more) return more.error();
    return replayed + *more;
  }

 private:
  std::unique_ptr<ByteSource> rest_;
  std::string first_;
  std::size_t position_ = 0;
};

bool is_smt(std::string_view first) {
  return first.starts_with(smt::kMagic.substr(0, 4));
}

bool is_jsonl(std::string_view first) {
  if (first.starts_with("\xef\xbb\xbf")) first.remove_prefix(3);
  const std::size_t start = first.find_first_not_of(" \t\r\n");
  return start != std::string_view::npos && first[start] == '{';
}

template <typename Reader>
std::unique_ptr<TraceSource> open_with(std::unique_ptr<ByteSource> bytes,
                                       const LaunchFilter& filter) {
  return std::make_unique<Reader>(std::move(bytes), filter);
}

constexpr std::array kImporters{
    Importer{"smt", "binary trace", is_smt, open_with<SmtReader>},
    Importer{"jsonl", "JSON Lines trace", is_jsonl, open_with<JsonlReader>},
    Importer{"accelsim", "Accel-Sim .trace, .traceg, .xz of them, kernelslist",
             AccelsimReader::recognises, open_with<AccelsimReader>},
};

Error unrecognised(const ByteSource& bytes, std::string_view first) {
  if (first.empty()) return invalid_input(bytes.name(), "is empty; expected a trace");
  std::string hint = "smemsim reads .smt, JSON Lines and Accel-Sim traces";
  if (first.starts_with("\x1f\x8b")) hint = "it is compressed: gunzip it first";
  if (first.starts_with("\x28\xb5\x2f\xfd")) hint = "it is compressed: unzstd it first";
  return invalid_input(bytes.name() + ": byte 0",
                       "is not a trace: its first bytes are of no known format", hint);
}

}  // namespace

std::span<const Importer> importers() {
  return kImporters;
}

Result<std::unique_ptr<TraceSource>> import_trace(std::unique_ptr<ByteSource> bytes,
                                                  std::string_view format,
                                                  const LaunchFilter& filter) {
  std::vector<std::string_view> names;
  for (const Importer& importer : kImporters) {
    if (importer.name == format) return importer.open(std::move(bytes), filter);
    names.push_back(importer.name);
  }
  if (!format.empty()) {
    return usage_error({}, "unknown trace format '" + std::string(format) + "'",
                       suggestion(format, names));
  }

  std::string first(kRecognitionBytes, '\0');
  const Result<std::size_t> got = bytes->read(std::as_writable_bytes(std::span(first)));
  if (!got) return got.error();
  first.resize(*got);
  for (const Importer& importer : kImporters) {
    if (!importer.recognises(first)) continue;
    if (bytes->size()) {
      SMEMSIM_TRY(bytes->seek(0));
    } else {
      bytes = std::make_unique<ReplayedSource>(std::move(bytes), std::move(first));
    }
    return importer.open(std::move(bytes), filter);
  }
  return unrecognised(*bytes, first);
}

Result<std::unique_ptr<TraceSource>> open_trace(std::unique_ptr<ByteSource> bytes,
                                                const LaunchFilter& filter) {
  return import_trace(std::move(bytes), {}, filter);
}

Result<std::unique_ptr<TraceSource>> open_trace(const std::string& path,
                                                const LaunchFilter& filter) {
  Result<std::unique_ptr<ByteSource>> bytes = open_source(path);
  if (!bytes) return bytes.error();
  return open_trace(*std::move(bytes), filter);
}

std::unique_ptr<TraceWriter> make_writer(TraceFormat format, ByteSink& out) {
  if (format == TraceFormat::smt) return std::make_unique<SmtWriter>(out);
  return std::make_unique<JsonlWriter>(out);
}

}  // namespace smemsim::trace
