// Expressions by precedence climbing.
#include <algorithm>
#include <array>

#include "frontend/expr/functions.hpp"
#include "frontend/expr/parser_impl.hpp"
#include "frontend/suggest.hpp"

namespace smemsim::expr {

namespace {

struct BinaryRow {
  std::string_view text;
  Op op;
  int precedence;  // higher binds tighter
};
constexpr std::array<BinaryRow, 18> kBinary = {{
    {"||", Op::logical_or, 1},
    {"&&", Op::logical_and, 2},
    {"|", Op::bit_or, 3},
    {"^", Op::bit_xor, 4},
    {"&", Op::bit_and, 5},
    {"==", Op::eq, 6},
    {"!=", Op::ne, 6},
    {"<", Op::lt, 7},
    {">", Op::gt, 7},
    {"<=", Op::le, 7},
    {">=", Op::ge, 7},
    {"<<", Op::shl, 8},
    {">>", Op::shr, 8},
    {"+", Op::add, 9},
    {"-", Op::sub, 9},
    {"*", Op::mul, 10},
    {"/", Op::div, 10},
    {"%", Op::rem, 10},
}};

const BinaryRow* binary_row(const Token& token) {
  if (token.kind != TokenKind::punctuation) return nullptr;
  for (const BinaryRow& row : kBinary) {
    if (row.text == token.text) return &row;
  }
  return nullptr;
}

struct PrefixRow {
  std::string_view text;
  Op op;
};
constexpr std::array<PrefixRow, 6> kPrefix = {{{"-", Op::negate},
                                               {"+", Op::plus},
                                               {"~", Op::bit_not},
                                               {"!", Op::logical_not},
                                               {"&", Op::address_of},
                                               {"*", Op::dereference}}};

}  // namespace

ExprPtr Parser::node(ExprKind kind, Span span) {
  auto expr = std::make_unique<Expr>();
  expr->kind = kind;
  expr->span = span;
  expr->id = program_.expressions++;
  expr->type = program_.types.int_type();
  return expr;
}

ExprPtr Parser::expression() {
  ExprPtr left = assignment();
  while (!failed() && peek().is(",")) {
    take();
    ExprPtr both = node(ExprKind::binary, left->span);
    both->op = Op::comma;
    both->children.push_back(std::move(left));
    both->children.push_back(assignment());
    both->span = join(both->span, both->children[1]->span);
    left = std::move(both);
  }
  return left;
}

ExprPtr Parser::assignment() {
  const Depth depth(*this);
  ExprPtr left = conditional();
  const Token& token = peek();
  if (failed() || token.kind != TokenKind::punctuation || token.text.empty() ||
      token.text.back() != '=') {
    return left;
  }
  Op op = Op::none;
  if (token.text != "=") {
    Token stripped = token;
    stripped.text.pop_back();
    const BinaryRow* row = binary_row(stripped);
    if (row == nullptr || row->precedence < 3 || (row->precedence > 5 && row->precedence < 8)) {
      return left;
    }
    op = row->op;
  }
  take();
  ExprPtr expr = node(ExprKind::assign, left->span);
  expr->op = op;
  expr->children.push_back(std::move(left));
  expr->children.push_back(peek().is("{") ? initialiser() : assignment());
  expr->span = join(expr->span, expr->children[1]->span);
  return expr;
}

ExprPtr Parser::conditional() {
  ExprPtr condition = binary(1);
  if (failed() || !accept("?")) return condition;
  ExprPtr expr = node(ExprKind::conditional, condition->span);
  expr->children.push_back(std::move(condition));
  expr->children.push_back(assignment());
  expect(":", "between the two values of ?:");
  expr->children.push_back(assignment());
  expr->span = join(expr->span, expr->children[2]->span);
  return expr;
}

ExprPtr Parser::binary(int least_precedence) {
  const Depth depth(*this);
  ExprPtr left = unary();
  while (!failed()) {
    const BinaryRow* row = binary_row(peek());
    if (row == nullptr || row->precedence < least_precedence) break;
    take();
    ExprPtr expr = node(ExprKind::binary, left->span);
    expr->op = row->op;
    expr->children.push_back(std::move(left));
    expr->children.push_back(binary(row->precedence + 1));
    expr->span = join(expr->span, expr->children[1]->span);
    left = std::move(expr);
  }
  return left;
}

ExprPtr Parser::cast_to(const Type* type, Span begin, ExprPtr operand) {
  ExprPtr expr = node(ExprKind::cast, join(begin, operand->span));
  expr->type = type;
  expr->children.push_back(std::move(operand));
  return expr;
}

ExprPtr Parser::unary() {
  const Depth depth(*this);
  const Token& token = peek();
  if (token.is("++") || token.is("--")) {
    take();
    ExprPtr expr = node(ExprKind::increment, token.span);
    expr->op = token.is("++") ? Op::add : Op::sub;
    expr->children.push_back(unary());
    expr->span = join(expr->span, expr->children[0]->span);
    return expr;
  }
  for (const PrefixRow& row : kPrefix) {
    if (!token.is(row.text)) continue;
    take();
    ExprPtr expr = node(ExprKind::unary, token.span);
    expr->op = row.op;
    expr->children.push_back(unary());
    expr->span = join(expr->span, expr->children[0]->span);
    return expr;
  }
  if (token.is("(") && starts_type(1)) {
    take();
    const Type* type = type_name();
    expect(")", "after the type of a cast");
    return cast_to(type, token.span, unary());
  }
  return postfix(primary());
}

ExprPtr Parser::postfix(ExprPtr base) {
  while (!failed()) {
    const Token& token = peek();
    if (accept("[")) {
      ExprPtr expr = node(ExprKind::index, base->span);
      expr->children.push_back(std::move(base));
      expr->children.push_back(expression());
      expr->span.end = peek().span.end;
      expect("]", "after the index");
      base = std::move(expr);
    } else if (token.is(".") || token.is("->")) {
      take();
      if (token.is("->")) {
        ExprPtr target = node(ExprKind::unary, base->span);
        target->op = Op::dereference;
        target->children.push_back(std::move(base));
        base = std::move(target);
      }
      const Token& name = take();
      if (name.kind != TokenKind::identifier) {
        fail(name.span, "expected the name of a member, found " + describe(name));
        break;
      }
      ExprPtr expr = node(ExprKind::member, join(base->span, name.span));
      expr->text = name.text;
      expr->children.push_back(std::move(base));
      base = std::move(expr);
    } else if (token.is("++") || token.is("--")) {
      take();
      ExprPtr expr = node(ExprKind::post_increment, join(base->span, token.span));
      expr->op = token.is("++") ? Op::add : Op::sub;
      expr->children.push_back(std::move(base));
      base = std::move(expr);
    } else {
      break;
    }
  }
  return base;
}

ExprPtr Parser::primary() {
  const Token& token = take();
  switch (token.kind) {
    case TokenKind::integer: {
      ExprPtr expr = node(ExprKind::literal, token.span);
      expr->value = static_cast<std::int64_t>(token.value);
      expr->type = program_.types.integer(token.size, token.is_signed);
      return expr;
    }
    case TokenKind::floating: {
      ExprPtr expr = node(ExprKind::real, token.span);
      expr->type = program_.types.float_type();
      return expr;
    }
    case TokenKind::identifier:
      --at_;
      return identifier();
    default:
      break;
  }
  if (token.is("(")) {
    ExprPtr inner = expression();
    inner->span = {token.span.begin, peek().span.end};
    expect(")", "to close the parenthesis");
    return inner;
  }
  fail(token.span, "expected an expression, found " + describe(token));
  return node(ExprKind::literal, token.span);
}

}  // namespace smemsim::expr
