#include "frontend/text.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace smemsim::cli {
namespace {

bool continues(char c) {
  return (static_cast<unsigned char>(c) & 0xC0U) == 0x80U;
}

/// Bytes of the code point that starts at `at`, 0 when it is not valid UTF-8.
std::size_t code_point_bytes(std::string_view text, std::size_t at) {
  const auto lead = static_cast<unsigned char>(text[at]);
  const std::size_t bytes = lead < 0x80       ? 1
                            : lead >> 5 == 6  ? 2
                            : lead >> 4 == 14 ? 3
                            : lead >> 3 == 30 ? 4
                                              : 0;
  if (bytes == 0 || at + bytes > text.size()) return 0;
  for (std::size_t i = 1; i < bytes; ++i) {
    if (!continues(text[at + i])) return 0;
  }
  if (bytes == 2 && lead < 0xC2) return 0;  // overlong
  // U+0080..U+009F are control characters, too.
  if (lead == 0xC2 && static_cast<unsigned char>(text[at + 1]) < 0xA0) return 0;
  return bytes;
}

/// The first `columns` columns.
std::string_view prefix(std::string_view text, std::size_t columns) {
  std::size_t at = 0;
  for (; at < text.size(); ++at) {
    if (!continues(text[at]) && columns-- == 0) break;
  }
  return text.substr(0, at);
}

}  // namespace

std::size_t display_width(std::string_view text) {
  return static_cast<std::size_t>(
      std::count_if(text.begin(), text.end(), [](char c) { return !continues(c); }));
}

std::string printable(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t bytes = code_point_bytes(text, at);
    const auto lead = static_cast<unsigned char>(text[at]);
    if (bytes == 0 || lead < 0x20 || lead == 0x7F) {
      out += lead == '\t' ? ' ' : '?';
      ++at;
    } else {
      out += text.substr(at, bytes);
      at += bytes;
    }
  }
  return out;
}

std::string elide(std::string_view text, std::size_t width, bool keep_end) {
  const std::size_t columns = display_width(text);
  if (columns <= width) return std::string(text);
  if (width <= 3) return std::string(width, '.');
  if (!keep_end) return std::string(prefix(text, width - 3)) + "...";
  return "..." + std::string(text.substr(prefix(text, columns - (width - 3)).size()));
}

std::vector<std::string> wrap(std::string_view text, std::size_t width) {
  std::vector<std::string> lines;
  std::string line;
  std::size_t at = 0;
  while (at < text.size()) {
    const std::size_t end = std::min(text.find_first_of(" \n", at), text.size());
    const std::string_view word = text.substr(at, end - at);
    if (!line.empty() && display_width(line) + 1 + display_width(word) > width) {
      lines.push_back(line);
      line.clear();
    }
    if (!line.empty() && !word.empty()) line += ' ';
    line += word;
    if (end < text.size() && text[end] == '\n') {
      lines.push_back(line);
      line.clear();
    }
    at = end + 1;
  }
  if (!line.empty() || lines.empty()) lines.push_back(line);
  return lines;
}

std::string indent(std::string_view text, std::size_t spaces) {
  std::string out;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    if (end > 0) out += std::string(spaces, ' ');
    out += text.substr(0, end);
    out += '\n';
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return out;
}

std::string with_commas(std::uint64_t value) {
  std::string digits = std::to_string(value);
  for (std::size_t at = digits.size(); at > 3;) digits.insert(at -= 3, ",");
  return digits;
}

std::string percent(std::uint64_t part, std::uint64_t whole) {
  if (whole == 0) return "-";
  if (part == 0) return "0 %";
  if (part == whole) return "100 %";
  const double value = 100.0 * static_cast<double>(part) / static_cast<double>(whole);
  return fmt::format("{:.1f} %", part < whole ? std::clamp(value, 0.1, 99.9) : value);
}

std::string count_of(std::uint64_t value, std::string_view singular, std::string_view plural) {
  if (value == 1) return fmt::format("1 {}", singular);
  if (!plural.empty()) return fmt::format("{} {}", with_commas(value), plural);
  return fmt::format("{} {}s", with_commas(value), singular);
}

std::string mean(std::uint64_t sum, std::uint64_t count) {
  if (count == 0) return "0.0";
  return fmt::format("{:.1f}", static_cast<double>(sum) / static_cast<double>(count));
}

std::string csv_field(std::string_view text) {
  if (text.find_first_of(",\"\r\n") == std::string_view::npos) return std::string(text);
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"') out += '"';
    out += c;
  }
  return out + '"';
}

}  // namespace smemsim::cli
