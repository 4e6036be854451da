// Binary operators on integers and pointers, lane by lane.
#include <algorithm>

#include "frontend/expr/evaluator_impl.hpp"

namespace smemsim::expr {

Value Evaluator::pointer_arithmetic(Op op, const Value& a, const Value& b, Span span) {
  const Value& pointer = a.is_pointer() ? a : b;
  const Value& other = a.is_pointer() ? b : a;
  Value out = pointer;
  out.known = a.known & b.known;
  const auto size =
      static_cast<std::int64_t>(std::max<std::uint64_t>(pointer.type->element->size, 1));
  if (a.is_pointer() && b.is_pointer()) {
    if (op != Op::sub && !gives_truth(op)) {
      fail(span, "two pointers can only be subtracted or compared");
      return out;
    }
    out.origin = {};
    out.type = program_.types.integer(gives_truth(op) ? 4 : 8, true);
    for (unsigned lane = 0; lane < lanes_; ++lane) {
      std::int64_t result = 0;
      apply(op, {8, true}, a.lanes[lane], b.lanes[lane], result);
      out.lanes[lane] = gives_truth(op) ? result : result / size;
    }
    return out;
  }
  if (!other.is_integer() || (op != Op::add && (op != Op::sub || b.is_pointer()))) {
    fail(span, "this operator does not work on a pointer and " + other.type->name,
         "only pointer + integer, integer + pointer and pointer - integer");
    return out;
  }
  for (unsigned lane = 0; lane < lanes_; ++lane) {
    std::int64_t bytes = 0;
    apply(Op::mul, {8, true}, other.lanes[lane], size, bytes);
    apply(op, {8, true}, pointer.lanes[lane], bytes, out.lanes[lane]);
  }
  return out;
}

Value Evaluator::combine(Op op, const Value& a, const Value& b, Span span) {
  if (a.is_pointer() || b.is_pointer()) return pointer_arithmetic(op, a, b, span);
  if (!a.is_integer() || !b.is_integer()) {
    if (gives_truth(op)) return unknown(program_.types.int_type());
    const bool first = !a.is_integer() && (b.is_integer() || a.type->size >= b.type->size);
    return unknown(first ? a.type : b.type);
  }
  const bool shift = op == Op::shl || op == Op::shr;
  const IntType type =
      shift ? promote(int_type(*a.type)) : common_type(int_type(*a.type), int_type(*b.type));
  Value out;
  out.known = a.known & b.known;
  out.origin = a.origin.space != Space::none ? a.origin : b.origin;
  out.type = gives_truth(op) ? program_.types.int_type()
                             : program_.types.integer(type.size, type.is_signed);
  ArithmeticError worst = ArithmeticError::none;
  unsigned worst_lane = 0;
  for (unsigned lane = 0; lane < lanes_; ++lane) {
    const std::int64_t right = shift ? b.lanes[lane] : wrap(type, b.lanes[lane]);
    const ArithmeticError error =
        apply(op, type, wrap(type, a.lanes[lane]), right, out.lanes[lane]);
    if (error != ArithmeticError::none && worst == ArithmeticError::none &&
        has_lane(mask_ & out.known, lane)) {
      worst = error;
      worst_lane = lane;
    }
  }
  if (worst != ArithmeticError::none) {
    const std::string where =
        " in lane " + std::to_string(worst_lane) + " of warp " + std::to_string(warp_);
    fail(span, worst == ArithmeticError::divide_by_zero
                   ? "division by zero" + where
                   : "the shift count is " + std::to_string(b.lanes[worst_lane]) + where +
                         "; it must be from 0 to " + std::to_string(8 * type.size - 1));
  }
  return out;
}

}  // namespace smemsim::expr
