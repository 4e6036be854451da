#include "frontend/paint.hpp"

#include <array>

namespace smemsim::cli {

std::string Painter::operator()(Style style, std::string_view text) const {
  static constexpr std::array<std::string_view, 6> kCodes{"", "1", "2", "32", "33", "1;31"};
  if (!color_ || style == Style::plain || text.empty()) return std::string(text);
  std::string out = "\x1b[";
  out += kCodes[static_cast<std::size_t>(style)];
  out += 'm';
  out += text;
  out += "\x1b[0m";
  return out;
}

}  // namespace smemsim::cli
