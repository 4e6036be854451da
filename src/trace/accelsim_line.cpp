#include "trace/accelsim_line.hpp"

#include <bit>
#include <charconv>

namespace smemsim::trace {
namespace {

/// Forms of the addresses of a line.
enum AddressForm : std::int64_t { kList = 0, kBaseStride = 1, kBaseDeltas = 2 };

constexpr unsigned kMostRegisters = 64;  // version 6 lists the registers of matrix operands

Error ended(std::string_view expected) {
  return invalid_input({}, "the line ends before " + std::string(expected));
}

Error bad(std::string_view what, std::string_view word) {
  constexpr std::size_t kShown = 40;
  return invalid_input({}, "expected " + std::string(what) + ", found '" +
                               std::string(word.substr(0, kShown)) + "'");
}

Status read_decimal(AccelsimWords& words, std::string_view what, std::int64_t& value) {
  const std::string_view word = words.next();
  if (word.empty()) return ended(what);
  return accelsim_decimal(word, value) ? Status{} : Status(bad(what, word));
}

Status read_hexadecimal(AccelsimWords& words, std::string_view what, std::uint64_t& value) {
  const std::string_view word = words.next();
  if (word.empty()) return ended(what);
  return accelsim_hexadecimal(word, value) ? Status{} : Status(bad(what, word));
}

bool is_zero_register(std::string_view word) {
  return word == "R255" || word == "RZ";
}

/// A count and that many names; whether the first is RZ.
Status read_registers(AccelsimWords& words, std::string_view what, std::uint32_t& count,
                      bool& first_is_zero) {
  std::int64_t number = 0;
  SMEMSIM_TRY(read_decimal(words, what, number));
  if (number < 0 || number > kMostRegisters) return bad(what, std::to_string(number));
  count = static_cast<std::uint32_t>(number);
  for (std::uint32_t i = 0; i < count; ++i) {
    const std::string_view word = words.next();
    if (word.empty()) return ended("the names of its registers");
    const std::size_t letter = word.find_first_of("RP");
    if (letter == std::string_view::npos || letter > 1) return bad("a register", word);
    if (i == 0) first_is_zero = is_zero_register(word);
  }
  return {};
}

Status read_addresses(AccelsimWords& words, AccelsimLine& out) {
  std::int64_t form = 0;
  SMEMSIM_TRY(read_decimal(words, "the form of its addresses (0, 1 or 2)", form));
  const auto first = static_cast<unsigned>(std::countr_zero(out.active));
  switch (form) {
    case kList:
      for (unsigned lane = 0; lane < kAccelsimLanes; ++lane) {
        if (!has_lane(out.active, lane)) continue;
        SMEMSIM_TRY(read_hexadecimal(words, "an address", out.addresses[lane]));
      }
      return {};
    case kBaseStride: {
      std::uint64_t base = 0;
      std::int64_t stride = 0;
      SMEMSIM_TRY(read_hexadecimal(words, "the base address", base));
      SMEMSIM_TRY(read_decimal(words, "the stride", stride));
      if (out.active == 0) return {};
      const std::uint64_t run = out.active >> first;
      if ((run & (run + 1)) != 0) {
        return invalid_input({}, "a base and a stride for lanes that are not in one run");
      }
      for (unsigned lane = first; lane < kAccelsimLanes && has_lane(out.active, lane); ++lane) {
        out.addresses[lane] = base;
        base += static_cast<std::uint64_t>(stride);
      }
      return {};
    }
    case kBaseDeltas: {
      std::uint64_t address = 0;
      SMEMSIM_TRY(read_hexadecimal(words, "the base address", address));
      for (unsigned lane = first; lane < kAccelsimLanes; ++lane) {
        if (!has_lane(out.active, lane)) continue;
        if (lane != first) {
          std::int64_t delta = 0;
          SMEMSIM_TRY(
              read_decimal(words, "a difference for each active lane after the first", delta));
          address += static_cast<std::uint64_t>(delta);
        }
        out.addresses[lane] = address;
      }
      return {};
    }
    default:
      return bad("the form of its addresses (0, 1 or 2)", std::to_string(form));
  }
}

}  // namespace

std::string_view AccelsimWords::next() {
  const std::size_t begin = rest_.find_first_not_of(" \t");
  if (begin == std::string_view::npos) {
    rest_ = {};
    return {};
  }
  const std::size_t end = std::min(rest_.find_first_of(" \t", begin), rest_.size());
  const std::string_view word = rest_.substr(begin, end - begin);
  rest_.remove_prefix(end);
  return word;
}

bool AccelsimWords::at_end() {
  return rest_.find_first_not_of(" \t") == std::string_view::npos;
}

bool accelsim_decimal(std::string_view word, std::int64_t& value) {
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
  return !word.empty() && error == std::errc{} && end == word.data() + word.size();
}

bool accelsim_hexadecimal(std::string_view word, std::uint64_t& value) {
  if (word.starts_with("0x")) word.remove_prefix(2);
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value, 16);
  return !word.empty() && error == std::errc{} && end == word.data() + word.size();
}

Status parse_accelsim_line(AccelsimWords words, const AccelsimLayout& layout, AccelsimLine& out) {
  out.source_line = 0;
  if (layout.line_info) {
    std::int64_t line = 0;
    SMEMSIM_TRY(read_decimal(words, "a source line", line));
    if (line > 0 && line <= 0xffffffff) out.source_line = static_cast<std::uint32_t>(line);
  }
  std::uint64_t pc = 0, mask = 0;
  SMEMSIM_TRY(read_hexadecimal(words, "the pc", pc));
  if (pc > 0xffffffff) return invalid_input({}, "the pc has more than 32 bits");
  out.pc = static_cast<std::uint32_t>(pc);
  SMEMSIM_TRY(read_hexadecimal(words, "the mask of active lanes", mask));
  if (mask > 0xffffffff) return invalid_input({}, "a mask of more than 32 lanes");
  out.active = mask;

  std::uint32_t results = 0;
  bool zero = false;
  SMEMSIM_TRY(read_registers(words, "how many registers it writes", results, zero));
  out.drops_result = results != 0 && zero;
  out.opcode = words.next();
  if (out.opcode.empty()) return ended("the opcode");
  if (out.opcode[0] < 'A' || out.opcode[0] > 'Z') return bad("an opcode", out.opcode);
  zero = false;
  SMEMSIM_TRY(read_registers(words, "how many registers it reads", out.sources, zero));
  if (results == 0 && zero) out.drops_result = true;

  constexpr unsigned kTypedRegisters = 6;  // version of the tracer
  const bool typed = layout.version >= kTypedRegisters;
  out.has_addresses = false;
  out.immediate = out.immediate2 = 0;
  // Lines of bulk copies and matrix operands from shared memory have a tail of their own.
  if (typed && (out.opcode.starts_with("UTMA") || out.opcode.starts_with("UBLK") ||
                out.opcode.find("GMMA") != std::string_view::npos)) {
    return {};
  }
  std::int64_t width = 0;
  SMEMSIM_TRY(read_decimal(words, "the bytes of its access (0 = none)", width));
  if (width != 0) {
    // Nothing was accessed with no lane active; what is printed then is left over.
    if (out.active == 0) return {};
    SMEMSIM_TRY(read_addresses(words, out));
    out.has_addresses = true;
  }
  constexpr unsigned kWithImmediate = 5;  // version of the tracer
  if (words.at_end() && layout.version < kWithImmediate) return {};
  SMEMSIM_TRY(read_decimal(words, "an immediate operand", out.immediate));
  if (typed && !words.at_end()) {
    const std::string_view word = words.next();  // older files of this version have one only
    if (word != "Val" && word != "NoVal" && !accelsim_decimal(word, out.immediate2)) {
      return bad("a second immediate operand", word);
    }
    return {};  // values of registers follow
  }
  return words.at_end() ? Status{} : Status(bad("the end of the line", words.next()));
}

}  // namespace smemsim::trace
