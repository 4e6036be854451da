// Ways through the code that only a NaN takes.
//
// Branches that depend on data leave no event. Of the ways that remain, those that make a NaN or
// follow from a test for one are the least likely: Ball and Larus, "Branch prediction for free"
// (PLDI 1993), predict the same of comparisons of floating-point numbers.
#include <algorithm>

#include "sim/cycle/sass.hpp"

namespace smemsim {
namespace {

/// The predicates P0 to P6 among the operands, in order; the first two are those written.
std::vector<std::string_view> predicates_of(std::string_view text) {
  std::vector<std::string_view> out;
  for (std::size_t at = text.find('P'); at != std::string_view::npos; at = text.find('P', at + 1)) {
    const bool begins = at == 0 || text[at - 1] == ' ' || text[at - 1] == '!';
    if (!begins || at + 1 >= text.size()) continue;
    const char number = text[at + 1];
    if ((number >= '0' && number <= '6') || number == 'T') out.push_back(text.substr(at, 2));
  }
  return out;
}

constexpr std::size_t kLook = 16;  // instructions back to what wrote a predicate

/// Whether `predicate` before instruction `at` says that a number is a NaN: FSETP.GTU |x|, +INF,
/// or the or of two of those.
bool tests_nan(const Program& program, std::size_t at, std::string_view predicate) {
  for (std::size_t back = 1; back <= std::min(at, kLook); ++back) {
    const std::string_view text = program.instructions[at - back].text;
    const std::string_view base = base_opcode(text);
    if (!base.ends_with("SETP") && !base.ends_with("LOP3")) continue;
    const std::size_t operands = text.find(' ');
    if (text.starts_with("@") || operands == std::string_view::npos) continue;
    const auto predicates = predicates_of(text.substr(operands));
    if (predicates.empty() || predicates.front() != predicate) continue;
    if (mentions(text, "SETP.GTU") && mentions(text, "|, +INF")) return true;
    if (base != "PLOP3" || predicates.size() < 4) return false;
    return tests_nan(program, at - back, predicates[2]) &&
           tests_nan(program, at - back, predicates[3]);
  }
  return false;
}

}  // namespace

void mark_rare(const Program& program, std::vector<Decoded>& code) {
  for (std::size_t i = 0; i < code.size(); ++i) {
    const std::string_view text = program.instructions[i].text;
    if (mentions(text, "QNAN")) code[i].rare = true;
    if (code[i].target < 0 || !text.starts_with("@P")) continue;
    if (tests_nan(program, i, text.substr(1, 2))) {
      code[static_cast<std::size_t>(code[i].target)].rare = true;
    }
  }
}

}  // namespace smemsim
