// Collects the lines of one launch and delivers it.
#pragma once

#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "sim/trace_sink.hpp"
#include "trace/json_fields.hpp"
#include "trace/jsonl_event.hpp"
#include "trace/launch_builder.hpp"

namespace smemsim::trace {

class JsonlLaunch {
 public:
  /// A launch that no line describes: its grid and block are what its events need.
  JsonlLaunch();
  /// The launch of a line's "launch" object.
  static Result<std::unique_ptr<JsonlLaunch>> parse(const nlohmann::json& object);

  const std::string& kernel() { return builder_->launch().kernel; }
  /// Leaves out the events: the launch is not wanted, only checked.
  void discard_events() { discard_ = true; }

  // One line each; errors have no place.
  Status add_site(const nlohmann::json& object);
  Status add_program(const nlohmann::json& object);
  Status add_instruction(const nlohmann::json& object);
  Status set_position(JsonFields& fields);
  Status add_event(JsonFields& fields);

  Status deliver(TraceSink& sink);

 private:
  void read_position(JsonFields& fields, std::uint64_t& block, std::uint32_t& warp);
  Result<std::uint32_t> site_of(const JsonlEvent& event);
  void finish_program();

  std::unique_ptr<LaunchBuilder> builder_;
  bool grid_given_ = false, block_given_ = false, discard_ = false;
  std::optional<Program> program_;  ///< whose instruction lines are being read
  std::uint64_t block_ = 0, last_block_ = 0;
  std::uint32_t warp_ = 0, last_warp_ = 0;
  JsonlEvent event_;
};

}  // namespace smemsim::trace
