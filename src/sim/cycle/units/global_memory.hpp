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
  /// When `bytes` asked for at `at` have passed. `asked`: the same with what the requests cost
  /// beyond them, which only the share knows.
  double pass(double at, double bytes, double asked) {
    free_ = std::max(free_, at) + cycles(bytes, asked);
    total_ += bytes;
    return free_;
  }
  double pass(double at, double bytes) { return pass(at, bytes, bytes); }
  double cycles(double bytes) const { return cycles(bytes, bytes); }
  double cycles(double bytes, double asked) const {
    return std::max(bytes / link_, asked / share_);
  }
  double total() const { return total_; }  ///< bytes so far

 private:
  double link_, share_;
  double free_ = 0, total_ = 0;
};

/// Between the halves of L2. All SMs share it, and each is taken to ask for as much as this one,
/// half of it in its far half: a request waits for those of the others, though its own were all
/// near.
class FarLink {
 public:
  FarLink(double share, bool alone) : share_(std::max(share, 1e-3)), alone_(alone) {}
  /// From when on a request made at `at` passes, if it is for the far half.
  double pass(double at, double bytes, bool far) {
    const double from = std::max(free_, at);
    free_ = from + bytes / share_ * (alone_ ? (far ? 1 : 0) : 0.5);
    return far ? from : at;
  }

 private:
  double share_;
  bool alone_;
  double free_ = 0;
};

/// Global stores behind the data stage: they leave the SM one after another, and L2 has to take
/// them. More than `buffer` sectors that wait to leave hold up the data stage, more than `way` that
/// have left and wait for L2 hold up the SM.
class StoreBuffer {
 public:
  StoreBuffer(double buffer, double way, double window)
      : inside_(buffer), outside_(way), window_(static_cast<std::size_t>(std::max(1.0, window))) {}

  /// When the data stage can pass another.
  double room() { return inside_.room(); }
  /// Sectors of one line, passed on at `at`, that take the SM `cycles`; L2 has them at `taken`.
  void take(double at, double sectors, double cycles, double taken) {
    port_free_ = std::max({port_free_, at, outside_.room()}) + cycles;
    inside_.add(sectors, port_free_);
    drained_ = std::max({drained_, port_free_, taken});
    outside_.add(sectors, drained_);
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
  /// When a request of a load that is there at `at` leaves the SM: behind the stores.
  double behind(double at) const { return std::max(at, port_free_); }

 private:
  /// First in, first out, for so many sectors.
  class Room {
   public:
    explicit Room(double sectors) : sectors_(sectors) {}
    /// When there is some.
    double room() {
      while (waiting_ > sectors_ && !parts_.empty()) {
        room_ = parts_.front().gone;
        waiting_ -= parts_.front().sectors;
        parts_.pop_front();
      }
      return room_;
    }
    void add(double sectors, double gone) {
      parts_.push_back({sectors, gone});
      waiting_ += sectors;
    }

   private:
    struct Part {
      double sectors, gone;
    };
    double sectors_;
    double room_ = 0;
    double waiting_ = 0;  ///< sectors of all parts
    std::deque<Part> parts_;
  };
  Room inside_, outside_;
  std::size_t window_;
  double port_free_ = 0, drained_ = 0;
  std::deque<double> passed_;
};

/// The lines of the last stores: one that follows soon to the same line goes along with it.
class StoreMerge {
 public:
  StoreMerge(double lines, double cycles)
      : lines_(static_cast<std::size_t>(std::max(0.0, lines))), cycles_(cycles) {}
  /// Sectors of `use`, stored at `at`, that do not go along.
  std::uint8_t apart(const LineUse& use, double at) {
    std::uint8_t waiting = 0;
    const auto found = std::find_if(last_.begin(), last_.end(),
                                    [&](const Entry& entry) { return entry.line == use.line; });
    if (found != last_.end()) {
      if (at - found->at <= cycles_) waiting = found->sectors;
      last_.erase(found);
    }
    last_.push_back({use.line, static_cast<std::uint8_t>(waiting | use.sectors), at});
    if (last_.size() > lines_) last_.pop_front();
    return static_cast<std::uint8_t>(use.sectors & ~waiting);
  }

 private:
  struct Entry {
    std::uint64_t line;
    std::uint8_t sectors;
    double at;
  };
  std::size_t lines_;
  double cycles_;
  std::deque<Entry> last_;
};

}  // namespace smemsim
