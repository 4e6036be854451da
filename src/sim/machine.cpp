#include "sim/machine.hpp"

#include <utility>

#include "sim/cycle/cycle_parameters.hpp"

namespace smemsim {

Machine::Machine() : cycle(std::make_unique<CycleParameters>()) {}

Machine::Machine(const Machine& other)
    : name(other.name),
      description(other.description),
      shared(other.shared),
      occupancy(other.occupancy),
      cycle(std::make_unique<CycleParameters>(*other.cycle)),
      provenance(other.provenance) {}

Machine::Machine(Machine&&) noexcept = default;

Machine& Machine::operator=(const Machine& other) {
  return *this = Machine(other);
}

Machine& Machine::operator=(Machine&&) noexcept = default;

Machine::~Machine() = default;

}  // namespace smemsim
