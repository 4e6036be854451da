// From characters to tokens. Preprocessor lines are handed to the Macros of preprocessor.hpp.
#include <array>
#include <cctype>
#include <limits>

#include "frontend/expr/preprocessor.hpp"
#include "frontend/expr/token.hpp"

namespace smemsim::expr {

namespace {

bool letter(char c) {
  return std::isalpha(static_cast<unsigned char>(c)) != 0 || c == '_';
}
bool digit(char c) {
  return std::isdigit(static_cast<unsigned char>(c)) != 0;
}
bool alphanumeric(char c) {
  return letter(c) || digit(c);
}

// Longest first, so that the first match is the longest.
constexpr std::array<std::string_view, 46> kPunctuation = {
    "<<=", ">>=", "...", "->", "++", "--", "<<", ">>", "<=", ">=", "==", "!=",
    "&&",  "||",  "+=",  "-=", "*=", "/=", "%=", "&=", "|=", "^=", "::", "+",
    "-",   "*",   "/",   "%",  "<",  ">",  "=",  "!",  "~",  "&",  "|",  "^",
    "?",   ":",   ";",   ",",  ".",  "(",  ")",  "[",  "]",  "{"};

class Lexer {
 public:
  explicit Lexer(const Source& source) : source_(source), text_(source.text()) {}

  /// Next token, or a token of kind `end` at the end of the text or at an error.
  Result<Token> next();
  /// Whether the token that `next` gave last is the first on its line.
  bool first_on_line() const { return first_on_line_; }
  /// Whether a line ends between the last token and here.
  bool at_line_end();
  std::size_t position() const { return at_; }
  /// Skips to the end of the line, honouring backslash continuations.
  void skip_line();

 private:
  char peek(std::size_t ahead = 0) const {
    return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\0';
  }
  Status skip_blanks(bool stop_at_newline);
  Result<Token> number();
  Result<Token> character();
  Span span_from(std::size_t begin) const {
    return {static_cast<std::uint32_t>(begin), static_cast<std::uint32_t>(at_)};
  }

  const Source& source_;
  const std::string& text_;
  std::size_t at_ = 0;
  bool first_on_line_ = true;
};

Status Lexer::skip_blanks(bool stop_at_newline) {
  while (at_ < text_.size()) {
    if (text_[at_] == '\n') {
      if (stop_at_newline) return {};
      first_on_line_ = true;
      ++at_;
    } else if (text_[at_] == '\\' && (peek(1) == '\n' || (peek(1) == '\r' && peek(2) == '\n'))) {
      at_ += peek(1) == '\n' ? 2 : 3;
    } else if (std::isspace(static_cast<unsigned char>(text_[at_])) != 0) {
      ++at_;
    } else if (peek() == '/' && peek(1) == '/') {
      while (at_ < text_.size() && text_[at_] != '\n') ++at_;
    } else if (peek() == '/' && peek(1) == '*') {
      const std::size_t begin = at_;
      const std::size_t close = text_.find("*/", at_ + 2);
      if (close == std::string::npos) {
        return source_.error(
            {static_cast<std::uint32_t>(begin), static_cast<std::uint32_t>(begin + 2)},
            "this comment does not end; expected */");
      }
      at_ = close + 2;
    } else {
      return {};
    }
  }
  return {};
}

bool Lexer::at_line_end() {
  if (!skip_blanks(true).ok()) return true;
  return at_ >= text_.size() || text_[at_] == '\n';
}

void Lexer::skip_line() {
  while (at_ < text_.size() && text_[at_] != '\n')
    at_ += text_[at_] == '\\' && peek(1) == '\n' ? 2 : 1;
}

Result<Token> Lexer::number() {
  Token token;
  const std::size_t begin = at_;
  const bool hexadecimal = peek() == '0' && (peek(1) == 'x' || peek(1) == 'X');
  const bool binary = peek() == '0' && (peek(1) == 'b' || peek(1) == 'B');
  while (alphanumeric(peek()) || peek() == '.' || peek() == '\'' ||
         ((peek() == '+' || peek() == '-') && !hexadecimal &&
          (text_[at_ - 1] == 'e' || text_[at_ - 1] == 'E'))) {
    ++at_;
  }
  token.span = span_from(begin);
  token.text = text_.substr(begin, at_ - begin);
  const bool floating =
      !hexadecimal && !binary && token.text.find_first_of(".eEfF") != std::string::npos;
  token.kind = floating ? TokenKind::floating : TokenKind::integer;
  if (floating) return token;

  unsigned base = hexadecimal                                     ? 16
                  : binary                                        ? 2
                  : token.text.size() > 1 && token.text[0] == '0' ? 8
                                                                  : 10;
  std::size_t i = hexadecimal || binary ? 2 : 0;
  std::size_t digits = 0;
  for (; i < token.text.size(); ++i) {
    const char c = token.text[i];
    if (c == '\'') continue;
    const unsigned value = digit(c) ? static_cast<unsigned>(c - '0')
                           : letter(c) && c != '_'
                               ? static_cast<unsigned>(std::tolower(c) - 'a') + 10
                               : 99;
    if (value >= base) break;
    ++digits;
    if (token.value > (std::numeric_limits<std::uint64_t>::max() - value) / base) {
      return source_.error(token.span, "this number does not fit in 64 bits");
    }
    token.value = token.value * base + value;
  }
  bool is_long = token.value > 0xffffffffU || (token.value > 0x7fffffffU && base == 10);
  bool is_unsigned = token.value > 0x7fffffffffffffffU || (!is_long && token.value > 0x7fffffffU);
  for (const std::size_t suffix = i; i < token.text.size(); ++i) {
    const char c = token.text[i];
    if (c == 'u' || c == 'U') {
      is_unsigned = true;
    } else if (c == 'l' || c == 'L') {
      is_long = true;
    } else {
      return source_.error(token.span, "'" + token.text.substr(suffix) + "' cannot end a number",
                           "suffixes are u, l and ll; a name cannot start with a digit");
    }
  }
  if (digits == 0) return source_.error(token.span, "expected digits after " + token.text);
  token.size = is_long ? 8 : 4;
  token.is_signed = !is_unsigned;
  return token;
}

Result<Token> Lexer::character() {
  Token token;
  const std::size_t begin = at_;
  const char quote = text_[at_++];
  while (at_ < text_.size() && text_[at_] != quote && text_[at_] != '\n') {
    at_ += text_[at_] == '\\' && at_ + 1 < text_.size() ? 2 : 1;
  }
  if (peek() != quote) {
    return source_.error(span_from(begin), std::string("expected a closing ") + quote);
  }
  ++at_;
  token.span = span_from(begin);
  token.text = text_.substr(begin + 1, at_ - begin - 2);
  token.kind = quote == '"' ? TokenKind::string : TokenKind::integer;
  if (quote == '\'' && token.text.size() != 1) {
    return source_.error(token.span, "expected one character between the quotes");
  }
  if (quote == '\'') token.value = static_cast<unsigned char>(token.text[0]);
  return token;
}

Result<Token> Lexer::next() {
  first_on_line_ = at_ == 0;
  SMEMSIM_TRY(skip_blanks(false));
  Token token;
  const std::size_t begin = at_;
  token.span = span_from(begin);
  if (at_ >= text_.size()) return token;
  const char c = peek();
  if (digit(c) || (c == '.' && digit(peek(1)))) return number();
  if (c == '\'' || c == '"') return character();
  if (letter(c)) {
    token.kind = TokenKind::identifier;
    while (alphanumeric(peek()) || (peek() == ':' && peek(1) == ':' && letter(peek(2)))) {
      at_ += peek() == ':' ? 2 : 1;
    }
    token.span = span_from(begin);
    token.text = text_.substr(begin, at_ - begin);
    return token;
  }
  token.kind = TokenKind::punctuation;
  if (c == '}' || c == '#') {
    ++at_;
    token.text = std::string(1, c);
    token.span = span_from(begin);
    return token;
  }
  for (const std::string_view symbol : kPunctuation) {
    if (text_.compare(begin, symbol.size(), symbol) == 0) {
      at_ += symbol.size();
      token.text = symbol;
      token.span = span_from(begin);
      return token;
    }
  }
  ++at_;
  return source_.error(span_from(begin), "this character has no meaning here",
                       c == '@' || c == '$' || c == '`' ? "remove it" : "");
}

Status directive(Lexer& lexer, const Source& source, Macros& macros) {
  auto name = lexer.next();
  if (!name.ok()) return name.error();
  if (name->is("include") || name->is("pragma")) {
    lexer.skip_line();
    return {};
  }
  if (!name->is("define")) {
    return source.error(name->span, "expected define, include or pragma after #",
                        "conditional compilation is not supported: keep the branch that applies");
  }
  std::vector<Token> line;
  while (!lexer.at_line_end()) {
    auto token = lexer.next();
    if (!token.ok()) return token.error();
    line.push_back(std::move(*token));
  }
  return macros.define(line, name->span);
}

}  // namespace

Result<std::vector<Token>> tokenize(const Source& source,
                                    const std::map<std::string, std::int64_t>& fixed) {
  if (source.text().size() > kLargestText) {
    return invalid_input(source.name(), "the text has more than 1 MiB",
                         "explain the part around the shared-memory accesses");
  }
  Lexer lexer(source);
  Macros macros(source, fixed);
  std::vector<Token> raw;
  while (true) {
    auto token = lexer.next();
    if (!token.ok()) return token.error();
    if (token->is("#") && lexer.first_on_line()) {
      // Macros apply from their definition on.
      SMEMSIM_TRY(macros.expand(raw));
      raw.clear();
      SMEMSIM_TRY(directive(lexer, source, macros));
      continue;
    }
    raw.push_back(*token);
    if (token->kind == TokenKind::end) break;
  }
  SMEMSIM_TRY(macros.expand(raw));
  return std::move(macros).take();
}

}  // namespace smemsim::expr
