// Runs a parsed text for all threads of a block and writes down what its warps do.
//
// Each warp runs on its own, all lanes in step: an `if` runs its branch with the lanes that take
// it, then the other with the rest; a loop runs until no lane is left in it. Operands are evaluated
// from left to right, a store comes last. Every execution of an access is one event per machine
// instruction that it takes (see access_pieces), with the active lanes.
//
// Integers have C's widths and wrap around. What is read from memory, floating values and results
// of shuffles are not known; a text whose addresses or conditions depend on them is an error.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "frontend/expr/ast.hpp"
#include "frontend/expr/placement.hpp"
#include "sim/launch.hpp"
#include "sim/machine.hpp"
#include "trace/launch_builder.hpp"

namespace smemsim::expr {

struct RunOptions {
  Dim3 grid{1, 1, 1};
  Dim3 block{32, 1, 1};
  std::uint64_t blocks = 1;               ///< how many of the grid's blocks to run, from block 0 on
  std::uint64_t step_limit = 20'000'000;  ///< evaluated expressions and statements, all warps
  std::uint64_t event_limit = 4'000'000;
  LayoutTransforms transforms;
};

/// Base of the first global pointer of a text; each further one lies 64 GiB higher.
inline constexpr std::uint64_t kGlobalBase = 0x1000'0000'0000;
inline constexpr std::uint64_t kGlobalStride = std::uint64_t{1} << 36;

/// Evaluates the program on a machine (lanes per warp, shared window, reserved bytes) and returns
/// the launch with its events. Errors point into the source: unknown values where an address or a
/// condition needs them, accesses outside an array, misaligned accesses, divisions by zero, the
/// step limit.
Result<std::unique_ptr<trace::LaunchBuilder>> run(const Program& program, const Machine& machine,
                                                  const RunOptions& options);

/// parse_program and run.
Result<std::unique_ptr<trace::LaunchBuilder>> run_text(
    Source source, const std::map<std::string, std::int64_t>& defines, const Machine& machine,
    const RunOptions& options);

}  // namespace smemsim::expr
