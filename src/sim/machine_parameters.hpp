// Every plain machine parameter, declared once: path, unit, meaning, place in Machine. The machine
// file reader, `smemsim machines`, `--set` and the docs all go through this table.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <variant>
#include <vector>

#include "sim/machine.hpp"

namespace smemsim {

using ParameterSlot =
    std::variant<std::uint32_t*, double*, std::vector<std::uint32_t>*, std::vector<std::uint64_t>*>;

struct Parameter {
  std::string_view path;  ///< "shared.banks"
  std::string_view unit;
  std::string_view doc;
  ParameterSlot (*slot)(Machine&);
  double least, most;  ///< accepted values, each element of a list
};

std::span<const Parameter> machine_parameters();

/// The parameter with that path, or null.
const Parameter* find_parameter(std::string_view path);

}  // namespace smemsim
