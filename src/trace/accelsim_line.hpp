// One instruction line of an Accel-Sim trace, taken apart (docs/accelsim.md).
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include "sim/lanes.hpp"
#include "sim/result.hpp"

namespace smemsim::trace {

inline constexpr unsigned kAccelsimLanes = 32;

/// The text of the line must outlive it.
struct AccelsimLine {
  std::uint32_t source_line = 0;  ///< 0 = unknown
  std::uint32_t pc = 0;           ///< byte offset in its function
  LaneMask active = 0;            ///< lanes that are active and whose predicate is true
  std::string_view opcode;
  std::uint32_t sources = 0;  ///< registers read
  bool drops_result = false;  ///< the destination is RZ, or comes as a source (after a predicate)
  /// By lane; only those of active lanes, and only when `has_addresses`.
  std::array<std::uint64_t, kAccelsimLanes> addresses{};
  bool has_addresses = false;
  /// Immediate operands: the last one, and from version 6 a second.
  std::int64_t immediate = 0, immediate2 = 0;
};

/// How the lines of a file are laid out, from its header.
struct AccelsimLayout {
  unsigned version = 0;    ///< of the tracer; 0 = not told
  bool line_info = false;  ///< lines begin with a source line
};

/// Splits at blanks.
class AccelsimWords {
 public:
  explicit AccelsimWords(std::string_view text) : rest_(text) {}
  /// The next word; empty at the end.
  std::string_view next();
  bool at_end();

 private:
  std::string_view rest_;
};

/// Numbers as the tracer prints them; false when the word is none.
bool accelsim_decimal(std::string_view word, std::int64_t& value);
/// With or without 0x.
bool accelsim_hexadecimal(std::string_view word, std::uint64_t& value);

/// Parses what follows the position of the warp. Errors have no place.
Status parse_accelsim_line(AccelsimWords words, const AccelsimLayout& layout, AccelsimLine& out);

}  // namespace smemsim::trace
