// Expressions that start with a name: variables, calls, conversions, sizeof.
#include "frontend/expr/functions.hpp"
#include "frontend/expr/parser_impl.hpp"
#include "frontend/suggest.hpp"

namespace smemsim::expr {

namespace {

bool is_named_cast(const Token& token) {
  return token.is("reinterpret_cast") || token.is("static_cast") || token.is("const_cast");
}

std::string undeclared_hint(const std::string& name, std::vector<std::string> candidates) {
  if (name == "tx" || name == "ty" || name == "tz" || name == "tid") {
    const std::string member = name == "tid" ? "x" : name.substr(1);
    return "declare it: int " + name + " = threadIdx." + member + ";";
  }
  const std::string near = cli::nearest(name, candidates);
  return near.empty() ? "declare it, or give its value with --define " + name + "=..."
                      : "did you mean '" + near + "'?";
}

}  // namespace

ExprPtr Parser::named_cast() {
  const Token& word = take();
  expect("<", "after " + word.text);
  const Type* type = type_name();
  accept("&");
  expect(">", "after the type");
  expect("(", "after " + word.text + "<...>");
  ExprPtr operand = expression();
  ExprPtr expr = cast_to(type, word.span, std::move(operand));
  expr->span.end = peek().span.end;
  expect(")", "after the operand");
  return expr;
}

const Type* Parser::static_type(const Expr& expr) const {
  switch (expr.kind) {
    case ExprKind::name:
      return program_.symbols[expr.symbol].type;
    case ExprKind::index: {
      const Type* base = static_type(expr.child(0));
      return base == nullptr ? nullptr : base->element;
    }
    case ExprKind::member: {
      const Type* base = static_type(expr.child(0));
      const Member* member = base == nullptr ? nullptr : base->member(expr.text);
      return member == nullptr ? nullptr : member->type;
    }
    case ExprKind::unary: {
      const Type* base = static_type(expr.child(0));
      return base != nullptr && expr.op == Op::dereference ? base->element : nullptr;
    }
    case ExprKind::literal:
    case ExprKind::real:
    case ExprKind::cast:
      return expr.type;
    default:
      return nullptr;
  }
}

ExprPtr Parser::size_of() {
  const Token& word = take();
  ExprPtr expr = node(ExprKind::literal, word.span);
  expr->type = program_.types.find("size_t");
  const Type* type = nullptr;
  if (peek().is("(") && starts_type(1)) {
    take();
    type = type_name();
    expr->span.end = peek().span.end;
    expect(")", "after the type");
  } else {
    const ExprPtr operand = unary();
    type = failed() ? nullptr : static_type(*operand);
    expr->span = join(word.span, operand->span);
  }
  if (!failed() && (type == nullptr || type->size == 0)) {
    fail(expr->span, "the size of this is not known here", "write sizeof(type) or sizeof array");
  }
  if (type != nullptr) expr->value = static_cast<std::int64_t>(type->size);
  return expr;
}

bool Parser::template_arguments(std::vector<std::int64_t>& out) {
  expect("<", "before the template arguments");
  do {
    // Relational operators would swallow the closing >: shifts and above only.
    const ExprPtr argument = binary(8);
    out.push_back(required_constant(*argument, "a template argument"));
  } while (!failed() && accept(","));
  return expect(">", "after the template arguments");
}

ExprPtr Parser::call(const Token& name) {
  const FunctionRow* row = find_function(name.text);
  ExprPtr expr = node(ExprKind::call, name.span);
  expr->text = name.text;
  if (row == nullptr) {
    const std::string near = cli::nearest(name.text, function_names());
    fail(name.span, "the function '" + name.text + "' is not known",
         near.empty() ? "paste its body, or leave the call out" : "did you mean '" + near + "'?");
    return expr;
  }
  if (peek().is("<")) template_arguments(expr->arguments);
  if (row->function == Function::swizzle && expr->arguments.size() != 3 && !failed()) {
    fail(name.span, "expected three template arguments: " + std::string(row->usage));
  }
  expect("(", "before the arguments of " + name.text);
  while (!failed() && !peek().is(")")) {
    expr->children.push_back(assignment());
    if (!accept(",")) break;
  }
  expr->span.end = peek().span.end;
  expect(")", "after the arguments of " + name.text);
  const std::size_t given = expr->children.size();
  if (!failed() && (given < row->least || given > row->most)) {
    fail(expr->span, "wrong number of arguments for " + name.text,
         "write " + std::string(row->usage));
  }
  if (!failed() && row->function == Function::swizzle) {
    const Swizzle swizzle{static_cast<std::int32_t>(expr->arguments[0]),
                          static_cast<std::int32_t>(expr->arguments[1]),
                          static_cast<std::int32_t>(expr->arguments[2])};
    if (const Status status = check_swizzle(swizzle); !status.ok()) {
      fail(expr->span, status.error().message, status.error().hint);
    }
  }
  return expr;
}

ExprPtr Parser::layout_call(const Token& name, SymbolId symbol) {
  ExprPtr expr = node(ExprKind::layout_call, name.span);
  expr->symbol = symbol;
  take();  // (
  while (!failed() && !peek().is(")")) {
    expr->children.push_back(assignment());
    if (!accept(",")) break;
  }
  expr->span.end = peek().span.end;
  expect(")", "after the coordinates");
  const std::size_t rank = program_.symbols[symbol].layout.rank();
  const std::size_t given = expr->children.size();
  if (!failed() && given != 1 && given != rank) {
    fail(expr->span, "layout " + name.text + " takes 1 coordinate or " + std::to_string(rank) +
                         ", not " + std::to_string(given));
  }
  if (!failed() && program_.symbols[symbol].layout.swizzle_on_bytes) {
    fail(expr->span, "this layout swizzles bytes and gives no element index",
         "apply tma_swizzle_128B(byte_offset) or swizzle<B,M,S>(...) yourself");
  }
  return expr;
}

ExprPtr Parser::identifier() {
  const Token& token = peek();
  if (is_named_cast(token)) return named_cast();
  if (token.is("sizeof")) return size_of();
  if (token.is("true") || token.is("false")) {
    take();
    ExprPtr expr = node(ExprKind::literal, token.span);
    expr->value = token.is("true") ? 1 : 0;
    expr->type = program_.types.find("bool");
    return expr;
  }
  if (starts_type()) {  // T(x)
    const Type* type = type_name();
    expect("(", "after the type of a conversion");
    ExprPtr operand = peek().is(")") ? node(ExprKind::literal, peek().span) : expression();
    while (!failed() && accept(",")) assignment();
    ExprPtr expr = cast_to(type, token.span, std::move(operand));
    expr->span.end = peek().span.end;
    expect(")", "after the operand");
    return expr;
  }
  take();
  const SymbolId* symbol = lookup(token.text);
  const bool called = peek().is("(");
  if (symbol != nullptr && called && program_.symbols[*symbol].kind == SymbolKind::layout) {
    return layout_call(token, *symbol);
  }
  if (symbol == nullptr && (called || (peek().is("<") && find_function(token.text) != nullptr))) {
    return call(token);
  }
  ExprPtr expr = node(ExprKind::name, token.span);
  if (symbol == nullptr) {
    fail(token.span, "'" + token.text + "' is not declared",
         undeclared_hint(token.text, visible_names()));
    return expr;
  }
  expr->symbol = *symbol;
  if (program_.symbols[*symbol].kind == SymbolKind::layout) {
    fail(token.span, "a layout needs coordinates: " + token.text + "(row, col)");
  }
  return expr;
}

}  // namespace smemsim::expr
