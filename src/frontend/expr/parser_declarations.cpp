// Declarations of arrays, variables, constants and layouts.
#include <algorithm>

#include "frontend/expr/parser_impl.hpp"

namespace smemsim::expr {

ExprPtr Parser::initialiser() {
  if (!peek().is("{")) return assignment();
  // A braced list is evaluated for its accesses; its value is not followed.
  ExprPtr list = node(ExprKind::call, take().span);
  list->text = "{}";
  while (!failed() && !peek().is("}")) {
    list->children.push_back(initialiser());
    if (!accept(",")) break;
  }
  expect("}", "after the initialisers");
  return list;
}

StmtPtr Parser::declaration() {
  if (peek().is("using") || peek().is("typedef")) {
    alias();
    return make(StmtKind::empty, peek().span);
  }
  if (peek().is("layout")) return layout_declaration();
  const Specifiers seen = specifiers();
  StmtPtr all = make(StmtKind::block, seen.span);
  if (failed()) return all;
  if (accept(";")) return all;  // struct S { ... };
  do {
    all->body.push_back(declarator(seen));
  } while (!failed() && accept(","));
  if (peek().kind != TokenKind::end) expect(";", "after the declaration");
  return all;
}

StmtPtr Parser::declarator(const Specifiers& seen) {
  const Type* type = pointers(seen.type);
  bool array_pointer = false;
  accept("&");
  if (peek().is("(") && peek(1).is("*")) {  // float (*rows)[32]
    take();
    take();
    array_pointer = true;
  }
  const Token& name = take();
  StmtPtr stmt = make(StmtKind::declaration, name.span);
  stmt->exprs.push_back(nullptr);
  if (name.kind != TokenKind::identifier) {
    fail(name.span, "expected a name, found " + describe(name));
    return stmt;
  }
  if (peek().is("(")) {
    fail(name.span, "functions are not part of the language",
         "paste the body of '" + name.text + "' where it is called");
    return stmt;
  }
  if (array_pointer) expect(")", "after the name of the pointer");
  bool unknown = false;
  if (type != nullptr) {
    type = dimensions(type, seen.is_extern || seen.is_device, unknown);
    if (array_pointer) type = program_.types.pointer_to(type);
  }
  if (failed()) return stmt;

  Symbol symbol;
  symbol.name = name.text;
  symbol.span = name.span;
  symbol.type = type;
  symbol.align = std::max(seen.align, type == nullptr ? 1 : type->align);
  symbol.dynamic = seen.is_shared && seen.is_extern;
  if (seen.is_shared) {
    symbol.kind = SymbolKind::shared;
    if (type == nullptr) fail(name.span, "a __shared__ array needs a type instead of auto");
  } else if (seen.is_device) {
    symbol.kind = SymbolKind::global;
  }
  if (symbol.dynamic && !unknown) {
    fail(name.span, "an extern __shared__ array has no extent: write " + name.text + "[]",
         "or leave out extern");
  }
  // --define wins over the value in the text; a loop's own counter hides it.
  const bool is_number = type == nullptr || type->is(TypeKind::integer);
  const bool overridden = is_number && !loop_head_ && symbol.kind == SymbolKind::variable &&
                          defines_.count(name.text) != 0;
  if (accept("=") || peek().is("{")) {
    stmt->exprs[0] = initialiser();
  } else if (type == nullptr) {
    fail(name.span, "auto needs a value to take its type from");
  }
  if (failed()) return stmt;
  if (overridden) {
    stmt->kind = StmtKind::empty;
    return stmt;
  }
  if (seen.is_const && is_number && stmt->exprs[0] && symbol.kind == SymbolKind::variable) {
    const Type* value_type = nullptr;
    if (const auto value = constant(*stmt->exprs[0], value_type)) {
      symbol.kind = SymbolKind::constant;
      symbol.type = type == nullptr ? value_type : type;
      symbol.value = *value;
      stmt->kind = StmtKind::empty;
    }
  }
  if (symbol.kind == SymbolKind::shared && stmt->exprs[0]) {
    fail(name.span, "a __shared__ array cannot be initialised", "store to it instead");
  }
  stmt->symbol = declare(std::move(symbol));
  return stmt;
}

std::string Parser::layout_text() {
  std::string text;
  while (!failed() && peek().kind != TokenKind::end && !peek().is(";")) {
    const Token& token = take();
    const SymbolId* symbol = token.kind == TokenKind::identifier ? lookup(token.text) : nullptr;
    if (symbol != nullptr && program_.symbols[*symbol].kind == SymbolKind::constant) {
      text += std::to_string(program_.symbols[*symbol].value);
    } else if (token.is("o")) {
      text += " o ";
    } else {
      text += token.text;
    }
  }
  return text;
}

StmtPtr Parser::layout_declaration() {
  take();
  const Token& name = take();
  expect("=", "after the name of the layout");
  const Span first = peek().span;
  const std::string text = layout_text();
  Symbol symbol;
  symbol.kind = SymbolKind::layout;
  symbol.name = name.text;
  symbol.span = name.span;
  symbol.type = program_.types.int_type();
  if (!failed()) {
    auto layout = parse_layout(text);
    if (layout.ok()) {
      symbol.layout = std::move(*layout);
    } else {
      fail(first, layout.error().text());
    }
  }
  if (peek().kind != TokenKind::end) expect(";", "after the layout");
  declare(std::move(symbol));
  return make(StmtKind::empty, name.span);
}

}  // namespace smemsim::expr
