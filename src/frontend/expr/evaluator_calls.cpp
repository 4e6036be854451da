// Functions: memory instructions by name, synchronisation, integer intrinsics.
#include <algorithm>
#include <bit>
#include <set>

#include "frontend/expr/evaluator_impl.hpp"
#include "sim/retry_loop.hpp"

namespace smemsim::expr {
namespace {

bool is_one(const Expr& expr) {
  return expr.kind == ExprKind::literal && expr.value == 1;
}

}  // namespace

std::int64_t Evaluator::uniform(const Value& value, Span span, const std::string& what) {
  if (failed() || mask_ == 0) return 0;
  if ((mask_ & ~value.known) != 0) {
    fail_unknown(span, what);
    return 0;
  }
  const std::int64_t first = value.lanes[static_cast<unsigned>(std::countr_zero(mask_))];
  for_each_lane(mask_, [&](unsigned lane) {
    if (value.lanes[lane] != first) fail(span, what + " must be the same in all lanes");
  });
  return first;
}

const Value* Evaluator::address_argument(const Expr& expr, const std::vector<Value>& arguments,
                                         Space space) {
  for (const Value& value : arguments) {
    if (value.origin.space == space && (value.is_pointer() || value.is_integer())) return &value;
  }
  const std::string kind = space == Space::shared ? "shared" : "global";
  fail(expr.span, "expected the address of a place in " + kind + " memory among the arguments",
       "write " + std::string(find_function(expr.text)->usage));
  return nullptr;
}

Value Evaluator::call(const Expr& expr, bool result_used) {
  std::vector<Value> arguments;
  for (const ExprPtr& child : expr.children) {
    arguments.push_back(evaluate(*child));
    if (failed()) return unknown(nullptr);
  }
  const FunctionRow* row = find_function(expr.text);
  if (row == nullptr) return unknown(nullptr);  // a braced list
  switch (row->function) {
    case Function::opaque:
      return unknown(program_.types.float_type());
    case Function::minimum:
    case Function::maximum:
    case Function::absolute:
    case Function::population:
    case Function::first_set:
    case Function::leading_zeros:
      return arithmetic_call(*row, expr, arguments);
    case Function::shared_address: {
      Value out = arguments[0];
      if (out.origin.space != Space::shared) {
        fail(expr.span, "expected a pointer into shared memory");
      }
      out.type = program_.types.find("uint");
      return out;
    }
    case Function::load_global:
      return load(pointed_to(arguments[0], expr.child(0).span), expr);
    case Function::atomic:
    case Function::atomic_cas:
      return atomic(*row, expr, arguments, result_used);
    case Function::ldmatrix:
    case Function::stmatrix:
      matrix(*row, expr, arguments);
      return unknown(nullptr);
    case Function::cp_async_ca:
    case Function::cp_async_cg:
    case Function::memcpy_async:
      copy(*row, expr, arguments);
      return unknown(nullptr);
    case Function::commit:
    case Function::wait:
    case Function::sync_threads:
    case Function::sync_warp:
    case Function::shuffle:
      synchronise(*row, expr, arguments);
      return unknown(arguments.size() > 1 ? arguments[1].type : nullptr);
    case Function::swizzle:
    case Function::tma_swizzle:
    case Function::triton_swizzle:
    case Function::nvmma:
      return layout_function(*row, expr, arguments);
  }
  return unknown(nullptr);
}

Value Evaluator::arithmetic_call(const FunctionRow& row, const Expr& expr,
                                 const std::vector<Value>& arguments) {
  Value out = arguments[0];
  const Value& other = arguments.back();
  if (!out.is_integer() || !other.is_integer()) return unknown(out.type);
  const IntType type = common_type(int_type(*out.type), int_type(*other.type));
  out = convert(out, program_.types.integer(type.size, type.is_signed));
  out.known &= other.known;
  for (unsigned lane = 0; lane < lanes_; ++lane) {
    const std::int64_t a = out.lanes[lane], b = wrap(type, other.lanes[lane]);
    std::int64_t less = 0;
    apply(Op::lt, type, a, b, less);
    const auto word = static_cast<std::uint32_t>(a);
    switch (row.function) {
      case Function::minimum:
        out.lanes[lane] = less != 0 ? a : b;
        break;
      case Function::maximum:
        out.lanes[lane] = less != 0 ? b : a;
        break;
      case Function::absolute:
        out.lanes[lane] = a < 0 ? wrap(type, -a) : a;
        break;
      case Function::population:
        out.lanes[lane] = std::popcount(word);
        break;
      case Function::first_set:
        out.lanes[lane] = word == 0 ? 0 : std::countr_zero(word) + 1;
        break;
      default:
        out.lanes[lane] = std::countl_zero(word);
        break;
    }
  }
  (void)expr;
  return out;
}

Value Evaluator::layout_function(const FunctionRow& row, const Expr& expr,
                                 const std::vector<Value>& arguments) {
  Value out = arguments[0];
  for (const Value& value : arguments) {
    if (!value.is_integer()) {
      fail(expr.span, "the arguments of " + expr.text + " must be integers");
      return out;
    }
    out.known &= value.known;
  }
  Swizzle swizzle;
  if (row.function == Function::swizzle) {
    swizzle = {static_cast<std::int32_t>(expr.arguments[0]),
               static_cast<std::int32_t>(expr.arguments[1]),
               static_cast<std::int32_t>(expr.arguments[2])};
  } else if (row.function == Function::tma_swizzle) {
    swizzle = *tma_swizzle(std::to_string(row.parameter) + "B");
  }
  for_each_lane(mask_ & out.known, [&](unsigned lane) {
    const auto number = [&](std::size_t i) {
      return static_cast<std::uint64_t>(arguments[i].lanes[lane]);
    };
    std::uint64_t result = swizzle(number(0));
    if (row.function == Function::triton_swizzle) {
      const TritonSwizzled triton{number(3), number(4), number(5)};
      if (triton.vec == 0 || triton.per_phase == 0 || triton.max_phase == 0) {
        fail(expr.span, "vec, per_phase and max_phase must be at least 1");
        return;
      }
      result = triton(number(0), number(1), number(2));
    } else if (row.function == Function::nvmma) {
      const std::uint64_t bytes = number(3);
      if (bytes != 16 && bytes != 32 && bytes != 64 && bytes != 128) {
        fail(expr.span, "swizzle_bytes must be 16 (no swizzle), 32, 64 or 128");
        return;
      }
      result = nvmma_offset(number(0), number(1), number(2), bytes);
    }
    out.lanes[lane] = static_cast<std::int64_t>(result);
  });
  return out;
}

void Evaluator::compare_and_swap_loop(const Expr& expr, std::uint8_t width, const Value& address) {
  // What sm_90 code does: load, compute, compare-and-swap, again for the lanes that lost.
  const LaneMask all = mask_;
  EventShape shape;
  shape.op = Operation::cas_spin;
  shape.width = width;
  shape.offsets.assign(address.lanes.begin(), address.lanes.end());
  while (mask_ != 0 && !failed()) {
    Access one;
    one.width = width;
    one.address = &address;
    one.op = Operation::load;
    access(expr, one);
    one.op = Operation::cas_spin;
    access(expr, one);
    shape.active = mask_;
    if (!failed()) mask_ &= ~retry_winners(shape, Event{}, machine_.shared);
    if (!step(expr.span)) break;
  }
  mask_ = failed() ? 0 : all;
}

Value Evaluator::atomic(const FunctionRow& row, const Expr& expr,
                        const std::vector<Value>& arguments, bool result_used) {
  const Place target = pointed_to(arguments[0], expr.child(0).span);
  if (failed()) return unknown(nullptr);
  const Type& type = *target.type;
  if (type.size != 4 && type.size != 8 && type.size != 2) {
    fail(expr.child(0).span, "there is no atomic operation on " + type.name);
    return unknown(nullptr);
  }
  Access one;
  one.width = static_cast<std::uint8_t>(type.size);
  one.address = &target.address;
  const bool exchange = row.name == "atomicExch";
  const bool native = type.size == 4 && (type.is(TypeKind::integer) || exchange);
  if (target.address.origin.space == Space::global) {
    one.op = Operation::global_atomic;
    access(expr, one);
  } else if (row.function == Function::atomic_cas) {
    one.op = Operation::cas;
    access(expr, one);
  } else if (native || exchange) {
    // ptxas has an instruction of its own for the counting of a constant 1.
    const bool counts =
        row.name == "atomicAdd" && !result_used && arguments.size() > 1 && is_one(expr.child(1));
    one.op = result_used || exchange ? Operation::atomic
             : counts                ? Operation::increment
                                     : Operation::reduce;
    access(expr, one);
  } else {
    compare_and_swap_loop(expr, static_cast<std::uint8_t>(std::max<std::uint64_t>(type.size, 4)),
                          target.address);
  }
  return unknown(target.type);
}

void Evaluator::matrix(const FunctionRow& row, const Expr& expr,
                       const std::vector<Value>& arguments) {
  const Value* address = address_argument(expr, arguments, Space::shared);
  if (address == nullptr) return;
  Access one;
  one.op = row.function == Function::ldmatrix ? Operation::ldmatrix : Operation::stmatrix;
  one.width = 16;
  one.matrices = static_cast<std::uint8_t>(row.parameter);
  one.flags = row.transposed ? std::uint8_t{kTransposed} : std::uint8_t{0};
  one.address = address;
  one.addressed = first_lanes(8U * row.parameter);  // the rows; other lanes' addresses are ignored
  access(expr, one);
}

void Evaluator::copy(const FunctionRow& row, const Expr& expr,
                     const std::vector<Value>& arguments) {
  if (arguments[0].origin.space != Space::shared || arguments[1].origin.space != Space::global) {
    fail(expr.span, "expected a shared destination and a global source",
         "write " + std::string(row.usage) + " with a declared pointer: float* g;");
    return;
  }
  std::int64_t bytes = row.parameter;
  if (bytes == 0 && !expr.arguments.empty()) {
    bytes = expr.arguments[0];
  } else if (bytes == 0 && arguments.size() > 2) {
    bytes = uniform(arguments[2], expr.child(2).span, "the number of bytes");
  } else if (bytes == 0 && arguments[0].is_pointer()) {
    bytes = static_cast<std::int64_t>(arguments[0].type->element->size);
  }
  if (failed()) return;
  if (bytes != 4 && bytes != 8 && bytes != 16) {
    fail(expr.span, "cp.async copies 4, 8 or 16 bytes a lane, not " + std::to_string(bytes));
    return;
  }
  Access one;
  const bool bypass = row.function == Function::cp_async_cg ||
                      (row.function == Function::memcpy_async && bytes == 16);
  one.op = bypass ? Operation::cp_async_cg : Operation::cp_async_ca;
  one.width = static_cast<std::uint8_t>(bytes);
  one.address = arguments.data();
  one.source = &arguments[1];
  access(expr, one);
}

void Evaluator::synchronise(const FunctionRow& row, const Expr& expr,
                            const std::vector<Value>& arguments) {
  switch (row.function) {
    case Function::commit:
      event(expr, Operation::cp_async_commit, 0, 0);
      break;
    case Function::wait: {
      std::int64_t groups = 0;
      if (row.parameter == 0 && !expr.arguments.empty()) groups = expr.arguments[0];
      if (row.parameter == 0 && !arguments.empty()) {
        groups = uniform(arguments[0], expr.child(0).span, "the number of groups");
      }
      if (!failed()) event(expr, Operation::cp_async_wait, static_cast<std::uint64_t>(groups), 0);
      break;
    }
    case Function::sync_threads:
      event(expr, Operation::barrier_sync, 0, 0);
      break;
    default: {
      std::uint64_t mask = first_lanes(lanes_);
      if (!arguments.empty()) {
        mask = static_cast<std::uint32_t>(uniform(arguments[0], expr.child(0).span, "the mask"));
      }
      if (failed()) break;
      event(expr, row.function == Function::sync_warp ? Operation::warp_sync : Operation::shuffle,
            mask, 0);
      break;
    }
  }
}

}  // namespace smemsim::expr
