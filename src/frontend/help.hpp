// Help texts: what a command is, examples first, then the options, wrapped to the terminal.
#pragma once

#include <string>
#include <string_view>

#include "frontend/command.hpp"

namespace smemsim::cli {

/// Help of one command. Its examples are the app's footer: one command a line, "# text" after it.
std::string command_help(const CommandEntry& entry, const CLI::App& app, unsigned columns);

/// Help of the program: examples and the table of commands.
std::string program_help(unsigned columns);

/// "Usage: smemsim report [options] TRACE".
std::string usage_line(const CommandEntry& entry, const CLI::App& app);

}  // namespace smemsim::cli
