// The setup function of every command; each lives in the file of its name. A new command is a file,
// a line here and a line in commands.cpp.
#pragma once

#include "frontend/command.hpp"

namespace smemsim::cli {

RunCommand setup_advise(CLI::App& app);
RunCommand setup_capture(CLI::App& app);
RunCommand setup_diff(CLI::App& app);
RunCommand setup_explain(CLI::App& app);
RunCommand setup_export(CLI::App& app);
RunCommand setup_import(CLI::App& app);
RunCommand setup_machines(CLI::App& app);
RunCommand setup_occupancy(CLI::App& app);
RunCommand setup_races(CLI::App& app);
RunCommand setup_report(CLI::App& app);
RunCommand setup_simulate(CLI::App& app);
RunCommand setup_validate(CLI::App& app);

}  // namespace smemsim::cli
