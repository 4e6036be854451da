#include "sim/race_sass.hpp"

#include <algorithm>
#include <charconv>

namespace smemsim {
namespace {

/// Instructions between the load, the swap and the branch back.
constexpr std::size_t kLoopReach = 64;

std::string_view trim(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \t");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t;") - first + 1);
}

/// "R8.reuse" -> "R8".
std::string_view register_name(std::string_view operand) {
  return operand.substr(0, operand.find('.'));
}

bool is_load(const SassText& code) {
  return code.name == "LDS" || code.name == "LD";
}

/// Registers that the instruction may write: stores, branches and barriers have no result.
bool may_write(const SassText& code, std::string_view name) {
  if (code.operands.empty() || code.name == "STS" || code.name == "ST" || code.name == "STG") {
    return false;
  }
  // A predicate result can come first. Wide results take the registers that follow as well, but
  // then the load and the swap are wide too and name the same first register.
  for (std::size_t i = 0; i < code.operands.size() && i < 2; ++i) {
    if (register_name(code.operands[i]) == name) return true;
    if (!code.operands[i].starts_with("P")) break;
  }
  return false;
}

/// The register that the instruction copies, if that is all it does.
std::string_view copied(const SassText& code) {
  const bool mov = code.name == "MOV" || code.opcode == "IMAD.MOV.U32" || code.opcode == "IMAD.MOV";
  if (!mov || code.operands.empty()) return {};
  const std::string_view last = register_name(code.operands.back());
  return last.starts_with("R") && last != "RZ" ? last : std::string_view{};
}

/// "[R6+0x10]" depends on R6.
bool address_uses(std::string_view address, std::string_view name) {
  for (std::size_t at = address.find(name); at != std::string_view::npos;
       at = address.find(name, at + 1)) {
    const std::size_t end = at + name.size();
    const bool starts = at > 0 && std::string_view("[+- ").find(address[at - 1]) < 4;
    if (starts && (end == address.size() || address[end] < '0' || address[end] > '9')) return true;
  }
  return false;
}

bool loops_back(const std::vector<ProgramInstruction>& all, std::size_t swap) {
  const std::size_t end = std::min(all.size(), swap + kLoopReach);
  for (std::size_t i = swap + 1; i < end; ++i) {
    const SassText code = parse_sass(all[i].text);
    if (code.name != "BRA" || code.operands.empty()) continue;
    const auto target = sass_number(code.operands.back());
    if (target && *target <= all[swap].pc) return true;
  }
  return false;
}

}  // namespace

bool SassText::has(std::string_view part) const {
  for (std::size_t at = opcode.find('.'); at != std::string_view::npos;
       at = opcode.find('.', at + 1)) {
    const std::string_view rest = opcode.substr(at + 1);
    if (rest.substr(0, rest.find('.')) == part) return true;
  }
  return false;
}

SassText parse_sass(std::string_view text) {
  SassText out;
  text = trim(text);
  if (text.starts_with("@")) {
    const std::size_t space = text.find(' ');
    if (space == std::string_view::npos) return out;
    out.guarded = true;
    text = trim(text.substr(space));
  }
  const std::size_t end = text.find_first_of(" \t");
  out.opcode = text.substr(0, end);
  out.name = out.opcode.substr(0, out.opcode.find('.'));
  if (end == std::string_view::npos) return out;
  for (std::string_view rest = text.substr(end);;) {
    const std::size_t comma = rest.find(',');
    const std::string_view operand = trim(rest.substr(0, comma));
    if (!operand.empty()) out.operands.push_back(operand);
    if (comma == std::string_view::npos) return out;
    rest.remove_prefix(comma + 1);
  }
}

std::optional<std::uint64_t> sass_number(std::string_view operand) {
  const bool hex = operand.starts_with("0x");
  if (hex) operand.remove_prefix(2);
  std::uint64_t value = 0;
  const auto [end, error] =
      std::from_chars(operand.data(), operand.data() + operand.size(), value, hex ? 16 : 10);
  if (operand.empty() || error != std::errc{} || end != operand.data() + operand.size()) {
    return std::nullopt;
  }
  return value;
}

std::vector<std::size_t> cas_loop_loads(const Program& program) {
  const auto& all = program.instructions;
  std::vector<std::size_t> loads;
  for (std::size_t swap = 0; swap < all.size(); ++swap) {
    if (all[swap].text.find("CAS") == std::string::npos) continue;
    const SassText code = parse_sass(all[swap].text);
    if (!code.name.starts_with("ATOM") || (!code.has("CAS") && !code.has("CAST"))) continue;
    const auto address =
        std::find_if(code.operands.begin(), code.operands.end(),
                     [](std::string_view operand) { return operand.starts_with("["); });
    if (address == code.operands.end() || address + 1 == code.operands.end()) continue;
    std::string_view expected = register_name(*(address + 1));
    const std::size_t first = swap > kLoopReach ? swap - kLoopReach : 0;
    for (std::size_t i = swap; i-- > first;) {
      const SassText before = parse_sass(all[i].text);
      if (before.operands.empty()) continue;
      if (may_write(before, expected)) {
        const std::string_view from = copied(before);
        if (!from.empty()) {
          expected = from;
          continue;
        }
        if (is_load(before) && before.operands.back() == *address && loops_back(all, swap)) {
          loads.push_back(i);
        }
        break;
      }
      const std::string_view written = register_name(before.operands.front());
      if (written.starts_with("R") && address_uses(*address, written) &&
          may_write(before, written)) {
        break;
      }
    }
  }
  return loads;
}

}  // namespace smemsim
