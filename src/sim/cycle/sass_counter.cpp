// Loop counters: which instructions set, advance and test them.
#include <array>
#include <charconv>
#include <optional>

#include "sim/cycle/sass.hpp"

namespace smemsim {
namespace {

constexpr std::int16_t kUniform = 256, kUniformPredicate = 8;

std::string_view trim(std::string_view text) {
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  while (!text.empty() && (text.back() == ' ' || text.back() == ';')) text.remove_suffix(1);
  return text;
}

/// Number of "R18" or "UR4", -1 for anything else; ".reuse" is ignored.
std::int16_t register_of(std::string_view text, std::string_view prefix, std::int16_t first) {
  if (!text.starts_with(prefix)) return -1;
  text.remove_prefix(prefix.size());
  int number = 0;
  const auto result = std::from_chars(text.data(), text.data() + text.size(), number);
  if (result.ec != std::errc() || number >= kUniform) return -1;
  const std::string_view rest(result.ptr,
                              static_cast<std::size_t>(text.data() + text.size() - result.ptr));
  if (!rest.empty() && rest.front() != '.') return -1;
  return static_cast<std::int16_t>(number + first);
}

std::int16_t register_of(std::string_view text) {
  const std::int16_t plain = register_of(text, "R", 0);
  return plain >= 0 ? plain : register_of(text, "UR", kUniform);
}

std::int16_t predicate_of(std::string_view text) {
  const std::int16_t plain = register_of(text, "P", 0);
  return plain >= 0 ? plain : register_of(text, "UP", kUniformPredicate);
}

bool is_zero_register(std::string_view text) {
  return text == "RZ" || text == "URZ";
}

std::optional<std::int64_t> constant(std::string_view text) {
  if (is_zero_register(text)) return 0;
  const bool negative = text.starts_with('-');
  if (negative) text.remove_prefix(1);
  if (!text.starts_with("0x")) return std::nullopt;
  std::uint64_t value = 0;
  const auto result = std::from_chars(text.data() + 2, text.data() + text.size(), value, 16);
  if (result.ec != std::errc() || result.ptr != text.data() + text.size()) return std::nullopt;
  const auto word = static_cast<std::int64_t>(static_cast<std::int32_t>(value));
  return negative ? -word : word;
}

std::optional<CounterStep::Test> test_of(std::string_view opcode) {
  using Test = CounterStep::Test;
  constexpr std::array<std::pair<std::string_view, Test>, 6> kTests{{{".NE", Test::ne},
                                                                     {".EQ", Test::eq},
                                                                     {".LT", Test::lt},
                                                                     {".LE", Test::le},
                                                                     {".GT", Test::gt},
                                                                     {".GE", Test::ge}}};
  for (const auto& [text, test] : kTests) {
    if (opcode.find(text) != std::string_view::npos) return test;
  }
  return std::nullopt;
}

}  // namespace

void decode_counter(std::string_view guard, std::string_view opcode, std::string_view operands,
                    Decoded& out) {
  std::array<std::string_view, 6> part{};
  std::size_t parts = 0;
  for (std::string_view rest = trim(operands); !rest.empty() && parts < part.size();) {
    const std::size_t comma = rest.find(',');
    part[parts++] = trim(rest.substr(0, comma));
    rest = comma == std::string_view::npos ? std::string_view{} : rest.substr(comma + 1);
  }
  if (guard.starts_with('@')) {
    std::string_view name = guard.substr(1);
    out.guard_negated = name.starts_with('!');
    if (out.guard_negated) name.remove_prefix(1);
    out.guard_predicate = predicate_of(name);
  }
  if (parts == 0) return;
  out.writes = register_of(part[0]);
  CounterStep& step = out.counter;
  const std::string_view base = opcode.substr(0, opcode.find('.'));
  const auto set = [&](std::optional<std::int64_t> value) {
    if (!value || out.writes < 0) return;
    step.kind = CounterStep::Kind::set;
    step.counter = out.writes;
    step.value = *value;
  };
  const auto add = [&](std::string_view from, std::optional<std::int64_t> value) {
    if (!value || out.writes < 0 || register_of(from) != out.writes) return;
    step.kind = CounterStep::Kind::add;
    step.counter = out.writes;
    step.value = *value;
  };
  if (base == "MOV" || base == "UMOV") set(constant(part[1]));
  if (opcode.starts_with("IMAD.MOV") && is_zero_register(part[1])) set(constant(part[3]));
  if (base == "CS2R" && part[1] == "SRZ") set(0);
  if (base == "VIADD") add(part[1], constant(part[2]));
  if ((base == "IADD3" || base == "UIADD3") && parts == 4 && is_zero_register(part[3])) {
    add(part[1], constant(part[2]));
  }
  if ((base == "ISETP" || base == "UISETP") && parts == 5 &&
      (part[4] == "PT" || part[4] == "UPT") && opcode.find(".EX") == std::string_view::npos) {
    const auto test = test_of(opcode);
    const auto value = constant(part[3]);
    const std::int16_t counter = register_of(part[2]);
    if (test && value && counter >= 0) {
      step.kind = CounterStep::Kind::test;
      step.test = *test;
      step.counter = counter;
      step.predicate = predicate_of(part[0]);
      step.value = *value;
    }
  }
}

}  // namespace smemsim
