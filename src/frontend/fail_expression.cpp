#include "frontend/fail_expression.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <optional>

#include "frontend/suggest.hpp"

namespace smemsim::cli {

/// `op` is a comparison of `field` with `number`, or "and" / "or" of two nodes.
struct FailExpression::Node {
  std::string op, field;
  double number = 0;
  std::shared_ptr<const Node> left, right;
};

namespace {

using NodePtr = std::shared_ptr<const FailExpression::Node>;
constexpr unsigned kDeepest = 64;

class Parser {
 public:
  Parser(std::string_view text, std::span<const std::string> fields)
      : text_(text), fields_(fields) {}

  Result<NodePtr> parse() {
    NodePtr root = either(0);
    if (!error_ && skip_space() < text_.size()) fail("expected 'and', 'or' or the end");
    if (error_) return *error_;
    return root;
  }

 private:
  std::size_t skip_space() {
    while (at_ < text_.size() && text_[at_] == ' ') ++at_;
    return at_;
  }

  NodePtr fail(const std::string& message, std::string hint = {}) {
    if (error_) return nullptr;
    const std::string caret = fmt::format("\n  {}\n  {}^", text_, std::string(at_, ' '));
    error_ = usage_error("--fail-on", message + caret, std::move(hint));
    return nullptr;
  }

  bool take(std::string_view token) {
    if (!text_.substr(skip_space()).starts_with(token)) return false;
    const std::size_t end = at_ + token.size();
    const bool word = std::isalpha(static_cast<unsigned char>(token.front())) != 0;
    if (word && end < text_.size() && is_name(text_[end])) return false;
    at_ = end;
    return true;
  }

  static bool is_name(char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '.';
  }

  NodePtr joined(std::string op, NodePtr left, NodePtr right) {
    return std::make_shared<FailExpression::Node>(
        FailExpression::Node{std::move(op), {}, 0, std::move(left), std::move(right)});
  }

  NodePtr either(unsigned depth) {
    NodePtr left = both(depth);
    while (!error_ && (take("||") || take("or"))) left = joined("or", left, both(depth));
    return left;
  }

  NodePtr both(unsigned depth) {
    NodePtr left = one(depth);
    while (!error_ && (take("&&") || take("and"))) left = joined("and", left, one(depth));
    return left;
  }

  NodePtr one(unsigned depth) {
    if (depth > kDeepest) return fail("parentheses too deep");
    if (take("(")) {
      NodePtr inner = either(depth + 1);
      if (!error_ && !take(")")) return fail("expected ')'");
      return inner;
    }
    return comparison();
  }

  NodePtr comparison() {
    const std::size_t start = skip_space();
    while (at_ < text_.size() && is_name(text_[at_])) ++at_;
    const std::string field(text_.substr(start, at_ - start));
    const std::string known = fmt::format("the fields are {}", fmt::join(fields_, ", "));
    if (std::find(fields_.begin(), fields_.end(), field) == fields_.end()) {
      at_ = start;
      if (field.empty()) return fail("expected a field", known);
      const std::string near = nearest(field, fields_);
      return fail(fmt::format("unknown field '{}'", field),
                  near.empty() ? known : fmt::format("did you mean '{}'?", near));
    }
    FailExpression::Node node;
    node.field = field;
    for (const char* op : {">=", "<=", "==", "!=", ">", "<"}) {
      if (!take(op)) continue;
      node.op = op;
      break;
    }
    if (node.op.empty()) return fail("expected one of > >= < <= == !=");
    skip_space();
    const char* const end = text_.data() + text_.size();
    const auto [rest, failed] = std::from_chars(text_.data() + at_, end, node.number);
    if (failed != std::errc()) return fail("expected a number");
    at_ = static_cast<std::size_t>(rest - text_.data());
    (void)take("%");
    return std::make_shared<FailExpression::Node>(std::move(node));
  }

  std::string_view text_;
  std::span<const std::string> fields_;
  std::size_t at_ = 0;
  std::optional<Error> error_;
};

bool evaluate(const FailExpression::Node& node,
              const std::function<double(std::string_view)>& value) {
  if (node.op == "and") return evaluate(*node.left, value) && evaluate(*node.right, value);
  if (node.op == "or") return evaluate(*node.left, value) || evaluate(*node.right, value);
  const double x = value(node.field);
  if (node.op == ">") return x > node.number;
  if (node.op == ">=") return x >= node.number;
  if (node.op == "<") return x < node.number;
  if (node.op == "<=") return x <= node.number;
  if (node.op == "==") return x == node.number;
  return x != node.number;
}

}  // namespace

Result<FailExpression> FailExpression::parse(std::string_view text,
                                             std::span<const std::string> fields) {
  FailExpression out;
  out.text_ = text;
  Result<NodePtr> root = Parser(out.text_, fields).parse();
  if (!root.ok()) return root.error();
  out.root_ = root.value();
  return out;
}

bool FailExpression::holds(const std::function<double(std::string_view)>& value) const {
  return evaluate(*root_, value);
}

}  // namespace smemsim::cli
