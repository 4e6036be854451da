// Times and capacities of one SM that the cycle model uses; cycle_parameters.def lists them with
// unit and meaning.
#pragma once

namespace smemsim {

struct CycleParameters {
#define CYCLE(name, value, unit, least, most, meaning) double name = value;
#include "sim/cycle/cycle_parameters.def"
#undef CYCLE
};

}  // namespace smemsim
