// Splits bytes into lines of bounded length.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "sim/result.hpp"
#include "trace/byte_io.hpp"

namespace smemsim::trace {

class LineReader {
 public:
  /// Longer lines are an error.
  static constexpr std::size_t kMaxLine = std::size_t{1} << 20;

  explicit LineReader(ByteSource& source) : source_(source) {}

  /// Puts the next line, without its end (LF or CR LF), into `line`, which stays valid until the
  /// next call. False at the end of the input.
  Result<bool> next(std::string_view& line);

  std::uint64_t number() const { return number_; }  ///< of the last line, from 1
  /// "name:number", for errors.
  std::string place() const { return source_.name() + ":" + std::to_string(number_); }

 private:
  ByteSource& source_;
  std::string buffer_;
  std::size_t begin_ = 0;  ///< of what is not handed out yet
  bool at_end_ = false;
  std::uint64_t number_ = 0;
};

}  // namespace smemsim::trace
