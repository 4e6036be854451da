// What the SASS opcodes of an Accel-Sim trace mean to a trace of warp events. The text form names
// an instruction by its opcode alone ("LDS.U.128"), without operands.
#pragma once

#include <cstdint>
#include <string_view>

#include "sim/operation.hpp"

namespace smemsim::trace {

enum class AccelsimKind : std::uint8_t {
  plain,       ///< an issue slot
  unmodelled,  ///< touches shared memory or orders accesses in a way that the text does not tell
  unknown,     ///< no opcode that this reader knows
  shared,      ///< LDS, STS, ATOMS: addresses in the block's window
  matrix,      ///< LDSM, STSM
  global,      ///< LDG, STG, ATOMG, RED
  generic,     ///< LD, ST, ATOM: each address tells which memory
  copy,        ///< LDGSTS
  copy_commit,
  copy_wait,  ///< DEPBAR: waits for copies where the warp made any
  copy_arrive,
  block_barrier,
  warp_barrier,
  shuffle,
  cluster_arrive,
  cluster_wait,
  proxy_fence,
  exit,
};

struct AccelsimOpcode {
  AccelsimKind kind = AccelsimKind::unknown;
  Operation op = Operation::instructions;  ///< on shared memory, for kinds that have addresses
  std::uint8_t width = 0;                  ///< bytes per lane; 16 per row for matrices
  std::uint8_t matrices = 0;
  std::uint8_t flags = 0;  ///< EventFlags
  bool all_lanes = false;  ///< warp barriers: of the whole warp, whatever the operand
};

/// `opcode` with its modifiers, as the tracer writes it.
AccelsimOpcode accelsim_opcode(std::string_view opcode);

/// "LDS.U.128" -> "LDS".
std::string_view accelsim_base(std::string_view opcode);

/// Whether the opcode has this modifier: "ATOMS.CAS.64" has "CAS".
bool accelsim_has(std::string_view opcode, std::string_view modifier);

}  // namespace smemsim::trace
