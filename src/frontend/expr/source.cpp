#include "frontend/expr/source.hpp"

#include <algorithm>
#include <cctype>

namespace smemsim::expr {

namespace {

constexpr std::size_t kWidestEcho = 120;  // characters of a source line shown in an error

bool blank(char c) {
  return std::isspace(static_cast<unsigned char>(c)) != 0;
}

}  // namespace

Source::Source(std::string text, std::string name)
    : text_(std::move(text)), name_(std::move(name)) {
  line_starts_.push_back(0);
  for (std::size_t i = 0; i < text_.size(); ++i) {
    if (text_[i] == '\n') line_starts_.push_back(static_cast<std::uint32_t>(i + 1));
  }
}

std::uint32_t Source::line(std::uint32_t offset) const {
  const auto after = std::upper_bound(line_starts_.begin(), line_starts_.end(), offset);
  return static_cast<std::uint32_t>(after - line_starts_.begin());
}

std::uint32_t Source::column(std::uint32_t offset) const {
  return offset - line_starts_[line(offset) - 1] + 1;
}

std::string Source::excerpt(Span span) const {
  std::string out;
  const std::size_t end = std::min<std::size_t>(span.end, text_.size());
  for (std::size_t i = span.begin; i < end; ++i) {
    const bool pair = i + 1 < end && text_[i] == '/';
    if (pair && text_[i + 1] == '/') {
      while (i < end && text_[i] != '\n') ++i;
    } else if (pair && text_[i + 1] == '*') {
      i = std::min(text_.find("*/", i + 2), end - 1) + 1;
      continue;
    }
    if (i >= end) break;
    if (!blank(text_[i])) {
      out += text_[i];
    } else if (!out.empty() && out.back() != ' ') {
      out += ' ';
    }
  }
  while (!out.empty() && out.back() == ' ') out.pop_back();
  return out;
}

Error Source::error(Span span, std::string message, std::string hint) const {
  const std::uint32_t begin = std::min(span.begin, static_cast<std::uint32_t>(text_.size()));
  const std::uint32_t row = line(begin), col = column(begin);
  const std::size_t start = line_starts_[row - 1];
  std::size_t stop = text_.find('\n', start);
  if (stop == std::string::npos) stop = text_.size();
  const std::size_t end =
      std::clamp<std::size_t>(span.end, begin + 1, std::max<std::size_t>(stop, begin + 1));

  // A long line is shown from shortly before the place.
  std::size_t from = start;
  if (end - start > kWidestEcho) from = begin - std::min<std::size_t>(begin - start, 40);
  const std::size_t shown = std::min(stop, from + kWidestEcho);
  const std::string number = std::to_string(row);
  message += "\n  " + number + " | ";
  for (std::size_t i = from; i < shown; ++i) {
    message += std::isprint(static_cast<unsigned char>(text_[i])) != 0 ? text_[i] : ' ';
  }
  message +=
      "\n  " + std::string(number.size(), ' ') + " | " + std::string(begin - from, ' ') +
      std::string(std::min(end, std::max(shown, static_cast<std::size_t>(begin) + 1)) - begin, '^');
  const std::string place = name_.empty() ? "line " + number + ", column " + std::to_string(col)
                                          : name_ + ":" + number + ":" + std::to_string(col);
  return invalid_input(place, std::move(message), std::move(hint));
}

}  // namespace smemsim::expr
