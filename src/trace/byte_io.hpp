// Where bytes come from and go to, so that formats can be tested without files.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include "sim/result.hpp"

namespace smemsim::trace {

/// Reads bytes in order; `seek` where the input can (a pipe cannot).
class ByteSource {
 public:
  virtual ~ByteSource() = default;
  /// Name for error messages: a path, or "standard input".
  virtual const std::string& name() const = 0;
  /// Fills `out` from the current position; fewer bytes than asked only at the end of input.
  virtual Result<std::size_t> read(std::span<std::byte> out) = 0;
  /// Total size, or nothing for a pipe.
  virtual std::optional<std::uint64_t> size() const = 0;
  virtual Status seek(std::uint64_t offset) = 0;
};

/// Writes bytes in order.
class ByteSink {
 public:
  virtual ~ByteSink() = default;
  virtual const std::string& name() const = 0;
  virtual Status write(std::span<const std::byte> bytes) = 0;
  /// Makes everything written so far visible to others; reports late errors.
  virtual Status flush() = 0;
};

/// A file, or standard input for "-".
Result<std::unique_ptr<ByteSource>> open_source(const std::string& path);
/// A new or truncated file, or standard output for "-". A partly written file stays.
Result<std::unique_ptr<ByteSink>> open_sink(const std::string& path);

/// Everything that `source` still holds, in a file without a name ($TMPDIR or /tmp) that goes with
/// the object; for readers that have to go back in a pipe.
Result<std::unique_ptr<ByteSource>> temporary_copy(ByteSource& source);

/// Bytes in memory, for tests and for small texts.
std::unique_ptr<ByteSource> memory_source(std::string bytes, std::string name = "memory");

/// Appends to a string that outlives the sink.
std::unique_ptr<ByteSink> string_sink(std::string& out);

/// Reads everything from here on, up to `limit` bytes; more than that is an error.
Result<std::string> read_all(ByteSource& source, std::uint64_t limit);

}  // namespace smemsim::trace
