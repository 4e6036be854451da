// Why a warp did not issue, with the names that Nsight Compute uses
// (smsp__pcsamp_warps_issue_stalled_*).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace smemsim {

enum class Stall : std::uint8_t {
  selected,            ///< it issued
  wait,                ///< fixed latency: the stall count of the previous instruction
  short_scoreboard,    ///< result of shared memory, shuffle, special functions
  long_scoreboard,     ///< result of global memory
  mio_throttle,        ///< memory queue or operand path full
  lg_throttle,         ///< the same for global memory
  math_pipe_throttle,  ///< pipe busy
  dispatch_stall,      ///< registers are still being read
  barrier,             ///< block barrier or mbarrier
  membar,              ///< fence
  branch_resolving,    ///< after a taken branch
  no_instruction,      ///< first fetch
  not_selected,        ///< another warp issued
  count_
};

inline constexpr std::size_t kStalls = static_cast<std::size_t>(Stall::count_);
std::string_view name(Stall stall);

/// Warp cycles by reason.
using StallCounts = std::array<double, kStalls>;

}  // namespace smemsim
