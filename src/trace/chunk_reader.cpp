#include "trace/chunk_reader.hpp"

#include <algorithm>
#include <span>

namespace smemsim::trace {

Error ChunkReader::error_at(std::uint64_t offset, const std::string& message,
                            const std::string& hint) const {
  return invalid_input(name() + ": byte " + std::to_string(offset), message, hint);
}

Result<std::size_t> ChunkReader::read(std::size_t count, std::string& out) {
  // Memory follows the bytes that arrive, so that a false size in a short file costs nothing.
  constexpr std::size_t kStep = std::size_t{1} << 20;
  out.clear();
  while (out.size() < count) {
    const std::size_t before = out.size();
    const std::size_t wanted = std::min(kStep, count - before);
    out.resize(before + wanted);
    const Result<std::size_t> got =
        source_->read(std::as_writable_bytes(std::span(out)).subspan(before));
    if (!got) return got.error();
    position_ += *got;
    out.resize(before + *got);
    if (*got < wanted) break;
  }
  return out.size();
}

Status ChunkReader::open() {
  if (can_seek()) {
    SMEMSIM_TRY(source_->seek(0));
  } else if (position_ != 0) {
    return io_error(name(), "cannot be read twice", "save it to a file first");
  }
  position_ = 0;
  const Result<std::size_t> got = read(smt::kFileHeaderBytes, scratch_);
  if (!got) return got.error();
  const std::string_view magic = std::string_view(scratch_).substr(0, smt::kMagic.size());
  if (magic != smt::kMagic.substr(0, magic.size())) {
    return error_at(0, "is not an .smt trace: its first bytes are others",
                    "a file that was transferred as text is damaged");
  }
  if (*got < smt::kFileHeaderBytes) return error_at(*got, "the file ends inside its header");
  ByteCursor in(scratch_);
  in.bytes(smt::kMagic.size());
  const auto version = in.fixed<std::uint16_t>();
  const auto flags = in.fixed<std::uint16_t>();
  if (in.fixed<std::uint32_t>() != crc32c(std::string_view(scratch_).substr(0, 12))) {
    return error_at(8, "the file header has a bad checksum");
  }
  if (version != smt::kVersion || flags != 0) {
    return error_at(8, "format version " + std::to_string(version) + "; this program reads " +
                           std::to_string(smt::kVersion));
  }
  return {};
}

Result<ChunkReader::Found> ChunkReader::next() {
  chunk_offset_ = position_;
  const Result<std::size_t> got = read(smt::kChunkHeaderBytes, scratch_);
  if (!got) return got.error();
  if (*got < smt::kChunkHeaderBytes) return Found::end;
  SMEMSIM_TRY(check_header(scratch_));
  return Found::chunk;
}

Status ChunkReader::check_header(const std::string& bytes) {
  ByteCursor in(bytes);
  header_.type = in.fixed<std::uint32_t>();
  const auto codec = in.fixed<std::uint32_t>();
  header_.raw_bytes = in.fixed<std::uint32_t>();
  header_.stored_bytes = in.fixed<std::uint32_t>();
  header_.stored_crc = in.fixed<std::uint32_t>();
  if (in.fixed<std::uint32_t>() !=
      crc32c(std::string_view(bytes).substr(0, smt::kChunkHeaderBytes - 4))) {
    return error_at(chunk_offset_, "a chunk header has a bad checksum");
  }
  const std::string type = smt::type_name(header_.type);
  if (codec > static_cast<std::uint32_t>(smt::Codec::zstd)) {
    return error_at(chunk_offset_, "the " + type + " chunk is compressed in an unknown way (" +
                                       std::to_string(codec) + ")");
  }
  header_.codec = static_cast<std::uint8_t>(codec);
  const bool is_stored = codec == static_cast<std::uint32_t>(smt::Codec::stored);
  if (header_.raw_bytes > smt::max_raw(header_.type) || header_.stored_bytes > header_.raw_bytes ||
      (is_stored && header_.stored_bytes != header_.raw_bytes)) {
    return error_at(chunk_offset_, "the " + type + " chunk has absurd sizes (" +
                                       std::to_string(header_.stored_bytes) + " bytes that give " +
                                       std::to_string(header_.raw_bytes) + ")");
  }
  return {};
}

Status ChunkReader::unpack(const smt::ChunkHeader& header, std::uint64_t offset,
                           std::string_view stored) {
  const std::string type = smt::type_name(header.type);
  if (crc32c(stored) != header.stored_crc) {
    return error_at(offset, "the " + type + " chunk has a bad checksum");
  }
  raw_.resize(header.raw_bytes);
  if (header.codec == static_cast<std::uint8_t>(smt::Codec::stored)) {
    raw_.assign(stored);
    return {};
  }
  if (Status status = decompressor_.decompress(stored, raw_); !status) {
    Error error = status.error();
    error.place = error_at(offset, {}).place;
    error.message = "the " + type + " chunk is damaged: " + error.message;
    return error;
  }
  return {};
}

Result<bool> ChunkReader::load() {
  const Result<std::size_t> got = read(header_.stored_bytes, stored_);
  if (!got) return got.error();
  if (*got < header_.stored_bytes) return false;
  SMEMSIM_TRY(unpack(header_, chunk_offset_, stored_));
  return true;
}

Result<bool> ChunkReader::skip() {
  const std::optional<std::uint64_t> size = source_->size();
  if (size && header_.stored_bytes <= *size - std::min(*size, position_)) {
    position_ += header_.stored_bytes;
    SMEMSIM_TRY(source_->seek(position_));
    return true;
  }
  const Result<std::size_t> got = read(header_.stored_bytes, stored_);
  if (!got) return got.error();
  return *got == header_.stored_bytes;
}

Status ChunkReader::load_again(const smt::ChunkHeader& header, std::uint64_t offset,
                               std::string_view stored) {
  if (!can_seek()) return unpack(header, offset, stored);
  const std::uint64_t here = position_;
  SMEMSIM_TRY(source_->seek(offset + smt::kChunkHeaderBytes));
  const Result<std::size_t> got = read(header.stored_bytes, stored_);
  position_ = here;
  if (!got) return got.error();
  SMEMSIM_TRY(source_->seek(here));
  return unpack(header, offset, stored_);
}

Result<bool> ChunkReader::read_trailer(std::uint64_t index_offset) {
  const std::uint64_t at = position_;
  // One byte more than the trailer, to notice what should not follow it.
  const Result<std::size_t> got = read(smt::kTrailerBytes + 1, scratch_);
  if (!got) return got.error();
  if (*got < smt::kTrailerBytes) return false;
  if (std::string_view(scratch_).substr(0, smt::kTrailerBytes) != smt::trailer(index_offset)) {
    return error_at(at, "the trailer is damaged");
  }
  if (*got > smt::kTrailerBytes) {
    return error_at(at + smt::kTrailerBytes, "bytes after the trailer");
  }
  return true;
}

}  // namespace smemsim::trace
