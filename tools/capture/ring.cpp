#include "ring.hpp"

#include <pthread.h>
#include <signal.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <span>

#include "log.hpp"
#include "sanitizer_api.hpp"

namespace smemsim::capture {
namespace {

using namespace std::chrono_literals;

/// Consumed bytes after which the device is told, so that a full ring moves on smoothly.
constexpr std::uint64_t kPublishWords = 8192;
/// Bytes that one turn of the collector consumes, so that opening a launch need not wait long.
constexpr std::uint64_t kTurnBytes = std::uint64_t{1} << 20;

bool good(SanitizerResult result, const char* what, std::uint64_t bytes) {
  if (result == SANITIZER_SUCCESS) return true;
  problem("%s (%llu bytes) failed: %s", what, static_cast<unsigned long long>(bytes),
          result_text(result));
  return false;
}

}  // namespace

std::unique_ptr<Ring> Ring::create(CUcontext context, const Options& options) {
  auto ring = std::make_unique<Ring>();
  ring->context_ = context;
  ring->words_ = options.ring_bytes / 8;
  const auto host = [&](auto*& pointer, std::uint64_t bytes) {
    void* memory = nullptr;
    if (!good(api().AllocHost(context, &memory, bytes), "allocating pinned memory", bytes)) {
      return false;
    }
    std::memset(memory, 0, bytes);
    pointer = static_cast<std::remove_reference_t<decltype(pointer)>>(memory);
    return true;
  };
  const auto device = [&](auto*& pointer, std::uint64_t bytes) {
    void* memory = nullptr;
    if (!good(api().Alloc(context, &memory, bytes), "allocating device memory", bytes)) {
      return false;
    }
    pointer = static_cast<std::remove_reference_t<decltype(pointer)>>(memory);
    return good(api().Memset(memory, 0, bytes, nullptr), "clearing device memory", bytes);
  };
  if (!host(ring->data_, options.ring_bytes) || !host(ring->tail_, 4096) ||
      !device(ring->state_, sizeof(RingState)) ||
      !device(ring->controls_, kTags * sizeof(Control))) {
    return nullptr;
  }
  std::vector<std::uint32_t> list = options.blocks.list;
  if (!list.empty()) {
    const std::uint64_t bytes = list.size() * sizeof list[0];
    if (!device(ring->list_, bytes) ||
        !good(api().MemcpyHostToDeviceAsync(ring->list_, list.data(), bytes, nullptr),
              "copying to the device", bytes)) {
      return nullptr;
    }
    ring->list_size_ = static_cast<std::uint32_t>(list.size());
  }
  // The launch may be on a stream that does not wait for the null stream.
  if (!good(api().StreamSynchronize(nullptr), "waiting for the null stream", 0)) return nullptr;
  debug("context %p: ring of %llu bytes at %p, state %p", static_cast<void*>(context),
        static_cast<unsigned long long>(options.ring_bytes), static_cast<void*>(ring->data_),
        static_cast<void*>(ring->state_));
  return ring;
}

const void* Ring::set_control(std::uint16_t tag, const Selection& selection,
                              Sanitizer_StreamHandle stream) {
  Control control{};
  control.ring = state_;
  control.data = reinterpret_cast<unsigned char*>(data_);
  control.bytes = words_ * 8;
  control.tail = reinterpret_cast<const volatile unsigned long long*>(tail_);
  control.mode = selection.all        ? SelectMode::all
                 : selection.use_list ? SelectMode::list
                                      : SelectMode::stride;
  control.tag = tag;
  control.by_cluster = selection.by_cluster ? 1 : 0;
  control.first = static_cast<std::uint32_t>(std::min<std::uint64_t>(selection.first, ~0U));
  control.last = static_cast<std::uint32_t>(std::min<std::uint64_t>(selection.last, ~0U));
  control.stride = static_cast<std::uint32_t>(std::min<std::uint64_t>(selection.stride, ~0U));
  control.list = list_;
  control.list_size = list_size_;
  Control* target = controls_ + tag;
  const SanitizerResult result =
      api().MemcpyHostToDeviceAsync(target, &control, sizeof control, stream);
  return good(result, "copying to the device", sizeof control) ? target : nullptr;
}

bool Ring::read_head(Sanitizer_StreamHandle stream, std::uint64_t& head) {
  const SanitizerResult result =
      api().MemcpyDeviceToHost(&head, &state_->head, sizeof head, stream);
  if (result != SANITIZER_SUCCESS) debug("reading the ring's head: %s", result_text(result));
  return result == SANITIZER_SUCCESS;
}

void Ring::publish() {
  std::atomic_ref<std::uint64_t>(*tail_).store(next_ * 8, std::memory_order_release);
  consumed_.store(next_ * 8, std::memory_order_release);
}

template <typename Handler>
std::uint64_t Ring::drain(std::uint64_t limit, Handler&& handle) {
  std::array<std::uint64_t, kMaxRecordWords> copy;
  Record record;
  const std::uint64_t start = next_;
  std::uint64_t published = next_;
  while (!broken_ && (next_ - start) * 8 < limit) {
    const std::uint64_t at = next_ & (words_ - 1);
    const std::uint64_t commit =
        std::atomic_ref<std::uint64_t>(data_[at]).load(std::memory_order_acquire);
    if (commit == 0) break;
    const unsigned words = record_words(commit);
    if (words == 0 || words > kMaxRecordWords) {
      problem("the ring is damaged at byte %llu (%#llx): recording stops",
              static_cast<unsigned long long>(next_ * 8), static_cast<unsigned long long>(commit));
      broken_ = true;
      break;
    }
    const std::uint64_t whole = std::min<std::uint64_t>(words, words_ - at);
    std::memcpy(copy.data(), data_ + at, whole * 8);
    std::memcpy(copy.data() + whole, data_, (words - whole) * 8);
    std::memset(data_ + at, 0, whole * 8);
    std::memset(data_, 0, (words - whole) * 8);
    next_ += words;
    parse_record(std::span(copy.data(), words), record);
    handle(record);
    if (next_ - published >= kPublishWords) {
      publish();
      published = next_;
    }
  }
  if (next_ != published) publish();
  return (next_ - start) * 8;
}

Collector::Collector() {
  // The program's signals are for the program's own threads.
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  std::thread([this] { run(); }).detach();
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

bool Collector::open(const std::shared_ptr<RecordTarget>& launch) {
  const std::lock_guard lock(mutex_);
  Lane* lane = nullptr;
  for (const auto& known : lanes_) {
    if (known->ring == launch->ring) lane = known.get();
  }
  if (lane == nullptr) {
    lane = lanes_.emplace_back(std::make_unique<Lane>()).get();
    lane->ring = launch->ring;
    lane->launches.resize(kTags);
    for (std::uint32_t tag = kTags; tag > 0; --tag) {
      lane->free_tags.push_back(static_cast<std::uint16_t>(tag - 1));
    }
  }
  if (lane->free_tags.empty()) return false;
  launch->tag = lane->free_tags.back();
  lane->free_tags.pop_back();
  lane->launches[launch->tag] = launch;
  ++lane->open;
  ++open_;
  work_.notify_one();
  return true;
}

void Collector::close(const RecordTarget& launch) {
  const std::lock_guard lock(mutex_);
  for (const auto& lane : lanes_) {
    if (lane->ring != launch.ring) continue;
    lane->launches[launch.tag].reset();
    lane->free_tags.push_back(launch.tag);
    --lane->open;
    --open_;
  }
}

bool Collector::wait_until(const Ring& ring, std::uint64_t head, unsigned patience_ms) {
  std::uint64_t seen = ring.tail();
  auto moved = std::chrono::steady_clock::now();
  while (seen < head) {
    std::this_thread::sleep_for(20us);
    const std::uint64_t now = ring.tail();
    if (now != seen) {
      seen = now;
      moved = std::chrono::steady_clock::now();
    } else if (std::chrono::steady_clock::now() - moved > std::chrono::milliseconds(patience_ms)) {
      return false;
    }
  }
  // The collector publishes the tail within its turn; it is over when the lock can be had.
  const std::lock_guard lock(mutex_);
  return true;
}

bool Collector::drain_some() {
  std::uint64_t bytes = 0;
  for (const auto& lane : lanes_) {
    if (lane->open == 0) continue;
    bytes += lane->ring->drain(kTurnBytes, [&](const Record& record) {
      RecordTarget* launch = record.tag < kTags ? lane->launches[record.tag].get() : nullptr;
      if (launch != nullptr) launch->add(record);
    });
  }
  return bytes != 0;
}

void Collector::run() {
  pthread_setname_np(pthread_self(), "smemsim-capture");
  std::unique_lock lock(mutex_);
  unsigned idle = 0;
  for (;;) {
    work_.wait(lock, [&] { return open_ != 0; });
    idle = drain_some() ? 0 : idle + 1;
    lock.unlock();
    if (idle > 100)
      std::this_thread::sleep_for(20us);
    else
      std::this_thread::yield();
    lock.lock();
  }
}

}  // namespace smemsim::capture
