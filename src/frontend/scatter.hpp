// A scatter chart of plain characters, on logarithmic axes.
#pragma once

#include <span>
#include <string>

namespace smemsim::cli {

struct ScatterPoint {
  double x = 0, y = 0;
};

struct ScatterView {
  std::string x_title, y_title;
  std::size_t width = 60, height = 16;  ///< of the field, in characters; at least 2
};

/// Both axes have the same range, with a dotted diagonal where y = x. "o" is one point, "2" to "9"
/// that many, "#" more. Points without a logarithm are left out; "" without any point.
///
///   predicted
///   200 |              o.
///       |         .
///   100 |  ..o
///       +--+-----------+--
///         100         200  measured
std::string scatter_text(std::span<const ScatterPoint> points, const ScatterView& view);

}  // namespace smemsim::cli
