// Damaged .smt files: an error that names the place or the whole content, never anything else.
#include "catch.hpp"
#include "trace/crc32c.hpp"
#include "trace/smt_format.hpp"
#include "trace_fixtures.hpp"

namespace smemsim::test {
namespace {

using trace::TraceFormat;
namespace smt = trace::smt;

/// A chunk with right checksums around whatever bytes.
std::string chunk(std::uint32_t type, const std::string& raw) {
  smt::ChunkHeader header;
  header.type = type;
  header.raw_bytes = header.stored_bytes = static_cast<std::uint32_t>(raw.size());
  header.stored_crc = trace::crc32c(raw);
  return smt::encode(header) + raw;
}

std::string varints(std::initializer_list<std::uint64_t> values) {
  std::string out;
  for (const std::uint64_t value : values) trace::put_varint(out, value);
  return out;
}

/// A file up to its first events: one launch of one site, one block and one warp.
std::string up_to_events() {
  std::string launch;
  trace::put_varint(launch, 4 * 2 + 1);  // block
  trace::put_text(launch, varints({32, 1, 1}));
  launch += varints({128 * 2, 0});
  return smt::file_header() + chunk(smt::kSites, varints({1, 5, 0, 0, 0, 0, 0})) +
         chunk(smt::kLaunch, launch);
}
std::string with_events(const std::string& raw) {
  return up_to_events() + chunk(smt::kEvents, raw);
}

TEST_CASE("a file cut at any byte gives its whole chunks and a warning, or an error") {
  const std::string bytes = small_trace(TraceFormat::smt);
  const ReadBack whole = read_back(bytes);
  REQUIRE(whole.error == "");
  for (std::size_t size = 0; size < bytes.size(); ++size) {
    CAPTURE(size);
    const ReadBack cut = read_back(bytes.substr(0, size));
    if (size < smt::kFileHeaderBytes) {
      CHECK(cut.error != "");
      continue;
    }
    CHECK(cut.error == "");
    REQUIRE(cut.warnings.size() == 1);
    CHECK_THAT(cut.warnings[0], ContainsSubstring("byte " + std::to_string(size)));
    CHECK(cut.broken.empty());
    REQUIRE(cut.launches.size() <= whole.launches.size());
    for (std::size_t i = 0; i < cut.launches.size(); ++i) {
      CHECK(cut.launches[i].launch == whole.launches[i].launch);
      CHECK(cut.launches[i].ended);
      for (const auto& [warp, events] : cut.launches[i].events) {
        CHECK(events == whole.launches[i].events.at(warp));
      }
    }
  }
}

TEST_CASE("any changed byte gives an error with a place") {
  const std::string bytes = small_trace(TraceFormat::smt);
  for (std::size_t at = 0; at < bytes.size(); ++at) {
    for (const unsigned flip : {0x01U, 0x80U, 0xffU}) {
      CAPTURE(at, flip);
      std::string damaged = bytes;
      damaged[at] = static_cast<char>(static_cast<unsigned char>(damaged[at]) ^ flip);
      const ReadBack out = read_back(damaged);
      CHECK_THAT(out.error, ContainsSubstring("t: byte "));
      CHECK(out.broken.empty());
    }
  }
}

TEST_CASE("what no trace begins with is refused by its first bytes") {
  CHECK_THAT(read_back("").error, ContainsSubstring("is empty"));
  CHECK_THAT(read_back("hello").error, ContainsSubstring("t: byte 0: is not a trace"));
  CHECK_THAT(read_back("\x1f\x8b\x08").error, ContainsSubstring("gunzip"));
  CHECK_THAT(read_back("\x89SMT\n\x1a\n").error, ContainsSubstring("transferred as text"));
}

TEST_CASE("another version is refused by its number") {
  std::string bytes(smt::kMagic);
  trace::put_fixed(bytes, std::uint16_t{2});
  trace::put_fixed(bytes, std::uint16_t{0});
  trace::put_fixed(bytes, trace::crc32c(bytes));
  CHECK_THAT(read_back(bytes).error,
             ContainsSubstring("t: byte 8: format version 2; this program reads 1"));
}

TEST_CASE("chunks of unknown types are skipped where their letters allow it") {
  const std::string end = chunk(smt::kLaunchEnd, varints({0, 0}));
  const std::string extra = chunk(smt::four_letters("noTE"), "anything");
  std::string bytes = up_to_events() + extra + end;
  const std::size_t index = bytes.size();
  bytes += chunk(smt::kIndex, varints({0})) + smt::trailer(index);
  const ReadBack skipped = read_back(bytes);
  CHECK(skipped.error == "");
  CHECK(skipped.launches.size() == 1);

  const ReadBack refused = read_back(up_to_events() + chunk(smt::four_letters("NOTE"), "x"));
  CHECK_THAT(refused.error, ContainsSubstring("unknown type NOTE"));
}

TEST_CASE("absurd sizes are refused before memory is taken") {
  smt::ChunkHeader header;
  header.type = smt::kEvents;
  header.codec = 1;
  header.raw_bytes = 0xffffffff;
  header.stored_bytes = 100;
  CHECK_THAT(read_back(up_to_events() + smt::encode(header)).error,
             ContainsSubstring("absurd sizes"));
  header.raw_bytes = 50;
  CHECK_THAT(read_back(up_to_events() + smt::encode(header)).error,
             ContainsSubstring("absurd sizes"));
}

TEST_CASE("absurd counts and contradictions within a chunk are errors") {
  constexpr std::uint64_t kHuge = std::uint64_t{1} << 60;
  const std::string shape = [] {
    EventShape out;
    out.op = Operation::barrier_sync;
    out.active = 1;
    std::string bytes(1, static_cast<char>(out.op));
    return bytes + std::string(3, '\0') + varints({0, 1, 0, 0});
  }();
  const auto error = [](const std::string& raw) { return read_back(with_events(raw)).error; };
  REQUIRE(error(varints({0, 1, 1, 1}) + shape + varints({0, 0, 1, 1})) == "");

  CHECK_THAT(error(varints({0, kHuge, 1, 1})), ContainsSubstring("absurd number of shapes"));
  CHECK_THAT(error(varints({0, 1, 1, kHuge})), ContainsSubstring("absurd counts"));
  CHECK_THAT(error(varints({0, 1, kHuge, 1})), ContainsSubstring("absurd counts"));
  CHECK_THAT(error(varints({0, 0, 1, 1})), ContainsSubstring("absurd counts"));
  CHECK_THAT(error(varints({1, 1, 1, 1})), ContainsSubstring("events of launch 1 within launch 0"));
  const auto segment = [&](std::initializer_list<std::uint64_t> values) {
    return error(varints({0, 1, 1, 3}) + shape + varints(values));
  };
  CHECK_THAT(segment({0, 0, kHuge, 1}), ContainsSubstring("absurd number of events"));
  CHECK_THAT(segment({0, 0, 3, kHuge}), ContainsSubstring("past its segment"));
  CHECK_THAT(segment({0, 0, 3, 1, 2, 0}), ContainsSubstring("cut off"));
  CHECK_THAT(segment({0, 0, 3, 1, 2}), ContainsSubstring("cut off"));
  CHECK_THAT(segment({0, 0, 3, 1, 99}), ContainsSubstring("shape 48 of 1"));
  CHECK_THAT(segment({0, 0, 3, 1, 4, 7}), ContainsSubstring("other counts"));
  CHECK_THAT(segment({2, 0, 3, 1, 4}), ContainsSubstring("block 1 of a grid of 1"));
  CHECK_THAT(segment({0, 2, 3, 1, 4}), ContainsSubstring("warp 1 of a block of 1"));
  CHECK_THAT(segment({0, 0, 1, 1}), ContainsSubstring("other counts"));
  std::string unknown = shape;
  unknown[0] = '\x7f';
  CHECK_THAT(error(varints({0, 1, 1, 1}) + unknown + varints({0, 0, 1, 1})),
             ContainsSubstring("shape 0 is not one"));
}

TEST_CASE("a launch that says another number of events than it has is an error") {
  const std::string bytes = up_to_events() + chunk(smt::kLaunchEnd, varints({5, 0}));
  CHECK_THAT(read_back(bytes).error, ContainsSubstring("has 0 events in 0 blocks; its end says 5"));
}

TEST_CASE("chunks out of place are errors") {
  CHECK_THAT(read_back(smt::file_header() + chunk(smt::kEvents, "")).error,
             ContainsSubstring("EVTS chunk outside a launch"));
  CHECK_THAT(read_back(up_to_events() + chunk(smt::kIndex, varints({0}))).error,
             ContainsSubstring("INDX chunk inside a launch"));
  const std::string launch = varints({128 * 2, 3});
  CHECK_THAT(read_back(smt::file_header() + chunk(smt::kLaunch, launch)).error,
             ContainsSubstring("site table 3 of 0"));
}

TEST_CASE("a file whose writer died gives what is whole") {
  // The sink lives on when the writer is gone: nothing is written at its end.
  std::string bytes;
  const auto sink = trace::string_sink(bytes);
  RandomLaunches random(11);
  const auto first = random.launch(32, 50), second = random.launch(32, 50);
  {
    const auto writer = trace::make_writer(TraceFormat::smt, *sink);
    REQUIRE(first->deliver(*writer).ok());
    REQUIRE(writer->begin_launch(second->launch()).ok());
  }
  Recorder in;
  REQUIRE(first->deliver(in).ok());
  const ReadBack out = read_back(bytes);
  CHECK(out.error == "");
  CHECK(out.launches == in.launches);
  REQUIRE(out.warnings.size() == 1);
  CHECK_THAT(out.warnings[0], ContainsSubstring("ends early"));
}

}  // namespace
}  // namespace smemsim::test
