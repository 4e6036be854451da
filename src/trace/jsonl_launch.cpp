#include "trace/jsonl_launch.hpp"

#include <algorithm>
#include <concepts>
#include <limits>

#include "trace/jsonl_words.hpp"
#include "trace/launch_fields.hpp"
#include "trace/trace_rules.hpp"

namespace smemsim::trace {
namespace {

using Json = nlohmann::json;

Error bad_line(std::string message, std::string hint = {}) {
  return invalid_input({}, std::move(message), std::move(hint));
}

/// For visit_launch_fields: sets members from the object's keys.
struct FieldReader {
  JsonFields& fields;

  void operator()(int, const char* name, std::string& member) const { member = fields.text(name); }
  void operator()(int, const char* name, Dim3& member) const {
    const Json* value = fields.find(name);
    if (value == nullptr) return;
    std::uint32_t* const parts[] = {&member.x, &member.y, &member.z};
    const bool single = !value->is_array();
    const std::size_t count = single ? 1 : value->size();
    bool fits = count >= 1 && count <= 3;
    for (std::size_t i = 0; fits && i < count; ++i) {
      const auto number = json_number(single ? *value : (*value)[i]);
      fits = number && *number <= std::numeric_limits<std::uint32_t>::max();
      if (fits) *parts[i] = static_cast<std::uint32_t>(*number);
    }
    if (!fits) fields.fail(name, "expected [x,y,z]");
  }
  template <std::unsigned_integral Integer>
  void operator()(int, const char* name, Integer& member) const {
    member = static_cast<Integer>(fields.number(name, member, std::numeric_limits<Integer>::max()));
  }
};

Status expect_object(const Json& value, const char* key) {
  if (value.is_object()) return {};
  return bad_line("\"" + std::string(key) + "\": expected an object {...}");
}

/// "file.cu:12" names a source line; anything else is the site's own name.
Site named_site(const std::string& text) {
  Site site;
  const std::size_t colon = text.rfind(':');
  if (colon != std::string::npos && colon != 0) {
    const auto line = parse_number(std::string_view(text).substr(colon + 1));
    if (line && *line != 0 && *line <= std::numeric_limits<std::uint32_t>::max()) {
      site.file = text.substr(0, colon);
      site.line = static_cast<std::uint32_t>(*line);
      return site;
    }
  }
  site.instruction = text;
  return site;
}

}  // namespace

JsonlLaunch::JsonlLaunch() : builder_(std::make_unique<LaunchBuilder>(Launch{})) {}

Result<std::unique_ptr<JsonlLaunch>> JsonlLaunch::parse(const Json& object) {
  SMEMSIM_TRY(expect_object(object, "launch"));
  auto out = std::make_unique<JsonlLaunch>();
  Launch& launch = out->builder_->launch();
  JsonFields fields(object);
  visit_launch_fields(launch, FieldReader{fields});
  if (const Json* device = fields.find("device")) {
    SMEMSIM_TRY(expect_object(*device, "device"));
    JsonFields inner(*device);
    visit_device_fields(launch.device, FieldReader{inner});
    SMEMSIM_TRY(inner.finish());
  }
  out->grid_given_ = fields.find("grid") != nullptr;
  out->block_given_ = fields.find("block") != nullptr;
  SMEMSIM_TRY(fields.finish());
  SMEMSIM_TRY(check_launch(launch));
  return out;
}

Status JsonlLaunch::add_site(const Json& object) {
  SMEMSIM_TRY(expect_object(object, "site"));
  JsonFields fields(object);
  Site site;
  constexpr auto kMax = std::numeric_limits<std::uint32_t>::max();
  const std::size_t next = builder_->launch().sites.size();
  const std::uint64_t index = fields.number("index", next, kMax);
  site.function = fields.text("function");
  site.pc = static_cast<std::uint32_t>(fields.number("pc", 0, kMax));
  site.instruction = fields.text("instruction");
  site.file = fields.text("file");
  site.line = static_cast<std::uint32_t>(fields.number("line", 0, kMax));
  SMEMSIM_TRY(fields.finish());
  if (index != next) {
    return bad_line("\"index\": this is site " + std::to_string(next) + " of the launch",
                    "sites are numbered in the order of their lines, from 0");
  }
  builder_->launch().sites.push_back(std::move(site));
  return {};
}

Status JsonlLaunch::add_program(const Json& object) {
  SMEMSIM_TRY(expect_object(object, "program"));
  finish_program();
  JsonFields fields(object);
  Program& program = program_.emplace();
  program.function = fields.text("function");
  if (const Json* files = fields.find("files")) {
    if (!files->is_array()) fields.fail("files", "expected a list of file names");
    for (const Json& file : *files) {
      if (!file.is_string()) {
        fields.fail("files", "expected a list of file names");
        break;
      }
      program.files.push_back(file.get<std::string>());
    }
  }
  return fields.finish();
}

Status JsonlLaunch::add_instruction(const Json& object) {
  SMEMSIM_TRY(expect_object(object, "instruction"));
  if (!program_) return bad_line("an instruction without a {\"program\":...} line before it");
  constexpr auto kMax = std::numeric_limits<std::uint32_t>::max();
  JsonFields fields(object);
  ProgramInstruction out;
  out.pc = static_cast<std::uint32_t>(fields.number("pc", 0, kMax));
  out.text = fields.text("text");
  out.file = static_cast<std::uint32_t>(fields.number("file", 0, kMax));
  out.line = static_cast<std::uint32_t>(fields.number("line", 0, kMax));
  const std::string encoding = fields.text("encoding");
  constexpr std::size_t kDigits = 34;  // 0x and 128 bits
  if (!encoding.empty()) {
    const auto high = parse_number(std::string_view(encoding).substr(0, kDigits - 16));
    const auto low =
        encoding.size() == kDigits ? parse_number("0x" + encoding.substr(18)) : std::nullopt;
    if (!encoding.starts_with("0x") || !high || !low) {
      fields.fail("encoding", "expected 0x and 32 hexadecimal digits");
    }
    out.encoding_high = high.value_or(0);
    out.encoding_low = low.value_or(0);
  }
  SMEMSIM_TRY(fields.finish());
  if (out.line != 0 && out.file >= program_->files.size()) {
    return bad_line("\"file\": the program has " + std::to_string(program_->files.size()) +
                    " source files");
  }
  program_->instructions.push_back(std::move(out));
  return {};
}

void JsonlLaunch::finish_program() {
  if (program_) builder_->add_program(std::move(*program_));
  program_.reset();
}

void JsonlLaunch::read_position(JsonFields& fields, std::uint64_t& block, std::uint32_t& warp) {
  const Launch& launch = builder_->launch();
  const std::uint64_t blocks =
      grid_given_ ? launch.grid.count() : std::numeric_limits<std::uint32_t>::max();
  const std::uint64_t warps =
      block_given_ ? warps_per_block(launch) : kMaxThreadsPerBlock / launch.device.warp_lanes;
  block = fields.number("block", block_, blocks - 1);
  warp = static_cast<std::uint32_t>(fields.number("warp", warp_, warps - 1));
}

Status JsonlLaunch::set_position(JsonFields& fields) {
  read_position(fields, block_, warp_);
  return fields.finish();
}

Result<std::uint32_t> JsonlLaunch::site_of(const JsonlEvent& event) {
  const std::size_t known = builder_->launch().sites.size();
  if (event.site) {
    if (*event.site < known) return *event.site;
    return bad_line("\"site\": there is no site " + std::to_string(*event.site) + " among the " +
                        std::to_string(known) + " so far",
                    "a {\"site\":...} line must come before its events");
  }
  if (!event.site_text.empty()) return builder_->add_site(named_site(event.site_text));
  EventShape shape;
  shape.op = event.op;
  shape.width = event.width;
  shape.matrices = event.matrices;
  Site site;
  site.instruction = default_site_text(shape);
  return builder_->add_site(site);
}

Status JsonlLaunch::add_event(JsonFields& fields) {
  std::uint64_t block = 0;
  std::uint32_t warp = 0;
  read_position(fields, block, warp);
  parse_event(fields, builder_->launch().device.warp_lanes, event_);
  SMEMSIM_TRY(fields.finish());
  const Result<std::uint32_t> site = site_of(event_);
  if (!site) return site.error();
  if (discard_) return {};
  builder_->add(block, warp, event_.flat(*site));
  last_block_ = std::max(last_block_, block);
  last_warp_ = std::max(last_warp_, warp);
  return {};
}

Status JsonlLaunch::deliver(TraceSink& sink) {
  finish_program();
  Launch& launch = builder_->launch();
  if (!grid_given_) launch.grid.x = static_cast<std::uint32_t>(last_block_ + 1);
  if (!block_given_) launch.block.x = (last_warp_ + 1) * launch.device.warp_lanes;
  return builder_->deliver(sink);
}

}  // namespace smemsim::trace
