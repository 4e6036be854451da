#include "sim/staging.hpp"

#include "sim/coalescing.hpp"

namespace smemsim {

namespace {

constexpr std::uint64_t kMatrixBytes = 128;

std::uint64_t lane_bytes(const EventShape& shape) {
  if (shape.matrices != 0) return kMatrixBytes * shape.matrices;
  return std::uint64_t{lane_count(shape.active)} * shape.width;
}

}  // namespace

Status StagingAnalysis::begin_launch(const Launch& launch) {
  launches_.emplace_back();
  launches_.back().launch = launch;
  launches_.back().launch.sites.clear();
  return {};
}

Status StagingAnalysis::events(const EventBatch& batch) {
  Staging& out = launches_.back();
  for (const Event& event : batch.events) {
    const EventShape& shape = batch.shapes[event.shape];
    switch (shape.op) {
      case Operation::load:
      case Operation::ldmatrix:
        out.read_bytes += lane_bytes(shape);
        break;
      case Operation::store:
      case Operation::stmatrix:
      case Operation::cp_async_ca:
      case Operation::cp_async_cg:
        out.staged_bytes += lane_bytes(shape);
        break;
      case Operation::bulk_load:
        out.staged_bytes += shape.a;
        break;
      default:
        break;
    }
    if (is_global_access(shape.op)) {
      out.global_bytes += kSectorBytes * sector_cost(shape, event).sectors;
    }
  }
  return {};
}

}  // namespace smemsim
