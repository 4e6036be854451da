// Tables of text that fit a terminal: columns that can be done without leave first, then the
// flexible ones shrink.
#pragma once

#include <string>
#include <vector>

#include "frontend/paint.hpp"

namespace smemsim::cli {

struct Column {
  std::string title;
  bool left = false;  ///< align left; numbers align right
  /// 0: always shown. Otherwise columns leave a narrow terminal in order of rising `keep`.
  unsigned keep = 0;
  std::size_t flexible_to = 0;  ///< may shrink to this width by cutting; 0 = never cut
  bool cut_front = false;       ///< cut at the front: the end of a path tells most
};

struct Cell {
  std::string text;
  Style style = Style::plain;
};

class Table {
 public:
  explicit Table(std::vector<Column> columns) : columns_(std::move(columns)) {}

  /// One cell for each column. `note` becomes lines of their own below the row, wrapped.
  void add(std::vector<Cell> cells, std::string note = {});

  /// Lines with a heading, behind `indent` spaces, at most `width` columns wide (0 = any width).
  std::string text(const Painter& paint, std::size_t width, std::size_t indent) const;

 private:
  struct Row {
    std::vector<Cell> cells;
    std::string note;
  };
  std::vector<std::size_t> fitted(std::size_t width) const;

  std::vector<Column> columns_;
  std::vector<Row> rows_;
};

}  // namespace smemsim::cli
