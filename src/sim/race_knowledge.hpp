// What each thread knows of the others: vector clocks, shared between threads that learnt the same.
//
// A warp counts its *time*: it goes up whenever lanes of it release (arrive at a barrier, a warp
// synchronisation, an mbarrier). An access is stamped with the time of its warp. A *row* holds one
// number per thread: accesses of thread t with a stamp below row[t] happen before everything that
// the row's owners do from now on. After a synchronisation all its participants own one row, so a
// block barrier costs one row, not one per thread.
//
// A row has a second half, *fenced*: the same, but with a proxy fence on the way, which is what an
// access of the asynchronous proxy needs to see an ordinary write.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

namespace smemsim {

class Knowledge {
 public:
  using Row = std::uint32_t;
  static constexpr Row kNone = 0;

  /// Forgets every row. `fences`: keep the second half.
  void reset(std::size_t threads, bool fences);
  std::size_t threads() const { return threads_; }
  bool fences() const { return fences_; }

  /// A row of zeros with one owner.
  Row make();
  Row copy(Row row);
  void retain(Row row, std::uint32_t owners = 1) { slots_[row].owners += owners; }
  void release(Row row) {
    if (--slots_[row].owners == 0) free_.push_back(row);
  }
  std::uint32_t owners(Row row) const { return slots_[row].owners; }

  std::uint32_t* known(Row row) { return slots_[row].data.get(); }
  const std::uint32_t* known(Row row) const { return slots_[row].data.get(); }
  /// Only with `fences`.
  std::uint32_t* fenced(Row row) { return slots_[row].data.get() + threads_; }
  const std::uint32_t* fenced(Row row) const { return slots_[row].data.get() + threads_; }

  /// into = max(into, from), entry by entry.
  void join(Row into, Row from);

 private:
  struct Slot {
    std::unique_ptr<std::uint32_t[]> data;
    std::uint32_t owners = 0;
  };
  std::size_t size() const { return fences_ ? 2 * threads_ : threads_; }

  std::vector<Slot> slots_{1};  ///< index 0 is kNone
  std::vector<Row> free_;
  std::size_t threads_ = 0;
  bool fences_ = false;
};

}  // namespace smemsim
