// Values: names, operators, conversions.
#include "frontend/expr/evaluator_impl.hpp"

namespace smemsim::expr {

Value Evaluator::constant(std::int64_t value, const Type* type) const {
  Value out;
  out.type = type;
  out.known = ~LaneMask{0};
  out.lanes.fill(value);
  return out;
}

Value Evaluator::unknown(const Type* type) const {
  Value out;
  out.type = type == nullptr ? program_.types.int_type() : type;
  return out;
}

Value Evaluator::convert(Value value, const Type* type) const {
  const bool from_number = value.is_integer() || value.is_pointer();
  if (type->is(TypeKind::integer) && from_number) {
    const IntType target = int_type(*type);
    const bool truth = type->name == "bool";
    for (std::int64_t& lane : value.lanes) lane = truth ? lane != 0 : wrap(target, lane);
    value.type = type;
    return value;
  }
  if (type->is(TypeKind::pointer) && from_number) {
    value.type = type;
    return value;
  }
  return unknown(type);  // floating values are not followed
}

Value Evaluator::name(const Expr& expr) {
  const Symbol& symbol = program_.symbols[expr.symbol];
  switch (symbol.kind) {
    case SymbolKind::constant:
      return constant(symbol.value, symbol.type);
    case SymbolKind::parameter:
      return unknown(symbol.type);
    case SymbolKind::builtin:
      break;
    default:
      return load(place(expr), expr);
  }
  switch (symbol.builtin) {
    case Builtin::warp_size:
      return constant(lanes_, symbol.type);
    case Builtin::warp:
      return constant(warp_, symbol.type);
    case Builtin::lane: {
      Value out = constant(0, symbol.type);
      for (unsigned lane = 0; lane < lanes_; ++lane) out.lanes[lane] = lane;
      return out;
    }
    default:
      fail(expr.span, "expected .x, .y or .z after " + symbol.name);
      return unknown(nullptr);
  }
}

Value Evaluator::builtin_member(const Expr& expr, Builtin builtin) const {
  const auto axis = static_cast<std::size_t>(expr.text == "x" ? 0 : expr.text == "y" ? 1 : 2);
  const auto of = [axis](const Dim3& dim) { return axis == 0 ? dim.x : axis == 1 ? dim.y : dim.z; };
  Value out = constant(0, program_.types.find("uint"));
  switch (builtin) {
    case Builtin::thread_idx:
      out.lanes = thread_[axis];
      break;
    case Builtin::block_idx:
      out.lanes.fill(block_index_[axis]);
      break;
    case Builtin::block_dim:
      out.lanes.fill(of(options_.block));
      break;
    default:
      out.lanes.fill(of(options_.grid));
      break;
  }
  return out;
}

Value Evaluator::evaluate(const Expr& expr) {
  if (!step(expr.span)) return unknown(nullptr);
  switch (expr.kind) {
    case ExprKind::literal:
      return constant(expr.value, expr.type);
    case ExprKind::real:
      return unknown(expr.type);
    case ExprKind::name:
      return name(expr);
    case ExprKind::member: {
      const Expr& base = expr.child(0);
      const Symbol* symbol = base.kind == ExprKind::name ? &program_.symbols[base.symbol] : nullptr;
      if (symbol != nullptr && symbol->kind == SymbolKind::builtin &&
          symbol->type->member(expr.text)) {
        return builtin_member(expr, symbol->builtin);
      }
      if (is_place(base)) return load(place(expr), expr);
      const Value value = evaluate(base);  // make_float2(...).x
      const Member* member = value.type->member(expr.text);
      return unknown(member == nullptr ? nullptr : member->type);
    }
    case ExprKind::index:
      return load(place(expr), expr);
    case ExprKind::unary:
      return unary(expr);
    case ExprKind::increment:
    case ExprKind::post_increment:
      return increment(expr);
    case ExprKind::binary:
      return binary(expr);
    case ExprKind::conditional:
      return conditional(expr);
    case ExprKind::assign:
      return assign(expr);
    case ExprKind::cast:
      return convert(evaluate(expr.child(0)), expr.type);
    case ExprKind::call:
      return call(expr, true);
    case ExprKind::layout_call:
      return layout_call(expr);
  }
  return unknown(nullptr);
}

void Evaluator::evaluate_for_effect(const Expr& expr) {
  if (expr.kind == ExprKind::call && step(expr.span)) {
    call(expr, false);
  } else if (expr.kind == ExprKind::binary && expr.op == Op::comma) {
    evaluate_for_effect(expr.child(0));
    evaluate_for_effect(expr.child(1));
  } else if (expr.kind == ExprKind::cast && expr.type->is(TypeKind::nothing)) {
    evaluate_for_effect(expr.child(0));  // (void)x
  } else {
    evaluate(expr);
  }
}

Value Evaluator::unary(const Expr& expr) {
  const Expr& operand = expr.child(0);
  if (expr.op == Op::address_of) {
    const Place target = place(operand);
    if (failed()) return unknown(nullptr);
    if (!target.in_memory) {  // address of a register variable: of no use as an address
      return unknown(types_.pointer_to(target.type));
    }
    Value out = target.address;
    out.type = types_.pointer_to(target.type);
    return out;
  }
  if (expr.op == Op::dereference) return load(place(expr), expr);
  Value value = evaluate(operand);
  if (failed()) return value;
  if (!value.is_integer()) {
    return expr.op == Op::logical_not ? unknown(program_.types.int_type()) : unknown(value.type);
  }
  const IntType type = promote(int_type(*value.type));
  for (std::int64_t& lane : value.lanes) {
    switch (expr.op) {
      case Op::negate:
        lane = wrap(type, static_cast<std::int64_t>(0 - static_cast<std::uint64_t>(lane)));
        break;
      case Op::bit_not:
        lane = wrap(type, ~lane);
        break;
      case Op::logical_not:
        lane = lane == 0;
        break;
      default:
        break;
    }
  }
  value.type = expr.op == Op::logical_not ? program_.types.int_type()
                                          : program_.types.integer(type.size, type.is_signed);
  return value;
}

Value Evaluator::increment(const Expr& expr) {
  const Place target = place(expr.child(0));
  if (failed()) return unknown(nullptr);
  const Value before = load(target, expr.child(0));
  const Value one = constant(1, program_.types.int_type());
  const Value after = convert(combine(expr.op, before, one, expr.span), before.type);
  store(target, after, expr.child(0));
  return expr.kind == ExprKind::increment ? after : before;
}

Value Evaluator::logical(const Expr& expr) {
  const LaneMask all = mask_;
  const Expr& right = expr.child(1);
  Value out = constant(0, program_.types.int_type());
  const Value left = evaluate(expr.child(0));
  if (failed()) return out;
  const bool is_and = expr.op == Op::logical_and;
  const LaneMask unclear = all & ~left.known;
  if (unclear != 0 && may_access(right)) {
    fail_unknown(expr.child(0).span, "this condition");
    return out;
  }
  // The right side runs in the lanes whose answer needs it.
  LaneMask needed = unclear;
  for_each_lane(all & left.known, [&](unsigned lane) {
    out.lanes[lane] = left.lanes[lane] != 0;
    if ((left.lanes[lane] != 0) == is_and) needed |= lane_bit(lane);
  });
  mask_ = needed;
  if (needed != 0) {
    const Value value = evaluate(right);
    for_each_lane(needed, [&](unsigned lane) { out.lanes[lane] = value.lanes[lane] != 0; });
    out.known = ~(needed & (~value.known | unclear));
  }
  mask_ = failed() ? 0 : all;
  return out;
}

Value Evaluator::binary(const Expr& expr) {
  if (expr.op == Op::logical_and || expr.op == Op::logical_or) return logical(expr);
  const Value a = evaluate(expr.child(0));
  const Value b = evaluate(expr.child(1));
  if (failed() || expr.op == Op::comma) return b;
  return combine(expr.op, a, b, expr.span);
}

Value Evaluator::conditional(const Expr& expr) {
  const LaneMask all = mask_;
  const Value condition = evaluate(expr.child(0));
  if (failed()) return condition;
  const LaneMask unclear = all & ~condition.known;
  if (unclear != 0 && (may_access(expr.child(1)) || may_access(expr.child(2)))) {
    fail_unknown(expr.child(0).span, "this condition");
    return condition;
  }
  LaneMask taken = unclear;
  for_each_lane(all & condition.known, [&](unsigned lane) {
    if (condition.lanes[lane] != 0) taken |= lane_bit(lane);
  });
  mask_ = taken;
  Value a = unknown(nullptr), b = unknown(nullptr);
  if (taken != 0) a = evaluate(expr.child(1));
  mask_ = failed() ? 0 : all & ~taken;
  if (mask_ != 0) b = evaluate(expr.child(2));
  mask_ = failed() ? 0 : all;
  if (taken == 0 || failed()) return b;
  a.known &= ~unclear;
  if (taken == all) return a;
  Value out = a;
  if (a.is_integer() && b.is_integer()) {
    const IntType type = common_type(int_type(*a.type), int_type(*b.type));
    out = convert(out, program_.types.integer(type.size, type.is_signed));
    b = convert(b, out.type);
  }
  for_each_lane(all & ~taken, [&](unsigned lane) { out.lanes[lane] = b.lanes[lane]; });
  out.known = (a.known & taken) | (b.known & ~taken);
  if (a.origin.space != b.origin.space && (a.is_pointer() || b.is_pointer())) {
    fail(expr.span, "the two values point into different memories");
  } else if (a.origin != b.origin) {
    out.origin.symbol = -1;
  }
  return out;
}

Value Evaluator::assign(const Expr& expr) {
  const Place target = place(expr.child(0));
  if (failed()) return unknown(nullptr);
  Value old;
  if (expr.op != Op::none) old = load(target, expr.child(0));
  Value value = evaluate(expr.child(1));
  if (failed()) return value;
  if (expr.op != Op::none) value = combine(expr.op, old, value, expr.span);
  if (failed()) return value;
  if (target.type != nullptr) value = convert(value, target.type);
  store(target, value, expr.child(0));
  return value;
}

Value Evaluator::layout_call(const Expr& expr) {
  const Layout& layout = program_.symbols[expr.symbol].layout;
  std::vector<Value> given;
  Value out = constant(0, program_.types.integer(8, true));
  for (const ExprPtr& child : expr.children) {
    given.push_back(evaluate(*child));
    if (failed()) return out;
    out.known &= given.back().known;
  }
  std::vector<std::int64_t> coordinates(given.size());
  for_each_lane(mask_ & out.known, [&](unsigned lane) {
    for (std::size_t i = 0; i < given.size(); ++i) {
      coordinates[i] = given[i].lanes[lane];
      if (coordinates[i] < 0) fail(expr.child(i).span, "a coordinate cannot be negative");
    }
    const std::int64_t offset = given.size() == 1 && layout.rank() != 1
                                    ? layout.linear(coordinates[0])
                                    : layout.at(coordinates);
    out.lanes[lane] = static_cast<std::int64_t>(layout.swizzle(static_cast<std::uint64_t>(offset)));
  });
  return out;
}

}  // namespace smemsim::expr
