// #define: macro tables and expansion over tokens.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "frontend/expr/token.hpp"

namespace smemsim::expr {

inline constexpr std::size_t kLargestText = std::size_t{1} << 20;  ///< bytes
inline constexpr std::size_t kMostTokens = std::size_t{1} << 22;   ///< looked at while expanding
inline constexpr std::size_t kDeepestMacro = 64;                   ///< nested expansions

class Macros {
 public:
  Macros(const Source& source, const std::map<std::string, std::int64_t>& fixed)
      : source_(source), fixed_(fixed) {}

  /// `line` holds the tokens after #define; `place` is where to point when there are none.
  Status define(const std::vector<Token>& line, Span place);
  /// Appends the tokens, macros expanded, to the output.
  Status expand(const std::vector<Token>& tokens);
  std::vector<Token> take() && { return std::move(output_); }

 private:
  struct Macro {
    bool function_like = false;
    std::vector<std::string> parameters;
    std::vector<Token> body;
  };
  Status expand_into(const std::vector<Token>& tokens, std::set<std::string> hidden,
                     std::vector<Token>& out, std::size_t depth);
  Result<std::vector<std::vector<Token>>> arguments(const std::vector<Token>& tokens,
                                                    std::size_t& at, const Token& name,
                                                    std::size_t wanted);

  const Source& source_;
  const std::map<std::string, std::int64_t>& fixed_;
  std::map<std::string, Macro> macros_;
  std::vector<Token> output_;
  std::size_t steps_ = 0;
};

}  // namespace smemsim::expr
