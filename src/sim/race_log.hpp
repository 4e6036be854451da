// Gathers occurrences of problems into findings, one per kind and pair of sites.
#pragma once

#include <cstdint>
#include <tuple>
#include <unordered_map>
#include <vector>

#include "sim/race_report.hpp"

namespace smemsim {

/// One occurrence, before grouping.
struct RaceOccurrence {
  RaceKind kind = RaceKind::read_after_write;
  RaceSeverity severity = RaceSeverity::error;
  RaceScope scope = RaceScope::block;
  RaceSide first, second;
  std::uint64_t address = 0;
  bool has_address = false;
  std::uint32_t helper_site = kNoSite;
  std::uint64_t detail = 0, detail2 = 0;
  std::uint8_t variant = 0;
};

class RaceLog {
 public:
  void add(const RaceOccurrence& occurrence);
  /// Findings without words (race_advice.hpp adds them), in no particular order.
  std::vector<RaceFinding> take();
  bool empty() const { return entries_.empty(); }

 private:
  struct Key {
    RaceKind kind;
    std::uint8_t variant;
    std::uint32_t first, second;
    friend bool operator==(const Key&, const Key&) = default;
  };
  struct KeyHash {
    std::size_t operator()(const Key& key) const {
      std::uint64_t hash = (std::uint64_t{key.first} << 32 | key.second) * 0x9E3779B97F4A7C15;
      return static_cast<std::size_t>(hash ^ (hash >> 29) ^
                                      (static_cast<std::uint64_t>(key.kind) << 8 | key.variant));
    }
  };
  struct Entry {
    RaceFinding finding;
    std::uint64_t last_block = 0;
  };

  std::unordered_map<Key, std::size_t, KeyHash> index_;
  std::vector<Entry> entries_;
  Key last_key_{};
  std::size_t last_ = 0;
};

}  // namespace smemsim
