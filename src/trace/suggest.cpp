#include "trace/suggest.hpp"

#include <algorithm>
#include <numeric>

namespace smemsim::trace {
namespace {

std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t replaced = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
      diagonal = row[j];
      row[j] = std::min({row[j] + 1, row[j - 1] + 1, replaced});
    }
  }
  return row[b.size()];
}

}  // namespace

std::string nearest_name(std::string_view name, const std::vector<std::string_view>& candidates) {
  constexpr std::size_t kLongest = 64;  // longer names are not typing errors, but hostile input
  if (name.size() > kLongest) return {};
  std::string_view best;
  std::size_t best_distance = std::max<std::size_t>(1, name.size() / 3) + 1;
  for (const std::string_view candidate : candidates) {
    const std::size_t distance = edit_distance(name, candidate);
    if (distance < best_distance) {
      best_distance = distance;
      best = candidate;
    }
  }
  return std::string(best);
}

std::string suggestion(std::string_view name, const std::vector<std::string_view>& candidates) {
  const std::string best = nearest_name(name, candidates);
  if (!best.empty()) return "did you mean '" + best + "'?";
  constexpr std::size_t kFew = 24;
  if (candidates.empty() || candidates.size() > kFew) return {};
  std::string out = "known are ";
  for (std::size_t i = 0; i < candidates.size(); ++i) {
    out += (i == 0 ? "" : ", ") + std::string(candidates[i]);
  }
  return out;
}

}  // namespace smemsim::trace
