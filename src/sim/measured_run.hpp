// What a GPU did with the launches of a program: hardware counters and block clocks.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "sim/launch.hpp"

namespace smemsim {

/// clock64 of the blocks of one launch, in a run without any tool. Cycles of the SM clock.
struct BlockClocks {
  std::uint64_t blocks = 0, sms = 0;
  double block_median = 0, block_p10 = 0, block_p90 = 0;  ///< end - begin of one block
  double sm_median = 0, sm_max = 0;                       ///< first begin to last end on one SM
};

struct MeasuredLaunch {
  std::string kernel;  ///< as the profiler names it
  Dim3 grid, block;
  std::map<std::string, double> counters;  ///< by the profiler's metric name
  std::optional<BlockClocks> clocks;
};

struct MeasuredRun {
  std::string device, driver, toolkit, command;
  std::vector<MeasuredLaunch> launches;  ///< in launch order
};

/// A kernel's name without return type, parameters and spaces, in which tools differ:
/// "void scale<int>(int *, int)" and "scale<int>(int*, int)" give "scale<int>".
std::string kernel_base_name(const std::string& demangled);

}  // namespace smemsim
