// Walks through the chunks of an .smt file: positions, sizes and checksums, not meanings.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "sim/result.hpp"
#include "trace/byte_io.hpp"
#include "trace/chunk_codec.hpp"
#include "trace/smt_format.hpp"

namespace smemsim::trace {

class ChunkReader {
 public:
  explicit ChunkReader(std::unique_ptr<ByteSource> source) : source_(std::move(source)) {}

  const std::string& name() const { return source_->name(); }
  /// Whether chunks can be read again with `load_at`.
  bool can_seek() const { return source_->size().has_value(); }

  /// Goes to the start and checks the file header.
  Status open();

  enum class Found { chunk, end };  ///< `end`: no whole chunk header is left
  /// Reads the next chunk's header; the one before must have been loaded or skipped.
  Result<Found> next();
  const smt::ChunkHeader& header() const { return header_; }
  std::uint64_t offset() const { return chunk_offset_; }  ///< of the chunk in the file

  /// Reads, checks and decompresses the current chunk into raw(). False: the file ends inside it.
  Result<bool> load();
  /// Passes over it without looking at its bytes. False: the file ends inside it.
  Result<bool> skip();
  const std::string& raw() const { return raw_; }

  /// The current chunk as it is in the file, valid after `load` until the next one.
  std::string_view stored() const { return stored_; }
  /// Loads a chunk that was met before: from its stored bytes when given, else from its place in
  /// the file; the position in the file stays.
  Status load_again(const smt::ChunkHeader& header, std::uint64_t offset, std::string_view stored);

  /// Reads the trailer, which must be the last thing in the file. False: the file ends inside it.
  Result<bool> read_trailer(std::uint64_t index_offset);

  /// Bytes of the file that were there.
  std::uint64_t position() const { return position_; }

  /// An error that names the file and a byte offset.
  Error error_at(std::uint64_t offset, const std::string& message,
                 const std::string& hint = {}) const;

 private:
  Result<std::size_t> read(std::size_t count, std::string& out);
  Status check_header(const std::string& bytes);
  Status unpack(const smt::ChunkHeader& header, std::uint64_t offset, std::string_view stored);

  std::unique_ptr<ByteSource> source_;
  ChunkDecompressor decompressor_;
  smt::ChunkHeader header_;
  std::uint64_t chunk_offset_ = 0, position_ = 0;
  std::string stored_, raw_, scratch_;
};

}  // namespace smemsim::trace
