// The text that a user gave, positions in it, and errors that point at them.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "sim/result.hpp"

namespace smemsim::expr {

/// Bytes begin .. end-1 of the source text.
struct Span {
  std::uint32_t begin = 0, end = 0;
};

/// From the start of `a` to the end of `b`.
inline Span join(Span a, Span b) {
  return {a.begin, b.end < a.begin ? a.end : b.end};
}

class Source {
 public:
  Source() = default;
  /// `name` is a file for error messages and sites; empty for text from the command line.
  Source(std::string text, std::string name);

  const std::string& text() const { return text_; }
  const std::string& name() const { return name_; }
  /// 1-based line of a byte offset; column in bytes, 1-based.
  std::uint32_t line(std::uint32_t offset) const;
  std::uint32_t column(std::uint32_t offset) const;
  /// The text of the span with runs of white space as one space and comments left out.
  std::string excerpt(Span span) const;

  /// An invalid_input error: place "NAME:2:7" (or "line 2, column 7"), then the message and, on
  /// lines of their own, the line of text with carets under the span.
  Error error(Span span, std::string message, std::string hint = {}) const;

 private:
  std::string text_, name_;
  std::vector<std::uint32_t> line_starts_;
};

}  // namespace smemsim::expr
