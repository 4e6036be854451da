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

/// One machine instruction of a launch, as a profiler's source page has it.
struct MeasuredSite {
  std::uint32_t pc = 0;     ///< byte offset from the first instruction of the page
  std::string instruction;  ///< SASS text
  // Sums over all warps; nothing where the page has no number.
  std::optional<double> executed;    ///< warp instructions
  std::optional<double> wavefronts;  ///< of shared memory, counted from the addresses
  std::optional<double> ideal;       ///< the same without conflicts
};

struct MeasuredLaunch {
  std::string kernel;  ///< as the profiler names it
  Dim3 grid, block;
  bool geometry_known = true;              ///< grid and block are those of the launch
  std::map<std::string, double> counters;  ///< by the profiler's metric name
  std::optional<BlockClocks> clocks;
  std::vector<MeasuredSite> sites;
};

struct MeasuredRun {
  std::string device, driver, toolkit, command;
  bool every_launch = true;  ///< of the program; else those of some kernels or of a range
  std::vector<MeasuredLaunch> launches;  ///< in launch order
};

/// A kernel's name without return type, parameters, spaces and unnamed namespaces, in which tools
/// differ: "void <unnamed>::scale<int>(int *, int)" and "(anonymous namespace)::scale<int>(int*,
/// int)" give "scale<int>".
std::string kernel_base_name(std::string demangled);

/// Finds the measured launch of each traced one: by its index in the program when the run has every
/// launch and the same kernel there, else by order among the launches of its name, grid and block.
class LaunchMatcher {
 public:
  enum class Grid : std::uint8_t {
    same,  ///< as the traced launch's
    any,   ///< the run had another problem size
  };
  /// `run` must live as long as this object.
  explicit LaunchMatcher(const MeasuredRun& run, Grid grid = Grid::same)
      : run_(run), any_grid_(grid == Grid::any) {}

  /// To be asked once for each launch, in the order of the trace; null = not measured.
  const MeasuredLaunch* operator()(const Launch& launch);

 private:
  const MeasuredRun& run_;
  bool any_grid_;
  std::map<std::string, std::size_t> seen_;  ///< launches of each kernel and geometry so far
};

}  // namespace smemsim
