// Events -> the raw bytes of one EVTS chunk.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "sim/event.hpp"
#include "sim/launch.hpp"
#include "sim/result.hpp"
#include "trace/shape_table.hpp"
#include "trace/smt_format.hpp"

namespace smemsim::trace {

class EventEncoder {
 public:
  /// What the index tells about a chunk.
  struct Summary {
    std::uint64_t events = 0;
    std::uint64_t first_block = 0, last_block = 0;  ///< smallest and largest index
  };

  /// Forgets everything and starts on a launch, which must stay valid.
  void begin(const Launch& launch);

  /// Takes events from the batch, starting with `first`, until the chunk is full; returns how many
  /// of the batch are now taken in all. `chunk_bytes` is the size at which a chunk is full.
  Result<std::size_t> add(const EventBatch& batch, std::size_t first, std::size_t chunk_bytes);

  bool empty() const { return summary_.events == 0; }
  bool full() const { return full_; }
  const Summary& summary() const { return summary_; }

  /// The chunk's raw bytes; starts the next chunk of the same launch.
  std::string take(std::uint64_t launch_number);

 private:
  /// How a shape of the current batch is written. Kept while `shapes_id` stays the same.
  struct Mapped {
    std::uint64_t chunk = 0;  ///< number of the chunk that `index` belongs to
    std::uint32_t index = 0;
    std::uint64_t base_shift = 0, source_shift = 0;
    bool has_base = false, has_source = false;
  };
  Status map_shape(const EventShape& shape, Mapped& mapped);
  void put_event(const Event& event, const Mapped& mapped);
  void flush_run();
  void close_segment();

  const Launch* launch_ = nullptr;
  ShapeTable table_;               ///< canonical shapes of the chunk
  std::string shapes_, segments_;  ///< encoded so far
  std::string open_;               ///< events of the open segment
  std::vector<smt::Prediction> predictions_;
  std::uint32_t introduced_ = 0;   ///< shapes that an event of the chunk has used
  std::uint32_t first_shape_ = 0;  ///< of the segment before
  std::uint32_t previous_ = 0;     ///< shape of the event before; meaningful within a segment
  std::uint64_t run_ = 0;          ///< events as predicted, not written yet
  std::uint64_t segment_count_ = 0, segment_events_ = 0;
  std::uint64_t block_ = 0, written_block_ = 0;
  std::uint32_t warp_ = 0, written_warp_ = 0;
  Summary summary_;
  bool full_ = false;
  std::vector<Mapped> map_;
  std::uint64_t map_id_ = 0, chunk_ = 1;
};

}  // namespace smemsim::trace
