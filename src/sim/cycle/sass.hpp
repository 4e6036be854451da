// What the cycle model needs to know of one machine instruction (sm_70 and later).
//
// Control bits of the 128-bit word: 105..108 stall count, 109 yield (inverted), 110..112 write
// barrier, 113..115 read barrier (7 = none), 116..121 wait mask.
// Source: Mesa, src/nouveau/compiler/nak/sm70_encode.rs, set_instr_deps.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "sim/cycle/cycle_parameters.hpp"
#include "sim/launch.hpp"

namespace smemsim {

/// What executes an instruction.
enum class Pipe : std::uint8_t {
  fma,
  alu,
  half,
  fp64,
  xu,
  tensor,
  uniform,
  memory,
  control,
  count_
};
inline constexpr std::size_t kPipes = static_cast<std::size_t>(Pipe::count_);
std::string_view name(Pipe pipe);

/// What kind of step it is for the model.
enum class InstructionKind : std::uint8_t {
  plain,      ///< fixed or scoreboard latency on a pipe
  shared,     ///< load, store, atomic, matrix access of shared memory
  global,     ///< global, generic or local access
  copy,       ///< LDGSTS
  copy_mark,  ///< LDGDEPBAR: its scoreboard follows the copies so far
  shuffle,    ///< goes through the memory queue without the data stage
  constant,   ///< LDC
  barrier,    ///< BAR
  depend,     ///< DEPBAR: waits for scoreboard `depend_on` to have at most `depend_count`
  sync,       ///< SYNCS, UBLKCP, and what else needs the event to know
  fence,      ///< MEMBAR, FENCE
  branch,
  exit,
};

struct Decoded {
  InstructionKind kind = InstructionKind::plain;
  Pipe pipe = Pipe::control;
  float interval = 1;      ///< cycles that the pipe is taken
  float latency = 0;       ///< to the release of the write barrier, of kinds without memory
  std::uint8_t stall = 1;  ///< cycles to the next instruction of the warp
  bool yield = false;
  std::uint8_t write_barrier = 7, read_barrier = 7;  ///< 7 = none
  std::uint8_t wait_mask = 0;
  std::uint8_t operands = 1;  ///< registers that go to the memory queue
  std::uint8_t results = 1;   ///< registers that come back
  std::uint8_t depend_on = 7, depend_count = 0;
  bool guarded = false;   ///< has a predicate
  bool always = true;     ///< falls through or is taken whatever the predicate: no guard
  bool recorded = false;  ///< of a kind that traces record as events
  bool by_l2 = false;     ///< global access that does not look in L1
  std::uint32_t pc = 0;
  std::int32_t target = -1;  ///< index of the branch target, -1 = none or unknown
};

/// First word of the opcode of a disassembled instruction: "LDS" of "@P0 LDS.64 R2, [R4]".
std::string_view base_opcode(std::string_view text);

Decoded decode(const ProgramInstruction& instruction, const CycleParameters& parameters);

/// All instructions with branch targets resolved to indices.
std::vector<Decoded> decode(const Program& program, const CycleParameters& parameters);

}  // namespace smemsim
