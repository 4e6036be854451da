// Observers of a simulated SM. They see what happens and change nothing.
#pragma once

#include <cstdint>

#include "sim/cycle/sass.hpp"
#include "sim/cycle/stall.hpp"

namespace smemsim {

/// A warp as listeners know it.
struct WarpId {
  std::uint64_t block = 0;  ///< linear block index of the trace
  std::uint32_t start = 0;  ///< how many blocks the SM had started before
  std::uint32_t warp = 0;   ///< in the block
  std::uint32_t sub_core = 0;
};

class SmListener {
 public:
  virtual ~SmListener() = default;
  /// `instruction`: index into StreamBuilder::instructions().
  virtual void issued(const WarpId&, std::uint32_t /*instruction*/, const Decoded&,
                      double /*cycle*/) {}
  /// The warp did not issue from cycle `from` up to before `to`.
  virtual void stalled(const WarpId&, Stall, double /*from*/, double /*to*/) {}
  virtual void block_done(std::uint64_t /*block*/, double /*from*/, double /*to*/) {}
};

}  // namespace smemsim
