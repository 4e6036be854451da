#include "trace/event_decoder.hpp"

#include <algorithm>

#include "trace/shape_codec.hpp"
#include "trace/shape_table.hpp"

namespace smemsim::trace {
namespace {

/// Events handed over at once: enough to make the call cheap, few enough to stay in the cache.
constexpr std::size_t kBatchEvents = 2048;

Error damaged(const ByteCursor& in, const std::string& what) {
  return invalid_input({}, what + " at byte " + std::to_string(in.position()) + " of the chunk");
}

}  // namespace

void EventDecoder::begin(const Launch& launch, std::uint64_t launch_number) {
  launch_ = &launch;
  launch_number_ = launch_number;
  events_ = 0;
  blocks_.clear();
  batch_.resize(kBatchEvents);
}

Status EventDecoder::read_shapes(ByteCursor& in, std::uint64_t count) {
  // Every shape takes at least 8 bytes, so a small chunk cannot ask for many.
  if (count > smt::kMaxShapes || count > in.remaining() / 8) {
    return damaged(in, "an absurd number of shapes (" + std::to_string(count) + ")");
  }
  shape_count_ = static_cast<std::size_t>(count);
  if (shapes_.size() < shape_count_) shapes_.resize(shape_count_);
  has_base_.resize(shape_count_);
  has_source_.resize(shape_count_);
  predictions_.assign(shape_count_, smt::Prediction{});
  for (std::uint32_t i = 0; i < shape_count_; ++i) {
    if (!get_shape(in, shapes_[i])) {
      return damaged(in, "shape " + std::to_string(i) + " is not one");
    }
    if (Status status = check_shape(shapes_[i], *launch_); !status) {
      return damaged(in, status.error().message);
    }
    has_base_[i] = shape_has_base(shapes_[i]) ? 1 : 0;
    has_source_[i] = shape_has_source(shapes_[i]) ? 1 : 0;
    predictions_[i].next = i;
  }
  return {};
}

Status EventDecoder::decode(std::string_view raw, TraceSink& sink, bool& sink_failed) {
  ByteCursor in(raw);
  const std::uint64_t launch = in.varint();
  const std::uint64_t shapes = in.varint();
  const std::uint64_t segments = in.varint();
  const std::uint64_t events = in.varint();
  if (in.failed()) return damaged(in, "the chunk's head is cut off");
  if (launch != launch_number_) {
    return damaged(in, "events of launch " + std::to_string(launch) + " within launch " +
                           std::to_string(launch_number_));
  }
  if (events > smt::kMaxEvents || segments > events || (events != 0 && shapes == 0)) {
    return damaged(in, "absurd counts (" + std::to_string(events) + " events in " +
                           std::to_string(segments) + " segments)");
  }
  SMEMSIM_TRY(read_shapes(in, shapes));

  introduced_ = 0;
  first_shape_ = 0;
  std::uint64_t block = 0, warp = 0, delivered = 0;
  EventBatch batch;
  batch.shapes = std::span<const EventShape>(shapes_.data(), shape_count_);
  batch.shapes_id = next_shapes_id();
  for (std::uint64_t segment = 0; segment < segments; ++segment) {
    block += in.signed_varint();
    warp += in.signed_varint();
    std::uint64_t left = in.varint();
    if (in.failed() || warp > UINT32_MAX) return damaged(in, "a segment's head is damaged");
    if (left == 0 || left > events - delivered) {
      return damaged(in, "a segment of an absurd number of events (" + std::to_string(left) + ")");
    }
    batch.block = block;
    batch.warp = static_cast<std::uint32_t>(warp);
    if (Status status = check_position(block, batch.warp, *launch_); !status) {
      return damaged(in, status.error().message);
    }
    if (!blocks_.enter(block)) {
      return damaged(in, "block " + std::to_string(block) + " comes twice");
    }
    delivered += left;
    run_ = 0;
    successor_ = &first_shape_;
    while (left != 0) {
      SMEMSIM_TRY(read_batch(in, left));
      left -= filled_;
      batch.events = std::span<const Event>(batch_.data(), filled_);
      Status status = sink.events(batch);
      if (!status) {
        sink_failed = true;
        return status;
      }
    }
    if (run_ != 0) return damaged(in, "a run of events that goes past its segment");
  }
  if (delivered != events || in.remaining() != 0) {
    return damaged(in, "other counts than the chunk's head promises");
  }
  events_ += delivered;
  return {};
}

Status EventDecoder::read_batch(ByteCursor& in, std::uint64_t left) {
  const auto wanted = static_cast<std::size_t>(std::min<std::uint64_t>(left, batch_.size()));
  filled_ = 0;
  while (filled_ < wanted) {
    if (run_ == 0) {
      const std::uint64_t token = in.varint();
      if ((token & 1) != 0) {
        SMEMSIM_TRY(explicit_event(in, token, batch_[filled_]));
        ++filled_;
        continue;
      }
      if (token == 0) return damaged(in, "an event is cut off");
      run_ = token / 2;
    }
    const auto now = static_cast<std::size_t>(std::min<std::uint64_t>(run_, wanted - filled_));
    run_ -= now;
    std::uint32_t* successor = successor_;
    for (const std::size_t end = filled_ + now; filled_ < end; ++filled_) {
      const std::uint32_t shape = *successor;
      smt::Prediction& at = predictions_[shape];
      at.base.last += at.base.stride;
      at.source.last += at.source.stride;
      batch_[filled_] = {shape, at.base.last, at.source.last};
      successor = &at.next;
    }
    successor_ = successor;
  }
  return {};
}

Status EventDecoder::explicit_event(ByteCursor& in, std::uint64_t token, Event& event) {
  const std::uint64_t shape = token == 1 ? introduced_++ : token / 2 - 1;
  if (shape >= shape_count_) {
    return damaged(in, "shape " + std::to_string(shape) + " of " + std::to_string(shape_count_));
  }
  smt::Prediction& at = predictions_[shape];
  if (has_base_[shape] != 0) at.base.correct(at.base.expected() + in.signed_varint());
  if (has_source_[shape] != 0) at.source.correct(at.source.expected() + in.signed_varint());
  if (in.failed()) return damaged(in, "an event is cut off");
  event = {static_cast<std::uint32_t>(shape), at.base.last, at.source.last};
  *successor_ = event.shape;
  successor_ = &at.next;
  return {};
}

}  // namespace smemsim::trace
