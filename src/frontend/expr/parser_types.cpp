// Types: specifiers, structures, dimensions, type names.
#include <algorithm>
#include <array>

#include "frontend/expr/parser_impl.hpp"
#include "frontend/suggest.hpp"
#include "sim/round_up.hpp"

namespace smemsim::expr {

namespace {

constexpr std::array<std::string_view, 16> kSpecifiers = {
    "const",        "constexpr",    "static",     "volatile", "extern",    "__shared__",
    "__device__",   "__constant__", "inline",     "alignas",  "__align__", "auto",
    "__restrict__", "register",     "__restrict", "typename"};
constexpr std::array<std::string_view, 7> kTypeWords = {"unsigned", "signed", "short", "long",
                                                        "char",     "int",    "double"};

bool contains(const auto& list, std::string_view word) {
  return std::find(list.begin(), list.end(), word) != list.end();
}

std::string unqualified(const std::string& name) {
  const std::size_t qualifier = name.rfind("::");
  return qualifier == std::string::npos ? name : name.substr(qualifier + 2);
}

}  // namespace

bool Parser::starts_type(std::size_t ahead) const {
  const Token& token = peek(ahead);
  if (token.kind != TokenKind::identifier) return false;
  if (contains(kTypeWords, token.text) || token.is("const") || token.is("volatile")) return true;
  if (token.is("struct")) return true;
  const SymbolId* symbol = lookup(token.text);
  return symbol == nullptr && program_.types.find(unqualified(token.text)) != nullptr;
}

bool Parser::starts_declaration() const {
  const Token& token = peek();
  if (token.kind != TokenKind::identifier) return false;
  if (contains(kSpecifiers, token.text) || token.is("struct") || token.is("using") ||
      token.is("typedef") || token.is("enum")) {
    return true;
  }
  if (token.is("layout") && peek(1).kind == TokenKind::identifier) return true;
  if (!starts_type()) return false;
  // T(x) is a conversion; T (*name)[N] declares a pointer to an array.
  return !peek(1).is("(") || (peek(2).is("*") && peek(4).is(")") && peek(5).is("["));
}

std::uint64_t Parser::alignment() {
  expect("(", "before the alignment");
  std::int64_t value = 1;
  const Span span = peek().span;
  if (starts_type()) {
    const Type* type = type_name();
    value = static_cast<std::int64_t>(type->align);
  } else {
    const ExprPtr expr = conditional();
    value = required_constant(*expr, "the alignment");
  }
  expect(")", "after the alignment");
  if (!failed() && (value <= 0 || value > 4096 || (value & (value - 1)) != 0)) {
    fail(span, "an alignment must be a power of two up to 4096, not " + std::to_string(value));
  }
  return static_cast<std::uint64_t>(std::max<std::int64_t>(value, 1));
}

bool Parser::take_specifier(Specifiers& out) {
  const Token& token = peek();
  if (token.kind != TokenKind::identifier || !contains(kSpecifiers, token.text)) return false;
  take();
  if (token.is("const") || token.is("constexpr")) out.is_const = true;
  if (token.is("__shared__")) out.is_shared = true;
  if (token.is("extern")) out.is_extern = true;
  if (token.is("__device__") || token.is("__constant__")) out.is_device = true;
  if (token.is("auto")) out.is_auto = true;
  if (token.is("alignas") || token.is("__align__")) out.align = std::max(out.align, alignment());
  return true;
}

bool Parser::take_type_word(Specifiers& out, std::string& words) {
  const Token& token = peek();
  if (token.kind != TokenKind::identifier) return false;
  if (contains(kTypeWords, token.text)) {
    words += (words.empty() ? "" : " ") + take().text;
    return true;
  }
  if (out.type != nullptr || !words.empty() || out.is_auto) return false;
  if (token.is("struct")) {
    out.type = structure();
    return true;
  }
  if (lookup(token.text) != nullptr) return false;
  out.type = program_.types.find(unqualified(token.text));
  if (out.type != nullptr) take();
  return out.type != nullptr;
}

const Type* Parser::finish_type(const Specifiers& seen, std::string words) {
  if (seen.type != nullptr || seen.is_auto) return seen.type;
  if (words.empty()) {
    std::string hint;
    if (peek().kind == TokenKind::identifier) {
      const std::string near = cli::nearest(peek().text, program_.types.names());
      if (!near.empty()) hint = "did you mean '" + near + "'?";
    }
    fail(peek().span, "expected a type, found " + describe(peek()), hint);
    return program_.types.int_type();
  }
  // Words may come in any order: "long unsigned int" is "unsigned long".
  const auto count = [&](std::string_view word) {
    std::size_t found = 0;
    for (std::size_t at = 0; (at = words.find(word, at)) != std::string::npos; at += word.size())
      ++found;
    return found;
  };
  const bool is_unsigned = count("unsigned") > 0;
  if (count("double") > 0) return program_.types.find("double");
  if (count("char") > 0) return program_.types.integer(1, !is_unsigned);
  if (count("short") > 0) return program_.types.integer(2, !is_unsigned);
  return program_.types.integer(count("long") > 0 ? 8 : 4, !is_unsigned);
}

Parser::Specifiers Parser::specifiers() {
  Specifiers out;
  out.span = peek().span;
  std::string words;
  while (!failed() && (take_specifier(out) || take_type_word(out, words))) {
  }
  out.type = finish_type(out, std::move(words));
  return out;
}

const Type* Parser::pointers(const Type* type) {
  while (!failed()) {
    if (accept("*")) {
      type = program_.types.pointer_to(type == nullptr ? program_.types.void_type() : type);
    } else if (!accept("const") && !accept("__restrict__") && !accept("__restrict") &&
               !accept("volatile")) {
      break;
    }
  }
  return type;
}

const Type* Parser::dimensions(const Type* element, bool unknown_allowed, bool& unknown) {
  std::vector<std::uint64_t> extents;
  const Span start = peek().span;
  std::uint64_t bytes = element->size;
  while (!failed() && accept("[")) {
    if (extents.empty() && unknown_allowed && accept("]")) {
      extents.push_back(0);
      unknown = true;
      continue;
    }
    const Span span = peek().span;
    const ExprPtr expr = conditional();
    const std::int64_t extent = required_constant(*expr, "the extent of an array");
    expect("]", "after the extent");
    if (failed()) break;
    if (extent <= 0) {
      fail(span, "an array extent must be at least 1, not " + std::to_string(extent));
      break;
    }
    const auto wide = static_cast<std::uint64_t>(extent);
    if (bytes > 0 && wide > kLargestArray / bytes) {
      fail(join(start, span), "this array has more than 1 GiB",
           "shared memory has at most some hundred KiB a block");
      break;
    }
    bytes *= wide;
    extents.push_back(wide);
  }
  if (extents.size() > 8) fail(start, "more than 8 dimensions");
  for (std::size_t i = extents.size(); i-- > 0;)
    element = program_.types.array_of(element, extents[i]);
  return element;
}

const Type* Parser::type_name() {
  Specifiers seen = specifiers();
  if (seen.type == nullptr) {
    fail(seen.span, "expected a type instead of auto");
    return program_.types.int_type();
  }
  const Type* type = pointers(seen.type);
  // Pointer to array: float (*)[32].
  if (peek().is("(") && peek(1).is("*") && peek(2).is(")")) {
    take();
    take();
    take();
    bool unknown = false;
    type = program_.types.pointer_to(dimensions(type, false, unknown));
  }
  return type;
}

const Type* Parser::structure() {
  take();  // struct
  std::uint64_t align = 1;
  while (peek().is("alignas") || peek().is("__align__")) {
    take();
    align = std::max(align, alignment());
  }
  const Token& name = take();
  if (name.kind != TokenKind::identifier) {
    fail(name.span, "expected a name after struct, found " + describe(name));
    return program_.types.int_type();
  }
  if (!peek().is("{")) {
    const Type* known = program_.types.find(name.text);
    if (known == nullptr) fail(name.span, "struct '" + name.text + "' is not declared");
    return known;
  }
  take();
  Type type;
  type.kind = TypeKind::structure;
  type.name = name.text;
  type.align = align;
  while (!failed() && !accept("}")) {
    const Specifiers seen = specifiers();
    do {
      if (failed() || seen.type == nullptr) break;
      const Type* member = pointers(seen.type);
      const Token& member_name = take();
      if (member_name.kind != TokenKind::identifier) {
        fail(member_name.span, "expected the name of a member, found " + describe(member_name),
             "member functions are not part of the language");
        break;
      }
      bool unknown = false;
      member = dimensions(member, false, unknown);
      const std::uint64_t member_align = std::max(member->align, seen.align);
      type.align = std::max(type.align, member_align);
      type.size = round_up(type.size, member_align);
      type.members.push_back({member_name.text, member, type.size});
      type.size += member->size;
    } while (accept(","));
    expect(";", "after the member");
  }
  type.size = std::max<std::uint64_t>(round_up(type.size, type.align), 1);
  if (type.size > kLargestArray) fail(name.span, "this struct has more than 1 GiB");
  return program_.types.add(std::move(type));
}

void Parser::alias() {
  if (accept("using")) {
    const Token& name = take();
    expect("=", "after the name of the alias");
    const Type* type = type_name();
    if (!failed()) program_.types.add_alias(name.text, type);
  } else {
    take();  // typedef
    const Specifiers seen = specifiers();
    const Type* type = pointers(seen.type);
    const Token& name = take();
    bool unknown = false;
    if (type != nullptr) type = dimensions(type, false, unknown);
    if (!failed() && type != nullptr) program_.types.add_alias(name.text, type);
  }
  expect(";", "after the alias");
}

}  // namespace smemsim::expr
