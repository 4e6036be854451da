// Machine code as nvdisasm prints it: parsing, and what the instruction text adds to an event.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sim/event.hpp"
#include "sim/launch.hpp"
#include "sim/result.hpp"

namespace smemsim::capture {

/// Parses what `nvdisasm -hex -gi -c` (or -g) prints: one Program for each code section, in order.
/// Branch targets in the text become offsets ("BRA 0x80"). Of the places that an inlined
/// instruction has, the innermost one outside of the toolkit's and system's headers is taken.
std::vector<Program> parse_disassembly(std::string_view text);

/// Opcode without its guard predicate: "@!P0 LDS.64 R2, [R4]" -> "LDS.64".
std::string_view opcode(std::string_view instruction);

/// Corrects what the device could not tell apart: atomics with and without result, compare-and-
/// swap, how cp.async goes, bar.arrive, .trans, expect_tx, wait counts. `instruction` is the text
/// of the event's site; an empty one changes nothing.
void refine(EventShape& shape, std::string_view instruction);

/// A wait for bulk copies. The device reports it as a wait for cp.async and their commit not at
/// all.
struct BulkWait {
  std::size_t commit = 0;   ///< index of the instruction that closes the group
  bool reads_only = false;  ///< .read: the sources may be overwritten, the copies need not be done
};
/// Whether the instruction at `index`, a DEPBAR, is one: which commit stands before it tells.
std::optional<BulkWait> bulk_wait(const Program& program, std::size_t index);

/// Whether the event is only a compiler's mark: cp.async.mbarrier.arrive.noinc is reported once at
/// a NOP as an arrival and once at the instruction that does it.
bool is_marker(Operation op, std::string_view instruction);

/// What is in the program that the capture cannot record, for Launch::note; empty = nothing.
std::string unrecorded_instructions(const Program& program);

/// A path for a trace: relative when below `directory`, else the file with its folder.
std::string portable_path(std::string_view path, std::string_view directory);

}  // namespace smemsim::capture
