// Records that the device patches write into the ring and the host reads, and the control blocks
// that tell the patches what to record. Shared by device code (tools/capture/patches.cu) and host
// code, so plain types only.
#pragma once

#include <cstdint>

namespace smemsim::capture {

/// What a record tells of. The patches have one callback for each.
enum class RecordKind : std::uint8_t {
  none,
  block_enter,  ///< first thread of a block: a = total << 32 | dynamic shared bytes, b = SM
  exit,         ///< lanes that leave
  shared,       ///< a = width; narrow addresses
  global,       ///< a = width; wide addresses
  matrix,       ///< a = width, b = matrices; narrow addresses
  remote,       ///< a = width; wide addresses
  barrier,      ///< a = id, b = threads
  warp_sync,    ///< a = mask
  shuffle,
  copy,  ///< a = width; wide sources, narrow destinations
  copy_commit,
  copy_wait,         ///< a = groups as the callback tells
  copy_arrive,       ///< a = mbarrier
  mbarrier,          ///< as mbarrier_attempt, just before it, for the object's state at that time
  mbarrier_attempt,  ///< a = kind << 56 | count << 32 | mbarrier, b = the object's 64 bits (0 =
                     ///< unknown), seen after the operation; flag kSucceeded
  cluster_arrive,
  cluster_wait,
  wgmma,       ///< a = A << 32 | bytes of A, b = B << 32 | bytes of B; flag kCommits
  wgmma_wait,  ///< a = groups
  wgmma_fence,
  async_store,         ///< a = width, b = mbarrier; narrow addresses
  async_reduce,        ///< likewise
  bulk_load,           ///< a = global source, b = shared destination << 32 | mbarrier; word: bytes
  bulk_store,          ///< a = global destination, b = shared source << 32; word: bytes
  bulk_remote,         ///< a = shared destination, b = shared source << 32 | mbarrier; word: bytes
  bulk_reduce,         ///< as bulk_store
  bulk_reduce_remote,  ///< as bulk_remote
  call,
  count_
};

/// Bits of a record's flags.
enum RecordFlags : std::uint8_t {
  kRead = 1,
  kWrite = 2,
  kRecordValues = 4,  ///< the values of a store were compared
  kRecordEqual = 8,   ///< lanes that share an address wrote the same
  kSucceeded = 16,    ///< the attempt on the mbarrier went through
  kCommits = 32,      ///< the wgmma ends its group
};

/// Every record starts with this; then the wide (64-bit) lane addresses, then the narrow (32-bit)
/// ones, of the active lanes only, lowest lane first; padded to 8 bytes.
struct RecordHeader {
  /// kind | flags << 8 | words (8 bytes each, header included) << 16 | active lanes << 32.
  /// Written last: 0 means that the record is not complete.
  std::uint64_t commit;
  std::uint64_t pc;     ///< absolute, low kPcBits bits | the launch's number on the device above
  std::uint64_t where;  ///< block | warp << 40 | tag << 48
  std::uint64_t a;
  std::uint64_t b;
};
inline constexpr unsigned kPcBits = 49;
inline constexpr unsigned kHeaderWords = sizeof(RecordHeader) / 8;
/// The longest record: 32 wide and 32 narrow addresses.
inline constexpr unsigned kMaxRecordWords = kHeaderWords + 32 + 16;

/// Blocks above this cannot be named in a record and are not recorded.
inline constexpr std::uint64_t kMaxBlock = (std::uint64_t{1} << 40) - 1;

/// Which blocks the patches record.
enum class SelectMode : std::uint32_t {
  all,
  stride,  ///< first, first + stride, ... up to last; counted in clusters with `by_cluster`
  list,
};

/// The ring's state on the device; the patches' only shared counter.
struct RingState {
  unsigned long long head;  ///< bytes reserved since the start
  char pad_[120];
  unsigned long long seen_tail;  ///< a recent value of the host's tail
  char pad2_[120];
};

/// One for each launch that is recorded, in device memory.
struct Control {
  RingState* ring;
  unsigned char* data;  ///< pinned host memory, a power of two long
  std::uint64_t bytes;
  const volatile unsigned long long* tail;  ///< pinned host memory: bytes that the host consumed
  SelectMode mode;
  std::uint32_t tag;
  std::uint32_t by_cluster;
  std::uint32_t first, last, stride;  ///< mode stride
  const std::uint32_t* list;          ///< mode list: sorted
  std::uint32_t list_size;
  std::uint32_t pad_;
};

}  // namespace smemsim::capture
