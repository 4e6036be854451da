#include "frontend/expr/preprocessor.hpp"

#include <algorithm>

namespace smemsim::expr {

Status Macros::define(const std::vector<Token>& line, Span place) {
  if (line.empty() || line[0].kind != TokenKind::identifier) {
    return source_.error(line.empty() ? place : line[0].span, "expected a name after #define");
  }
  if (fixed_.count(line[0].text) != 0) return {};
  Macro macro;
  std::size_t at = 1;
  // A parenthesis directly after the name makes a function-like macro.
  if (line.size() > 1 && line[1].is("(") && line[1].span.begin == line[0].span.end) {
    macro.function_like = true;
    at = 2;
    while (at < line.size() && !line[at].is(")")) {
      if (line[at].kind != TokenKind::identifier) {
        return source_.error(line[at].span, "expected a parameter name of the macro");
      }
      macro.parameters.push_back(line[at++].text);
      if (at < line.size() && line[at].is(",")) ++at;
    }
    if (at >= line.size()) return source_.error(line[0].span, "expected ) after the parameters");
    ++at;
  }
  macro.body.assign(line.begin() + static_cast<std::ptrdiff_t>(at), line.end());
  macros_[line[0].text] = std::move(macro);
  return {};
}

Status Macros::expand(const std::vector<Token>& tokens) {
  return expand_into(tokens, {}, output_, 0);
}

Result<std::vector<std::vector<Token>>> Macros::arguments(const std::vector<Token>& tokens,
                                                          std::size_t& at, const Token& name,
                                                          std::size_t wanted) {
  std::vector<std::vector<Token>> found(1);
  std::size_t open = 1;
  for (at += 2; at < tokens.size(); ++at) {
    const Token& token = tokens[at];
    if (token.is("(") || token.is("[") || token.is("{")) ++open;
    if (token.is(")") || token.is("]") || token.is("}")) --open;
    if (open == 0) break;
    if (token.kind == TokenKind::end) break;
    if (open == 1 && token.is(",")) {
      found.emplace_back();
    } else {
      found.back().push_back(token);
    }
  }
  if (open != 0) return source_.error(name.span, "expected ) after the arguments of " + name.text);
  if (wanted == 0 && found.size() == 1 && found[0].empty()) found.clear();
  if (found.size() != wanted) {
    return source_.error(name.span, "macro " + name.text + " takes " + std::to_string(wanted) +
                                        " arguments, not " + std::to_string(found.size()));
  }
  return found;
}

Status Macros::expand_into(const std::vector<Token>& tokens, std::set<std::string> hidden,
                           std::vector<Token>& out, std::size_t depth) {
  for (std::size_t at = 0; at < tokens.size(); ++at) {
    const Token& token = tokens[at];
    if (++steps_ > kMostTokens || out.size() > kMostTokens || depth > kDeepestMacro) {
      return source_.error(token.span, "macros expand to more than the program can hold");
    }
    const auto found =
        token.kind == TokenKind::identifier ? macros_.find(token.text) : macros_.end();
    if (found == macros_.end() || hidden.count(token.text) != 0) {
      out.push_back(token);
      continue;
    }
    const Macro& macro = found->second;
    if (macro.function_like && (at + 1 >= tokens.size() || !tokens[at + 1].is("("))) {
      out.push_back(token);
      continue;
    }
    std::vector<Token> body = macro.body;
    Span use = token.span;
    if (macro.function_like) {
      auto given = arguments(tokens, at, token, macro.parameters.size());
      if (!given.ok()) return given.error();
      use = join(use, tokens[at].span);
      std::vector<Token> replaced;
      for (const Token& part : body) {
        const auto parameter =
            std::find(macro.parameters.begin(), macro.parameters.end(), part.text);
        if (part.kind != TokenKind::identifier || parameter == macro.parameters.end()) {
          replaced.push_back(part);
          continue;
        }
        const auto& argument =
            (*given)[static_cast<std::size_t>(parameter - macro.parameters.begin())];
        SMEMSIM_TRY(expand_into(argument, hidden, replaced, depth + 1));
      }
      body = std::move(replaced);
    }
    for (Token& part : body) part.span = use;
    std::set<std::string> inner = hidden;
    inner.insert(token.text);
    SMEMSIM_TRY(expand_into(body, std::move(inner), out, depth + 1));
  }
  return {};
}

}  // namespace smemsim::expr
