#include "frontend/table.hpp"

#include <algorithm>
#include <cassert>
#include <numeric>

#include "frontend/text.hpp"

namespace smemsim::cli {
namespace {

constexpr std::size_t kGap = 2;
constexpr std::size_t kNoteIndent = 4;

std::string padded(std::string_view text, std::size_t width, bool left) {
  const std::size_t columns = display_width(text);
  const std::string space(width > columns ? width - columns : 0, ' ');
  return left ? std::string(text) + space : space + std::string(text);
}

std::size_t total(const std::vector<std::size_t>& widths) {
  std::size_t sum = 0, shown = 0;
  for (const std::size_t width : widths) {
    sum += width;
    shown += width > 0 ? 1 : 0;
  }
  return sum + (shown > 0 ? (shown - 1) * kGap : 0);
}

}  // namespace

void Table::add(std::vector<Cell> cells, std::string note) {
  assert(cells.size() == columns_.size());
  rows_.push_back({std::move(cells), std::move(note)});
}

/// Width of each column, 0 = not shown.
std::vector<std::size_t> Table::fitted(std::size_t width) const {
  std::vector<std::size_t> widths;
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    std::size_t widest = 0;
    for (const Row& row : rows_) widest = std::max(widest, display_width(row.cells[i].text));
    // A column without content is none.
    widths.push_back(widest == 0 ? 0 : std::max(widest, display_width(columns_[i].title)));
  }
  if (width == 0) return widths;
  const auto least_total = [&] {
    std::vector<std::size_t> least = widths;
    for (std::size_t i = 0; i < least.size(); ++i) {
      if (columns_[i].flexible_to != 0) least[i] = std::min(least[i], columns_[i].flexible_to);
    }
    return total(least);
  };
  while (least_total() > width) {
    std::size_t leaves = columns_.size();
    for (std::size_t i = 0; i < columns_.size(); ++i) {
      if (columns_[i].keep == 0 || widths[i] == 0) continue;
      if (leaves == columns_.size() || columns_[i].keep < columns_[leaves].keep) leaves = i;
    }
    if (leaves == columns_.size()) break;
    widths[leaves] = 0;
  }
  for (std::size_t i = columns_.size(); i-- > 0 && total(widths) > width;) {
    if (columns_[i].flexible_to == 0 || widths[i] <= columns_[i].flexible_to) continue;
    widths[i] =
        std::max(columns_[i].flexible_to, widths[i] - std::min(widths[i], total(widths) - width));
  }
  return widths;
}

std::string Table::text(const Painter& paint, std::size_t width, std::size_t indent) const {
  const std::size_t room = width == 0 ? 0 : std::max<std::size_t>(width, indent + 20) - indent;
  const std::vector<std::size_t> widths = fitted(room);
  const std::string margin(indent, ' ');
  std::string out;
  const auto line = [&](auto&& cell_of) {
    std::string plain_tail;  // padding that only matters when something follows it
    out += margin;
    for (std::size_t i = 0; i < columns_.size(); ++i) {
      if (widths[i] == 0) continue;
      const auto [text, style] = cell_of(i);
      const std::string fit = elide(text, widths[i], columns_[i].cut_front);
      const std::string cell = padded(fit, widths[i], columns_[i].left);
      const std::size_t start = cell.find_first_not_of(' ');
      const std::size_t end = cell.find_last_not_of(' ');
      if (start != std::string::npos) {
        out += plain_tail + cell.substr(0, start);
        out += paint(style, std::string_view(cell).substr(start, end + 1 - start));
        plain_tail = cell.substr(end + 1);
      } else {
        plain_tail += cell;
      }
      plain_tail += std::string(kGap, ' ');
    }
    out += '\n';
  };
  line(
      [&](std::size_t i) { return std::pair(std::string_view(columns_[i].title), Style::strong); });
  for (const Row& row : rows_) {
    line([&](std::size_t i) {
      return std::pair(std::string_view(row.cells[i].text), row.cells[i].style);
    });
    if (row.note.empty()) continue;
    const std::size_t note_width = room == 0 ? std::string::npos : room - kNoteIndent;
    for (const std::string& text : wrap(row.note, note_width)) {
      out += margin + std::string(kNoteIndent, ' ') + paint(Style::faint, text) + '\n';
    }
  }
  return out;
}

}  // namespace smemsim::cli
