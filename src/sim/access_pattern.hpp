// Where the lanes of one access point, and why that costs what it costs: facts first, then one
// sentence made of them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "sim/bank_model.hpp"
#include "sim/event.hpp"
#include "sim/machine.hpp"

namespace smemsim {

enum class PatternKind : std::uint8_t {
  none,       ///< no lane
  single,     ///< one lane
  same,       ///< every lane at one address
  stride,     ///< address = c + stride * lane
  grid,       ///< address = c + stride * (lane mod group) + group_stride * (lane div group)
  swizzle,    ///< address = c XOR the basis[i] of each set bit i of the lane's number
  irregular,  ///< none of these
};

/// The regularity of some lanes' addresses. Every field is exact: it holds for all `lanes`.
struct AccessPattern {
  PatternKind kind = PatternKind::none;
  LaneMask lanes = 0;
  std::int64_t stride = 0;        ///< bytes; stride and grid
  unsigned group = 0;             ///< lanes; grid
  std::int64_t group_stride = 0;  ///< bytes; grid

  friend bool operator==(const AccessPattern&, const AccessPattern&) = default;
};

/// The simplest pattern of the `lanes` of an access; they must be active.
AccessPattern find_pattern(const EventShape& shape, const Event& event, LaneMask lanes);

/// The bank that decides how long a pass takes.
struct BankClash {
  std::size_t pass = 0;         ///< index into AccessDetail::passes: the first with the most ways
  unsigned bank = 0;            ///< lowest of the busiest ones
  std::vector<unsigned> lanes;  ///< the lowest lane of each of its words (atomics: every lane)
  std::size_t words = 0;        ///< different words among them
  bool whole_pass = false;      ///< every lane of the pass starts in this bank
};

/// Nothing when no pass has more than one way.
std::optional<BankClash> worst_clash(const AccessDetail& detail, const EventShape& shape,
                                     const Event& event, const SharedMemory& machine);

/// One line for people, such as "lanes are 128 bytes apart, so all 32 fall in bank 0". Says what
/// the addresses are, and for an access with excess wavefronts which lanes meet in which bank.
std::string explain_access(const EventShape& shape, const Event& event,
                           const SharedMemory& machine);

/// "0, 8, 16 and 24"; long lists are cut: "0, 4, 8, ... 28".
std::string lane_list_text(const std::vector<unsigned>& lanes);

}  // namespace smemsim
