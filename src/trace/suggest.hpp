// "Did you mean ...?" for mistyped names in files.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace smemsim::trace {

/// The candidate nearest to `name`, or "" when none is near: at most a third of its letters (one at
/// least) inserted, left out or replaced.
std::string nearest_name(std::string_view name, const std::vector<std::string_view>& candidates);

/// "did you mean 'X'?", or a list of the candidates when they are few, or "".
std::string suggestion(std::string_view name, const std::vector<std::string_view>& candidates);

}  // namespace smemsim::trace
