#include "trace/gzip.hpp"

#include <fmt/format.h>
#include <zlib.h>

namespace smemsim::trace {

Result<std::string> gunzip(std::string bytes, const std::string& place, std::uint64_t limit) {
  if (!bytes.starts_with("\x1f\x8b")) return bytes;
  z_stream stream{};
  constexpr int kGzipWindow = 15 + 16;
  if (inflateInit2(&stream, kGzipWindow) != Z_OK) return io_error(place, "cannot start zlib");
  stream.next_in = reinterpret_cast<Bytef*>(bytes.data());
  stream.avail_in = static_cast<uInt>(bytes.size());
  std::string out;
  std::string buffer(1 << 16, '\0');
  int state = Z_OK;
  while (state == Z_OK) {
    stream.next_out = reinterpret_cast<Bytef*>(buffer.data());
    stream.avail_out = static_cast<uInt>(buffer.size());
    state = inflate(&stream, Z_NO_FLUSH);
    out.append(buffer, 0, buffer.size() - stream.avail_out);
    if (out.size() > limit) break;
  }
  inflateEnd(&stream);
  if (out.size() > limit) return invalid_input(place, "the unpacked table is too large");
  if (state != Z_STREAM_END) {
    return invalid_input(fmt::format("{}: byte {}", place, stream.total_in),
                         "damaged or truncated gzip data");
  }
  return out;
}

}  // namespace smemsim::trace
