// Records of the device patches -> warp events. Standard library only (see capture_options.hpp).
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <functional>
#include <span>

#include "frontend/capture_record.hpp"
#include "sim/launch.hpp"
#include "trace/launch_builder.hpp"

namespace smemsim::capture {

/// Parity of an mbarrier_wait or mbarrier_try whose phase is not known.
inline constexpr std::uint64_t kUnknownParity = 2;

/// A record taken apart.
struct Record {
  RecordKind kind = RecordKind::none;
  std::uint8_t flags = 0;
  std::uint32_t active = 0;
  std::uint16_t tag = 0;
  std::uint16_t grid = 0;  ///< tells launches apart that run at about the same time
  std::uint32_t warp = 0;
  std::uint64_t block = 0;
  std::uint64_t pc = 0, a = 0, b = 0;
  std::uint64_t before = 0;  ///< of an mbarrier_attempt: the object's bits before it; 0 = unknown
  /// By lane; only those of active lanes mean something.
  std::array<std::uint64_t, 32> wide, narrow;
};

/// Words of the record that starts with `commit`; 0 when the word cannot start a record.
unsigned record_words(std::uint64_t commit);

/// Takes a whole record apart; `words` holds record_words(words[0]) of them.
void parse_record(std::span<const std::uint64_t> words, Record& record);

/// Rank of a block in its cluster: what stands above bit 24 of its own shared addresses.
std::uint32_t cluster_rank(std::uint64_t block, const Dim3& grid, const Dim3& cluster);

/// Calls `emit` for the events that the record stands for: none, one or two, all at `site`.
void to_events(const Record& record, std::uint32_t site, std::uint32_t rank,
               const std::function<void(const trace::FlatEvent&)>& emit);

}  // namespace smemsim::capture
