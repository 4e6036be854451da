// `smemsim capture --measure`: the same command again, without instrumentation, under the profiler.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "frontend/capture_options.hpp"
#include "frontend/capture_process.hpp"
#include "sim/result.hpp"

namespace smemsim::capture {

/// What a measurement needs on this machine.
struct MeasureTools {
  std::string python;  ///< python3
  std::string script;  ///< tools/measure
  std::string path;    ///< $PATH with the folder of ncu in front
};

/// Looks for python3 and ncu in $PATH and in the toolkit, for the script where smemsim is or was
/// installed, and in $SMEMSIM_MEASURE. The error says what is missing and where it can be had.
Result<MeasureTools> find_measure_tools(const std::string& toolkit);

/// A regular expression for the names of ncu that means what `kernel_matches` means. The spaces
/// between the parts of types do not count: tools differ in them.
std::string kernel_expression(std::string_view glob);

/// Command line of the script for the launches that a capture with these options records.
std::vector<std::string> measure_command(const MeasureTools& tools, const Options& options,
                                         const std::string& output,
                                         const std::vector<std::string>& program);

/// Runs it. An error when it fails; it has told the reason on standard error.
Status measure(const MeasureTools& tools, const Options& options, const std::string& output,
               const std::vector<std::string>& program);

}  // namespace smemsim::capture
