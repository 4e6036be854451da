// The table of commands, and the way from arguments to an exit status.
#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <array>
#include <exception>
#include <ostream>
#include <vector>

#include "frontend/command.hpp"
#include "frontend/commands/all.hpp"
#include "frontend/help.hpp"
#include "frontend/suggest.hpp"
#include "frontend/text.hpp"

namespace smemsim::cli {

const std::string_view kProgramExamples =
    "smemsim report traces/transpose_naive.smt            # which accesses conflict, and why\n"
    "smemsim report my.smt --site 1                       # lanes and banks of the worst one\n"
    "smemsim report my.smt --fail-on 'excess > 0'         # for continuous integration";

std::span<const CommandEntry> commands() {
  static constexpr std::array kCommands{
      CommandEntry{"report", "bank conflicts of a trace, per site: how many, where and why",
                   setup_report},
      CommandEntry{"explain", "the same for a piece of CUDA-like text or a layout; no GPU needed",
                   setup_explain},
      CommandEntry{"advise", "paddings and swizzles that remove the conflicts, with their cost",
                   setup_advise},
      CommandEntry{"races", "data races and barrier mistakes in shared memory", setup_races},
      CommandEntry{"occupancy", "resident blocks per SM, what limits them, and the next cliffs",
                   setup_occupancy},
      CommandEntry{"simulate", "cycles of each kernel on an SM, and what its warps wait for",
                   setup_simulate},
      CommandEntry{"diff", "predicted counters and cycles against those that the hardware had",
                   setup_diff},
      CommandEntry{"capture", "trace any CUDA program (needs a GPU)", setup_capture},
      CommandEntry{"validate",
                   "compare the model with a table of hardware measurements, row by row",
                   setup_validate},
      CommandEntry{"export", "a trace as JSON Lines, for people and scripts", setup_export},
      CommandEntry{"import", "a trace in another format as .smt", setup_import},
      CommandEntry{"machines", "list the built-in machines and where their numbers come from",
                   setup_machines},
  };
  return kCommands;
}

namespace {

std::vector<std::string> command_names() {
  std::vector<std::string> names;
  for (const CommandEntry& entry : commands()) names.emplace_back(entry.name);
  return names;
}

std::vector<std::string> option_names(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::Option* option : app.get_options()) {
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
  }
  return names;
}

std::string did_you_mean(std::string_view name, std::span<const std::string> candidates,
                         std::string otherwise) {
  const std::string near = nearest(name, candidates);
  return near.empty() ? std::move(otherwise) : fmt::format("did you mean '{}'?", near);
}

/// What CLI11 found wrong, in the words of the other errors.
Error usage_error_of(const CLI::ParseError& error, const CommandEntry& entry, const CLI::App& app) {
  const std::string see = fmt::format("see `smemsim {} --help`", entry.name);
  const std::vector<std::string> rest = app.remaining();
  if (!rest.empty()) {
    const std::string& first = rest.front();
    if (!first.starts_with('-')) {
      return usage_error(std::string(entry.name), fmt::format("unexpected argument '{}'", first),
                         usage_line(entry, app));
    }
    const std::string name = first.substr(0, first.find('='));
    return usage_error(std::string(entry.name), fmt::format("unknown option '{}'", name),
                       did_you_mean(name, option_names(app), see));
  }
  if (dynamic_cast<const CLI::RequiredError*>(&error) != nullptr) {
    return usage_error(std::string(entry.name), error.what(), usage_line(entry, app));
  }
  return usage_error(std::string(entry.name), error.what(), see);
}

/// Errors in expressions carry a line with a caret.
std::string printable_lines(std::string_view text) {
  std::string out;
  while (true) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    out += printable(text.substr(0, end));
    if (end == text.size()) return out;
    out += '\n';
    text.remove_prefix(end + 1);
  }
}

ExitStatus fail(Environment& environment, const Error& error) {
  print_error(environment, error);
  return exit_status_of(error);
}

ExitStatus run_command(const CommandEntry& entry, std::span<const std::string> arguments,
                       Environment& environment) {
  CLI::App app;
  app.name(fmt::format("smemsim {}", entry.name));
  app.set_help_flag("-h,--help", "show this help");
  const RunCommand run = entry.setup(app);
  try {
    app.parse(std::vector<std::string>(arguments.rbegin(), arguments.rend()));
  } catch (const CLI::CallForHelp&) {
    environment.out << command_help(entry, app, environment.columns);
    return ExitStatus::ok;
  } catch (const CLI::ParseError& error) {
    return fail(environment, usage_error_of(error, entry, app));
  }
  const Result<ExitStatus> result = run(environment);
  return result.ok() ? result.value() : fail(environment, result.error());
}

ExitStatus dispatch(std::span<const std::string> arguments, Environment& environment) {
  if (arguments.empty()) {
    environment.err << program_help(environment.columns);
    return ExitStatus::usage;
  }
  std::string name = arguments.front();
  std::vector<std::string> rest(arguments.begin() + 1, arguments.end());
  if (name == "help" && !rest.empty()) {  // `smemsim help report`
    name = rest.front();
    rest = {"--help"};
  }
  if (name == "-h" || name == "--help" || name == "help") {
    environment.out << program_help(environment.columns);
    return ExitStatus::ok;
  }
  if (name == "--version") {
    environment.out << "smemsim " SMEMSIM_VERSION "\n";
    return ExitStatus::ok;
  }
  const auto all = commands();
  const auto entry = std::find_if(all.begin(), all.end(),
                                  [&](const CommandEntry& row) { return row.name == name; });
  if (entry != all.end()) return run_command(*entry, rest, environment);
  if (name.starts_with('-')) {
    const std::vector<std::string> global{"--help", "--version"};
    return fail(environment,
                usage_error("", fmt::format("unknown option '{}' before a command", name),
                            did_you_mean(name, global,
                                         "options follow the command: smemsim "
                                         "COMMAND [options]; see `smemsim --help`")));
  }
  return fail(environment, usage_error("", fmt::format("unknown command '{}'", name),
                                       did_you_mean(name, command_names(),
                                                    "see `smemsim --help` for the commands")));
}

}  // namespace

void print_error(Environment& environment, const Error& error) {
  environment.out.flush();  // so that the error is the last thing on a terminal
  environment.err << "smemsim: error: ";
  if (!error.place.empty()) environment.err << printable(error.place) << ": ";
  environment.err << printable_lines(error.message) << '\n';
  if (!error.hint.empty()) environment.err << "  hint: " << printable_lines(error.hint) << '\n';
  environment.err.flush();
}

void print_warning(Environment& environment, std::string_view text) {
  environment.err << "smemsim: warning: " << printable(text) << '\n';
}

ExitStatus exit_status_of(const Error& error) {
  switch (error.kind) {
    case ErrorKind::usage:
      return ExitStatus::usage;
    case ErrorKind::invalid_input:
      return ExitStatus::invalid_input;
    case ErrorKind::io:
      return ExitStatus::io;
  }
  return ExitStatus::internal;
}

ExitStatus run_command_line(std::span<const std::string> arguments, Environment& environment) {
  try {
    return dispatch(arguments, environment);
  } catch (const std::exception& exception) {
    environment.err << "smemsim: internal error: " << exception.what()
                    << "\n  hint: this is a defect of smemsim; please report it with the command "
                       "line and the input\n";
    return ExitStatus::internal;
  }
}

}  // namespace smemsim::cli
