// The words of a finding: what happens, and the smallest change that would order it.
#pragma once

#include <span>
#include <string>

#include "sim/launch.hpp"
#include "sim/race_report.hpp"

namespace smemsim {

/// "file.cu:31", or what else is known: "kernel+0x90", the instruction, "site 4".
std::string race_place(std::span<const Site> sites, std::uint32_t site);

/// Fills `what` and `advice`.
void describe_race(const Launch& launch, RaceFinding& finding);

}  // namespace smemsim
