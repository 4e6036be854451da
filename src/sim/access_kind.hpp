// Kinds of shared accesses as profilers group them, with the counters that count each.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "sim/operation.hpp"

namespace smemsim {

enum class AccessKind : std::uint8_t { load, ldmatrix, store, stmatrix, atomic, copy, count_ };

inline constexpr std::size_t kAccessKinds = static_cast<std::size_t>(AccessKind::count_);

/// Counters of Nsight Compute for one kind. They are sums over the whole launch; empty = the tool
/// has none.
struct CounterNames {
  std::string_view kind;          ///< "ld", "ldmatrix", ... as reports write it
  std::string_view instructions;  ///< executed warp instructions
  std::string_view wavefronts;
  std::string_view conflicts;  ///< what the tool calls bank conflicts
  /// The agreement of smemsim's numbers with the counter was measured; else the name comes from the
  /// tool's documentation.
  bool measured = false;
};

/// Kind of a shared access (is_shared_access holds).
AccessKind access_kind(Operation op);

const CounterNames& counter_names(AccessKind kind);

/// The counters of all kinds together.
const CounterNames& total_counter_names();

}  // namespace smemsim
