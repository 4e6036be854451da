// Running programs for a capture, and finding what a capture needs.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "sim/result.hpp"

namespace smemsim::capture {

/// Runs a program, its standard output into a file and its standard error away; an error unless it
/// ends with status 0.
Status run_to_file(const std::vector<std::string>& command, const std::string& path);

/// How a program ended.
struct Ending {
  int status = 0;  ///< of exit
  int signal = 0;  ///< that killed it; 0 = none
};

/// Runs the program with this process's streams and the given variables added to its environment.
/// While it runs, interrupts from the terminal reach only the program, and SIGTERM and SIGHUP are
/// passed on to it. An error when it cannot be started.
Result<Ending> run_program(const std::vector<std::string>& command,
                           const std::vector<std::pair<std::string, std::string>>& variables);

/// What a capture needs on this machine.
struct Tools {
  std::string library;    ///< libsmemsim-capture.so
  std::string toolkit;    ///< folder of the CUDA toolkit
  std::string sanitizer;  ///< libsanitizer-public.so
  std::string nvdisasm;   ///< empty = not found
};

/// Looks in `toolkit` if given, else in $CUDA_HOME, $CUDA_PATH, beside nvcc in $PATH, and in the
/// usual places. The error says what is missing and where it can be had.
Result<Tools> find_tools(const std::string& toolkit);

/// The variable's value, empty when it is not set.
std::string environment_text(const char* name);

/// The program in $PATH, with links followed.
std::optional<std::filesystem::path> program_in_path(const std::string& program);

/// Where the CUDA toolkit may be, the likeliest place first.
std::vector<std::filesystem::path> toolkit_folders();

/// An error when no NVIDIA driver is at hand.
Status check_driver();

}  // namespace smemsim::capture
