// What is written comes back, through both formats and from one to the other.
#include "catch.hpp"
#include "trace/smt_writer.hpp"
#include "trace_fixtures.hpp"

namespace smemsim::test {
namespace {

using trace::TraceFormat;

struct Sample {
  std::vector<RecordedLaunch> launches;  ///< what was put in
  std::string smt, jsonl;
};

Sample sample(unsigned seed) {
  RandomLaunches random(seed);
  std::vector<std::unique_ptr<trace::LaunchBuilder>> builders;
  for (std::uint64_t i = 1 + random.below(3); i != 0; --i) {
    const unsigned lanes = random.chance(30) ? 64 : random.chance(20) ? 7 : 32;
    builders.push_back(random.launch(lanes, static_cast<unsigned>(random.below(200))));
  }
  const auto deliver = [&](TraceSink& sink) -> Status {
    for (const auto& builder : builders) SMEMSIM_TRY(builder->deliver(sink));
    return {};
  };
  Recorder recorder;
  REQUIRE(deliver(recorder).ok());
  REQUIRE(recorder.broken.empty());
  return {recorder.launches, written(TraceFormat::smt, deliver),
          written(TraceFormat::jsonl, deliver)};
}

TEST_CASE("random launches come back from both formats") {
  const unsigned seed = GENERATE(range(1U, 120U));
  CAPTURE(seed);
  const Sample in = sample(seed);
  for (const std::string& bytes : {in.smt, in.jsonl}) {
    const ReadBack out = read_back(bytes);
    CHECK(out.error == "");
    CHECK(out.warnings.empty());
    CHECK(out.broken.empty());
    REQUIRE(out.launches.size() == in.launches.size());
    for (std::size_t i = 0; i < out.launches.size(); ++i) {
      CHECK(out.launches[i].launch == in.launches[i].launch);
      CHECK(out.launches[i].programs == in.launches[i].programs);
      CHECK(out.launches[i].events == in.launches[i].events);
    }
  }
}

TEST_CASE("exporting, importing and exporting again gives the same bytes") {
  const unsigned seed = GENERATE(range(200U, 230U));
  CAPTURE(seed);
  const Sample in = sample(seed);
  CHECK(converted(in.smt, TraceFormat::jsonl) == in.jsonl);
  CHECK(converted(in.jsonl, TraceFormat::smt) == in.smt);
  CHECK(converted(in.jsonl, TraceFormat::jsonl) == in.jsonl);
  CHECK(converted(in.smt, TraceFormat::smt) == in.smt);
}

TEST_CASE("small chunks and no compression change the bytes but not the content") {
  RandomLaunches random(3);
  const auto builder = random.launch(32, 2000);
  Recorder in;
  REQUIRE(builder->deliver(in).ok());
  for (const std::size_t chunk_bytes : {std::size_t{1}, std::size_t{100}, std::size_t{5000}}) {
    std::string bytes;
    const auto sink = trace::string_sink(bytes);
    trace::SmtWriterOptions options;
    options.chunk_bytes = chunk_bytes;
    trace::SmtWriter writer(*sink, options);
    REQUIRE(builder->deliver(writer).ok());
    REQUIRE(writer.finish().ok());
    const ReadBack out = read_back(bytes);
    CHECK(out.error == "");
    CHECK(out.broken.empty());
    CHECK(out.launches == in.launches);
  }
}

TEST_CASE("an empty trace is a trace") {
  for (const TraceFormat format : {TraceFormat::smt, TraceFormat::jsonl}) {
    const ReadBack out = read_back(written(format, [](TraceSink&) { return Status{}; }));
    CHECK(out.error == "");
    CHECK(out.warnings.empty());
    CHECK(out.launches.empty());
  }
}

TEST_CASE("an event whose offsets do not start at the first active lane is moved, not changed") {
  Launch launch;
  launch.sites.resize(1);
  EventShape shape;
  shape.op = Operation::load;
  shape.width = 4;
  shape.active = 0b110;
  shape.offsets = {77, 100, 108};  // lane 0 is inactive: its entry means nothing
  const std::vector<EventShape> shapes{shape};
  const std::vector<Event> events{{0, 1000, 0}};
  for (const TraceFormat format : {TraceFormat::smt, TraceFormat::jsonl}) {
    const ReadBack out = read_back(written(format, [&](TraceSink& sink) -> Status {
      SMEMSIM_TRY(sink.begin_launch(launch));
      SMEMSIM_TRY(sink.events({0, 0, shapes, events, 1}));
      return sink.end_launch();
    }));
    REQUIRE(out.error == "");
    const WholeEvent& event = out.launches.at(0).events.at({0, 0}).at(0);
    CHECK(event.base == 1100);
    CHECK(event.shape.offsets == std::vector<std::int64_t>{0, 0, 8});
  }
}

}  // namespace
}  // namespace smemsim::test
