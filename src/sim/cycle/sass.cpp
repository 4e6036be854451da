#include "sim/cycle/sass.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <utility>

namespace smemsim {
namespace {

struct Text {
  std::string_view guard, opcode, operands;
};

Text split(std::string_view text) {
  Text out;
  const auto skip = [&] {
    while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  };
  const auto word = [&] {
    const std::size_t end = std::min(text.find_first_of(" ;"), text.size());
    const std::string_view found = text.substr(0, end);
    text.remove_prefix(end);
    return found;
  };
  skip();
  if (text.starts_with('@')) {
    out.guard = word();
    skip();
  }
  out.opcode = word();
  skip();
  out.operands = text;
  return out;
}

constexpr std::int64_t kConstantLine = 64;

unsigned width_registers(std::string_view opcode) {
  if (mentions(opcode, ".128")) return 4;
  return mentions(opcode, ".64") ? 2 : 1;
}

struct Row {
  std::string_view opcode;
  Pipe pipe;
  double CycleParameters::*interval;
  double CycleParameters::*latency;
};

using P = CycleParameters;
// The longest matching prefix wins, so that families need one row.
constexpr std::array kRows{
    Row{"FFMA", Pipe::fma, &P::fma_interval, nullptr},
    Row{"FADD", Pipe::fma, &P::fma_interval, nullptr},
    Row{"FMUL", Pipe::fma, &P::fma_interval, nullptr},
    Row{"IMAD", Pipe::fma, &P::imad_interval, nullptr},
    Row{"IDP", Pipe::fma, &P::imad_interval, nullptr},
    Row{"HFMA2", Pipe::half, &P::half_interval, nullptr},
    Row{"HADD2", Pipe::half, &P::half_interval, nullptr},
    Row{"HMUL2", Pipe::half, &P::half_interval, nullptr},
    Row{"D", Pipe::fp64, &P::double_interval, &P::other_latency},
    Row{"MUFU", Pipe::xu, &P::xu_interval, &P::xu_latency},
    Row{"POPC", Pipe::xu, &P::xu_interval, &P::bit_latency},
    Row{"FLO", Pipe::xu, &P::xu_interval, &P::bit_latency},
    Row{"BREV", Pipe::xu, &P::xu_interval, &P::bit_latency},
    Row{"F2I", Pipe::xu, &P::xu_interval, &P::xu_latency},
    Row{"I2F", Pipe::xu, &P::xu_interval, &P::xu_latency},
    Row{"I2FP", Pipe::alu, &P::alu_interval, nullptr},
    Row{"F2FP", Pipe::alu, &P::alu_interval, nullptr},
    Row{"F2F", Pipe::xu, &P::xu_interval, &P::xu_latency},
    Row{"FRND", Pipe::xu, &P::xu_interval, &P::xu_latency},
    Row{"I2I", Pipe::xu, &P::xu_interval, &P::xu_latency},
    Row{"HMMA", Pipe::tensor, &P::tensor16_interval, nullptr},
    Row{"IMMA", Pipe::tensor, &P::tensor16_interval, nullptr},
    Row{"S2R", Pipe::memory, nullptr, &P::special_register_latency},
    Row{"S2UR", Pipe::memory, nullptr, &P::special_register_latency},
    Row{"LDC", Pipe::memory, nullptr, &P::constant_latency},
    Row{"CS2R", Pipe::control, &P::alu_interval, nullptr},
    Row{"REDUX", Pipe::alu, &P::alu_interval, &P::redux_latency},
    Row{"R2UR", Pipe::alu, &P::alu_interval, &P::other_latency},
    Row{"NOP", Pipe::control, nullptr, nullptr},
    Row{"BSSY", Pipe::control, nullptr, nullptr},
    Row{"WARPSYNC", Pipe::control, nullptr, nullptr},
    Row{"ULDC", Pipe::uniform, nullptr, nullptr},
    Row{"U", Pipe::uniform, &P::uniform_interval, &P::other_latency},
};

void decode_memory(const Text& text, std::string_view base, Decoded& out) {
  using Kind = InstructionKind;
  const unsigned words = width_registers(text.opcode);
  const auto set = [&](Kind kind, unsigned operands, unsigned results) {
    out.kind = kind;
    out.pipe = Pipe::memory;
    out.operands = static_cast<std::uint8_t>(operands);
    out.results = static_cast<std::uint8_t>(results);
  };
  const unsigned matrices = mentions(text.opcode, ".4") ? 4 : mentions(text.opcode, ".2") ? 2 : 1;
  if (base == "LDS") set(Kind::shared, 1, words);
  if (base == "STS") set(Kind::shared, 1 + words, 0);
  if (base == "LDSM") set(Kind::shared, 1, matrices);
  if (base == "STSM") set(Kind::shared, 1 + matrices, 0);
  if (base == "ATOMS") {
    const bool cas = mentions(text.opcode, "CAS");
    set(Kind::shared, cas ? 1 + 2 * words : 2, words);
  }
  if (is_any(base, {"LDG", "LD", "LDL"})) set(Kind::global, base == "LDL" ? 1 : 2, words);
  if (is_any(base, {"STG", "ST", "STL"})) set(Kind::global, (base == "STL" ? 1 : 2) + words, 0);
  if (is_any(base, {"ATOMG", "ATOM", "RED"})) set(Kind::global, 2 + words, base == "RED" ? 0 : 1);
  if (base == "LDGSTS") set(Kind::copy, 3, 0);
  if (base == "SHFL") set(Kind::shuffle, 2, 1);
  if (base == "LDC") set(Kind::special, 1, words);
  if (is_any(base, {"S2R", "S2UR"})) set(Kind::special, 0, 1);
  // A load that is coherent within the SM finds its line in L1 as any other does.
  const bool coherent = mentions(text.opcode, "STRONG") && !mentions(text.opcode, "STRONG.SM");
  out.by_l2 = coherent || mentions(text.opcode, "BYPASS") || base == "RED" || base == "ATOMG" ||
              base == "ATOM";
}

std::int64_t trailing_number(std::string_view text, std::string_view before) {
  const std::size_t at = text.find(before);
  if (at == std::string_view::npos) return -1;
  std::string_view rest = text.substr(at + before.size());
  int base = 10;
  if (rest.starts_with("0x")) {
    rest.remove_prefix(2);
    base = 16;
  }
  std::int64_t value = -1;
  const auto result = std::from_chars(rest.data(), rest.data() + rest.size(), value, base);
  return result.ec == std::errc() ? value : -1;
}

/// Sources of the forms with one register of result and up to three of operands; what else the
/// operands hold (predicates, constants, uniform registers) is not read from the register file.
std::array<SourceRegister, kSources> sources_of(std::string_view operands) {
  std::array<SourceRegister, kSources> out;
  std::size_t place = 0;
  bool result = true;
  while (!operands.empty() && place < kSources) {
    const std::size_t comma = operands.find(',');
    std::string_view one = operands.substr(0, comma);
    operands.remove_prefix(comma == std::string_view::npos ? operands.size() : comma + 1);
    one.remove_prefix(std::min(one.find_first_not_of(" -|~!"), one.size()));
    if (one.starts_with('P') || one.starts_with("UP")) continue;  // written or read apart
    if (std::exchange(result, false)) continue;
    SourceRegister& source = out[place++];
    const std::int64_t number = one.starts_with('R') ? trailing_number(one, "R") : -1;
    if (number < 0 || number >= SourceRegister::kNone) continue;
    source.number = static_cast<std::uint8_t>(number);
    source.reuse = mentions(one, ".reuse");
  }
  return out;
}

void decode_control(const Text& text, std::string_view base, Decoded& out) {
  using Kind = InstructionKind;
  if (is_any(base, {"BRA", "JMP", "BRX", "JMX", "CALL", "RET", "BREAK"})) out.kind = Kind::branch;
  if (base == "EXIT") out.kind = Kind::exit;
  if (base == "MATCH") out.kind = Kind::match;
  if (base == "BAR") out.kind = Kind::barrier;
  if (text.opcode.starts_with("BAR.ARV")) {
    const std::int64_t id = trailing_number(text.operands, "");
    const std::size_t comma = text.operands.find(", ");
    const std::int64_t threads =
        comma == std::string_view::npos ? 0 : trailing_number(text.operands.substr(comma), ", ");
    const bool known = id >= 0 && id < 16 && threads >= 0;
    out.arrives_at = known ? static_cast<std::uint8_t>(id) : kArrivalSomewhere;
    out.arrive_threads = static_cast<std::uint16_t>(std::max<std::int64_t>(threads, 0));
  }
  out.reconverges = base == "BSYNC";
  if (base == "LDGDEPBAR") out.kind = Kind::copy_mark;
  if (is_any(base, {"SYNCS", "UBLKCP", "UBLKRED", "UTMALDG", "UTMASTG", "ARRIVES", "UCGABAR_ARV",
                    "UCGABAR_WAIT", "HGMMA", "WARPGROUP"})) {
    out.kind = Kind::sync;
  }
  if (base == "UTMACMDFLUSH") out.kind = Kind::bulk_mark;
  if (is_any(base, {"MEMBAR", "FENCE", "ERRBAR", "CCTL"})) out.kind = Kind::fence;
  if (base == "DEPBAR") {
    out.kind = Kind::depend;
    const std::int64_t board = trailing_number(text.operands, "SB");
    if (board >= 0 && board < 6) out.depend_on = static_cast<std::uint8_t>(board);
    const std::int64_t count = trailing_number(text.operands, ", ");
    out.depend_count = static_cast<std::uint8_t>(std::clamp<std::int64_t>(count, 0, 63));
  }
}

}  // namespace

std::string_view name(Pipe pipe) {
  static constexpr std::array<std::string_view, kPipes> kNames{
      "fma", "alu", "half", "fp64", "xu", "tensor", "uniform", "memory", "control"};
  return kNames[static_cast<std::size_t>(pipe)];
}

bool mentions(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

bool is_any(std::string_view base, std::initializer_list<std::string_view> names) {
  return std::find(names.begin(), names.end(), base) != names.end();
}

std::string_view base_opcode(std::string_view text) {
  const std::string_view opcode = split(text).opcode;
  return opcode.substr(0, opcode.find('.'));
}

Decoded decode(const ProgramInstruction& instruction, const CycleParameters& parameters) {
  const Text text = split(instruction.text);
  const std::string_view base = text.opcode.substr(0, text.opcode.find('.'));
  Decoded out;
  out.pc = instruction.pc;
  const std::uint64_t control = instruction.encoding_high >> 41;
  const auto bits = [&](unsigned at, unsigned count) {
    return static_cast<std::uint8_t>(control >> at & ((1U << count) - 1));
  };
  out.stall = std::max<std::uint8_t>(bits(0, 4), 1);
  out.yield = bits(4, 1) == 0;
  out.write_barrier = bits(5, 3);
  out.read_barrier = bits(8, 3);
  out.wait_mask = bits(11, 6);
  out.guarded = !text.guard.empty() && text.guard != "@PT";
  out.always = !out.guarded;
  out.off = text.guard == "@!PT" || text.guard == "@!UPT";

  out.pipe = Pipe::alu;
  out.interval = static_cast<float>(parameters.alu_interval);
  std::size_t longest = 0;
  for (const Row& row : kRows) {
    if (!base.starts_with(row.opcode) || row.opcode.size() < longest) continue;
    longest = row.opcode.size();
    out.pipe = row.pipe;
    out.interval = row.interval == nullptr ? 1.0F : static_cast<float>(parameters.*row.interval);
    out.latency = row.latency == nullptr ? 0.0F : static_cast<float>(parameters.*row.latency);
  }
  if (base == "IMAD" && (mentions(text.opcode, ".WIDE") || mentions(text.opcode, ".HI"))) {
    out.interval = static_cast<float>(parameters.imad_wide_interval);
  }
  if ((base == "HMMA" || base == "IMMA") &&
      (mentions(text.opcode, ".1688") || mentions(text.opcode, ".8816") ||
       mentions(text.opcode, ".16816.S8"))) {
    out.interval = static_cast<float>(mentions(text.opcode, "TF32") ? parameters.tensor16_interval
                                                                    : parameters.tensor8_interval);
  }
  if (out.pipe == Pipe::fma || out.pipe == Pipe::alu || out.pipe == Pipe::half) {
    out.sources = sources_of(text.operands);
    for (const SourceRegister& source : out.sources) {
      out.reads_registers = out.reads_registers || source.number != SourceRegister::kNone;
    }
  }
  decode_memory(text, base, out);
  decode_control(text, base, out);
  out.merging = base == "ATOMS" && mentions(text.opcode, "POPC.INC");
  decode_counter(text.guard, text.opcode, text.operands, out);
  out.clock = base == "CS2R" && mentions(text.operands, "SR_CLOCK");
  const std::string_view first = text.operands.substr(0, 2);
  if (out.kind == InstructionKind::branch &&
      (first.starts_with('P') || first.starts_with('!') || first == "UP")) {
    out.always = false;
  }
  if (base == "LDC") {
    const std::int64_t bank = trailing_number(text.operands, "c[");
    const std::int64_t offset = trailing_number(text.operands, "][");
    if (bank >= 0 && offset >= 0) {
      out.constant_line = static_cast<std::int32_t>(bank << 16 | offset / kConstantLine);
    }
  }
  if (out.kind == InstructionKind::fence) {
    out.device_fence =
        base == "MEMBAR" && (mentions(text.opcode, "GPU") || mentions(text.opcode, "SYS"));
    out.invalidates = mentions(text.opcode, "IVALL");
  }
  if (out.kind != InstructionKind::plain && out.pipe != Pipe::memory) {
    out.pipe = Pipe::control;
    out.interval = 1;
  }
  if (out.pipe == Pipe::memory) out.interval = 1;
  // Measured with the probe barrier_run_ahead: behind a barrier, arithmetic of fixed latency issues
  // before the barrier is complete; memory, special functions, S2R, branches and barriers do not.
  out.defers_blocking = parameters.barrier_run_ahead > 0 && mentions(text.opcode, "DEFER_BLOCKING");
  out.held_by_barrier = out.kind != InstructionKind::plain || out.pipe == Pipe::xu ||
                        out.write_barrier < 6 || out.read_barrier < 6;
  if (out.write_barrier < 6 && out.latency == 0)
    out.latency = static_cast<float>(parameters.other_latency);
  return out;
}

namespace {

/// Fills Decoded::off_with, up to where the predicate may change or the way may part.
void find_guards(const Program& program, std::vector<Decoded>& code) {
  for (std::size_t i = 0; i < code.size(); ++i) {
    Decoded& one = code[i];
    if (one.kind != InstructionKind::special || one.guard_predicate < 0) continue;
    const Text text = split(program.instructions[i].text);
    const std::string_view predicate = text.guard.substr(text.guard.find_first_of("PU"));
    const std::size_t end = std::min(code.size(), i + 255);
    for (std::size_t j = i + 1; j < end; ++j) {
      const Text other = split(program.instructions[j].text);
      const InstructionKind kind = code[j].kind;
      const bool access = kind == InstructionKind::shared || kind == InstructionKind::global ||
                          kind == InstructionKind::copy;
      if (other.guard == text.guard && access) {
        one.off_with = static_cast<std::uint8_t>(j - i);
        break;
      }
      if (mentions(other.operands, predicate) || kind == InstructionKind::branch) break;
    }
  }
}

}  // namespace

std::vector<Decoded> decode(const Program& program, const CycleParameters& parameters) {
  std::vector<Decoded> out;
  out.reserve(program.instructions.size());
  for (const ProgramInstruction& instruction : program.instructions) {
    out.push_back(decode(instruction, parameters));
  }
  const auto index_of = [&](std::int64_t pc) -> std::int32_t {
    const auto found = std::lower_bound(
        out.begin(), out.end(), pc, [](const Decoded& d, std::int64_t at) { return d.pc < at; });
    return found != out.end() && found->pc == pc ? static_cast<std::int32_t>(found - out.begin())
                                                 : -1;
  };
  for (std::size_t i = 0; i < out.size(); ++i) {
    if (out[i].kind != InstructionKind::branch) continue;
    const std::string& text = program.instructions[i].text;
    const std::size_t at = text.rfind("0x");
    if (at != std::string::npos)
      out[i].target = index_of(trailing_number(std::string_view(text).substr(at), ""));
    out[i].returns = base_opcode(text) == "RET";
    if (base_opcode(text) == "CALL") std::swap(out[i].target, out[i].callee);
    if (out[i].returns) out[i].target = -1;
  }
  find_guards(program, out);
  mark_rare(program, out);
  return out;
}

}  // namespace smemsim
