#include "frontend/capture_decode.hpp"

#include <optional>
#include <vector>

#include "catch.hpp"

using namespace smemsim;
using namespace smemsim::capture;

namespace {

/// A record as the device writes it.
std::vector<std::uint64_t> device_record(RecordKind kind, unsigned flags, std::uint32_t active,
                                         std::uint64_t a, std::uint64_t b,
                                         const std::vector<std::uint64_t>& wide,
                                         const std::vector<std::uint32_t>& narrow) {
  std::vector<std::uint64_t> words{0, 0x7f0010 | std::uint64_t{6} << kPcBits,
                                   5 | std::uint64_t{3} << 40 | std::uint64_t{9} << 48, a, b};
  words.insert(words.end(), wide.begin(), wide.end());
  for (std::size_t i = 0; i < narrow.size(); i += 2) {
    words.push_back(narrow[i] | (i + 1 < narrow.size() ? std::uint64_t{narrow[i + 1]} << 32 : 0));
  }
  words[0] = static_cast<std::uint64_t>(kind) | flags << 8 | words.size() << 16 |
             std::uint64_t{active} << 32;
  return words;
}

/// A flat event with its addresses copied.
struct Copy {
  trace::FlatEvent event;
  std::vector<std::uint64_t> addresses, sources;
};

std::vector<Copy> events_of(const std::vector<std::uint64_t>& words, std::uint32_t rank = 0) {
  REQUIRE(record_words(words[0]) == words.size());
  Record record;
  parse_record(words, record);
  CHECK(record.block == 5);
  CHECK(record.warp == 3);
  CHECK(record.tag == 9);
  CHECK(record.grid == 6);
  CHECK(record.pc == 0x7f0010);
  std::vector<Copy> out;
  to_events(record, 2, rank, [&](const trace::FlatEvent& event) {
    CHECK(event.site == 2);
    out.push_back({event,
                   {event.addresses.begin(), event.addresses.end()},
                   {event.sources.begin(), event.sources.end()}});
  });
  return out;
}

}  // namespace

TEST_CASE("lane addresses go to the active lanes in order") {
  const auto events =
      events_of(device_record(RecordKind::shared, kRead, 0b10110, 4, 0, {}, {100, 200, 300}));
  REQUIRE(events.size() == 1);
  CHECK(events[0].event.op == Operation::load);
  CHECK(events[0].event.width == 4);
  CHECK(events[0].event.active == 0b10110);
  CHECK(events[0].addresses[1] == 100);
  CHECK(events[0].addresses[2] == 200);
  CHECK(events[0].addresses[4] == 300);
}

TEST_CASE("reading and writing is an atomic; a store knows about its values") {
  CHECK(
      events_of(device_record(RecordKind::shared, kRead | kWrite, 1, 8, 0, {}, {8}))[0].event.op ==
      Operation::atomic);
  const auto store = events_of(
      device_record(RecordKind::shared, kWrite | kRecordValues | kRecordEqual, 1, 8, 0, {}, {8}));
  CHECK(store[0].event.op == Operation::store);
  CHECK(store[0].event.flags == (kValuesKnown | kEqualValues));
}

TEST_CASE("a copy has wide sources and narrow destinations") {
  const auto events = events_of(device_record(RecordKind::copy, kWrite, 0b11, 16, 0,
                                              {0x700000000000, 0x700000000010}, {64, 80}));
  REQUIRE(events.size() == 1);
  CHECK(events[0].event.op == Operation::cp_async_cg);
  CHECK(events[0].addresses[1] == 80);
  CHECK(events[0].sources[1] == 0x700000000010);
}

TEST_CASE("ldmatrix lanes without a row point where others do") {
  std::vector<std::uint32_t> addresses;
  for (std::uint32_t lane = 0; lane < 32; ++lane) addresses.push_back(lane < 8 ? lane * 16 : 12345);
  const auto events =
      events_of(device_record(RecordKind::matrix, kRead, ~0U, 16, 1, {}, addresses));
  CHECK(events[0].event.op == Operation::ldmatrix);
  CHECK(events[0].event.matrices == 1);
  CHECK(events[0].addresses[7] == 112);
  CHECK(events[0].addresses[31] == 112);
}

TEST_CASE("addresses of the own block lose the rank in the cluster, others keep it") {
  const std::uint32_t own = 2U << 24 | 1024, other = 3U << 24 | 1024;
  const auto events = events_of(device_record(RecordKind::bulk_load, 0, 1, 0x700000000000,
                                              std::uint64_t{own} << 32 | other, {}, {512}),
                                2);
  REQUIRE(events.size() == 1);
  CHECK(events[0].event.op == Operation::bulk_load);
  CHECK(events[0].addresses[0] == 1024);
  CHECK(events[0].sources[0] == 0x700000000000);
  CHECK(events[0].event.a == 512);
  CHECK(events[0].event.b == other);
}

TEST_CASE("a wgmma that ends its group is two events, one without operands is one") {
  const std::uint64_t a = std::uint64_t{1024} << 32 | 8192, b = std::uint64_t{9216} << 32 | 4096;
  const auto both =
      events_of(device_record(RecordKind::wgmma, kRead | kCommits, ~0U, a, b, {}, {}));
  REQUIRE(both.size() == 2);
  CHECK(both[0].event.op == Operation::wgmma);
  CHECK(both[0].addresses[0] == 1024);
  CHECK(both[0].sources[0] == 9216);
  CHECK(both[0].event.a == 8192);
  CHECK(both[0].event.b == 4096);
  CHECK(both[1].event.op == Operation::wgmma_commit);
  CHECK(both[1].addresses.empty());
  const auto commit = events_of(device_record(RecordKind::wgmma, kCommits, ~0U, a, b, {}, {}));
  REQUIRE(commit.size() == 1);
  CHECK(commit[0].event.op == Operation::wgmma_commit);
}

namespace {

/// The 64 bits of an mbarrier object.
std::uint64_t object(std::uint64_t phase, std::uint64_t expected, std::uint64_t pending,
                     std::uint64_t bytes) {
  const std::uint64_t range = std::uint64_t{1} << 20;
  return phase << 63 | (range - pending) << 43 | bytes << 21 | (range - expected) << 1;
}

Copy mbarrier(unsigned kind, std::uint64_t count, std::uint64_t state,
              unsigned flags = kSucceeded) {
  const std::uint64_t a = std::uint64_t{kind} << 56 | count << 32 | 64;
  return events_of(device_record(RecordKind::mbarrier_attempt, flags, 1, a, state, {}, {}))[0];
}

}  // namespace

TEST_CASE("attempts on an mbarrier are waits only when they succeed") {
  const Copy wait = mbarrier(6, 0, object(1, 2, 2, 0));
  CHECK(wait.event.op == Operation::mbarrier_wait);
  CHECK(wait.event.a == 0);  // the phase of parity 0 is over
  CHECK(wait.addresses[0] == 64);
  const Copy attempt = mbarrier(6, 0, object(1, 2, 1, 0), 0);
  CHECK(attempt.event.op == Operation::mbarrier_try);
  CHECK(attempt.event.a == 1);
  CHECK(mbarrier(6, 0, 0).event.a == kUnknownParity);
}

TEST_CASE("the mbarrier object tells what the callback does not") {
  const Copy init = mbarrier(1, 0, object(0, 33, 33, 0));
  CHECK(init.event.op == Operation::mbarrier_init);
  CHECK(init.event.a == 33);
  const Copy arrive = mbarrier(2, 3, object(0, 33, 30, 0));
  CHECK(arrive.event.op == Operation::mbarrier_arrive);
  CHECK(arrive.event.a == 3);
  CHECK(arrive.event.b == 0);
  const Copy drop = mbarrier(3, 1, object(0, 32, 30, 0));
  CHECK(drop.event.op == Operation::mbarrier_arrive);
  CHECK(drop.event.b == 1);
  const Copy expect = mbarrier(2, 1, object(0, 33, 32, 1024));
  CHECK(expect.event.op == Operation::mbarrier_expect_tx);
  CHECK(expect.event.a == 1);
  CHECK(expect.event.b == 1024);
}

TEST_CASE("the state before an mbarrier operation is no event") {
  CHECK(events_of(device_record(RecordKind::mbarrier, 0, 1, std::uint64_t{1} << 56, 1, {}, {}))
            .empty());
  Record record;
  record.kind = RecordKind::mbarrier_attempt;
  record.active = 1;
  record.flags = kSucceeded;
  record.a = std::uint64_t{2} << 56 | std::uint64_t{1} << 32;
  record.before = object(0, 2, 2, 512);
  record.b = object(0, 2, 1, 2560);
  to_events(record, 0, 0, [](const trace::FlatEvent& event) { CHECK(event.b == 2048); });
}

TEST_CASE("block entries are no events") {
  CHECK(events_of(device_record(RecordKind::block_enter, 0, 1, 0, 0, {}, {})).empty());
}

TEST_CASE("words that start no record are recognised") {
  CHECK(record_words(0) == 0);
  const auto good = device_record(RecordKind::shared, kRead, 0b111, 4, 0, {}, {1, 2, 3});
  CHECK(record_words(good[0]) == good.size());
  CHECK(record_words(good[0] + (std::uint64_t{1} << 16)) == 0);  // another length
  CHECK(record_words(good[0] & 0xffffffffU) == 0);               // no lanes
  CHECK(record_words(good[0] | 0xff) == 0);                      // no such kind
}

TEST_CASE("ranks in a cluster count x first") {
  const Dim3 grid{8, 4, 1}, cluster{2, 2, 1};
  CHECK(cluster_rank(0, grid, cluster) == 0);
  CHECK(cluster_rank(1, grid, cluster) == 1);
  CHECK(cluster_rank(8, grid, cluster) == 2);
  CHECK(cluster_rank(9, grid, cluster) == 3);
  CHECK(cluster_rank(5, grid, {1, 1, 1}) == 0);
}
