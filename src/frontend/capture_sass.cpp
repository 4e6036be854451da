#include "frontend/capture_sass.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <map>

namespace smemsim::capture {
namespace {

std::string_view trim(std::string_view text) {
  while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) text.remove_prefix(1);
  while (!text.empty() && (text.back() == ' ' || text.back() == '\t' || text.back() == '\r')) {
    text.remove_suffix(1);
  }
  return text;
}

bool starts_with(std::string_view text, std::string_view prefix) {
  return text.substr(0, prefix.size()) == prefix;
}

std::optional<std::uint64_t> hex(std::string_view text) {
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, 16);
  if (text.empty() || error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return value;
}

/// The text between "/*" and "*/" at the start, and what follows.
struct Comment {
  std::string_view inside, after;
};
std::optional<Comment> comment(std::string_view line) {
  if (!starts_with(line, "/*")) return std::nullopt;
  const std::size_t end = line.find("*/");
  if (end == std::string_view::npos) return std::nullopt;
  return Comment{trim(line.substr(2, end - 2)), trim(line.substr(end + 2))};
}

struct Place {
  std::string file;
  std::uint32_t line = 0;
};

/// `//## File "a.cu", line 5 inlined at "b.cu", line 7` -> a.cu, 5.
std::optional<Place> place(std::string_view line) {
  constexpr std::string_view kStart = "//## File \"";
  if (!starts_with(line, kStart)) return std::nullopt;
  line.remove_prefix(kStart.size());
  const std::size_t end = line.find('"');
  constexpr std::string_view kLine = ", line ";
  if (end == std::string_view::npos || line.substr(end + 1, kLine.size()) != kLine) {
    return std::nullopt;
  }
  Place found{std::string(line.substr(0, end)), 0};
  const std::string_view number = line.substr(end + 1 + kLine.size());
  std::from_chars(number.data(), number.data() + number.size(), found.line);
  return found;
}

bool is_library_header(std::string_view path) {
  static constexpr std::array<std::string_view, 5> kMarks{"/targets/", "/usr/include/",
                                                          "/usr/local/cuda", "/lib/gcc/", "/crt/"};
  return std::any_of(kMarks.begin(), kMarks.end(), [&](std::string_view mark) {
    return path.find(mark) != std::string_view::npos;
  });
}

/// Reads the disassembly line by line.
class Parser {
 public:
  void line(std::string_view raw) {
    const std::string_view text = trim(raw);
    if (starts_with(text, ".section ") || starts_with(text, ".section\t")) {  // not .sectionflags
      begin_section(text);
    } else if (starts_with(text, "//##")) {
      if (!in_places_) places_.clear();
      in_places_ = true;
      if (auto found = place(text)) places_.push_back(std::move(*found));
    } else if (!text.empty() && text.back() == ':') {
      labels_[std::string(text.substr(0, text.size() - 1))] = next_pc_;
    } else if (auto start = comment(text)) {
      coded(*start);
    }
  }

  std::vector<Program> finish() {
    end_section();
    return std::move(programs_);
  }

 private:
  void begin_section(std::string_view text) {
    end_section();
    // .section .text._Z4kernPf,"ax",@progbits
    constexpr std::string_view kText = ".text.";
    const std::size_t at = text.find(kText);
    if (at == std::string_view::npos) return;
    std::string_view name = text.substr(at + kText.size());
    name = name.substr(0, name.find_first_of(",\" \t"));
    open_ = true;
    program_ = {};
    program_.function = name;
    files_.clear();
    places_.clear();
    labels_.clear();
    next_pc_ = 0;
  }

  void end_section() {
    if (!open_) return;
    open_ = false;
    for (ProgramInstruction& instruction : program_.instructions) resolve(instruction.text);
    if (!program_.instructions.empty()) programs_.push_back(std::move(program_));
  }

  /// "/*0010*/ S2R R5, SR_TID.X ; /* 0x... */", or the second half of an encoding.
  void coded(const Comment& start) {
    if (!open_) return;
    if (starts_with(start.inside, "0x")) {
      if (const auto high = hex(start.inside.substr(2)); high && !program_.instructions.empty()) {
        program_.instructions.back().encoding_high = *high;
      }
      return;
    }
    const auto pc = hex(start.inside);
    if (!pc) return;
    ProgramInstruction instruction;
    instruction.pc = static_cast<std::uint32_t>(*pc);
    std::string_view text = start.after;
    if (const std::size_t code = text.find("/*"); code != std::string_view::npos) {
      if (const auto low = comment(text.substr(code)); low && starts_with(low->inside, "0x")) {
        instruction.encoding_low = hex(low->inside.substr(2)).value_or(0);
      }
      text = trim(text.substr(0, code));
    }
    if (!text.empty() && text.back() == ';') text = trim(text.substr(0, text.size() - 1));
    instruction.text = text;
    if (!places_.empty()) {
      const auto own = std::find_if(places_.begin(), places_.end(), [](const Place& candidate) {
        return !is_library_header(candidate.file);
      });
      const Place& chosen = own == places_.end() ? places_.front() : *own;
      instruction.file = file_index(chosen.file);
      instruction.line = chosen.line;
    }
    program_.instructions.push_back(std::move(instruction));
    next_pc_ = static_cast<std::uint32_t>(*pc) + 16;
    in_places_ = false;
  }

  std::uint32_t file_index(const std::string& file) {
    const auto [entry, added] =
        files_.try_emplace(file, static_cast<std::uint32_t>(program_.files.size()));
    if (added) program_.files.push_back(file);
    return entry->second;
  }

  /// `(.L_x_3) in the text -> 0x80.
  void resolve(std::string& text) const {
    const std::size_t start = text.find("`(");
    const std::size_t end = start == std::string::npos ? start : text.find(')', start);
    if (end == std::string::npos) return;
    const auto label = labels_.find(text.substr(start + 2, end - start - 2));
    if (label == labels_.end()) return;
    static constexpr char kDigits[] = "0123456789abcdef";
    std::string number;
    for (std::uint32_t pc = label->second; pc != 0 || number.empty(); pc /= 16) {
      number.insert(number.begin(), kDigits[pc % 16]);
    }
    text.replace(start, end - start + 1, "0x" + number);
  }

  std::vector<Program> programs_;
  Program program_;
  bool open_ = false;
  std::uint32_t next_pc_ = 0;
  std::map<std::string, std::uint32_t> labels_, files_;
  std::vector<Place> places_;  ///< of the next instruction, innermost first
  bool in_places_ = false;     ///< the line before was one of them
};

/// Whether the opcode has this part: "ATOMS.CAS.64" has "CAS".
bool has_part(std::string_view code, std::string_view part) {
  for (std::size_t at = code.find('.'); at != std::string_view::npos; at = code.find('.', at + 1)) {
    const std::string_view rest = code.substr(at + 1);
    if (rest.substr(0, rest.find('.')) == part) return true;
  }
  return false;
}

std::string_view first_part(std::string_view code) {
  return code.substr(0, code.find('.'));
}

/// Operands of the instruction, split at commas.
std::vector<std::string_view> operands(std::string_view instruction) {
  const std::string_view code = opcode(instruction);
  std::string_view rest =
      instruction.substr(static_cast<std::size_t>(code.data() - instruction.data()) + code.size());
  std::vector<std::string_view> parts;
  for (;;) {
    const std::size_t comma = rest.find(',');
    if (const auto part = trim(rest.substr(0, comma)); !part.empty()) parts.push_back(part);
    if (comma == std::string_view::npos) return parts;
    rest.remove_prefix(comma + 1);
  }
}

/// Whether an atomic instruction throws its result away.
bool drops_result(std::string_view instruction) {
  const std::string_view name = first_part(opcode(instruction));
  if (name == "RED" || name == "REDS" || name == "REDG") return true;
  for (const std::string_view operand : operands(instruction)) {
    // ATOM names a predicate before its result.
    if (operand == "PT" || (operand.size() == 2 && operand[0] == 'P')) continue;
    return operand == "RZ" || operand == "URZ";
  }
  return false;
}

void refine_atomic(EventShape& shape, std::string_view instruction) {
  const std::string_view code = opcode(instruction);
  if (has_part(code, "SPIN"))
    shape.op = Operation::cas_spin;
  else if (has_part(code, "CAS") || has_part(code, "CAST"))
    shape.op = Operation::cas;
  else if (has_part(code, "POPC"))
    shape.op = Operation::increment;
  else if (drops_result(instruction))
    shape.op = Operation::reduce;
}

void refine_wait(EventShape& shape, std::string_view instruction) {
  // DEPBAR.LE SB0, 0x1: at most one group may stay unfinished.
  if (first_part(opcode(instruction)) != "DEPBAR") return;
  const auto parts = operands(instruction);
  if (parts.size() < 2 || !starts_with(parts[1], "0x")) return;
  if (const auto groups = hex(parts[1].substr(2))) shape.a = *groups;
}

void refine_arrive(EventShape& shape, std::string_view instruction) {
  // SYNCS.ARRIVE.TRANS64 without A1T0 also adds to the expected bytes; A0 does only that.
  const std::string_view code = opcode(instruction);
  if (first_part(code) != "SYNCS" || !has_part(code, "ARRIVE") || !has_part(code, "TRANS64")) {
    return;
  }
  if (has_part(code, "A1T0")) {
    // What the object told of bytes came from another thread's expect_tx.
    if (shape.op == Operation::mbarrier_expect_tx) shape.b = 0;
    shape.op = Operation::mbarrier_arrive;
    return;
  }
  const bool known = shape.op == Operation::mbarrier_expect_tx;
  shape.op = Operation::mbarrier_expect_tx;
  shape.a = code.find(".A0T") != std::string_view::npos ? 0 : 1;
  if (!known) shape.b = 0;
}

}  // namespace

std::vector<Program> parse_disassembly(std::string_view text) {
  Parser parser;
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    parser.line(text.substr(0, end));
    if (end == std::string_view::npos) break;
    text.remove_prefix(end + 1);
  }
  return parser.finish();
}

std::string_view opcode(std::string_view instruction) {
  instruction = trim(instruction);
  if (starts_with(instruction, "@")) {
    const std::size_t space = instruction.find(' ');
    if (space == std::string_view::npos) return {};
    instruction = trim(instruction.substr(space));
  }
  return instruction.substr(0, instruction.find_first_of(" \t;"));
}

void refine(EventShape& shape, std::string_view instruction) {
  if (instruction.empty()) return;
  const std::string_view code = opcode(instruction);
  switch (shape.op) {
    case Operation::atomic:
      refine_atomic(shape, instruction);
      break;
    case Operation::cp_async_ca:
    case Operation::cp_async_cg:
      shape.op = has_part(code, "BYPASS") ? Operation::cp_async_cg : Operation::cp_async_ca;
      break;
    case Operation::cp_async_wait:
      refine_wait(shape, instruction);
      break;
    case Operation::cp_async_arrive:
      shape.a = has_part(code, "ARVCNT") ? 1 : 0;
      break;
    case Operation::barrier_sync:
      if (has_part(code, "ARV")) shape.op = Operation::barrier_arrive;
      break;
    case Operation::ldmatrix:
    case Operation::stmatrix:
      if (code.find(".MT") != std::string_view::npos) shape.flags |= kTransposed;
      break;
    case Operation::mbarrier_arrive:
    case Operation::mbarrier_expect_tx:
      refine_arrive(shape, instruction);
      break;
    default:
      break;
  }
}

std::optional<BulkWait> bulk_wait(const Program& program, std::size_t index) {
  const auto& all = program.instructions;
  const auto name = [&](std::size_t i) { return first_part(opcode(all[i].text)); };
  if (index >= all.size() || name(index) != "DEPBAR") return std::nullopt;
  for (std::size_t i = index; i-- > 0;) {
    if (name(i) == "LDGDEPBAR") return std::nullopt;
    if (name(i) != "UTMACMDFLUSH") continue;
    // A wait for the copies themselves drops what L1 holds of their destinations.
    return BulkWait{i, index + 1 >= all.size() || name(index + 1) != "CCTL"};
  }
  return std::nullopt;
}

bool is_marker(Operation op, std::string_view instruction) {
  return (op == Operation::mbarrier_arrive || op == Operation::mbarrier_expect_tx) &&
         opcode(instruction) == "NOP";
}

std::string unrecorded_instructions(const Program& program) {
  struct Group {
    std::string_view name, text;
  };
  static constexpr std::array<Group, 6> kGroups{{
      {"BAR.ARV", "bar.arrive"},
      {"UTMALDG", "tensor-map (TMA) loads"},
      {"UTMASTG", "tensor-map (TMA) stores"},
      {"UTMAREDG", "tensor-map (TMA) reductions"},
      {"UTCHMMA", "tcgen05 matrix instructions"},
      {"LDTM", "tensor-memory loads"},
  }};
  std::string out;
  for (const Group& group : kGroups) {
    const bool used = std::any_of(program.instructions.begin(), program.instructions.end(),
                                  [&](const ProgramInstruction& instruction) {
                                    const std::string_view code = opcode(instruction.text);
                                    return first_part(code) == group.name || code == group.name;
                                  });
    if (used) out.append(out.empty() ? "" : ", ").append(group.text);
  }
  return out;
}

std::string portable_path(std::string_view path, std::string_view directory) {
  // Compilers write "bin/../targets": take such detours out first.
  std::vector<std::string_view> parts;
  const bool absolute = starts_with(path, "/");
  for (std::string_view rest = path; !rest.empty();) {
    const std::size_t slash = rest.find('/');
    const std::string_view part = rest.substr(0, slash);
    if (part == ".." && !parts.empty() && parts.back() != "..")
      parts.pop_back();
    else if (!part.empty() && part != ".")
      parts.push_back(part);
    if (slash == std::string_view::npos) break;
    rest.remove_prefix(slash + 1);
  }
  const auto join = [&](std::size_t first) {
    std::string out;
    for (std::size_t i = first; i < parts.size(); ++i) {
      out.append(out.empty() ? "" : "/").append(parts[i]);
    }
    return out;
  };
  std::string whole = join(0);
  if (!absolute && (parts.empty() || parts.front() != "..")) return whole;
  std::string_view below = directory;
  while (!below.empty() && below.front() == '/') below.remove_prefix(1);
  while (!below.empty() && below.back() == '/') below.remove_suffix(1);
  if (!below.empty() && starts_with(whole, below) && whole.size() > below.size() &&
      whole[below.size()] == '/') {
    return whole.substr(below.size() + 1);
  }
  return join(parts.size() > 2 ? parts.size() - 2 : 0);
}

}  // namespace smemsim::capture
