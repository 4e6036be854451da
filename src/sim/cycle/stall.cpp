#include "sim/cycle/stall.hpp"

namespace smemsim {

std::string_view name(Stall stall) {
  static constexpr std::array<std::string_view, kStalls> kNames{
      "selected",     "wait",        "short_scoreboard",   "long_scoreboard",
      "mio_throttle", "lg_throttle", "math_pipe_throttle", "dispatch_stall",
      "barrier",      "membar",      "branch_resolving",   "no_instruction",
      "not_selected"};
  return kNames[static_cast<std::size_t>(stall)];
}

}  // namespace smemsim
