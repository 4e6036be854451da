#include "trace/accelsim_file.hpp"

#include <algorithm>
#include <array>
#include <span>

#include "trace/trace_rules.hpp"

namespace smemsim::trace {
namespace {

bool is_hexadecimal(std::string_view word) {
  return !word.empty() && word.find_first_not_of("0123456789abcdef") == std::string_view::npos;
}

/// "name = value": the value, when the text has this name.
bool named_value(std::string_view text, std::string_view name, std::string_view& value) {
  if (!text.starts_with(name)) return false;
  text.remove_prefix(name.size());
  if (!text.starts_with(" = ")) return false;
  value = text.substr(3);
  while (value.ends_with(' ')) value.remove_suffix(1);
  return true;
}

Error broken(std::string message, std::string hint = {}) {
  return invalid_input({}, std::move(message), std::move(hint));
}

}  // namespace

Status AccelsimFile::placed(Status status) const {
  if (status || !status.error().place.empty()) return status;
  Error error = status.error();
  error.place = lines_.place();
  return error;
}

Result<bool> AccelsimFile::next() {
  for (;;) {
    std::string_view text;
    const Result<bool> more = lines_.next(text);
    if (!more) return more.error();
    if (!*more) {
      if (!in_block_) return false;
      return invalid_input(lines_.place(), "the file ends before the #END_TB of its last block");
    }
    if (text.find_first_not_of(" \t") == std::string_view::npos) continue;
    const Result<bool> found = body_line(text);
    if (!found) return placed(found.error()).error();
    if (*found) return true;
  }
}

Result<bool> AccelsimFile::body_line(std::string_view text) {
  const char first = text.front();
  if (first == '#' || first == 't' || first == 'w' || first == 'i' || text.starts_with("cl")) {
    return group_line(text);
  }
  if (in_block_ && (!block_known_ || !in_warp_)) {
    return broken("an instruction before the \"thread block =\" and \"warp =\" of its group");
  }
  if (grouped_ && !in_block_) return broken("an instruction outside of #BEGIN_TB and #END_TB");
  SMEMSIM_TRY(instruction(text));
  ++warp_lines_;
  return true;
}

Result<bool> AccelsimFile::group_line(std::string_view text) {
  std::string_view value;
  if (text.starts_with("#BEGIN_TB")) {
    if (in_block_) return broken("#BEGIN_TB within a block", "an #END_TB is missing before it");
    if (prefix_ >= 0 && !grouped_) return broken("#BEGIN_TB in a file whose lines name blocks");
    grouped_ = in_block_ = true;
    block_known_ = in_warp_ = false;
  } else if (text.starts_with("#END_TB")) {
    if (!in_block_) return broken("#END_TB without #BEGIN_TB");
    SMEMSIM_TRY(end_warp());
    in_block_ = false;
  } else if (text.starts_with('#')) {
    return false;  // a remark
  } else if (!in_block_) {
    return broken("expected an instruction or #BEGIN_TB");
  } else if (named_value(text, "thread block", value)) {
    SMEMSIM_TRY(begin_block(value));
  } else if (named_value(text, "warp", value)) {
    SMEMSIM_TRY(begin_warp(value));
  } else if (named_value(text, "insts", value)) {
    std::int64_t count = 0;
    if (!in_warp_ || warp_lines_ != 0) return broken("\"insts =\" must follow \"warp =\"");
    if (!accelsim_decimal(value, count) || count < 0) {
      return broken("expected \"insts = \" and a number");
    }
    announced_lines_ = static_cast<std::uint64_t>(count);
    lines_announced_ = true;
  } else if (!text.starts_with("cluster ")) {
    return broken("expected an instruction, \"warp =\" or #END_TB");
  }
  return false;
}

Status AccelsimFile::begin_block(std::string_view numbers) {
  if (block_known_) return broken("a second \"thread block =\" in one block");
  std::int64_t position[3] = {};
  for (int i = 0; i < 3; ++i) {
    const std::size_t comma = i == 2 ? numbers.size() : numbers.find(',');
    if (comma == std::string_view::npos ||
        !accelsim_decimal(numbers.substr(0, comma), position[i])) {
      return broken("expected \"thread block = x,y,z\"");
    }
    numbers.remove_prefix(std::min(comma + 1, numbers.size()));
  }
  block_known_ = true;
  SMEMSIM_TRY(set_block(position));
  const bool repeated = last_group_ == block_ || !seen_.enter(block_);
  last_group_ = block_;
  if (!repeated) return {};
  return broken("block " + std::to_string(block_) + " comes a second time");
}

Status AccelsimFile::begin_warp(std::string_view number) {
  SMEMSIM_TRY(end_warp());
  std::int64_t warp = 0;
  if (!accelsim_decimal(number, warp)) return broken("expected \"warp = \" and a number");
  SMEMSIM_TRY(set_warp(warp));
  in_warp_ = true;
  return {};
}

Status AccelsimFile::end_warp() {
  const bool whole = !in_warp_ || !lines_announced_ || warp_lines_ == announced_lines_;
  if (!whole) {
    return broken("warp " + std::to_string(warp_) + " has " + std::to_string(warp_lines_) +
                  " instructions; its \"insts =\" says " + std::to_string(announced_lines_));
  }
  in_warp_ = lines_announced_ = false;
  warp_lines_ = 0;
  return {};
}

Status AccelsimFile::set_block(const std::int64_t (&position)[3]) {
  const Dim3& grid = header_.launch.grid;
  const std::uint32_t sizes[] = {grid.x, grid.y, grid.z};
  for (int i = 0; i < 3; ++i) {
    if (position[i] < 0 || position[i] >= sizes[i]) {
      return broken("block (" + std::to_string(position[0]) + "," + std::to_string(position[1]) +
                    "," + std::to_string(position[2]) + ") is not in the grid of the header");
    }
  }
  const auto at = [&](int i) { return static_cast<std::uint64_t>(position[i]); };
  block_ = (at(2) * grid.y + at(1)) * grid.x + at(0);
  return {};
}

Status AccelsimFile::set_warp(std::int64_t warp) {
  const std::uint64_t warps = warps_per_block(header_.launch);
  if (warp < 0 || static_cast<std::uint64_t>(warp) >= warps) {
    return broken("warp " + std::to_string(warp) + " of a block of " + std::to_string(warps));
  }
  warp_ = static_cast<std::uint32_t>(warp);
  return {};
}

Status AccelsimFile::find_prefix(std::string_view text) {
  // The header does not tell what the lines begin with; a pc of four or more hexadecimal digits
  // and a mask of eight stand behind it. Raw: block and warp; after them SM and warp slot, cluster
  // and rank where the tracer was told to. Grouped: nothing, or block and warp in old versions.
  constexpr std::size_t kWords = 20;
  std::array<std::string_view, kWords> words;
  AccelsimWords split(text);
  for (std::string_view& word : words) word = split.next();
  static constexpr std::array kRaw{4, 6, 11, 13};
  static constexpr std::array kGrouped{0, 4};
  const auto candidates = grouped_ ? std::span<const int>(kGrouped) : std::span<const int>(kRaw);
  for (const int candidate : candidates) {
    const std::size_t pc = static_cast<std::size_t>(candidate) + (header_.layout.line_info ? 1 : 0);
    if (words[pc].size() < 4 || !is_hexadecimal(words[pc])) continue;
    if (words[pc + 1].size() != 8 || !is_hexadecimal(words[pc + 1])) continue;
    prefix_ = candidate;
    return {};
  }
  return broken("no instruction of an Accel-Sim trace: a pc and a mask of 8 digits are missing");
}

Status AccelsimFile::instruction(std::string_view text) {
  if (prefix_ < 0) SMEMSIM_TRY(find_prefix(text));
  AccelsimWords words(text);
  std::int64_t numbers[4] = {};
  for (int i = 0; i < prefix_; ++i) {
    std::int64_t number = 0;
    const std::string_view word = words.next();
    if (!accelsim_decimal(word, number)) {
      return broken("expected block, warp and an instruction, found '" +
                    std::string(word.substr(0, 40)) + "'");
    }
    if (i < 4) numbers[i] = number;
  }
  if (!grouped_) {
    SMEMSIM_TRY(set_block({numbers[0], numbers[1], numbers[2]}));
    SMEMSIM_TRY(set_warp(numbers[3]));
  }
  return parse_accelsim_line(words, header_.layout, line_);
}

}  // namespace smemsim::trace
