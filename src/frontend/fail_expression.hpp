// Conditions for --fail-on: "excess > 0 and share >= 10%".
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "sim/result.hpp"

namespace smemsim::cli {

/// A condition over named numbers. Grammar: comparisons FIELD OP NUMBER with > >= < <= == !=,
/// joined by `and`/`&&` and `or`/`||` (`and` binds tighter), with parentheses. A number may have a
/// '%'.
class FailExpression {
 public:
  /// `fields`: the names that it may use. The error shows the place with a caret.
  static Result<FailExpression> parse(std::string_view text, std::span<const std::string> fields);

  /// Whether the condition holds for the numbers that `value` gives.
  bool holds(const std::function<double(std::string_view)>& value) const;

  /// As the user wrote it.
  const std::string& text() const { return text_; }

  struct Node;

 private:
  std::string text_;
  std::shared_ptr<const Node> root_;
};

}  // namespace smemsim::cli
