// Whoever takes the records that carry one tag.
#pragma once

#include <cstdint>

#include "frontend/capture_decode.hpp"

namespace smemsim::capture {

class Ring;

class RecordTarget {
 public:
  virtual ~RecordTarget() = default;
  /// Called by one thread at a time: the collector's until the launch has ended and the ring is
  /// drained.
  virtual void add(const Record& record) = 0;

  // Fixed when the launch begins.
  Ring* ring = nullptr;
  std::uint16_t tag = 0;
};

}  // namespace smemsim::capture
