// The text of one kernel of an Accel-Sim trace: its header, then its instruction lines, in either
// of the two forms (docs/accelsim.md): raw (.trace, each line names block and warp, in the order in
// which they arrived) and grouped (.traceg, by block and warp).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "sim/launch.hpp"
#include "sim/result.hpp"
#include "trace/accelsim_line.hpp"
#include "trace/byte_io.hpp"
#include "trace/line_reader.hpp"
#include "trace/trace_rules.hpp"

namespace smemsim::trace {

struct AccelsimHeader {
  /// What the header tells of the launch; without sites, recorded blocks and note.
  Launch launch;
  AccelsimLayout layout;
  /// Where the generic addresses of the two windows begin; 0 = not told.
  std::uint64_t shared_base = 0, local_base = 0;
  std::string tracer;  ///< versions of NVBit and the tracer, for people
};

class AccelsimFile {
 public:
  /// `bytes` stands at the start and must outlive the file.
  explicit AccelsimFile(ByteSource& bytes) : lines_(bytes) {}

  /// First of all, once. Errors of this class name file and line.
  Status read_header();
  const AccelsimHeader& header() const { return header_; }

  /// Goes to the next instruction; false at the end.
  Result<bool> next();

  // Of the instruction that `next` went to; `line` refers to text that the next `next` replaces.
  const AccelsimLine& line() const { return line_; }
  std::uint64_t block() const { return block_; }
  std::uint32_t warp() const { return warp_; }
  std::uint64_t line_number() const { return lines_.number(); }
  std::string place() const { return lines_.place(); }

  /// Whether the instructions so far were grouped by block and warp.
  bool grouped() const { return grouped_; }

 private:
  Status header_line(std::string_view text);
  Status finish_header();
  Status placed(Status status) const;
  /// True when the line was an instruction.
  Result<bool> body_line(std::string_view text);
  Result<bool> group_line(std::string_view text);
  Status begin_block(std::string_view numbers);
  Status begin_warp(std::string_view number);
  Status end_warp();
  Status instruction(std::string_view text);
  Status find_prefix(std::string_view text);
  Status set_block(const std::int64_t (&position)[3]);
  Status set_warp(std::int64_t warp);

  LineReader lines_;
  AccelsimHeader header_;
  AccelsimLine line_;
  bool name_seen_ = false, grid_seen_ = false, block_seen_ = false;

  bool grouped_ = false, in_block_ = false, in_warp_ = false;
  bool block_known_ = false;  ///< the group has named its block
  BlockSequence seen_;        ///< blocks of the groups so far
  std::optional<std::uint64_t> last_group_;
  int prefix_ = -1;  ///< words before the source line or pc; -1 = not known yet
  std::uint64_t block_ = 0;
  std::uint32_t warp_ = 0;
  std::uint64_t warp_lines_ = 0, announced_lines_ = 0;
  bool lines_announced_ = false;
};

}  // namespace smemsim::trace
