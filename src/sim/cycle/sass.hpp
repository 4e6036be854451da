// What the cycle model needs to know of one machine instruction (sm_70 and later).
//
// Control bits of the 128-bit word: 105..108 stall count, 109 yield (inverted), 110..112 write
// barrier, 113..115 read barrier (7 = none), 116..121 wait mask.
// Source: Mesa, src/nouveau/compiler/nak/sm70_encode.rs, set_instr_deps.
#pragma once

#include <array>
#include <cstdint>
#include <initializer_list>
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
  bulk_mark,  ///< UTMACMDFLUSH: the same for bulk stores
  match,      ///< MATCH: its time depends on the values
  shuffle,    ///< goes through the memory queue without the data stage
  special,    ///< S2R, S2UR, LDC: one unit of the SM gives special registers and constants
  barrier,    ///< BAR
  depend,     ///< DEPBAR: waits for scoreboard `depend_on` to have at most `depend_count`
  sync,       ///< SYNCS, UBLKCP, and what else needs the event to know
  fence,      ///< MEMBAR, FENCE
  branch,
  exit,
};

/// What an instruction does to a loop counter.
struct CounterStep {
  enum class Kind : std::uint8_t { none, set, add, test };
  enum class Test : std::uint8_t { ne, eq, lt, le, gt, ge };
  Kind kind = Kind::none;
  Test test = Test::ne;
  std::int16_t counter = -1;    ///< register; uniform ones are numbered from 256
  std::int16_t predicate = -1;  ///< that a test writes; uniform ones from 8
  std::int64_t value = 0;       ///< set to, added, or compared with
};

inline constexpr std::uint8_t kNoArrival = 255, kArrivalSomewhere = 254;  // the id is in a register

/// A register that an instruction of fixed latency reads.
struct SourceRegister {
  static constexpr std::uint8_t kNone = 255;
  std::uint8_t number = kNone;
  bool reuse = false;  ///< kept for the warp's next instruction, in this place of the operands
};
inline constexpr std::size_t kSources = 3;

struct Decoded {
  InstructionKind kind = InstructionKind::plain;
  Pipe pipe = Pipe::control;
  float interval = 1;      ///< cycles that the pipe is taken
  float latency = 0;       ///< to the release of the write barrier, of kinds without memory
  std::uint8_t stall = 1;  ///< cycles to the next instruction of the warp
  bool yield = false;
  std::uint8_t write_barrier = 7, read_barrier = 7;  ///< 7 = none
  std::uint8_t wait_mask = 0;
  std::array<SourceRegister, kSources> sources;  ///< of fma, alu and half; by place
  bool reads_registers = false;                  ///< any of them
  std::uint8_t operands = 1;                     ///< registers that go to the memory queue
  std::uint8_t results = 1;                      ///< registers that come back
  std::uint8_t depend_on = 7, depend_count = 0;
  /// BAR.ARV, which traces may lack: its barrier and its threads (0: in a register).
  std::uint8_t arrives_at = kNoArrival;
  std::uint16_t arrive_threads = 0;
  /// BAR: the warp goes on, up to the next instruction that is held by a barrier.
  bool defers_blocking = false;
  bool held_by_barrier = false;
  bool off = false;      ///< guarded by the predicate that is never true
  bool guarded = false;  ///< has a predicate
  /// Of a guarded S2R or LDC: as many instructions on, the same guard is that of an access that
  /// would have left an event. 0: none is known.
  std::uint8_t off_with = 0;
  bool reconverges = false;   ///< BSYNC: parts of the warp wait for each other
  bool always = true;         ///< falls through or is taken whatever the predicate: no guard
  bool merging = false;       ///< an atomic that serves all lanes on one word together
  bool clock = false;         ///< reads the SM's clock
  bool device_fence = false;  ///< MEMBAR for the GPU or the system
  std::int32_t constant_line =
      -1;                    ///< of an LDC with a constant address: bank << 16 | 64-byte line
  bool invalidates = false;  ///< CCTL.IVALL: empties L1
  bool by_l2 = false;        ///< global access that does not look in L1
  std::uint32_t pc = 0;
  CounterStep counter;
  std::int16_t writes = -1;           ///< first destination register, numbered like the counter
  std::int16_t guard_predicate = -1;  ///< of a guard or a branch, numbered like the test's
  bool guard_negated = false;
  std::int32_t target = -1;  ///< index of the branch target, -1 = none or unknown
  std::int32_t callee = -1;  ///< of a CALL: index of the function's first instruction, likewise
  bool returns = false;      ///< RET
  bool rare = false;         ///< only a NaN leads there
};

bool mentions(std::string_view text, std::string_view part);

/// Whether `base` is one of the names.
bool is_any(std::string_view base, std::initializer_list<std::string_view> names);

/// First word of the opcode of a disassembled instruction: "LDS" of "@P0 LDS.64 R2, [R4]".
std::string_view base_opcode(std::string_view text);

/// Fills the counter fields from the operands (sass_counter.cpp).
void decode_counter(std::string_view guard, std::string_view opcode, std::string_view operands,
                    Decoded& out);

/// Fills Decoded::rare, once the targets are known (sass_rare.cpp).
void mark_rare(const Program& program, std::vector<Decoded>& code);

Decoded decode(const ProgramInstruction& instruction, const CycleParameters& parameters);

/// All instructions with branch targets resolved to indices.
std::vector<Decoded> decode(const Program& program, const CycleParameters& parameters);

}  // namespace smemsim
