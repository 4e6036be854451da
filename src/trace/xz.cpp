#include "trace/xz.hpp"

#include <string>

#if SMEMSIM_HAVE_LZMA
#include <lzma.h>

#include <cstdint>
#include <vector>
#endif

namespace smemsim::trace {

bool is_xz(std::string_view first_bytes) {
  return first_bytes.starts_with(
      std::string_view("\xfd"
                       "7zXZ\0",
                       6));
}

#if SMEMSIM_HAVE_LZMA
namespace {

class XzSource final : public ByteSource {
 public:
  explicit XzSource(std::unique_ptr<ByteSource> packed) : packed_(std::move(packed)) {}
  ~XzSource() override { lzma_end(&stream_); }
  XzSource(const XzSource&) = delete;
  XzSource& operator=(const XzSource&) = delete;

  const std::string& name() const override { return packed_->name(); }
  std::optional<std::uint64_t> size() const override { return std::nullopt; }

  Status seek(std::uint64_t offset) override {
    if (offset != 0) return io_error(name(), "cannot seek in a compressed file");
    SMEMSIM_TRY(packed_->seek(0));
    begun_ = at_end_ = false;
    return {};
  }

  Result<std::size_t> read(std::span<std::byte> out) override {
    if (!begun_) SMEMSIM_TRY(begin());
    stream_.next_out = reinterpret_cast<std::uint8_t*>(out.data());
    stream_.avail_out = out.size();
    while (stream_.avail_out != 0 && !at_end_) {
      if (stream_.avail_in == 0 && !input_ended_) SMEMSIM_TRY(refill());
      const lzma_ret state = lzma_code(&stream_, input_ended_ ? LZMA_FINISH : LZMA_RUN);
      if (state == LZMA_STREAM_END) {
        at_end_ = true;
      } else if (state != LZMA_OK) {
        return damaged(state);
      }
    }
    return out.size() - stream_.avail_out;
  }

 private:
  Status begin() {
    // Presets up to the largest need 65 MiB.
    constexpr std::uint64_t kMostMemory = std::uint64_t{256} << 20;
    stream_.avail_in = 0;
    input_ended_ = false;
    if (lzma_stream_decoder(&stream_, kMostMemory, LZMA_CONCATENATED) != LZMA_OK) {
      return io_error(name(), "not enough memory to unpack it");
    }
    begun_ = true;
    return {};
  }

  Status refill() {
    const Result<std::size_t> got = packed_->read(std::as_writable_bytes(std::span(buffer_)));
    if (!got) return got.error();
    stream_.next_in = buffer_.data();
    stream_.avail_in = *got;
    input_ended_ = *got < buffer_.size();
    return {};
  }

  Error damaged(lzma_ret state) const {
    const std::string place = name() + ": byte " + std::to_string(stream_.total_in);
    switch (state) {
      case LZMA_BUF_ERROR:
        return invalid_input(place, "the xz data ends too early");
      case LZMA_MEMLIMIT_ERROR:
        return invalid_input(place, "unpacking needs more than 256 MiB of memory");
      case LZMA_OPTIONS_ERROR:
        return invalid_input(place, "xz data of a kind that liblzma does not know");
      default:
        return invalid_input(place, "damaged xz data");
    }
  }

  std::unique_ptr<ByteSource> packed_;
  lzma_stream stream_ = LZMA_STREAM_INIT;
  std::vector<std::uint8_t> buffer_ = std::vector<std::uint8_t>(std::size_t{1} << 16);
  bool begun_ = false, at_end_ = false, input_ended_ = false;
};

}  // namespace

Result<std::unique_ptr<ByteSource>> unxz(std::unique_ptr<ByteSource> packed) {
  return std::unique_ptr<ByteSource>(new XzSource(std::move(packed)));
}

#else

Result<std::unique_ptr<ByteSource>> unxz(std::unique_ptr<ByteSource> packed) {
  return invalid_input(packed->name(), "is compressed with xz, which this build cannot read",
                       "unpack it with `xz -d`, or build smemsim where liblzma-dev is installed");
}

#endif

}  // namespace smemsim::trace
