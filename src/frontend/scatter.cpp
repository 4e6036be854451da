#include "frontend/scatter.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "frontend/text.hpp"

namespace smemsim::cli {
namespace {

/// Free room around the outermost points.
constexpr double kMargin = 1.15;

/// 10 to 99 in such steps.
std::vector<int> every(int step) {
  std::vector<int> out;
  for (int tenth = 10; tenth < 100; tenth += step) out.push_back(tenth);
  return out;
}

class LogAxis {
 public:
  LogAxis(double least, double most) : least_(std::log(least)), most_(std::log(most)) {}
  /// Of `cells`, the one that shows `value`.
  std::size_t cell(double value, std::size_t cells) const {
    const double part = (std::log(value) - least_) / (most_ - least_);
    const double at = std::round(part * static_cast<double>(cells - 1));
    return static_cast<std::size_t>(std::clamp(at, 0.0, static_cast<double>(cells - 1)));
  }
  /// Round values; finer ones the smaller the range is.
  std::vector<double> ticks() const {
    constexpr std::size_t kEnough = 3;
    std::vector<double> out;
    for (const auto& tenths : {std::vector<int>{10, 20, 50}, every(10), every(1)}) {
      out.clear();
      for (double decade = std::floor(least_ / std::log(10.0)); decade <= most_ / std::log(10.0);
           ++decade) {
        for (const int tenth : tenths) {
          const double value = tenth / 10.0 * std::pow(10.0, decade);
          if (std::log(value) >= least_ && std::log(value) <= most_) out.push_back(value);
        }
      }
      if (out.size() >= kEnough) break;
    }
    return out;
  }

 private:
  double least_, most_;
};

std::string tick_text(double value) {
  return value >= 100 ? with_commas(static_cast<std::uint64_t>(std::llround(value)))
                      : fmt::format("{:g}", value);
}

char mark(std::size_t count) {
  if (count == 1) return 'o';
  return count < 10 ? static_cast<char>('0' + count) : '#';
}

std::string trimmed(std::string line) {
  line.resize(line.find_last_not_of(' ') + 1);
  return line;
}

}  // namespace

std::string scatter_text(std::span<const ScatterPoint> points, const ScatterView& view) {
  const std::size_t width = std::max<std::size_t>(view.width, 2);
  const std::size_t height = std::max<std::size_t>(view.height, 2);
  std::vector<ScatterPoint> shown;
  for (const ScatterPoint& point : points) {
    if (point.x > 0 && point.y > 0 && std::isfinite(point.x) && std::isfinite(point.y)) {
      shown.push_back(point);
    }
  }
  if (shown.empty()) return {};
  double least = shown.front().x, most = least;
  for (const ScatterPoint& point : shown) {
    least = std::min({least, point.x, point.y});
    most = std::max({most, point.x, point.y});
  }
  const LogAxis axis(least / kMargin, most * kMargin);

  std::vector<std::size_t> counts(width * height);
  for (const ScatterPoint& point : shown) {
    ++counts[axis.cell(point.y, height) * width + axis.cell(point.x, width)];
  }
  std::vector<std::string> labels(height);  // of rows, from below
  std::string ruler(width, '-'), numbers;
  for (const double tick : axis.ticks()) {
    std::string& label = labels[axis.cell(tick, height)];
    if (label.empty()) label = tick_text(tick);
    const std::size_t column = axis.cell(tick, width);
    const std::string text = tick_text(tick);
    const std::size_t begin = column - std::min(column, text.size() / 2);
    if (!numbers.empty() && begin < numbers.size() + 2) continue;
    ruler[column] = '+';
    numbers.resize(begin, ' ');
    numbers += text;
  }
  std::size_t left = 0;
  for (const std::string& label : labels) left = std::max(left, label.size());

  std::string out = view.y_title + '\n';
  for (std::size_t row = height; row-- > 0;) {
    std::string line(width, ' ');
    for (std::size_t column = 0; column < width; ++column) {
      // The diagonal: the row that a column's value falls into.
      const double part = static_cast<double>(column) / static_cast<double>(width - 1);
      if (std::lround(part * static_cast<double>(height - 1)) == static_cast<long>(row)) {
        line[column] = '.';
      }
      if (const std::size_t count = counts[row * width + column]; count > 0) {
        line[column] = mark(count);
      }
    }
    out += trimmed(fmt::format("{:>{}} |{}", labels[row], left, line)) + '\n';
  }
  out += std::string(left + 1, ' ') + '+' + ruler + '\n';
  out += trimmed(std::string(left + 2, ' ') + numbers) + '\n';
  const std::size_t title = left + 2 + width;
  out +=
      std::string(title - std::min(title, display_width(view.x_title)), ' ') + view.x_title + '\n';
  return out;
}

}  // namespace smemsim::cli
