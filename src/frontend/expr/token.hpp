// Tokens of the CUDA-like text, after comments and #define have been dealt with.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "frontend/expr/source.hpp"

namespace smemsim::expr {

enum class TokenKind : std::uint8_t { end, identifier, integer, floating, punctuation, string };

struct Token {
  TokenKind kind = TokenKind::end;
  Span span;                ///< in the source; of the use for tokens that a macro expanded to
  std::string text;         ///< identifier (qualified names with "::"), punctuation, number
  std::uint64_t value = 0;  ///< of an integer
  std::uint8_t size = 4;    ///< bytes of an integer literal's type
  bool is_signed = true;

  bool is(std::string_view wanted) const {
    return (kind == TokenKind::punctuation || kind == TokenKind::identifier) && text == wanted;
  }
};

/// Cuts the text into tokens and expands #define macros (object-like and function-like); #include
/// and #pragma are skipped, other directives are errors. A #define of a name in `fixed` is ignored.
/// The last token is `end`. Errors: unknown characters, numbers that do not fit, unfinished
/// comments, macros nested or expanded without bound.
Result<std::vector<Token>> tokenize(const Source& source,
                                    const std::map<std::string, std::int64_t>& fixed);

}  // namespace smemsim::expr
