#include "sim/race_values.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <map>

namespace smemsim {
namespace {

constexpr unsigned kMaxDepth = 12;
constexpr std::size_t kMaxSteps = 4096;
constexpr std::uint64_t kWord = 0xFFFFFFFF;
constexpr std::uint64_t kCounts = std::uint64_t{1} << 20;  ///< range of counts and bytes

/// R7 or UR7: the class and the number; RZ and predicates are none.
struct Register {
  bool uniform = false;
  unsigned number = 0;
};
std::optional<Register> parse_register(std::string_view text) {
  Register out;
  out.uniform = text.starts_with("U");
  if (out.uniform) text.remove_prefix(1);
  if (!text.starts_with("R")) return std::nullopt;
  text = text.substr(1, text.find('.') - 1);
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), out.number);
  if (text.empty() || error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return out;
}

/// How many registers from its first one an instruction may write.
unsigned result_width(const SassText& code) {
  static constexpr std::array<std::string_view, 20> kOne{
      "MOV",   "UMOV", "IADD3", "UIADD3", "VIADD", "SHF",  "USHF", "LEA",  "ULEA", "LOP3",
      "ULOP3", "SEL",  "USEL",  "S2UR",   "R2UR",  "IABS", "POPC", "FADD", "FMUL", "FFMA"};
  if (code.name.find("MMA") != std::string_view::npos) return 256;
  if (code.name == "IMAD" && !code.has("WIDE")) return 1;
  return std::find(kOne.begin(), kOne.end(), code.name) != kOne.end() ? 1 : 4;
}

bool may_write(const SassText& code, Register wanted) {
  for (std::size_t i = 0; i < code.operands.size() && i < 2; ++i) {
    const auto first = parse_register(code.operands[i]);
    if (first) {
      return first->uniform == wanted.uniform && wanted.number >= first->number &&
             wanted.number < first->number + result_width(code);
    }
    if (!code.operands[i].starts_with("P") && !code.operands[i].starts_with("UP")) break;
  }
  return false;
}

}  // namespace

RaceValues::RaceValues(const Program& program) {
  const auto& all = program.instructions;
  std::map<std::uint64_t, std::uint32_t> index_of;
  for (std::uint32_t i = 0; i < all.size(); ++i) {
    index_of[all[i].pc] = i;
    code_.push_back(parse_sass(all[i].text));
    const std::string_view text = all[i].text;
    guards_.push_back(code_.back().guarded ? text.substr(0, text.find(' ')) : std::string_view{});
  }
  before_.resize(all.size());
  for (std::uint32_t i = 0; i < all.size(); ++i) {
    const SassText& code = code_[i];
    const bool jumps = code.name == "BRA" || code.name == "JMP" || code.name == "CALL";
    const bool leaves =
        !code.guarded &&
        (((code.opcode == "BRA" || code.opcode == "JMP") && code.operands.size() == 1) ||
         code.name == "EXIT" || code.name == "RET");
    if (!leaves && i + 1 < all.size()) before_[i + 1].push_back(i);
    if (!jumps || code.operands.empty()) continue;
    const auto target = sass_number(code.operands.back());
    const auto at = target ? index_of.find(*target) : index_of.end();
    if (at != index_of.end()) before_[at->second].push_back(i);
  }
}

RaceValues::Value RaceValues::operand(std::size_t index, std::string_view text,
                                      unsigned depth) const {
  if (text.starts_with("-")) {
    const Value value = operand(index, text.substr(1), depth);
    if (!value) return value;
    return (~*value + 1) & kWord;
  }
  text = text.substr(0, text.find('.'));
  if (text == "RZ" || text == "URZ") return 0;
  if (const auto number = sass_number(text)) return *number & kWord;
  return at(index, text, depth);
}

/// The register's value just before the instruction.
RaceValues::Value RaceValues::at(std::size_t index, std::string_view name, unsigned depth) const {
  const auto wanted = parse_register(name);
  if (!wanted || depth > kMaxDepth) return std::nullopt;
  std::vector<std::uint32_t> stack = before_[index];
  std::vector<bool> seen(code_.size(), false);
  Value found;
  for (std::size_t steps = 0; !stack.empty(); ++steps) {
    const std::uint32_t here = stack.back();
    stack.pop_back();
    if (seen[here]) continue;
    seen[here] = true;
    if (steps > kMaxSteps || code_[here].name == "CALL") return std::nullopt;
    if (!may_write(code_[here], *wanted)) {
      if (before_[here].empty()) return std::nullopt;  // the start of the function
      stack.insert(stack.end(), before_[here].begin(), before_[here].end());
      continue;
    }
    // A guarded result is there for instructions under the same guard.
    if (code_[here].guarded && guards_[here] != guards_[index]) return std::nullopt;
    const Value value = result(here, depth + 1);
    if (!value || (found && *found != *value)) return std::nullopt;
    found = value;
  }
  return found;
}

RaceValues::Value RaceValues::result(std::size_t index, unsigned depth) const {
  const SassText& code = code_[index];
  const auto& from = code.operands;
  const auto get = [&](std::size_t which) { return operand(index, from[which], depth); };
  const bool two = from.size() == 2, three = from.size() == 3, four = from.size() == 4;
  if ((code.name == "MOV" || code.name == "UMOV" || code.name == "R2UR") && two) return get(1);
  if (code.name == "IMAD" && four && from[1] == "RZ" && from[2] == "RZ") return get(3);
  if (code.name == "VIADD" && three) {
    const Value a = get(1), b = get(2);
    if (a && b) return (*a + *b) & kWord;
  }
  if ((code.opcode == "IADD3" || code.opcode == "UIADD3") && four) {
    const Value a = get(1), b = get(2), c = get(3);
    if (a && b && c) return (*a + *b + *c) & kWord;
  }
  if ((code.opcode == "SHF.L.U32" || code.opcode == "USHF.L.U32") && four) {
    const Value a = get(1), shift = get(2);
    if (a && shift && *shift < 32) return (*a << *shift) & kWord;
  }
  return std::nullopt;
}

std::optional<std::uint64_t> RaceValues::mbarrier(std::size_t index) const {
  const SassText& code = code_[index];
  if (code.name != "SYNCS" || code.operands.size() < 3) return std::nullopt;
  const Value value = operand(index, code.operands.back(), 0);
  if (!value) return value;
  if (code.has("EXCH")) {  // the low half of the object: both counts are stored negated
    const std::uint64_t count = kCounts - (*value >> 1 & (kCounts - 1));
    return *value % 2 == 0 && count < kCounts ? Value(count) : std::nullopt;
  }
  if (code.has("PHASECHK")) {
    const std::uint64_t parity = *value >> 31;
    return *value == parity << 31 ? Value(parity) : std::nullopt;
  }
  const bool bytes = code.has("ARRIVE") && !code.has("A1T0");
  return bytes && *value != 0 && *value < kCounts ? value : std::nullopt;
}

void MbarrierConstants::add(const Program& program) {
  const auto& code = program.instructions;
  const auto has_barriers = [](const ProgramInstruction& one) {
    return one.text.find("SYNCS") != std::string::npos;
  };
  if (std::none_of(code.begin(), code.end(), has_barriers)) return;  // as in most programs
  const RaceValues values(program);
  for (std::size_t i = 0; i < code.size(); ++i) {
    if (const auto value = values.mbarrier(i)) values_[{program.function, code[i].pc}] = *value;
  }
}

void MbarrierConstants::complete(EventShape& shape, const Launch& launch) const {
  const bool init = shape.op == Operation::mbarrier_init && shape.a == 0;
  const bool wait = (shape.op == Operation::mbarrier_wait || shape.op == Operation::mbarrier_try) &&
                    shape.a == kUnknownParity;
  const bool bytes = shape.op == Operation::mbarrier_expect_tx && shape.b == 0;
  if ((!init && !wait && !bytes) || shape.site >= launch.sites.size()) return;
  const Site& site = launch.sites[shape.site];
  const auto value = values_.find({site.function, site.pc});
  if (value != values_.end()) (bytes ? shape.b : shape.a) = value->second;
}

}  // namespace smemsim
