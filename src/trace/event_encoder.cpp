#include "trace/event_encoder.hpp"

#include <algorithm>

#include "trace/shape_codec.hpp"
#include "trace/trace_rules.hpp"

namespace smemsim::trace {
namespace {

// A chunk of events that are all as predicted would never fill its bytes; these keep the memory and
// the loss of a died writer small.
constexpr std::uint64_t kChunkEvents = 1U << 20;
constexpr std::size_t kChunkShapes = 1U << 13;

}  // namespace

void EventEncoder::begin(const Launch& launch) {
  launch_ = &launch;
  take(0);
  map_id_ = 0;
}

Status EventEncoder::map_shape(const EventShape& shape, Mapped& mapped) {
  if (Status status = check_shape(shape, *launch_); !status) return status;
  if (!has_whole_lists(shape)) {
    return invalid_input({}, "an event shape of " + std::string(name(shape.op)) +
                                 " without an address for every active lane");
  }
  const std::size_t before = table_.size();
  const EventShape canonical = canonical_shape(shape, mapped.base_shift, mapped.source_shift);
  mapped.index = table_.index(canonical);
  mapped.chunk = chunk_;
  mapped.has_base = shape_has_base(shape);
  mapped.has_source = shape_has_source(shape);
  if (table_.size() != before) {
    put_shape(shapes_, canonical);
    predictions_.push_back({{}, {}, mapped.index});
  }
  return {};
}

Result<std::size_t> EventEncoder::add(const EventBatch& batch, std::size_t first,
                                      std::size_t chunk_bytes) {
  if (batch.shapes_id != map_id_ || map_.size() != batch.shapes.size()) {
    map_.assign(batch.shapes.size(), Mapped{});
    map_id_ = batch.shapes_id;
  }
  if (first >= batch.events.size()) return first;
  if (segment_events_ == 0 || batch.block != block_ || batch.warp != warp_) {
    SMEMSIM_TRY(check_position(batch.block, batch.warp, *launch_));
    close_segment();
    block_ = batch.block;
    warp_ = batch.warp;
  }
  if (empty()) summary_.first_block = summary_.last_block = block_;
  summary_.first_block = std::min(summary_.first_block, block_);
  summary_.last_block = std::max(summary_.last_block, block_);

  std::size_t taken = first;
  for (; taken < batch.events.size(); ++taken) {
    const Event& event = batch.events[taken];
    if (event.shape >= map_.size()) return invalid_input({}, "an event without a shape");
    Mapped& mapped = map_[event.shape];
    if (mapped.chunk != chunk_) SMEMSIM_TRY(map_shape(batch.shapes[event.shape], mapped));
    put_event(event, mapped);
    if (summary_.events >= kChunkEvents || table_.size() >= kChunkShapes ||
        shapes_.size() + segments_.size() + open_.size() >= chunk_bytes) {
      full_ = true;
      return taken + 1;
    }
  }
  return taken;
}

void EventEncoder::put_event(const Event& event, const Mapped& mapped) {
  const std::uint64_t base = mapped.has_base ? event.base + mapped.base_shift : 0;
  const std::uint64_t source = mapped.has_source ? event.source + mapped.source_shift : 0;
  std::uint32_t& successor = segment_events_ == 0 ? first_shape_ : predictions_[previous_].next;
  smt::Prediction& at = predictions_[mapped.index];
  const bool known = mapped.index < introduced_;
  if (known && successor == mapped.index && base == at.base.expected() &&
      source == at.source.expected()) {
    at.base.last = base;
    at.source.last = source;
    ++run_;
  } else {
    flush_run();
    put_varint(open_, known ? std::uint64_t{mapped.index} * 2 + 3 : 1);
    if (mapped.has_base) put_signed(open_, base - at.base.expected());
    if (mapped.has_source) put_signed(open_, source - at.source.expected());
    at.base.correct(base);
    at.source.correct(source);
    successor = mapped.index;
    if (!known) ++introduced_;
  }
  previous_ = mapped.index;
  ++segment_events_;
  ++summary_.events;
}

void EventEncoder::flush_run() {
  if (run_ != 0) put_varint(open_, run_ * 2);
  run_ = 0;
}

void EventEncoder::close_segment() {
  if (segment_events_ == 0) return;
  flush_run();
  put_signed(segments_, block_ - written_block_);
  put_signed(segments_, std::uint64_t{warp_} - written_warp_);
  put_varint(segments_, segment_events_);
  segments_ += open_;
  open_.clear();
  written_block_ = block_;
  written_warp_ = warp_;
  segment_events_ = 0;
  ++segment_count_;
}

std::string EventEncoder::take(std::uint64_t launch_number) {
  close_segment();
  std::string out;
  put_varint(out, launch_number);
  put_varint(out, table_.size());
  put_varint(out, segment_count_);
  put_varint(out, summary_.events);
  out += shapes_;
  out += segments_;

  table_.clear();
  shapes_.clear();
  segments_.clear();
  predictions_.clear();
  introduced_ = 0;
  first_shape_ = 0;
  segment_count_ = 0;
  written_block_ = 0;
  written_warp_ = 0;
  summary_ = {};
  full_ = false;
  ++chunk_;
  return out;
}

}  // namespace smemsim::trace
