#include "trace/launch_filter.hpp"

#include <algorithm>

namespace smemsim::trace {

bool glob_matches(std::string_view glob, std::string_view text) {
  // On a mismatch the last '*' takes one character more: linear in glob * text at worst.
  std::size_t g = 0, t = 0, star = std::string_view::npos, star_text = 0;
  while (t < text.size()) {
    if (g < glob.size() && glob[g] == '*') {
      star = g++;
      star_text = t;
    } else if (g < glob.size() && (glob[g] == '?' || glob[g] == text[t])) {
      ++g;
      ++t;
    } else if (star != std::string_view::npos) {
      g = star + 1;
      t = ++star_text;
    } else {
      return false;
    }
  }
  while (g < glob.size() && glob[g] == '*') ++g;
  return g == glob.size();
}

bool kernel_matches(const LaunchFilter& filter, std::string_view kernel) {
  const std::string_view glob = filter.kernel_glob;
  if (glob.empty() || glob_matches(glob, kernel)) return true;
  return glob.find('*') == std::string_view::npos &&
         glob_matches(glob, kernel.substr(0, kernel.find('(')));
}

bool FilterLog::matches(const LaunchFilter& filter, const std::string& kernel) {
  if (kernel_matches(filter, kernel)) {
    matched_ = true;
    return true;
  }
  constexpr std::size_t kNamed = 5;
  if (std::find(others_.begin(), others_.end(), kernel) == others_.end()) {
    if (others_.size() < kNamed) {
      others_.push_back(kernel);
    } else {
      more_ = true;
    }
  }
  return false;
}

std::string FilterLog::warning(const LaunchFilter& filter) const {
  if (matched_ || others_.empty()) return {};
  std::string out = "no kernel matches '" + filter.kernel_glob + "'; the trace has ";
  for (std::size_t i = 0; i < others_.size(); ++i) out += (i == 0 ? "" : ", ") + others_[i];
  return more_ ? out + ", ..." : out;
}

}  // namespace smemsim::trace
