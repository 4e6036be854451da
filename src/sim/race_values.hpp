// Constants in registers, for what traces do not tell of mbarriers: how many arrivals an
// initialisation expects, which parity is waited for, how many bytes are announced.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "sim/event.hpp"
#include "sim/launch.hpp"
#include "sim/race_sass.hpp"

namespace smemsim {

inline constexpr std::uint64_t kUnknownParity = 2;  ///< of an mbarrier_wait

class RaceValues {
 public:
  /// `program` must outlive this.
  explicit RaceValues(const Program& program);

  /// The count, parity or bytes of an mbarrier instruction, if its operand is the same constant on
  /// every way to it.
  std::optional<std::uint64_t> mbarrier(std::size_t index) const;

 private:
  using Value = std::optional<std::uint64_t>;
  Value operand(std::size_t index, std::string_view text, unsigned depth) const;
  Value at(std::size_t index, std::string_view name, unsigned depth) const;
  Value result(std::size_t index, unsigned depth) const;

  std::vector<SassText> code_;
  std::vector<std::string_view> guards_;
  std::vector<std::vector<std::uint32_t>> before_;
};

/// Puts into the mbarrier events of a launch what the trace does not know and the machine code
/// tells.
class MbarrierConstants {
 public:
  void clear() { values_.clear(); }
  void add(const Program& program);
  bool empty() const { return values_.empty(); }
  void complete(EventShape& shape, const Launch& launch) const;

 private:
  std::map<std::pair<std::string, std::uint32_t>, std::uint64_t> values_;  ///< by function and pc
};

}  // namespace smemsim
