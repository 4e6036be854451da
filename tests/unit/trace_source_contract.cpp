// What every source of traces promises (sim/trace_sink.hpp), whatever the format.
#include "accelsim_text.hpp"
#include "catch.hpp"
#include "trace/importers.hpp"
#include "trace_fixtures.hpp"

namespace smemsim::test {
namespace {

/// Bytes that can be read only once, like a pipe.
class Pipe : public trace::ByteSource {
 public:
  explicit Pipe(std::string bytes) : inner_(trace::memory_source(std::move(bytes), "pipe")) {}
  const std::string& name() const override { return inner_->name(); }
  Result<std::size_t> read(std::span<std::byte> out) override { return inner_->read(out); }
  std::optional<std::uint64_t> size() const override { return std::nullopt; }
  Status seek(std::uint64_t) override { return io_error("pipe", "cannot seek"); }

 private:
  std::unique_ptr<trace::ByteSource> inner_;
};

/// Returns an error at the n-th call.
class Refusing : public Recorder {
 public:
  explicit Refusing(int calls) : calls_(calls) {}
  Status begin_launch(const Launch& launch) override {
    return pass(Recorder::begin_launch(launch));
  }
  Status program(const Program& program) override { return pass(Recorder::program(program)); }
  Status events(const EventBatch& batch) override { return pass(Recorder::events(batch)); }
  Status end_launch() override { return pass(Recorder::end_launch()); }

 private:
  Status pass(Status status) {
    return calls_-- > 0 ? status : Status(usage_error("sink", "had enough"));
  }
  int calls_;
};

trace::TraceFormat format_named(std::string_view name) {
  return name == "smt" ? trace::TraceFormat::smt : trace::TraceFormat::jsonl;
}

/// Formats of others are only read.
bool is_written(const trace::Importer& importer) {
  return importer.name != "accelsim";
}

/// A trace of several blocks and warps in a format that is only read.
std::string foreign_trace() {
  AccelsimText text;
  for (int i = 0; i < 60; ++i) {
    text.steps.push_back(
        {i % 3, i % 2,
         "0040 0000000f 1 R5 LDS 1 R2 4 1 0x7f12000000" + std::to_string(10 + i) + " 4 0"});
  }
  return text.raw();
}

TEST_CASE("every format keeps the contract of sources") {
  for (const trace::Importer& importer : trace::importers()) {
    CAPTURE(std::string(importer.name));
    RandomLaunches random(5);
    const auto builder = random.launch(32, 3000);
    const std::string bytes = is_written(importer)
                                  ? written(format_named(importer.name),
                                            [&](TraceSink& sink) { return builder->deliver(sink); })
                                  : foreign_trace();
    REQUIRE(importer.recognises(bytes));
    Recorder in;
    if (is_written(importer)) {
      REQUIRE(builder->deliver(in).ok());
    } else {
      in.launches = read_back(bytes).launches;
      REQUIRE(in.launches.size() == 1);
      REQUIRE(in.launches[0].events.size() == 6);
    }

    SECTION(std::string(importer.name) + ": blocks are contiguous, warps in program order") {
      const ReadBack out = read_back(bytes);
      CHECK(out.broken.empty());
      CHECK(out.launches == in.launches);
    }
    SECTION(std::string(importer.name) + ": it can be read again") {
      const auto source = trace::open_trace(trace::memory_source(bytes));
      REQUIRE(source.ok());
      for (int pass = 0; pass < 2; ++pass) {
        Recorder out;
        REQUIRE((*source)->read(out).ok());
        CHECK(out.launches == in.launches);
      }
    }
    SECTION(std::string(importer.name) + ": a pipe is read once") {
      const auto source = trace::open_trace(std::make_unique<Pipe>(bytes));
      REQUIRE(source.ok());
      Recorder out;
      REQUIRE((*source)->read(out).ok());
      CHECK(out.launches == in.launches);
      Recorder more;
      const Status again = (*source)->read(more);
      if (importer.name == "accelsim") {  // has kept it in a file
        CHECK(again.ok());
        CHECK(more.launches == in.launches);
      } else {
        REQUIRE_FALSE(again.ok());
        CHECK(again.error().kind == ErrorKind::io);
      }
    }
    SECTION(std::string(importer.name) + ": the sink's error comes back as it is") {
      for (int calls = 0; calls < (is_written(importer) ? 6 : 4); ++calls) {
        const auto source = trace::open_trace(trace::memory_source(bytes));
        REQUIRE(source.ok());
        Refusing sink(calls);
        const Status status = (*source)->read(sink);
        REQUIRE_FALSE(status.ok());
        CHECK(status.error().text() == "sink: had enough");
      }
    }
    SECTION(std::string(importer.name) + ": the same bytes are the same shapes only by identity") {
      const auto source = trace::open_trace(trace::memory_source(bytes));
      REQUIRE(source.ok());
      struct Ids : Recorder {
        Status events(const EventBatch& batch) override {
          auto& known = shapes[batch.shapes_id];
          if (known.empty()) known.assign(batch.shapes.begin(), batch.shapes.end());
          const bool same =
              known == std::vector<EventShape>(batch.shapes.begin(), batch.shapes.end());
          if (!same) broken.push_back("other shapes under the same id");
          return {};
        }
        std::map<std::uint64_t, std::vector<EventShape>> shapes;
      } ids;
      REQUIRE((*source)->read(ids).ok());
      CHECK(ids.broken.empty());
    }
  }
}

TEST_CASE("a filter keeps launches by kernel name") {
  const auto two = [](TraceSink& sink) -> Status {
    for (const char* kernel : {"transpose<32>(float*)", "matmul(float*)"}) {
      Launch launch;
      launch.kernel = kernel;
      trace::LaunchBuilder builder(launch);
      builder.add(0, 0, {});
      SMEMSIM_TRY(builder.deliver(sink));
    }
    return {};
  };
  for (const trace::Importer& importer : trace::importers()) {
    if (!is_written(importer)) continue;  // accelsim_import.cpp
    const std::string bytes = written(format_named(importer.name), two);
    const auto kernels = [&](const std::string& glob) {
      std::string out;
      for (const auto& launch : read_back(bytes, {glob}).launches)
        out += launch.launch.kernel + ";";
      return out;
    };
    CHECK(kernels("") == "transpose<32>(float*);matmul(float*);");
    CHECK(kernels("mat*") == "matmul(float*);");
    CHECK(kernels("matmul") == "matmul(float*);");
    CHECK(kernels("m?tmul") == "matmul(float*);");
    CHECK(kernels("transpose<32>") == "transpose<32>(float*);");
    CHECK(kernels("transpose") == "");
    CHECK(kernels("*(float\\*)") == "");
    CHECK(kernels("MATMUL") == "");
    const ReadBack none = read_back(bytes, {"reduce*"});
    REQUIRE(none.warnings.size() == 1);
    CHECK_THAT(none.warnings[0],
               ContainsSubstring("no kernel matches 'reduce*'; the trace has transpose<32>"));
  }
}

}  // namespace
}  // namespace smemsim::test
