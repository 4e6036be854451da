// Writes traces as JSON Lines (docs/trace-format.md), for people and scripts.
#pragma once

#include <string>
#include <vector>

#include "trace/byte_io.hpp"
#include "trace/trace_writer.hpp"

namespace smemsim::trace {

class JsonlWriter final : public TraceWriter {
 public:
  /// `out` must outlive the writer.
  explicit JsonlWriter(ByteSink& out) : out_(out) {}

  Status begin_launch(const Launch& launch) override;
  Status program(const Program& program) override;
  Status events(const EventBatch& batch) override;
  Status end_launch() override;
  Status finish() override;

 private:
  Status flush_over(std::size_t bytes);
  const std::string& shape_text(const EventShape& shape, std::uint32_t index);
  void put_event(const EventShape& shape, const Event& event);

  ByteSink& out_;
  std::string buffer_;
  unsigned warp_lanes_ = 32;
  bool started_ = false;
  /// The part of a line that only depends on the shape, made when it is first needed.
  std::vector<std::string> shape_texts_;
  std::uint64_t shapes_id_ = 0;
  std::uint64_t block_ = 0;  ///< where the lines so far stand
  std::uint32_t warp_ = 0;
};

}  // namespace smemsim::trace
