#include "trace/jsonl_writer.hpp"

#include <array>
#include <charconv>
#include <concepts>
#include <nlohmann/json.hpp>
#include <span>

#include "trace/jsonl_words.hpp"
#include "trace/launch_fields.hpp"
#include "trace/trace_rules.hpp"

namespace smemsim::trace {
namespace {

template <std::integral Integer>
void put_integer(std::string& out, Integer value) {
  std::array<char, 24> digits{};
  const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), value).ptr;
  out.append(digits.data(), end);
}

/// A quoted JSON string. Bytes that are not UTF-8 become U+FFFD: JSON cannot hold them.
std::string json_quoted(std::string_view text) {
  return nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

/// Members of one object, in the order given.
class ObjectText {
 public:
  explicit ObjectText(std::string& out) : out_(out) { out_ += '{'; }
  void close() { out_ += '}'; }

  void key(std::string_view name) {
    if (!first_) out_ += ',';
    first_ = false;
    out_ += '"';
    out_ += name;
    out_ += "\":";
  }
  void text(std::string_view name, std::string_view value) {
    key(name);
    out_ += json_quoted(value);
  }
  template <std::integral Integer>
  void number(std::string_view name, Integer value) {
    key(name);
    put_integer(out_, value);
  }

  // For visit_launch_fields: leaves out what a reader assumes anyway.
  void operator()(int, const char* name, const std::string& value) {
    if (!value.empty()) text(name, value);
  }
  void operator()(int, const char* name, const Dim3& value) {
    // A launch without grid or block takes its size from its events: those two are always written.
    if (value == Dim3{} && std::string_view(name) == "cluster") return;
    key(name);
    out_ += '[';
    put_integer(out_, value.x);
    out_ += ',';
    put_integer(out_, value.y);
    out_ += ',';
    put_integer(out_, value.z);
    out_ += ']';
  }
  template <std::integral Integer>
  void operator()(int, const char* name, const Integer& value) {
    const bool lanes = std::string_view(name) == "warp_lanes";
    if (value != (lanes ? DeviceInfo{}.warp_lanes : 0)) number(name, value);
  }

 private:
  std::string& out_;
  bool first_ = true;
};

/// The stride when lane addresses are base + stride * lane with a base that is not negative.
bool lane_stride(const std::vector<std::int64_t>& offsets, LaneMask active, std::uint64_t first,
                 std::int64_t& stride, std::uint64_t& lane0) {
  const auto low = static_cast<unsigned>(std::countr_zero(active));
  const LaneMask rest = active & (active - 1);
  constexpr std::int64_t kFar = std::int64_t{1} << 32;
  stride = 0;
  if (rest != 0) {
    const auto second = static_cast<unsigned>(std::countr_zero(rest));
    const std::int64_t apart = second - low;
    if (offsets[second] % apart != 0) return false;
    stride = offsets[second] / apart;
  }
  if (stride >= kFar || stride <= -kFar) return false;
  bool same = true;
  for_each_lane(active, [&](unsigned lane) {
    same = same && offsets[lane] == stride * (static_cast<std::int64_t>(lane) - low);
  });
  const auto before = static_cast<std::uint64_t>(stride * static_cast<std::int64_t>(low));
  lane0 = first - before;
  const bool wraps = stride >= 0 ? lane0 > first : lane0 < first;
  return same && !wraps;
}

/// One address list: `"addr":[...]`, or base and stride where that says the same.
void put_addresses(std::string& out, const std::vector<std::int64_t>& offsets, LaneMask active,
                   std::uint64_t first, bool is_source) {
  std::int64_t stride = 0;
  std::uint64_t lane0 = 0;
  if (lane_stride(offsets, active, first, stride, lane0)) {
    out += is_source ? ",\"source\":{\"base\":" : ",\"base\":";
    put_integer(out, lane0);
    out += ",\"stride\":";
    put_integer(out, stride);
    if (is_source) out += '}';
    return;
  }
  out += is_source ? ",\"source\":[" : ",\"addr\":[";
  for (unsigned lane = 0; lane < offsets.size(); ++lane) {
    if (lane != 0) out += ',';
    if (has_lane(active, lane)) {
      put_integer(out, first + static_cast<std::uint64_t>(offsets[lane]));
    } else {
      out += "null";
    }
  }
  out += ']';
}

void put_scalar(ObjectText& object, std::string& out, std::string_view name,
                std::string_view fallback, std::uint64_t value) {
  if (value == 0) return;
  if (name == "mask") {
    object.key(name);
    out += "\"0x" + hexadecimal(value, value >> 32 == 0 ? 8 : 16) + '"';
  } else {
    object.number(name.empty() ? fallback : name, value);
  }
}

}  // namespace

Status JsonlWriter::flush_over(std::size_t bytes) {
  if (buffer_.size() <= bytes) return {};
  Status status = out_.write(std::as_bytes(std::span(buffer_)));
  buffer_.clear();
  return status;
}

Status JsonlWriter::begin_launch(const Launch& launch) {
  SMEMSIM_TRY(check_launch(launch));
  if (!started_) buffer_ += "{\"schema\":\"" + std::string(kJsonlSchema) + "\"}\n";
  started_ = true;
  warp_lanes_ = launch.device.warp_lanes;
  shapes_id_ = 0;
  block_ = 0;
  warp_ = 0;

  buffer_ += "{\"launch\":";
  ObjectText object(buffer_);
  visit_launch_fields(launch, object);
  if (launch.device != DeviceInfo{}) {
    object.key("device");
    ObjectText device(buffer_);
    visit_device_fields(launch.device, device);
    device.close();
  }
  object.close();
  buffer_ += "}\n";

  for (std::size_t i = 0; i < launch.sites.size(); ++i) {
    const Site& site = launch.sites[i];
    buffer_ += "{\"site\":";
    ObjectText fields(buffer_);
    fields.number("index", i);
    if (!site.function.empty()) fields.text("function", site.function);
    if (site.pc != 0) fields.number("pc", site.pc);
    if (!site.instruction.empty()) fields.text("instruction", site.instruction);
    if (!site.file.empty()) fields.text("file", site.file);
    if (site.line != 0) fields.number("line", site.line);
    fields.close();
    buffer_ += "}\n";
    SMEMSIM_TRY(flush_over(1U << 16));
  }
  return {};
}

Status JsonlWriter::program(const Program& program) {
  buffer_ += "{\"program\":";
  ObjectText object(buffer_);
  object.text("function", program.function);
  object.key("files");
  buffer_ += '[';
  for (std::size_t i = 0; i < program.files.size(); ++i) {
    if (i != 0) buffer_ += ',';
    buffer_ += json_quoted(program.files[i]);
  }
  buffer_ += ']';
  object.close();
  buffer_ += "}\n";
  for (const ProgramInstruction& instruction : program.instructions) {
    buffer_ += "{\"instruction\":";
    ObjectText fields(buffer_);
    fields.number("pc", instruction.pc);
    fields.text("text", instruction.text);
    if (instruction.file != 0) fields.number("file", instruction.file);
    if (instruction.line != 0) fields.number("line", instruction.line);
    fields.key("encoding");
    buffer_ += "\"0x" + hexadecimal(instruction.encoding_high, 16) +
               hexadecimal(instruction.encoding_low, 16) + '"';
    fields.close();
    buffer_ += "}\n";
    SMEMSIM_TRY(flush_over(1U << 16));
  }
  return {};
}

const std::string& JsonlWriter::shape_text(const EventShape& shape, std::uint32_t index) {
  std::string& out = shape_texts_[index];
  if (!out.empty()) return out;
  ObjectText object(out);
  object.text("op", name(shape.op));
  const OperationTraits& facts = traits(shape.op);
  if (shape.width != 0 || facts.lane_addresses) object.number("bytes", unsigned{shape.width});
  const bool matrix = shape.op == Operation::ldmatrix || shape.op == Operation::stmatrix;
  if (shape.matrices != 0 || matrix) object.number("matrices", unsigned{shape.matrices});
  object.number("site", shape.site);
  for (const FlagName& flag : flag_names()) {
    if ((shape.flags & flag.bit) == 0) continue;
    object.key(flag.name);
    out += "true";
  }
  const ScalarNames names = scalar_names(shape.op);
  put_scalar(object, out, names.a, "a", shape.a);
  put_scalar(object, out, names.b, "b", shape.b);
  if (shape.active != first_lanes(warp_lanes_)) {
    object.text("lanes", lanes_text(shape.active, warp_lanes_));
  }
  return out;
}

void JsonlWriter::put_event(const EventShape& shape, const Event& event) {
  if (!shape.offsets.empty()) {
    const auto first = static_cast<unsigned>(std::countr_zero(shape.active));
    std::uint64_t base_shift = 0, source_shift = 0;
    if (shape.offsets[first] == 0 &&
        (shape.source_offsets.empty() || shape.source_offsets[first] == 0)) {
      put_addresses(buffer_, shape.offsets, shape.active, event.base, false);
      if (!shape.source_offsets.empty()) {
        put_addresses(buffer_, shape.source_offsets, shape.active, event.source, true);
      }
    } else {
      const EventShape canonical = canonical_shape(shape, base_shift, source_shift);
      put_event(canonical, {event.shape, event.base + base_shift, event.source + source_shift});
    }
    return;
  }
  if (shape_has_base(shape)) {
    buffer_ += ",\"addr\":";
    put_integer(buffer_, event.base);
  }
  if (shape_has_source(shape)) {
    buffer_ += ",\"source\":";
    put_integer(buffer_, event.source);
  }
}

Status JsonlWriter::events(const EventBatch& batch) {
  if (batch.events.empty()) return {};
  if (batch.shapes_id != shapes_id_ || shape_texts_.size() != batch.shapes.size()) {
    shape_texts_.assign(batch.shapes.size(), {});
    shapes_id_ = batch.shapes_id;
  }
  if (batch.block != block_ || batch.warp != warp_) {
    ObjectText position(buffer_);
    position.number("block", batch.block);
    position.number("warp", batch.warp);
    position.close();
    buffer_ += '\n';
    block_ = batch.block;
    warp_ = batch.warp;
  }
  for (const Event& event : batch.events) {
    const EventShape& shape = batch.shapes[event.shape];
    buffer_ += shape_text(shape, event.shape);
    put_event(shape, event);
    buffer_ += "}\n";
    SMEMSIM_TRY(flush_over(1U << 16));
  }
  return {};
}

Status JsonlWriter::end_launch() {
  return flush_over(1U << 16);
}

Status JsonlWriter::finish() {
  if (!started_) buffer_ += "{\"schema\":\"" + std::string(kJsonlSchema) + "\"}\n";
  started_ = true;
  SMEMSIM_TRY(flush_over(0));
  return out_.flush();
}

}  // namespace smemsim::trace
