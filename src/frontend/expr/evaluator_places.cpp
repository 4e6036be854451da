// Places: arrays, elements, members, pointers; reading and writing them.
#include "frontend/expr/evaluator_impl.hpp"

namespace smemsim::expr {

bool Evaluator::is_place(const Expr& expr) const {
  switch (expr.kind) {
    case ExprKind::name: {
      const SymbolKind kind = program_.symbols[expr.symbol].kind;
      return kind == SymbolKind::shared || kind == SymbolKind::global ||
             kind == SymbolKind::variable;
    }
    case ExprKind::index:
      return true;
    case ExprKind::member:
      return is_place(expr.child(0));
    case ExprKind::unary:
      return expr.op == Op::dereference;
    default:
      return false;
  }
}

Place Evaluator::pointed_to(const Value& pointer, Span span) {
  Place out;
  out.type = program_.types.int_type();
  if (failed()) return out;
  if (!pointer.is_pointer()) {
    fail(span, "expected an array or a pointer here, this is " + pointer.type->name);
    return out;
  }
  out.type = pointer.type->element;
  out.in_memory = true;
  out.address = pointer;
  if (out.type->is(TypeKind::nothing)) {
    fail(span, "a void pointer has no element", "cast it to the type that is accessed");
  }
  return out;
}

Place Evaluator::place(const Expr& expr) {
  Place out;
  out.type = program_.types.int_type();
  if (!step(expr.span)) return out;
  switch (expr.kind) {
    case ExprKind::name: {
      const Symbol& symbol = program_.symbols[expr.symbol];
      if (symbol.kind == SymbolKind::variable) {
        out.variable = expr.symbol;
        out.type = symbol.type != nullptr ? symbol.type : variables_[expr.symbol].type;
        return out;
      }
      if (symbol.kind != SymbolKind::shared && symbol.kind != SymbolKind::global) break;
      const bool shared = symbol.kind == SymbolKind::shared;
      out.in_memory = true;
      out.type = shared ? placement_.arrays.at(expr.symbol).type : symbol.type;
      const std::uint64_t base = shared ? placement_.arrays.at(expr.symbol).base
                                        : kGlobalBase + kGlobalStride * expr.symbol;
      out.address = constant(static_cast<std::int64_t>(base), types_.pointer_to(out.type));
      out.address.origin = {shared ? Space::shared : Space::global,
                            static_cast<std::int64_t>(expr.symbol)};
      return out;
    }
    case ExprKind::index:
      return index_place(expr);
    case ExprKind::member:
      return member_place(expr);
    case ExprKind::unary:
      if (expr.op == Op::dereference)
        return pointed_to(evaluate(expr.child(0)), expr.child(0).span);
      break;
    default:
      break;
  }
  fail(
      expr.span, "this is a value, not a place in memory",
      "only variables, array elements, members and *pointer can be assigned to or have an address");
  return out;
}

Place Evaluator::index_place(const Expr& expr) {
  const Expr& base = expr.child(0);
  Place from;
  bool array = false;
  if (is_place(base)) {
    from = place(base);
    if (failed()) return from;
    array = from.type->is(TypeKind::array);
  }
  if (array && !from.in_memory) {  // an array of the lane's own: its elements are not followed
    evaluate(expr.child(1));
    from.type = from.type->element;
    from.whole = false;
    return from;
  }
  const Value pointer = array ? decay(from) : is_place(base) ? load(from, base) : evaluate(base);
  Place out = pointed_to(pointer, base.span);
  const Value index = evaluate(expr.child(1));
  if (failed()) return out;
  if (!index.is_integer()) {
    fail(expr.child(1).span, "an index must be an integer, this is " + index.type->name);
    return out;
  }
  out.address = pointer_arithmetic(Op::add, pointer, index, expr.span);
  return out;
}

Place Evaluator::member_place(const Expr& expr) {
  Place out = place(expr.child(0));
  if (failed()) return out;
  const Member* member = out.type->member(expr.text);
  if (member == nullptr) {
    std::string known;
    for (const Member& m : out.type->members) known += (known.empty() ? "" : ", ") + m.name;
    fail(expr.span, out.type->name + " has no member '" + expr.text + "'",
         known.empty() ? "" : "its members are " + known);
    return out;
  }
  if (!out.in_memory) {
    out.whole = false;
  } else {
    for (std::int64_t& lane : out.address.lanes) lane += static_cast<std::int64_t>(member->offset);
  }
  out.type = member->type;
  return out;
}

Value Evaluator::decay(const Place& place) {
  Value out = place.address;
  out.type = types_.pointer_to(place.type->element);
  return out;
}

Value Evaluator::load(const Place& place, const Expr& site) {
  if (failed()) return unknown(place.type);
  if (!place.in_memory) {
    if (!place.whole || place.type->is(TypeKind::array)) return unknown(place.type);
    return variables_[place.variable];
  }
  if (place.type->is(TypeKind::array)) return decay(place);
  access_value(site, Operation::load, Operation::global_load, *place.type, place.address, 0);
  return unknown(place.type);
}

void Evaluator::store(const Place& place, const Value& value, const Expr& site) {
  if (failed()) return;
  if (!place.in_memory) {
    if (!place.whole) return;
    Value& variable = variables_[place.variable];
    if ((variable.known & ~mask_ & first_lanes(lanes_)) == 0 ||
        variable.origin.space == Space::none) {
      variable.origin = value.origin;
    } else if (variable.origin != value.origin) {  // other lanes keep what they had
      variable.origin.symbol = -1;
    }
    variable.type = value.type;
    variable.known = (variable.known & ~mask_) | (value.known & mask_);
    for_each_lane(mask_, [&](unsigned lane) { variable.lanes[lane] = value.lanes[lane]; });
    return;
  }
  if (place.type->is(TypeKind::array)) {
    fail(site.span, "an array cannot be assigned to", "assign to one element");
    return;
  }
  std::uint8_t flags = 0;
  if (value.is_integer() && (mask_ & ~value.known) == 0 && (mask_ & ~place.address.known) == 0) {
    flags = kValuesKnown | kEqualValues;
    std::map<std::int64_t, std::int64_t> written;
    for_each_lane(mask_, [&](unsigned lane) {
      const auto [at, first] = written.emplace(place.address.lanes[lane], value.lanes[lane]);
      if (!first && at->second != value.lanes[lane]) flags = kValuesKnown;
    });
  }
  access_value(site, Operation::store, Operation::global_store, *place.type, place.address, flags);
}

}  // namespace smemsim::expr
