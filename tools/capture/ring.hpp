// The ring between the device patches and the host, and the thread that drains it.
//
// Records travel through pinned host memory that the device writes directly. The patches reserve
// space with one atomic counter on the device and wait while the ring is full; the host consumes
// records in order of reservation, clears them and moves the tail, while kernels run.
#pragma once

#include <sanitizer.h>

#include <array>
#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "frontend/capture_options.hpp"
#include "frontend/capture_record.hpp"
#include "record_target.hpp"

namespace smemsim::capture {

/// Launches that can be recorded at a time, in one context.
inline constexpr std::uint32_t kTags = 4096;

/// The ring of one context.
class Ring {
 public:
  /// Null when memory could not be had; the reason is in the problems.
  static std::unique_ptr<Ring> create(CUcontext context, const Options& options);

  /// Fills the control block of `tag` on the device, in order of the stream. Returns its device
  /// address, null on failure.
  const void* set_control(std::uint16_t tag, const Selection& selection,
                          Sanitizer_StreamHandle stream);

  /// Bytes that the device has reserved so far; false when the device does not answer any more.
  bool read_head(Sanitizer_StreamHandle stream, std::uint64_t& head);
  std::uint64_t tail() const { return consumed_.load(std::memory_order_acquire); }

  /// Consumes what is complete, at most `limit` bytes; returns how many bytes.
  template <typename Handler>
  std::uint64_t drain(std::uint64_t limit, Handler&& handle);

 private:
  void publish();

  CUcontext context_ = nullptr;
  std::uint64_t* data_ = nullptr;  ///< pinned
  std::uint64_t words_ = 0;        ///< a power of two
  std::uint64_t* tail_ = nullptr;  ///< pinned; what the device sees
  std::atomic<std::uint64_t> consumed_{0};
  std::uint64_t next_ = 0;  ///< word to read next, counted since the start
  bool broken_ = false;
  RingState* state_ = nullptr;     ///< on the device
  Control* controls_ = nullptr;    ///< on the device, kTags of them
  std::uint32_t* list_ = nullptr;  ///< on the device
  std::uint32_t list_size_ = 0;
};

/// The thread that drains all rings while a launch is recorded, and sleeps otherwise.
class Collector {
 public:
  Collector();

  /// Takes a tag for the launch; false when all are in use. `launch->ring` is set.
  bool open(const std::shared_ptr<RecordTarget>& launch);
  void close(const RecordTarget& launch);
  /// Changes a target that is open while it takes no records.
  template <typename Change>
  void change(Change&& change) {
    const std::lock_guard lock(mutex_);
    change();
  }

  /// Waits until everything that the device reserved up to `head` has been consumed. False when
  /// nothing moved for `patience_ms`: what is missing will never come.
  bool wait_until(const Ring& ring, std::uint64_t head, unsigned patience_ms);

 private:
  struct Lane {
    Ring* ring = nullptr;
    std::vector<std::shared_ptr<RecordTarget>> launches;  ///< by tag
    std::vector<std::uint16_t> free_tags;
    std::uint32_t open = 0;
  };
  void run();
  bool drain_some();

  std::mutex mutex_;
  std::condition_variable work_;
  std::vector<std::unique_ptr<Lane>> lanes_;
  std::uint32_t open_ = 0;
};

}  // namespace smemsim::capture
