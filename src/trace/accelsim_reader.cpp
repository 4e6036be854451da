#include "trace/accelsim_reader.hpp"

#include <optional>

#include "trace/accelsim_blocks.hpp"
#include "trace/accelsim_file.hpp"
#include "trace/line_reader.hpp"
#include "trace/xz.hpp"

namespace smemsim::trace {
namespace {

constexpr std::size_t kLooked = 16;

bool is_kernel(std::string_view first) {
  return first.starts_with("-kernel ");
}
bool is_list(std::string_view first) {
  return first.starts_with("kernel-") || first.starts_with("Memcpy");
}

/// Bytes that someone else owns.
class Borrowed final : public ByteSource {
 public:
  explicit Borrowed(ByteSource& bytes) : bytes_(bytes) {}
  const std::string& name() const override { return bytes_.name(); }
  Result<std::size_t> read(std::span<std::byte> out) override { return bytes_.read(out); }
  std::optional<std::uint64_t> size() const override { return bytes_.size(); }
  Status seek(std::uint64_t offset) override { return bytes_.seek(offset); }

 private:
  ByteSource& bytes_;
};

/// Reads the first bytes and goes back to the start.
Result<std::string> look(ByteSource& bytes) {
  std::string first(kLooked, '\0');
  SMEMSIM_TRY(bytes.seek(0));
  const Result<std::size_t> got = bytes.read(std::as_writable_bytes(std::span(first)));
  if (!got) return got.error();
  first.resize(*got);
  SMEMSIM_TRY(bytes.seek(0));
  return first;
}

std::string folder_of(const std::string& path) {
  const std::size_t slash = path.rfind('/');
  return slash == std::string::npos ? std::string() : path.substr(0, slash + 1);
}

}  // namespace

AccelsimReader::AccelsimReader(std::unique_ptr<ByteSource> bytes, LaunchFilter filter)
    : bytes_(std::move(bytes)), filter_(std::move(filter)) {}
AccelsimReader::~AccelsimReader() = default;

bool AccelsimReader::recognises(std::string_view first_bytes) {
  return is_kernel(first_bytes) || is_list(first_bytes) || is_xz(first_bytes);
}

Status AccelsimReader::read(TraceSink& sink) {
  warnings_.clear();
  losses_ = {};
  log_ = {};
  if (!bytes_->size()) {
    Result<std::unique_ptr<ByteSource>> file = temporary_copy(*bytes_);
    if (!file) return file.error();
    bytes_ = *std::move(file);
  }
  const Result<std::string> first = look(*bytes_);
  if (!first) return first.error();
  SMEMSIM_TRY(is_list(*first) ? read_list(sink)
                              : read_kernel(std::make_unique<Borrowed>(*bytes_), sink));
  for (const std::string& loss : losses_.messages()) {
    warnings_.push_back(bytes_->name() + ": " + loss);
  }
  if (const std::string unmatched = log_.warning(filter_); !unmatched.empty()) {
    warnings_.push_back(bytes_->name() + ": " + unmatched);
  }
  return {};
}

Status AccelsimReader::read_list(TraceSink& sink) {
  LineReader lines(*bytes_);
  const std::string folder = folder_of(bytes_->name());
  for (;;) {
    std::string_view line;
    const Result<bool> more = lines.next(line);
    if (!more) return more.error();
    if (!*more) return {};
    while (line.ends_with(' ')) line.remove_suffix(1);
    // Copies between host and device stand in the list too, and other commands in newer ones.
    if (!line.starts_with("kernel")) continue;
    Result<std::unique_ptr<ByteSource>> kernel = open_source(folder + std::string(line));
    if (!kernel) {
      Error error = kernel.error();
      error.message = error.place + ": " + error.message;
      error.place = lines.place();
      error.hint = "the files of the kernels must lie beside their list";
      return error;
    }
    SMEMSIM_TRY(read_kernel(*std::move(kernel), sink));
  }
}

Status AccelsimReader::read_kernel(std::unique_ptr<ByteSource> bytes, TraceSink& sink) {
  const Result<std::string> first = look(*bytes);
  if (!first) return first.error();
  if (!is_xz(*first)) return deliver_kernel(*bytes, sink);
  const Result<std::unique_ptr<ByteSource>> unpacked = unxz(std::move(bytes));
  if (!unpacked) return unpacked.error();
  return deliver_kernel(**unpacked, sink);
}

Status AccelsimReader::deliver_kernel(ByteSource& bytes, TraceSink& sink) {
  AccelsimFile first(bytes);
  SMEMSIM_TRY(first.read_header());
  if (!log_.matches(filter_, first.header().launch.kernel)) return {};
  AccelsimSurvey survey(first.header());
  SMEMSIM_TRY(survey.read(first, losses_));
  const Launch launch = survey.launch(first);

  SMEMSIM_TRY(bytes.seek(0));
  AccelsimFile second(bytes);
  SMEMSIM_TRY(second.read_header());
  SMEMSIM_TRY(sink.begin_launch(launch));
  AccelsimBlocks blocks(second.header(), survey, sink);
  SMEMSIM_TRY(blocks.read(second));
  return sink.end_launch();
}

}  // namespace smemsim::trace
