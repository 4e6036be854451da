// How often a kernel uses what it brings into shared memory.
//
// A tile pays off when each byte that is staged (stored to shared memory, or copied there from
// global memory) is read more than once; the price is the shared memory that other blocks, and so
// other warps to hide latency with, cannot have.
//   reuse = bytes read from shared memory by lanes / bytes staged
// Bytes are counted per lane as written in the code: an ldmatrix reads 128 bytes per matrix, lanes
// that read one word together count each.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "sim/launch.hpp"
#include "sim/trace_sink.hpp"

namespace smemsim {

/// One launch.
struct Staging {
  Launch launch;                   ///< without its sites
  std::uint64_t staged_bytes = 0;  ///< stores, stmatrix, cp.async, bulk loads into shared memory
  std::uint64_t read_bytes = 0;    ///< loads and ldmatrix from shared memory
  std::uint64_t global_bytes = 0;  ///< 32-byte sectors of global memory moved, in bytes

  double reuse() const {
    return staged_bytes == 0 ? 0.0
                             : static_cast<double>(read_bytes) / static_cast<double>(staged_bytes);
  }
};

class StagingAnalysis : public TraceSink {
 public:
  Status begin_launch(const Launch& launch) override;
  Status events(const EventBatch& batch) override;
  Status end_launch() override { return {}; }

  /// One entry for each launch, in order.
  const std::vector<Staging>& launches() const { return launches_; }

 private:
  std::vector<Staging> launches_;
};

}  // namespace smemsim
