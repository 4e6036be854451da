#include "sim/race_knowledge.hpp"

#include <algorithm>

namespace smemsim {

void Knowledge::reset(std::size_t threads, bool fences) {
  if (threads != threads_ || fences != fences_) {
    slots_.clear();
    slots_.resize(1);
    threads_ = threads;
    fences_ = fences;
  }
  free_.clear();
  for (Row row = static_cast<Row>(slots_.size()); --row > 0;) {
    slots_[row].owners = 0;
    free_.push_back(row);
  }
}

Knowledge::Row Knowledge::make() {
  Row row = kNone;
  if (free_.empty()) {
    row = static_cast<Row>(slots_.size());
    slots_.push_back({std::make_unique<std::uint32_t[]>(size()), 0});
  } else {
    row = free_.back();
    free_.pop_back();
    std::fill_n(slots_[row].data.get(), size(), 0);
  }
  slots_[row].owners = 1;
  return row;
}

Knowledge::Row Knowledge::copy(Row from) {
  const Row row = make();
  std::copy_n(slots_[from].data.get(), size(), slots_[row].data.get());
  return row;
}

void Knowledge::join(Row into, Row from) {
  if (into == from) return;
  std::uint32_t* to = slots_[into].data.get();
  const std::uint32_t* other = slots_[from].data.get();
  for (std::size_t i = 0; i < size(); ++i) to[i] = std::max(to[i], other[i]);
}

}  // namespace smemsim
