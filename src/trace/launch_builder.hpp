// Collects the events of one launch in whatever order a producer meets them and delivers them in
// the order that TraceSink promises. Memory: 24 bytes an event plus the distinct shapes.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "sim/launch.hpp"
#include "sim/trace_sink.hpp"
#include "trace/shape_table.hpp"

namespace smemsim::trace {

/// One event with all its addresses, before it is split into shape and bases.
struct FlatEvent {
  Operation op = Operation::instructions;
  std::uint8_t width = 0;
  std::uint8_t matrices = 0;
  std::uint8_t flags = 0;
  std::uint32_t site = 0;
  LaneMask active = 0;
  std::uint64_t a = 0, b = 0;
  /// Per lane (index = lane), at least up to the highest active one, for operations with lane
  /// addresses; one entry (the base) for the others that have an address; entries of inactive lanes
  /// are not looked at. `op`, `active` and `flags` must exist (trace_rules.hpp).
  std::span<const std::uint64_t> addresses;
  std::span<const std::uint64_t> sources;
};

/// Puts everything of the event that repeats into `shape` and returns its addresses; which shape it
/// has is left open.
Event split_event(const FlatEvent& event, EventShape& shape);

class LaunchBuilder {
 public:
  explicit LaunchBuilder(Launch launch) : launch_(std::move(launch)) {}
  LaunchBuilder(const LaunchBuilder&) = delete;
  LaunchBuilder& operator=(const LaunchBuilder&) = delete;

  Launch& launch() { return launch_; }
  /// Index of an equal site, added when new.
  std::uint32_t add_site(const Site& site);
  void add_program(Program program) { programs_.push_back(std::move(program)); }

  /// Appends to the warp's events. Order matters only within a warp.
  void add(std::uint64_t block, std::uint32_t warp, const FlatEvent& event);

  std::uint64_t event_count() const { return event_count_; }
  /// Approximate bytes held.
  std::uint64_t memory() const;

  /// Delivers the launch, blocks by rising index, warps by rising index within a block.
  /// Sets `recorded_blocks` unless the producer did, and adds empty sites up to the largest one
  /// that an event refers to.
  Status deliver(TraceSink& sink);

 private:
  Launch launch_;
  std::vector<Program> programs_;
  ShapeTable shapes_;
  EventShape scratch_;
  std::map<std::string, std::uint32_t> site_index_;
  std::uint32_t indexed_sites_ = 0;  ///< how many of launch_.sites are in site_index_
  std::uint32_t last_site_ = 0;      ///< largest that an event refers to
  std::map<std::uint64_t, std::map<std::uint32_t, std::vector<Event>>> blocks_;
  std::vector<Event>* warp_events_ = nullptr;  ///< of last_block_ and last_warp_
  std::uint64_t last_block_ = 0;
  std::uint32_t last_warp_ = 0;
  std::uint64_t event_count_ = 0;
};

}  // namespace smemsim::trace
