#include "frontend/expr_options.hpp"

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <charconv>
#include <filesystem>

#include "frontend/expr/preprocessor.hpp"
#include "trace/byte_io.hpp"

namespace smemsim::cli {

namespace {

/// A path rather than a text: it is one line without the characters that every text has.
bool looks_like_file(const std::string& text) {
  std::error_code ignored;
  return text.find_first_of("\n;[") == std::string::npos && text.size() < 4096 &&
         std::filesystem::is_regular_file(text, ignored);
}

bool parse_integer(std::string_view text, std::int64_t& out) {
  const bool negative = !text.empty() && text[0] == '-';
  if (negative) text.remove_prefix(1);
  int base = 10;
  if (text.starts_with("0x") || text.starts_with("0X")) {
    base = 16;
    text.remove_prefix(2);
  }
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, base);
  if (error != std::errc() || end != text.data() + text.size() || text.empty()) return false;
  if (value > 0x7fffffffffffffffU) return false;
  out = negative ? -static_cast<std::int64_t>(value) : static_cast<std::int64_t>(value);
  return true;
}

bool is_name(std::string_view text) {
  if (text.empty() || (text[0] >= '0' && text[0] <= '9')) return false;
  for (const char c : text) {
    const bool good =
        (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
    if (!good) return false;
  }
  return true;
}

}  // namespace

void add_expression_options(CLI::App& app, ExpressionOptions& options) {
  app.add_option("TEXT", options.text,
                 "the text, or a file that holds it; '-' reads standard input");
  app.add_option("-f,--file", options.file, "read the text from FILE; '-' is standard input")
      ->type_name("FILE");
  app.add_option("-D,--define", options.defines,
                 "value of a constant or kernel argument; wins over the text. May be given again")
      ->type_name("NAME=VALUE")
      ->allow_extra_args(false);
  app.add_option("--block", options.block, "threads of a block, x fastest")
      ->type_name("X,Y,Z")
      ->capture_default_str();
  app.add_option("--grid", options.grid, "blocks of the grid")
      ->type_name("X,Y,Z")
      ->capture_default_str();
  app.add_option("--blocks", options.blocks, "how many of them to run, from block 0 on")
      ->type_name("N")
      ->check(CLI::Range(std::uint64_t{1}, std::uint64_t{1} << 32))
      ->capture_default_str();
  app.add_option("--max-steps", options.max_steps,
                 "stop with an error after so many evaluation steps")
      ->type_name("N")
      ->capture_default_str();
}

Result<expr::Source> read_expression(const ExpressionOptions& options) {
  if (!options.file.empty() && !options.text.empty()) {
    return usage_error("--file", "give either a text or --file");
  }
  if (options.file.empty() && options.text.empty()) {
    return usage_error("TEXT", "expected a text to explain",
                       "for example '__shared__ float t[32][32]; t[threadIdx.x][threadIdx.y]'");
  }
  std::string path = options.file;
  if (path.empty() && (options.text == "-" || looks_like_file(options.text))) path = options.text;
  if (path.empty()) return expr::Source(options.text, {});
  auto bytes = trace::open_source(path);
  if (!bytes.ok()) return bytes.error();
  auto text = trace::read_all(**bytes, expr::kLargestText);
  if (!text.ok()) return text.error();
  return expr::Source(std::move(*text), path == "-" ? "" : path);
}

Result<std::map<std::string, std::int64_t>> parse_defines(const ExpressionOptions& options) {
  std::map<std::string, std::int64_t> out;
  for (const std::string& define : options.defines) {
    const std::size_t equals = define.find('=');
    std::int64_t value = 0;
    if (equals == std::string::npos || !is_name(define.substr(0, equals)) ||
        !parse_integer(std::string_view(define).substr(equals + 1), value)) {
      return usage_error("--define", fmt::format("expected NAME=INTEGER, not '{}'", define));
    }
    out[define.substr(0, equals)] = value;
  }
  return out;
}

Result<Dim3> parse_dimensions(const std::string& text, const std::string& option) {
  std::uint32_t values[3] = {1, 1, 1};
  std::size_t count = 0;
  const char* at = text.data();
  const char* const end = text.data() + text.size();
  while (count < 3) {
    const auto [next, error] = std::from_chars(at, end, values[count]);
    if (error != std::errc() || values[count] == 0) break;
    ++count;
    at = next;
    if (at == end) return Dim3{values[0], values[1], values[2]};
    if (*at != ',' && *at != 'x') break;
    ++at;
  }
  return usage_error(option,
                     fmt::format("expected up to three sizes of at least 1, not '{}'", text),
                     "for example 16,16 or 256");
}

std::string repeat_arguments(const ExpressionOptions& options) {
  constexpr std::size_t kLongest = 160;
  const std::string& text = options.file.empty() ? options.text : options.file;
  if (text == "-" || text.size() > kLongest || text.find_first_of("'\n") != std::string::npos) {
    return {};
  }
  const bool plain = text.find_first_not_of(
                         "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                         "0123456789_-./") == std::string::npos;
  std::string out = plain ? text : "'" + text + "'";
  const ExpressionOptions defaults;
  if (options.block != defaults.block) out += " --block " + options.block;
  if (options.grid != defaults.grid) out += " --grid " + options.grid;
  for (const std::string& define : options.defines) out += " --define " + define;
  return out;
}

Result<expr::RunOptions> run_options(const ExpressionOptions& options) {
  expr::RunOptions out;
  auto block = parse_dimensions(options.block, "--block");
  if (!block.ok()) return block.error();
  auto grid = parse_dimensions(options.grid, "--grid");
  if (!grid.ok()) return grid.error();
  out.block = *block;
  out.grid = *grid;
  out.blocks = options.blocks;
  out.step_limit = options.max_steps;
  return out;
}

}  // namespace smemsim::cli
