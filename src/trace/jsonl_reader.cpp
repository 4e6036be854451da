#include "trace/jsonl_reader.hpp"

#include <nlohmann/json.hpp>
#include <optional>

#include "trace/jsonl_launch.hpp"
#include "trace/jsonl_words.hpp"
#include "trace/line_reader.hpp"
#include "trace/suggest.hpp"

namespace smemsim::trace {
namespace {

using Json = nlohmann::json;

/// One pass over the lines.
class Pass {
 public:
  Pass(const LaunchFilter& filter, TraceSink& sink) : filter_(filter), sink_(sink) {}

  /// Errors have no place, unless the sink made them.
  Status line(std::string_view text);
  Status finish();
  bool sink_failed() const { return sink_failed_; }
  std::string warning() const { return log_.warning(filter_); }

 private:
  Status dispatch(const Json& object);
  Status only(const Json& object, std::string_view key) const;
  JsonlLaunch& launch();
  void start(std::unique_ptr<JsonlLaunch> launch);

  const LaunchFilter& filter_;
  TraceSink& sink_;
  FilterLog log_;
  std::unique_ptr<JsonlLaunch> launch_;
  bool wanted_ = false;
  bool sink_failed_ = false;
};

/// What the JSON library says, without its own way of giving the place.
Error not_json(const Json::exception& error) {
  std::string message = error.what();
  if (const std::size_t end = message.find("] "); end != std::string::npos) {
    message.erase(0, end + 2);
  }
  if (const std::size_t column = message.find("column "); column != std::string::npos) {
    message.erase(0, column);
  }
  return invalid_input({}, "not valid JSON: " + message);
}

Status Pass::line(std::string_view text) {
  if (text.find_first_not_of(" \t") == std::string_view::npos) return {};
  try {
    const Json object = Json::parse(text);
    if (!object.is_object()) return invalid_input({}, "expected a JSON object {...}");
    return dispatch(object);
  } catch (const Json::exception& error) {
    return not_json(error);
  }
}

Status Pass::only(const Json& object, std::string_view key) const {
  JsonFields fields(object);
  fields.find(key);
  return fields.finish();
}

void Pass::start(std::unique_ptr<JsonlLaunch> launch) {
  launch_ = std::move(launch);
  wanted_ = log_.matches(filter_, launch_->kernel());
  if (!wanted_) launch_->discard_events();
}

JsonlLaunch& Pass::launch() {
  if (!launch_) start(std::make_unique<JsonlLaunch>());
  return *launch_;
}

Status Pass::finish() {
  if (!launch_) return {};
  const std::unique_ptr<JsonlLaunch> done = std::move(launch_);
  if (!wanted_) return {};
  Status status = done->deliver(sink_);
  sink_failed_ = !status.ok();
  return status;
}

Status Pass::dispatch(const Json& object) {
  if (object.contains("op")) {
    JsonFields fields(object);
    return launch().add_event(fields);
  }
  for (const std::string_view key : {"launch", "site", "program", "instruction", "schema"}) {
    const auto value = object.find(key);
    if (value == object.end()) continue;
    SMEMSIM_TRY(only(object, key));
    if (key == "site") return launch().add_site(*value);
    if (key == "program") return launch().add_program(*value);
    if (key == "instruction") return launch().add_instruction(*value);
    if (key == "launch") {
      SMEMSIM_TRY(finish());
      Result<std::unique_ptr<JsonlLaunch>> parsed = JsonlLaunch::parse(*value);
      if (!parsed) return parsed.error();
      start(*std::move(parsed));
    } else if (*value != kJsonlSchema) {
      return invalid_input({},
                           "\"schema\": this program reads \"" + std::string(kJsonlSchema) + "\"");
    }
    return {};
  }
  if (object.contains("block") || object.contains("warp")) {
    JsonFields fields(object);
    return launch().set_position(fields);
  }
  const std::string key = object.empty() ? "" : object.begin().key();
  return invalid_input({}, "a line that is no event (\"op\") and nothing else that is known",
                       suggestion(key, {"op", "launch", "site", "program", "instruction", "block",
                                        "warp", "schema"}));
}

}  // namespace

JsonlReader::JsonlReader(std::unique_ptr<ByteSource> bytes, LaunchFilter filter)
    : bytes_(std::move(bytes)), filter_(std::move(filter)) {}
JsonlReader::~JsonlReader() = default;

Status JsonlReader::read(TraceSink& sink) {
  warnings_.clear();
  if (bytes_->size()) {
    SMEMSIM_TRY(bytes_->seek(0));
  } else if (started_) {
    return io_error(bytes_->name(), "cannot be read twice", "save it to a file first");
  }
  started_ = true;

  LineReader lines(*bytes_);
  Pass pass(filter_, sink);
  const auto placed = [&](Status status) -> Status {
    if (status || pass.sink_failed() || !status.error().place.empty()) return status;
    Error error = status.error();
    error.place = lines.place();
    return error;
  };
  for (;;) {
    std::string_view line;
    const Result<bool> more = lines.next(line);
    if (!more) return more.error();
    if (!*more) break;
    constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";
    if (lines.number() == 1 && line.starts_with(kByteOrderMark)) line.remove_prefix(3);
    SMEMSIM_TRY(placed(pass.line(line)));
  }
  SMEMSIM_TRY(placed(pass.finish()));
  if (const std::string unmatched = pass.warning(); !unmatched.empty()) {
    warnings_.push_back(bytes_->name() + ": " + unmatched);
  }
  return {};
}

}  // namespace smemsim::trace
