// CUDA-like text -> Program. docs/explain.md describes the language.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "frontend/expr/ast.hpp"
#include "sim/result.hpp"

namespace smemsim::expr {

inline constexpr std::size_t kDeepestNesting = 200;  ///< of expressions and statements
inline constexpr std::uint64_t kLargestArray = std::uint64_t{1} << 30;  ///< bytes of one array
inline constexpr std::size_t kMostSymbols = 10000;

/// Parses declarations and statements, or one `__global__` function with declarations before it.
/// `defines` are constants (--define N=V); they win over `const int N = ...`, a parameter N and
/// #define N of the text. The first error ends the parse; it points at line and column.
Result<Program> parse_program(Source source, const std::map<std::string, std::int64_t>& defines);

}  // namespace smemsim::expr
