// Integer arithmetic of C on one value: promotions, wrap-around, comparisons.
#pragma once

#include <cstdint>

#include "frontend/expr/ast.hpp"

namespace smemsim::expr {

/// An integer type by size in bytes (1, 2, 4, 8) and signedness. A value of the type is kept in an
/// int64: sign- or zero-extended; 8-byte unsigned values as their bit pattern.
struct IntType {
  std::uint8_t size = 4;
  bool is_signed = true;
  friend bool operator==(const IntType&, const IntType&) = default;
};

inline IntType int_type(const Type& type) {
  return {static_cast<std::uint8_t>(type.size), type.is_signed};
}

/// Types below int become int.
IntType promote(IntType type);
/// The usual arithmetic conversions.
IntType common_type(IntType a, IntType b);
/// The value converted to the type: modulo 2^bits.
std::int64_t wrap(IntType type, std::int64_t value);

enum class ArithmeticError : std::uint8_t { none, divide_by_zero, shift_count };

/// a op b for operands already of `type` (for shifts: `type` is that of a). Comparisons and the
/// logical operators give 0 or 1. Overflow wraps around.
ArithmeticError apply(Op op, IntType type, std::int64_t a, std::int64_t b, std::int64_t& out);

/// True for < > <= >= == != && || whose result is int whatever the operands are.
bool gives_truth(Op op);

}  // namespace smemsim::expr
