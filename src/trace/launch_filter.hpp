// Choosing launches of a trace by kernel name.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace smemsim::trace {

/// Which launches of a trace to deliver.
struct LaunchFilter {
  /// On Launch::kernel, case-sensitive: '*' = any text, '?' = any character. One without '*' may
  /// also name just the part before the parameter list: "transpose" matches "transpose(float*)".
  /// Empty = all.
  std::string kernel_glob;
};

/// Whether all of `text` matches.
bool glob_matches(std::string_view glob, std::string_view text);

bool kernel_matches(const LaunchFilter& filter, std::string_view kernel);

/// Remembers what a filter turned away, to tell when nothing was left.
class FilterLog {
 public:
  bool matches(const LaunchFilter& filter, const std::string& kernel);
  /// A warning that names some kernels when none matched; empty when there is nothing to say.
  std::string warning(const LaunchFilter& filter) const;

 private:
  std::vector<std::string> others_;
  bool matched_ = false;
  bool more_ = false;
};

}  // namespace smemsim::trace
