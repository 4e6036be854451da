// Machine files: JSON in, Machine out. docs/machine-file.md describes the format.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "sim/machine.hpp"
#include "sim/result.hpp"

namespace smemsim::trace {

/// A machine file compiled into the program.
struct EmbeddedMachine {
  std::string_view name;  ///< "sm_90"
  std::string_view text;
};
std::span<const EmbeddedMachine> embedded_machines();

/// A built-in machine by name ("sm_90"; "" = sm_90), or the file at that path.
Result<Machine> load_machine(const std::string& name_or_path);

/// Parses a machine file; `place` names it in errors.
Result<Machine> parse_machine(std::string_view text, const std::string& place);

}  // namespace smemsim::trace
