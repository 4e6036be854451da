// Passes a trace on with arrays in shared memory laid out anew.
//
// What follows an array that grows is not moved: analyses that take accesses one by one do not
// notice, those that look for overlaps (races) would.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "sim/layout_change.hpp"
#include "sim/layout_regions.hpp"
#include "sim/trace_sink.hpp"

namespace smemsim {

/// An array and its new layout. The region belongs to the KernelAccesses that it was found in.
struct RegionChange {
  const LayoutRegion* region = nullptr;
  LayoutChange change;
};

class LayoutRewriter : public TraceSink {
 public:
  /// `kernel` (whose regions are changed) and `next` must outlive this object. The launches that
  /// arrive are those of `kernel`; without changes they pass as they are.
  LayoutRewriter(TraceSink& next, const KernelAccesses& kernel, std::vector<RegionChange> changes);

  /// The launch asks for the shared bytes that the changes add.
  Status begin_launch(const Launch& launch) override;
  Status program(const Program& program) override { return next_.program(program); }
  Status events(const EventBatch& batch) override;
  Status end_launch() override;

  /// Accesses of the arrays that the new layout would tear or misalign. They passed as they were;
  /// advice never proposes such a layout for the accesses that it has seen.
  std::uint64_t unmoved() const { return unmoved_; }

 private:
  struct Moved {
    std::uint32_t shape = 0;
    std::uint64_t base = 0;
  };
  const RegionChange* change_of(const EventShape& shape, const Event& event, LaneMask lanes) const;
  Moved move(const EventShape& shape, const Event& event);
  std::uint32_t keep(std::uint32_t from, EventShape shape);

  TraceSink& next_;
  const KernelAccesses& kernel_;
  std::vector<RegionChange> changes_;
  Launch launch_;
  std::vector<std::vector<bool>>
      sites_;  ///< of each change, by site of the launch; last: unknown ones
  std::uint64_t source_id_ = 0, id_ = 0;  ///< of the incoming shapes and of shapes_
  std::size_t source_shapes_ = 0;
  std::vector<EventShape> shapes_;  ///< those of the batch, then moved ones
  std::map<std::pair<std::uint32_t, std::uint64_t>, Moved> moved_;  ///< by shape and base
  std::map<std::pair<std::uint32_t, std::vector<std::int64_t>>, std::uint32_t> known_;
  std::vector<Event> events_;
  std::uint64_t unmoved_ = 0;
};

}  // namespace smemsim
