// Read ports of a sub-core's registers: two banks, by the parity of the register number, that each
// give one register a cycle. An instruction of fixed latency issues when what the ones before it
// read from its banks is at most `slack` cycles behind.
//
// A register with the reuse flag stays at its operand's place for the next instruction of the warp,
// as long as no other warp issues between.
// Source: the probe outer_products of tools/calibrate; Huerta et al., "Analyzing Modern NVIDIA GPU
// cores", MICRO 2025, describes the banks and the register file cache.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>

#include "sim/cycle/sass.hpp"

namespace smemsim {

class RegisterPorts {
 public:
  RegisterPorts(double reads_per_cycle, double slack) : read_(1 / reads_per_cycle), slack_(slack) {}

  /// When `one` of that warp can issue, as far as the registers go. It has to be the next to issue.
  double readable(const Decoded& one, std::uint32_t warp) {
    reads_ = {};
    if (!one.reads_registers) return 0;
    double at = 0;
    for (std::size_t place = 0; place < kSources; ++place) {
      const std::uint8_t number = one.sources[place].number;
      if (number == kNone || (warp == warp_ && kept_[place] == number)) continue;
      bool again = false;  // one register at two places is read once
      for (std::size_t other = 0; other < place; ++other) {
        again = again || one.sources[other].number == number;
      }
      if (again) continue;
      ++reads_[number % kBanks];
      at = std::max(at, free_[number % kBanks] - slack_);
    }
    return at;
  }
  void issue(const Decoded& one, std::uint32_t warp, double now) {
    warp_ = warp;
    if (!one.reads_registers) {
      kept_.fill(kNone);
      return;
    }
    for (std::size_t bank = 0; bank < kBanks; ++bank) {
      if (reads_[bank] > 0) free_[bank] = std::max(free_[bank], now) + read_ * reads_[bank];
    }
    for (std::size_t place = 0; place < kSources; ++place) {
      kept_[place] = one.sources[place].reuse ? one.sources[place].number : kNone;
    }
  }

 private:
  static constexpr std::size_t kBanks = 2;
  static constexpr std::uint8_t kNone = SourceRegister::kNone;

  double read_, slack_;
  std::array<double, kBanks> free_{};
  std::array<int, kBanks> reads_{};  ///< of the instruction that issues next
  std::array<std::uint8_t, kSources> kept_{kNone, kNone, kNone};
  std::uint32_t warp_ = ~std::uint32_t{0};
};

}  // namespace smemsim
