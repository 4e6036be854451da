// What a subcommand is, and the surroundings it runs in.
#pragma once

#include <functional>
#include <iosfwd>
#include <span>
#include <string>
#include <string_view>

#include "sim/result.hpp"

namespace CLI {
class App;
}

namespace smemsim::cli {

/// Exit statuses of every command.
enum class ExitStatus : int {
  ok = 0,
  check_failed = 1,  ///< findings or mismatches that the user asked to fail on
  usage = 2,
  invalid_input = 3,
  io = 4,
  internal = 70,
  interrupted = 130,
};

/// Standard streams and what is known of them. Tests give string streams.
struct Environment {
  std::ostream& out;  ///< results
  std::ostream& err;  ///< messages and progress
  bool out_is_terminal = false;
  bool err_is_terminal = false;
  unsigned columns = 80;  ///< of the terminal; 0 = do not fit anything (piped output)
  bool color = false;     ///< on `out`
};

/// Runs a parsed command. An error is printed by the caller as "smemsim: error: ..." and decides
/// the exit status by its kind.
using RunCommand = std::function<Result<ExitStatus>(Environment&)>;

/// One row of the table of commands.
struct CommandEntry {
  std::string_view name;
  std::string_view summary;  ///< one line for `smemsim --help`
  /// Declares the options on `app` (which lives until the run is over) and returns what to run.
  RunCommand (*setup)(CLI::App& app);
};

/// Every command, in the order that --help lists them. commands.cpp is the one registration.
std::span<const CommandEntry> commands();

/// The examples of `smemsim --help`.
extern const std::string_view kProgramExamples;

/// Prints "smemsim: error: PLACE: MESSAGE" and a hint line to the environment's `err`.
void print_error(Environment& environment, const Error& error);
/// The same as "smemsim: warning: ...".
void print_warning(Environment& environment, std::string_view text);

/// The exit status that an error leads to.
ExitStatus exit_status_of(const Error& error);

/// Parses `arguments` (without the program name), runs, prints errors, returns the exit status.
ExitStatus run_command_line(std::span<const std::string> arguments, Environment& environment);

}  // namespace smemsim::cli
