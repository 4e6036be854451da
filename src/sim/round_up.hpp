// Allocation units: the next multiple.
#pragma once

#include <cstdint>

namespace smemsim {

/// The least multiple of `step` that is not below `value`; 0 = no unit.
constexpr std::uint64_t round_up(std::uint64_t value, std::uint64_t step) {
  return step == 0 ? value : (value + step - 1) / step * step;
}

}  // namespace smemsim
