// Global memory as one SM sees it: an L1 of 128-byte lines with 32-byte sectors, and behind it the
// SM's share of L2 and DRAM bandwidth.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <vector>

#include "sim/cycle/stream.hpp"

namespace smemsim {

/// Set-associative, least recently used first out.
class L1Cache {
 public:
  explicit L1Cache(double bytes)
      : sets_(std::max<std::size_t>(1, static_cast<std::size_t>(bytes) / (128 * kWays))),
        ways_(sets_ * kWays) {}

  /// Sectors of `use` that are not there; a load takes them in, to arrive at `arrival`.
  std::uint8_t missing(const LineUse& use, std::uint64_t& clock) {
    Way* way = find(use.line);
    if (way == nullptr) return use.sectors;
    way->used = ++clock;
    return static_cast<std::uint8_t>(use.sectors & ~way->sectors);
  }
  void clear() { ways_.assign(ways_.size(), Way{}); }
  double arrival(const LineUse& use) {
    const Way* way = find(use.line);
    return way == nullptr ? 0 : way->arrival;
  }
  void fill(const LineUse& use, double arrival, std::uint64_t& clock) {
    Way* way = find(use.line);
    if (way == nullptr) {
      Way* first = set(use.line);
      way = std::min_element(first, first + kWays,
                             [](const Way& a, const Way& b) { return a.used < b.used; });
      *way = {use.line + 1, 0, 0, 0};
    }
    way->sectors |= use.sectors;
    way->arrival = std::max(way->arrival, arrival);
    way->used = ++clock;
  }

 private:
  static constexpr std::size_t kWays = 8;
  struct Way {
    std::uint64_t line_plus_1 = 0;
    std::uint8_t sectors = 0;
    double arrival = 0;
    std::uint64_t used = 0;
  };
  Way* set(std::uint64_t line) { return ways_.data() + line % sets_ * kWays; }
  Way* find(std::uint64_t line) {
    Way* first = set(line);
    for (Way* way = first; way != first + kWays; ++way) {
      if (way->line_plus_1 == line + 1) return way;
    }
    return nullptr;
  }
  std::size_t sets_;
  std::vector<Way> ways_;
};

/// The way to one level of memory: a link of this SM alone, and its share of what serves all SMs.
class MemoryPort {
 public:
  MemoryPort(double link, double share)
      : link_(std::max(link, 1e-3)), share_(std::max(share, 1e-3)) {}
  /// When bytes asked for at `at` have passed; `weight`: what they take of the share, each.
  double pass(double at, double bytes, double weight = 1) {
    free_ = std::max(free_, at) + cycles(bytes, weight);
    total_ += bytes;
    return free_;
  }
  double cycles(double bytes, double weight = 1) const {
    return std::max(bytes / link_, bytes * weight / share_);
  }
  double total() const { return total_; }  ///< bytes so far

 private:
  double link_, share_;
  double free_ = 0, total_ = 0;
};

/// Global stores behind the data stage: they leave the SM one after another, and L2 has to take
/// them. When what waits would take the SM longer than `cycles` to send, the data stage waits too.
class StoreBuffer {
 public:
  StoreBuffer(double cycles, double window)
      : cycles_(cycles), window_(static_cast<std::size_t>(std::max(1.0, window))) {}

  /// When the data stage can pass another.
  double room() {
    while (waiting_ > cycles_ && !parts_.empty()) {
      room_ = parts_.front().drained;
      waiting_ -= parts_.front().cycles;
      parts_.pop_front();
    }
    return room_;
  }
  /// One line's part, passed on at `at`, that takes the SM `cycles`, and of L2 as much as loads of
  /// `weight` times the bytes.
  void take(double at, double cycles, MemoryPort& l2, double bytes, double weight) {
    port_free_ = std::max(port_free_, at) + cycles;
    drained_ = std::max({drained_, port_free_, l2.pass(at, bytes, weight)});
    parts_.push_back({cycles, drained_});
    waiting_ += cycles;
  }
  /// When the registers of a store that the data stage passes on at `passed` have been read: as it
  /// comes to be one of the `window` next in line.
  double read(double passed) {
    passed_.push_back(passed);
    if (passed_.size() <= window_) return 0;
    const double at = passed_.front();
    passed_.pop_front();
    return at;
  }
  double drained() const { return drained_; }  ///< when L2 has all so far

 private:
  struct Part {
    double cycles, drained;
  };
  double cycles_;
  std::size_t window_;
  double port_free_ = 0, drained_ = 0, room_ = 0;
  double waiting_ = 0;  ///< cycles of all parts
  std::deque<Part> parts_;
  std::deque<double> passed_;
};

}  // namespace smemsim
