#include "frontend/capture_decode.hpp"

#include <cstdlib>

#include "sim/lanes.hpp"

namespace smemsim::capture {
namespace {

bool has_wide(RecordKind kind) {
  return kind == RecordKind::global || kind == RecordKind::remote || kind == RecordKind::copy;
}

bool has_narrow(RecordKind kind) {
  switch (kind) {
    case RecordKind::shared:
    case RecordKind::matrix:
    case RecordKind::copy:
    case RecordKind::async_store:
    case RecordKind::async_reduce:
    case RecordKind::bulk_load:
    case RecordKind::bulk_store:
    case RecordKind::bulk_remote:
    case RecordKind::bulk_reduce:
    case RecordKind::bulk_reduce_remote:
      return true;
    default:
      return false;
  }
}

// Sanitizer_CudaBarrierInstructionKind, which is not included here to need no toolkit.
enum BarrierKind : std::uint32_t {
  kInit = 1,
  kArrive = 2,
  kArriveDrop = 3,
  kArriveNoComplete = 4,
  kArriveDropNoComplete = 5,
  kWait = 6,
  kInvalidate = 7,
};

constexpr unsigned kRankShift = 24;

/// Address in the own block's window; one in another block of the cluster keeps its rank.
std::uint64_t own(std::uint64_t address, std::uint32_t rank) {
  address &= 0xffffffffU;
  return address >> kRankShift == rank ? address & ((1U << kRankShift) - 1) : address;
}

Operation access(const Record& record, Operation load, Operation store, Operation atomic) {
  if ((record.flags & kRead) == 0) return store;
  return (record.flags & kWrite) == 0 ? load : atomic;
}

// The 64 bits of an mbarrier object, as compilers and hardware of sm_90 lay them out: arrivals
// count up to zero, so both counts are stored negated. The phase bit is the same on sm_80.
constexpr unsigned kPhaseShift = 63, kExpectedShift = 1, kBytesShift = 21;
constexpr std::uint64_t kCountRange = std::uint64_t{1} << 20;
constexpr std::uint64_t kBytesRange = std::uint64_t{1} << 22;

std::uint64_t expected_arrivals(std::uint64_t state) {
  return state == 0 ? 0 : kCountRange - (state >> kExpectedShift & (kCountRange - 1));
}

/// Bytes that the object still expects; copies that finish first make it negative.
std::int64_t pending_bytes(std::uint64_t state) {
  const std::uint64_t field = state >> kBytesShift & (kBytesRange - 1);
  const auto value = static_cast<std::int64_t>(field);
  return field < kBytesRange / 2 ? value : value - static_cast<std::int64_t>(kBytesRange);
}

/// Bytes by which the arrival made the object expect more; 0 = none or unknown.
std::uint64_t bytes_added(const Record& record) {
  if (record.b == 0) return 0;
  const bool seen_before = record.before != 0 && record.before != record.b;
  const std::int64_t bytes =
      std::abs(pending_bytes(record.b) - (seen_before ? pending_bytes(record.before) : 0));
  return bytes % 16 == 0 ? static_cast<std::uint64_t>(bytes) : 0;
}

/// What the callback knows of a wait is only whether it went through; the object tells the phase
/// that is still incomplete, which is the one after a phase that was waited for.
std::uint64_t parity(const Record& record) {
  if (record.b == 0) return kUnknownParity;
  const std::uint64_t phase = record.b >> kPhaseShift;
  return (record.flags & kSucceeded) != 0 ? phase ^ 1 : phase;
}

void mbarrier_event(const Record& record, trace::FlatEvent& event) {
  const auto kind = static_cast<std::uint32_t>(record.a >> 56);
  switch (kind) {
    case kInit:
      event.op = Operation::mbarrier_init;
      event.a = expected_arrivals(record.b);
      return;
    case kWait:
      event.op =
          (record.flags & kSucceeded) != 0 ? Operation::mbarrier_wait : Operation::mbarrier_try;
      event.a = parity(record);
      return;
    case kInvalidate:
      event.op = Operation::mbarrier_invalidate;
      return;
    default:
      break;
  }
  event.a = record.a >> 32 & 0xffffffU;
  event.b = bytes_added(record);
  event.op = event.b != 0 ? Operation::mbarrier_expect_tx : Operation::mbarrier_arrive;
  if (event.b == 0 && (kind == kArriveDrop || kind == kArriveDropNoComplete)) event.b = 1;
}

}  // namespace

unsigned record_words(std::uint64_t commit) {
  const auto kind = static_cast<RecordKind>(commit & 0xff);
  const auto words = static_cast<unsigned>(commit >> 16 & 0xffff);
  const auto active = static_cast<std::uint32_t>(commit >> 32);
  if (kind == RecordKind::none || kind >= RecordKind::count_ || active == 0) return 0;
  const unsigned lanes = lane_count(active);
  const unsigned expected =
      kHeaderWords + (has_wide(kind) ? lanes : 0) + (has_narrow(kind) ? (lanes + 1) / 2 : 0);
  return words == expected ? words : 0;
}

void parse_record(std::span<const std::uint64_t> words, Record& record) {
  record.kind = static_cast<RecordKind>(words[0] & 0xff);
  record.flags = static_cast<std::uint8_t>(words[0] >> 8);
  record.active = static_cast<std::uint32_t>(words[0] >> 32);
  record.pc = words[1] & ((std::uint64_t{1} << kPcBits) - 1);
  record.grid = static_cast<std::uint16_t>(words[1] >> kPcBits);
  record.before = 0;
  record.block = words[2] & kMaxBlock;
  record.warp = static_cast<std::uint32_t>(words[2] >> 40 & 0xff);
  record.tag = static_cast<std::uint16_t>(words[2] >> 48);
  record.a = words[3];
  record.b = words[4];
  const std::uint64_t* next = words.data() + kHeaderWords;
  if (has_wide(record.kind)) {
    for_each_lane(record.active, [&](unsigned lane) { record.wide[lane] = *next++; });
  }
  if (has_narrow(record.kind)) {
    unsigned index = 0;
    for_each_lane(record.active, [&](unsigned lane) {
      record.narrow[lane] = next[index / 2] >> (index % 2 * 32) & 0xffffffffU;
      ++index;
    });
  }
}

std::uint32_t cluster_rank(std::uint64_t block, const Dim3& grid, const Dim3& cluster) {
  const auto x = static_cast<std::uint32_t>(block % grid.x % cluster.x);
  const auto y = static_cast<std::uint32_t>(block / grid.x % grid.y % cluster.y);
  const auto z = static_cast<std::uint32_t>(block / grid.x / grid.y % cluster.z);
  return (z * cluster.y + y) * cluster.x + x;
}

void to_events(const Record& record, std::uint32_t site, std::uint32_t rank,
               const std::function<void(const trace::FlatEvent&)>& emit) {
  trace::FlatEvent event;
  event.site = site;
  event.active = record.active;
  std::uint64_t base = 0, source = 0;
  std::array<std::uint64_t, 32> addresses;
  const auto with_base = [&](std::uint64_t address) {
    base = own(address, rank);
    event.addresses = {&base, 1};
  };
  const auto with_source = [&](std::uint64_t address) {
    source = address;
    event.sources = {&source, 1};
  };
  const auto with_narrow = [&] {
    for_each_lane(record.active,
                  [&](unsigned lane) { addresses[lane] = own(record.narrow[lane], rank); });
    event.addresses = addresses;
    event.width = static_cast<std::uint8_t>(record.a);
  };
  const auto with_wide = [&] {
    event.addresses = record.wide;
    event.width = static_cast<std::uint8_t>(record.a);
  };

  switch (record.kind) {
    case RecordKind::none:
    case RecordKind::count_:
    case RecordKind::block_enter:
    case RecordKind::mbarrier:
      return;
    case RecordKind::exit:
      event.op = Operation::exit;
      break;
    case RecordKind::shared:
      event.op = access(record, Operation::load, Operation::store, Operation::atomic);
      with_narrow();
      if ((record.flags & kRecordValues) != 0) event.flags |= kValuesKnown;
      if ((record.flags & kRecordEqual) != 0) event.flags |= kEqualValues;
      break;
    case RecordKind::global:
      event.op =
          access(record, Operation::global_load, Operation::global_store, Operation::global_atomic);
      with_wide();
      break;
    case RecordKind::remote:
      event.op =
          access(record, Operation::remote_load, Operation::remote_store, Operation::remote_atomic);
      with_wide();
      break;
    case RecordKind::matrix: {
      event.op = access(record, Operation::ldmatrix, Operation::stmatrix, Operation::ldmatrix);
      with_narrow();
      event.matrices = static_cast<std::uint8_t>(record.b);
      // Lanes past the last row hand over addresses that nobody looks at.
      const unsigned rows = 8 * event.matrices;
      if (rows == 0) break;
      for_each_lane(record.active, [&](unsigned lane) {
        if (lane >= rows && has_lane(record.active, lane % rows)) {
          addresses[lane] = addresses[lane % rows];
        }
      });
      break;
    }
    case RecordKind::barrier:
      event.op = Operation::barrier_sync;
      event.a = record.a;
      event.b = record.b;
      break;
    case RecordKind::warp_sync:
      event.op = Operation::warp_sync;
      event.a = record.a;
      break;
    case RecordKind::shuffle:
      event.op = Operation::shuffle;
      break;
    case RecordKind::copy:
      with_narrow();
      event.op = event.width == 16 ? Operation::cp_async_cg : Operation::cp_async_ca;
      event.sources = record.wide;
      break;
    case RecordKind::copy_commit:
      event.op = Operation::cp_async_commit;
      break;
    case RecordKind::copy_wait:
      event.op = Operation::cp_async_wait;
      event.a = record.a;
      break;
    case RecordKind::copy_arrive:
      event.op = Operation::cp_async_arrive;
      with_base(record.a);
      break;
    case RecordKind::mbarrier_attempt:
      with_base(record.a);
      mbarrier_event(record, event);
      break;
    case RecordKind::cluster_arrive:
      event.op = Operation::cluster_arrive;
      break;
    case RecordKind::cluster_wait:
      event.op = Operation::cluster_wait;
      break;
    case RecordKind::wgmma:
      if ((record.flags & kRead) != 0) {
        event.op = Operation::wgmma;
        with_base(record.a >> 32);
        with_source(own(record.b >> 32, rank));
        event.a = record.a & 0xffffffffU;
        event.b = record.b & 0xffffffffU;
        emit(event);
      }
      if ((record.flags & kCommits) == 0) return;
      event = {};
      event.site = site;
      event.active = record.active;
      event.op = Operation::wgmma_commit;
      break;
    case RecordKind::wgmma_wait:
      event.op = Operation::wgmma_wait;
      event.a = record.a;
      break;
    case RecordKind::call:
      event.op = Operation::call;
      break;
    case RecordKind::wgmma_fence:
      event.op = Operation::wgmma_fence;
      break;
    case RecordKind::async_store:
    case RecordKind::async_reduce:
      event.op = record.kind == RecordKind::async_store ? Operation::remote_store
                                                        : Operation::remote_atomic;
      with_narrow();
      event.a = record.b;
      break;
    case RecordKind::bulk_load:
    case RecordKind::bulk_store:
    case RecordKind::bulk_remote:
    case RecordKind::bulk_reduce:
    case RecordKind::bulk_reduce_remote: {
      event.op = record.kind == RecordKind::bulk_load     ? Operation::bulk_load
                 : record.kind == RecordKind::bulk_store  ? Operation::bulk_store
                 : record.kind == RecordKind::bulk_reduce ? Operation::bulk_reduce
                                                          : Operation::bulk_remote;
      with_base(record.b >> 32);
      with_source(record.a);
      const auto leader = static_cast<unsigned>(std::countr_zero(record.active));
      event.a = record.narrow[leader];
      event.b = own(record.b, rank);
      break;
    }
  }
  emit(event);
}

}  // namespace smemsim::capture
