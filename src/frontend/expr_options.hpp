// Options of the commands that take CUDA-like text: explain and advise.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "frontend/command.hpp"
#include "frontend/expr/evaluator.hpp"
#include "frontend/expr/source.hpp"

namespace smemsim::cli {

struct ExpressionOptions {
  std::string text;  ///< the text itself, or the path of a file, or "-" for standard input
  std::string file;
  std::vector<std::string> defines;
  std::string block = "32,1,1", grid = "1,1,1";
  std::uint64_t blocks = 1;
  std::uint64_t max_steps = expr::RunOptions{}.step_limit;
  std::vector<std::string> notes;  ///< what the reader should know, one sentence each
};

/// TEXT, --file, --define, --block, --grid, --blocks, --max-steps.
void add_expression_options(CLI::App& app, ExpressionOptions& options);

/// The text that the options name.
Result<expr::Source> read_expression(const ExpressionOptions& options);
/// The values of --define; errors name the one that is not NAME=INTEGER.
Result<std::map<std::string, std::int64_t>> parse_defines(const ExpressionOptions& options);
/// The text and its options as arguments that can be typed again, quoted for a shell; empty for
/// standard input and for texts that are too long to repeat.
std::string repeat_arguments(const ExpressionOptions& options);
/// Geometry and limits.
Result<expr::RunOptions> run_options(const ExpressionOptions& options);
/// "16,16", "16x16x2" or "256" -> dimensions; `option` names it in errors.
Result<Dim3> parse_dimensions(const std::string& text, const std::string& option);

}  // namespace smemsim::cli
