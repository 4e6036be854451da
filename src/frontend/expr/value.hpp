// Values of the evaluator: one number per lane, and what is known of it.
#pragma once

#include <array>
#include <cstdint>

#include "frontend/expr/ast.hpp"
#include "sim/lanes.hpp"

namespace smemsim::expr {

using Lanes = std::array<std::int64_t, kMaxLanes>;

enum class Space : std::uint8_t { none, shared, global };

/// What an address points into.
struct Origin {
  Space space = Space::none;
  std::int64_t symbol = -1;  ///< of the shared or global array; -1 = none in particular

  friend bool operator==(const Origin&, const Origin&) = default;
};

struct Value {
  const Type* type = nullptr;
  LaneMask known = 0;  ///< lanes whose number is known
  Origin origin;       ///< of pointers, and of integers made from pointers
  Lanes lanes{};

  bool is_pointer() const { return type->is(TypeKind::pointer); }
  bool is_integer() const { return type->is(TypeKind::integer); }
};

/// Something that can be read or written: bytes in memory, or a lane's own variable.
struct Place {
  const Type* type = nullptr;
  bool in_memory = false;
  bool whole = true;      ///< variables: false for a member or element, whose value is not followed
  SymbolId variable = 0;  ///< when not in memory
  Value address;          ///< when in memory; type = pointer
};

}  // namespace smemsim::expr
