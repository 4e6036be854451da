#include "trace/shape_table.hpp"

#include <algorithm>
#include <atomic>

namespace smemsim::trace {
namespace {

std::uint64_t mix(std::uint64_t hash, std::uint64_t value) {
  hash = (hash ^ value) * 0x9e3779b97f4a7c15U;
  return hash ^ hash >> 29;
}

std::uint64_t hash_of(const EventShape& shape) {
  std::uint64_t hash = static_cast<std::uint64_t>(shape.op) | std::uint64_t{shape.width} << 8 |
                       std::uint64_t{shape.matrices} << 16 | std::uint64_t{shape.flags} << 24 |
                       std::uint64_t{shape.site} << 32;
  hash = mix(mix(mix(mix(0, hash), shape.active), shape.a), shape.b);
  for (const std::int64_t offset : shape.offsets) {
    hash = mix(hash, static_cast<std::uint64_t>(offset));
  }
  for (const std::int64_t offset : shape.source_offsets) {
    hash = mix(hash, ~static_cast<std::uint64_t>(offset));
  }
  return hash;
}

}  // namespace

std::uint32_t ShapeTable::index(const EventShape& shape) {
  if (shapes_.size() * 2 >= slots_.size()) grow();
  const std::uint64_t hash = hash_of(shape);
  const std::size_t mask = slots_.size() - 1;
  std::size_t slot = hash & mask;
  for (; slots_[slot] != 0; slot = (slot + 1) & mask) {
    const std::uint32_t found = slots_[slot] - 1;
    if (hashes_[found] == hash && shapes_[found] == shape) return found;
  }
  shapes_.push_back(shape);
  hashes_.push_back(hash);
  memory_ += sizeof(EventShape) + sizeof hash +
             sizeof(std::int64_t) * (shape.offsets.size() + shape.source_offsets.size());
  slots_[slot] = static_cast<std::uint32_t>(shapes_.size());
  return slots_[slot] - 1;
}

void ShapeTable::grow() {
  slots_.assign(std::max<std::size_t>(64, slots_.size() * 2), 0);
  const std::size_t mask = slots_.size() - 1;
  for (std::uint32_t number = 0; number < shapes_.size(); ++number) {
    std::size_t slot = hashes_[number] & mask;
    while (slots_[slot] != 0) slot = (slot + 1) & mask;
    slots_[slot] = number + 1;
  }
}

void ShapeTable::clear() {
  shapes_.clear();
  hashes_.clear();
  std::fill(slots_.begin(), slots_.end(), 0);
  memory_ = 0;
}

std::uint64_t next_shapes_id() {
  static std::atomic<std::uint64_t> last{0};
  return ++last;
}

}  // namespace smemsim::trace
