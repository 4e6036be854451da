// What the race checker reads in the text of machine instructions.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "sim/launch.hpp"

namespace smemsim {

/// "@!P1 BAR.ARV 0x3, 0x100" taken apart.
struct SassText {
  std::string_view opcode;  ///< "BAR.ARV"
  std::string_view name;    ///< "BAR"
  std::vector<std::string_view> operands;
  bool guarded = false;

  /// Whether the opcode has this part after its name.
  bool has(std::string_view part) const;
};
SassText parse_sass(std::string_view text);

/// 0x100 or 256; nothing for registers.
std::optional<std::uint64_t> sass_number(std::string_view operand);

/// Indices of plain shared loads whose value is what a compare-and-swap of the same address expects
/// and that swap is tried again in a loop: together an atomic update, as compilers make of atomics
/// that the hardware lacks.
std::vector<std::size_t> cas_loop_loads(const Program& program);

}  // namespace smemsim
