// Distinct event shapes, numbered in the order in which they were first met.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "sim/event.hpp"

namespace smemsim::trace {

class ShapeTable {
 public:
  /// Number of the equal shape, added when new.
  std::uint32_t index(const EventShape& shape);

  std::span<const EventShape> shapes() const { return shapes_; }
  std::size_t size() const { return shapes_.size(); }
  void clear();
  /// Approximate bytes held.
  std::uint64_t memory() const { return memory_ + slots_.size() * sizeof(std::uint32_t); }

 private:
  void grow();

  std::vector<EventShape> shapes_;
  std::vector<std::uint64_t> hashes_;  ///< of each shape
  std::vector<std::uint32_t> slots_;   ///< open addressing: shape number + 1, 0 = free
  std::uint64_t memory_ = 0;
};

/// A number for EventBatch::shapes_id that no other source of this process uses.
std::uint64_t next_shapes_id();

}  // namespace smemsim::trace
