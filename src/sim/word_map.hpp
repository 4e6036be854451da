// Address -> word -> bank, with shifts where the machine's numbers are powers of two.
#pragma once

#include <bit>
#include <cstdint>

#include "sim/machine.hpp"

namespace smemsim {

inline constexpr unsigned kMaxBanks = 128;        ///< of any machine file
inline constexpr unsigned kMaxWordsPerLane = 16;  ///< 16-byte access on 1-byte banks

class WordMap {
 public:
  explicit WordMap(const SharedMemory& machine)
      : bytes_(machine.bank_bytes), banks_(machine.banks) {
    powers_ = std::has_single_bit(bytes_) && std::has_single_bit(banks_);
    shift_ = static_cast<unsigned>(std::countr_zero(bytes_));
  }

  unsigned banks() const { return banks_; }
  std::uint64_t word(std::uint64_t address) const {
    return powers_ ? address >> shift_ : address / bytes_;
  }
  unsigned bank(std::uint64_t word) const {
    return static_cast<unsigned>(powers_ ? word & (banks_ - 1) : word % banks_);
  }

 private:
  std::uint32_t bytes_;
  std::uint32_t banks_;
  bool powers_;
  unsigned shift_;
};

}  // namespace smemsim
