// The first of two passes over a kernel of an Accel-Sim trace: what has to be known before its
// first event can be delivered (the site table, how large the shared window is), where each block
// ends, and what the trace holds that smemsim does not model.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "sim/launch.hpp"
#include "sim/result.hpp"
#include "trace/accelsim_file.hpp"
#include "trace/accelsim_opcode.hpp"

namespace smemsim::trace {

/// An instruction that a kernel executes, and the site that its events refer to.
struct AccelsimInstruction {
  std::string opcode;
  AccelsimOpcode meaning;
  std::uint32_t site = 0;
};

/// The different instructions of one kernel, by pc and opcode.
class AccelsimInstructions {
 public:
  explicit AccelsimInstructions(std::string function);
  /// Adds the line's instruction when it is new.
  Result<const AccelsimInstruction*> of(const AccelsimLine& line);
  const std::vector<Site>& sites() const { return sites_; }

 private:
  std::string function_;
  std::vector<Site> sites_;
  /// Functions that a kernel calls have offsets of their own, so a pc may be that of several.
  std::unordered_map<std::uint32_t, std::vector<AccelsimInstruction>> by_pc_;
};

/// Site of the events that stand for instructions between two others.
inline constexpr std::uint32_t kAccelsimSlots = 0;

/// Executions, over all kernels of the input.
struct AccelsimLosses {
  std::map<std::string, std::uint64_t> unknown;            ///< by opcode
  std::map<std::string, std::uint64_t> unmodelled;         ///< by opcode without modifiers
  std::map<std::string, std::uint64_t> without_addresses;  ///< likewise
  std::uint64_t copies_without_destination = 0;
  std::uint64_t unclear_barriers = 0;
  std::uint64_t kernels_without_window = 0;  ///< with generic accesses and no "shmem base_addr"

  /// One sentence each, none when nothing was lost.
  std::vector<std::string> messages() const;
};

/// The byte offset in the block's shared window of an address of a shared instruction, which the
/// tracer gives as an offset or as a generic address; nothing when it is neither.
std::optional<std::uint64_t> accelsim_shared_offset(std::uint64_t address, std::uint64_t base);
/// Whether a generic address lies in the window of 16 MiB at `base`; never when that is 0.
bool accelsim_in_window(std::uint64_t address, std::uint64_t base);

/// Operands of BAR: the tracer keeps the last immediate (versions before 6) or two of them.
struct AccelsimBarrier {
  std::uint64_t number = 0, threads = 0;
  bool clear = true;  ///< whether the number is the traced one
};
AccelsimBarrier accelsim_barrier(const AccelsimLine& line, unsigned version);

class AccelsimSurvey {
 public:
  explicit AccelsimSurvey(const AccelsimHeader& header)
      : header_(header), instructions_(header.launch.function) {}

  /// Reads the rest of `file`. Errors name file and line.
  Status read(AccelsimFile& file, AccelsimLosses& losses);

  /// The launch with everything that the survey found.
  Launch launch(const AccelsimFile& file) const;
  AccelsimInstructions& instructions() { return instructions_; }
  /// Number of the line with the block's last instruction.
  std::uint64_t last_line(std::uint64_t block) const { return last_lines_.at(block); }

 private:
  Status look_at(const AccelsimFile& file, const AccelsimInstruction& instruction,
                 AccelsimLosses& losses);
  Status note_shared(const AccelsimLine& line, unsigned bytes);
  void note_window(const AccelsimLine& line, unsigned bytes);

  const AccelsimHeader& header_;
  AccelsimInstructions instructions_;
  std::unordered_map<std::uint64_t, std::uint64_t> last_lines_;
  std::uint64_t lowest_ = ~std::uint64_t{0}, end_ = 0;  ///< of shared offsets
  bool copies_ = false, generic_ = false;
};

}  // namespace smemsim::trace
