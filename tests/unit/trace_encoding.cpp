// The small parts of .smt: checksum, numbers, the size of regular traces, files of the library.
#include <cstdio>
#include <filesystem>

#include "catch.hpp"
#include "trace/crc32c.hpp"
#include "trace/launch_filter.hpp"
#include "trace/varint.hpp"
#include "trace_fixtures.hpp"

namespace smemsim::test {
namespace {

TEST_CASE("the checksum is CRC-32C") {
  CHECK(trace::crc32c("") == 0);
  CHECK(trace::crc32c("123456789") == 0xe3069283);
  CHECK(trace::crc32c(std::string(32, '\0')) == 0x8a9136aa);
  CHECK(trace::crc32c(std::string(32, '\xff')) == 0x62a8ab43);
}

TEST_CASE("numbers of every length come back and overlong ones do not") {
  for (unsigned bits = 0; bits <= 64; ++bits) {
    const std::uint64_t value = bits == 64 ? ~0ULL : (1ULL << bits) - 1;
    std::string bytes;
    trace::put_varint(bytes, value);
    trace::put_signed(bytes, value);
    trace::ByteCursor in(bytes);
    CHECK(in.varint() == value);
    CHECK(in.signed_varint() == value);
    CHECK((!in.failed() && in.remaining() == 0));
  }
  CHECK(trace::zigzag(~0ULL) == 1);
  trace::ByteCursor cut("\x80"), overlong("\xff\xff\xff\xff\xff\xff\xff\xff\xff\x02");
  CHECK((cut.varint() == 0 && cut.failed()));
  CHECK((overlong.varint() == 0 && overlong.failed()));
}

TEST_CASE("a regular kernel takes less than one byte an event") {
  Launch launch;
  launch.grid.x = 64;
  launch.block.x = 256;
  trace::LaunchBuilder builder(launch);
  std::vector<std::uint64_t> addresses(32);
  for (std::uint64_t block = 0; block < 64; ++block) {
    for (std::uint32_t warp = 0; warp < 8; ++warp) {
      for (std::uint64_t k = 0; k < 32; ++k) {
        for (unsigned lane = 0; lane < 32; ++lane) {
          addresses[lane] = 1024 + k * 128 + ((lane ^ (k % 8)) * 4) + warp * 4096;
        }
        trace::FlatEvent event;
        event.op = Operation::load;
        event.width = 4;
        event.active = first_lanes(32);
        event.addresses = addresses;
        builder.add(block, warp, event);
      }
    }
  }
  const std::string bytes =
      written(trace::TraceFormat::smt, [&](TraceSink& sink) { return builder.deliver(sink); });
  CHECK(bytes.size() < builder.event_count());
}

TEST_CASE("writers refuse what readers would") {
  Launch launch;
  launch.grid.x = 2;
  EventShape shape;
  shape.op = Operation::load;
  shape.active = 1;
  shape.offsets = {0};
  const auto error = [&](const EventBatch& batch, const Launch& in) {
    return written(trace::TraceFormat::smt, [&](TraceSink& sink) -> Status {
      SMEMSIM_TRY(sink.begin_launch(in));
      SMEMSIM_TRY(sink.events(batch));
      return sink.end_launch();
    });
  };
  std::vector<EventShape> shapes{shape};
  const std::vector<Event> events{{0, 0, 0}};
  CHECK_THAT(error({0, 0, shapes, events, 1}, launch), ContainsSubstring("site 0 of a table of 0"));
  launch.sites.resize(1);
  CHECK_THAT(error({2, 0, shapes, events, 1}, launch), ContainsSubstring("block 2 of a grid of 2"));
  CHECK_THAT(error({0, 1, shapes, events, 1}, launch), ContainsSubstring("warp 1 of a block of 1"));
  shapes[0].offsets.clear();
  CHECK_THAT(error({0, 0, shapes, events, 1}, launch), ContainsSubstring("without an address"));
  launch.block.x = 0;
  CHECK_THAT(error({0, 0, shapes, events, 1}, launch), ContainsSubstring("is empty or too large"));
}

TEST_CASE("files that cannot be opened are input or output errors with the system's reason") {
  const auto missing = trace::open_trace("/nonexistent/trace.smt");
  REQUIRE_FALSE(missing.ok());
  CHECK(missing.error().kind == ErrorKind::io);
  CHECK_THAT(missing.error().text(), ContainsSubstring("No such file"));
  const auto directory = trace::open_trace(std::filesystem::temp_directory_path().string());
  REQUIRE_FALSE(directory.ok());
  CHECK(directory.error().kind == ErrorKind::io);
  const auto sink = trace::open_sink("/nonexistent/trace.smt");
  REQUIRE_FALSE(sink.ok());
  CHECK(sink.error().kind == ErrorKind::io);
}

TEST_CASE("a trace goes through a real file") {
  const std::string path =
      (std::filesystem::temp_directory_path() / "smemsim_trace_test.smt").string();
  const std::string bytes = small_trace(trace::TraceFormat::smt);
  {
    const auto sink = trace::open_sink(path);
    REQUIRE(sink.ok());
    REQUIRE((*sink)->write(std::as_bytes(std::span(bytes))).ok());
  }
  const auto source = trace::open_trace(path, {"nothing matches"});
  REQUIRE(source.ok());
  Recorder out;
  CHECK((*source)->read(out).ok());
  CHECK(out.launches.empty());
  CHECK((*source)->warnings().size() == 1);
  std::remove(path.c_str());
}

}  // namespace
}  // namespace smemsim::test
