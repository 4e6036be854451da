#include "frontend/expr/arithmetic.hpp"

#include <algorithm>

namespace smemsim::expr {

namespace {

std::uint64_t bits(std::int64_t value) {
  return static_cast<std::uint64_t>(value);
}
std::int64_t number(std::uint64_t value) {
  return static_cast<std::int64_t>(value);
}

bool less(IntType type, std::int64_t a, std::int64_t b) {
  return type.is_signed ? a < b : bits(a) < bits(b);
}

std::int64_t divide(IntType type, std::int64_t a, std::int64_t b, bool remainder) {
  if (!type.is_signed) return number(remainder ? bits(a) % bits(b) : bits(a) / bits(b));
  if (b == -1) return remainder ? 0 : number(0 - bits(a));  // the one division that overflows
  return remainder ? a % b : a / b;
}

}  // namespace

IntType promote(IntType type) {
  return type.size < 4 ? IntType{4, true} : type;
}

IntType common_type(IntType a, IntType b) {
  a = promote(a);
  b = promote(b);
  if (a.size != b.size) return a.size > b.size ? a : b;
  return {a.size, a.is_signed && b.is_signed};
}

std::int64_t wrap(IntType type, std::int64_t value) {
  if (type.size >= 8) return value;
  const unsigned shift = 64U - 8U * type.size;
  const std::uint64_t moved = bits(value) << shift;
  return type.is_signed ? number(moved) >> shift : number(moved >> shift);
}

bool gives_truth(Op op) {
  switch (op) {
    case Op::lt:
    case Op::gt:
    case Op::le:
    case Op::ge:
    case Op::eq:
    case Op::ne:
    case Op::logical_and:
    case Op::logical_or:
      return true;
    default:
      return false;
  }
}

ArithmeticError apply(Op op, IntType type, std::int64_t a, std::int64_t b, std::int64_t& out) {
  out = 0;
  switch (op) {
    case Op::add:
      out = number(bits(a) + bits(b));
      break;
    case Op::sub:
      out = number(bits(a) - bits(b));
      break;
    case Op::mul:
      out = number(bits(a) * bits(b));
      break;
    case Op::div:
    case Op::rem:
      if (b == 0) return ArithmeticError::divide_by_zero;
      out = divide(type, a, b, op == Op::rem);
      break;
    case Op::shl:
    case Op::shr:
      if (b < 0 || b >= 8 * type.size) return ArithmeticError::shift_count;
      out = op == Op::shl ? number(bits(a) << b) : type.is_signed ? a >> b : number(bits(a) >> b);
      break;
    case Op::lt:
      out = less(type, a, b);
      return ArithmeticError::none;
    case Op::gt:
      out = less(type, b, a);
      return ArithmeticError::none;
    case Op::le:
      out = !less(type, b, a);
      return ArithmeticError::none;
    case Op::ge:
      out = !less(type, a, b);
      return ArithmeticError::none;
    case Op::eq:
      out = a == b;
      return ArithmeticError::none;
    case Op::ne:
      out = a != b;
      return ArithmeticError::none;
    case Op::logical_and:
      out = a != 0 && b != 0;
      return ArithmeticError::none;
    case Op::logical_or:
      out = a != 0 || b != 0;
      return ArithmeticError::none;
    case Op::bit_and:
      out = a & b;
      break;
    case Op::bit_xor:
      out = a ^ b;
      break;
    case Op::bit_or:
      out = a | b;
      break;
    default:
      out = b;
      break;  // comma
  }
  out = wrap(type, out);
  return ArithmeticError::none;
}

}  // namespace smemsim::expr
