// What the parser itself has to know: extents, alignments, template arguments.
#include "frontend/expr/arithmetic.hpp"
#include "frontend/expr/parser_impl.hpp"

namespace smemsim::expr {

std::optional<std::int64_t> Parser::constant(const Expr& expr) const {
  const Type* type = nullptr;
  return constant(expr, type);
}

std::optional<std::int64_t> Parser::constant(const Expr& expr, const Type*& type) const {
  const TypeTable& types = program_.types;
  switch (expr.kind) {
    case ExprKind::literal:
      type = expr.type;
      return expr.value;
    case ExprKind::name: {
      const Symbol& symbol = program_.symbols[expr.symbol];
      if (symbol.kind != SymbolKind::constant) return std::nullopt;
      type = symbol.type;
      return symbol.value;
    }
    case ExprKind::unary: {
      const auto operand = constant(expr.child(0), type);
      if (!operand) return std::nullopt;
      const IntType promoted = promote(int_type(*type));
      type = types.integer(promoted.size, promoted.is_signed);
      switch (expr.op) {
        case Op::plus:
          return operand;
        case Op::negate:
          return wrap(promoted,
                      static_cast<std::int64_t>(0 - static_cast<std::uint64_t>(*operand)));
        case Op::bit_not:
          return wrap(promoted, ~*operand);
        case Op::logical_not:
          type = types.int_type();
          return *operand == 0;
        default:
          return std::nullopt;
      }
    }
    case ExprKind::binary: {
      const Type *left_type = nullptr, *right_type = nullptr;
      const auto left = constant(expr.child(0), left_type);
      const auto right = constant(expr.child(1), right_type);
      if (!left || !right) return std::nullopt;
      const bool shift = expr.op == Op::shl || expr.op == Op::shr;
      const IntType operands = shift ? promote(int_type(*left_type))
                                     : common_type(int_type(*left_type), int_type(*right_type));
      std::int64_t out = 0;
      const std::int64_t b = shift ? *right : wrap(operands, *right);
      if (apply(expr.op, operands, wrap(operands, *left), b, out) != ArithmeticError::none) {
        return std::nullopt;
      }
      type = gives_truth(expr.op) ? types.int_type()
                                  : types.integer(operands.size, operands.is_signed);
      return out;
    }
    case ExprKind::conditional: {
      const Type* unused = nullptr;
      const auto condition = constant(expr.child(0), unused);
      if (!condition) return std::nullopt;
      return constant(expr.child(*condition != 0 ? 1 : 2), type);
    }
    case ExprKind::cast: {
      const auto operand = constant(expr.child(0), type);
      if (!operand || !expr.type->is(TypeKind::integer)) return std::nullopt;
      type = expr.type;
      return wrap(int_type(*type), *operand);
    }
    default:
      return std::nullopt;
  }
}

std::int64_t Parser::required_constant(const Expr& expr, const std::string& what) {
  if (failed()) return 1;
  if (const auto value = constant(expr)) return *value;
  std::string hint = "declare its names as const int N = ..., or pass --define N=...";
  if (expr.kind == ExprKind::name) {
    const std::string& name = program_.symbols[expr.symbol].name;
    hint = "make it const int " + name + " = ..., or pass --define " + name + "=...";
  }
  fail(expr.span, what + " must be a constant integer", hint);
  return 1;
}

}  // namespace smemsim::expr
