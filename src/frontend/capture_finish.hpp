// The second half of a capture: what the injected library wrote -> one trace with machine code.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "sim/result.hpp"

namespace smemsim::capture {

struct FinishOptions {
  std::string directory;          ///< where the library wrote
  std::string output;             ///< the trace to write
  std::string nvdisasm;           ///< program; empty = sites stay without machine code
  std::string working_directory;  ///< source paths below it become relative
};

struct FinishReport {
  std::uint64_t launches = 0, events = 0, dropped_events = 0;
  std::uint64_t kernels = 0;          ///< different ones
  std::uint64_t processes = 0;        ///< that used CUDA
  std::vector<std::string> problems;  ///< of the library and of this step, one sentence each
};

/// Reads every file of the directory in the order in which the processes started, adds machine code
/// and places, and writes the output when there is any launch.
Result<FinishReport> finish_capture(const FinishOptions& options);

}  // namespace smemsim::capture
