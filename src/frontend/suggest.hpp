// "Did you mean ...?" for mistyped names.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace smemsim::cli {

/// Number of single-character insertions, deletions, replacements and swaps of neighbours between
/// the two.
std::size_t edit_distance(std::string_view a, std::string_view b);

/// The candidate nearest to `name`, or "" when none is near: at most a third of its letters differ
/// (at least one may), or `name` begins it.
std::string nearest(std::string_view name, std::span<const std::string> candidates);

}  // namespace smemsim::cli
