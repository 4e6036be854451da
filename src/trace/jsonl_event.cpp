#include "trace/jsonl_event.hpp"

#include "trace/jsonl_words.hpp"
#include "trace/suggest.hpp"

namespace smemsim::trace {
namespace {

using Json = nlohmann::json;
using Addresses = std::array<std::uint64_t, kMaxLanes>;

bool parse_operation(JsonFields& fields, Operation& op) {
  const std::string text = fields.text("op");
  if (fields.failed()) return false;
  const std::optional<Operation> found = operation_from_name(text);
  if (found) {
    op = *found;
    return true;
  }
  std::vector<std::string_view> names;
  for (const OperationTraits& row : all_operations()) names.push_back(row.name);
  fields.fail("op", "unknown operation '" + text + "'", suggestion(text, names));
  return false;
}

/// A list by lane: entry i is lane i's address; null or missing = no address. Returns the lanes
/// that have one.
LaneMask parse_list(JsonFields& fields, std::string_view key, const Json& list, unsigned warp_lanes,
                    Addresses& out) {
  if (list.size() > warp_lanes) {
    fields.fail(key, std::to_string(list.size()) + " addresses; a warp has " +
                         std::to_string(warp_lanes) + " lanes");
    return 0;
  }
  LaneMask lanes = 0;
  for (unsigned lane = 0; lane < list.size(); ++lane) {
    if (list[lane].is_null()) continue;
    const std::optional<std::uint64_t> address = json_number(list[lane]);
    if (!address) {
      fields.fail(key, "lane " + std::to_string(lane) +
                           ": expected a whole number >= 0, or null for an inactive lane");
      return 0;
    }
    out[lane] = *address;
    lanes |= lane_bit(lane);
  }
  return lanes;
}

void fill_stride(std::uint64_t base, std::int64_t stride, Addresses& out) {
  for (unsigned lane = 0; lane < kMaxLanes; ++lane) {
    out[lane] = base + static_cast<std::uint64_t>(stride) * lane;
  }
}

/// {"base":0,"stride":4}, or these two keys beside the others. Lane i: base + stride * i.
void parse_stride(JsonFields& fields, Addresses& out) {
  const std::uint64_t base = fields.number("base", 0, UINT64_MAX);
  if (fields.find("stride") == nullptr) {
    fields.missing("stride", "\"base\" needs it, the bytes from lane to lane",
                   "0 = all lanes at the same address");
  }
  fill_stride(base, fields.signed_number("stride", 0), out);
}

/// Addresses of all lanes under one key; `lanes` becomes those that have one.
void parse_lane_addresses(JsonFields& fields, std::string_view key, const Json& value,
                          unsigned warp_lanes, Addresses& out, LaneMask& lanes) {
  if (value.is_array()) {
    lanes = parse_list(fields, key, value, warp_lanes, out);
  } else if (value.is_object()) {
    JsonFields inner(value);
    parse_stride(inner, out);
    if (Status status = inner.finish(); !status) {
      fields.fail(key, status.error().message, status.error().hint);
    }
    lanes = first_lanes(warp_lanes);
  } else {
    fields.fail(key, "expected a list with one address a lane, or {\"base\":..., \"stride\":...}");
  }
}

/// One address for the whole warp.
std::uint64_t parse_address(JsonFields& fields, std::string_view key, Operation op) {
  if (fields.find(key) == nullptr) {
    fields.missing(key, std::string(name(op)) + " needs one address");
  }
  return fields.number(key, 0, UINT64_MAX);
}

void parse_lane_operation(JsonFields& fields, unsigned warp_lanes, JsonlEvent& event) {
  const LaneMask all = first_lanes(warp_lanes);
  const OperationTraits& facts = traits(event.op);
  const Json* lanes_value = fields.find("lanes");
  const Json* addresses = fields.find("addr");
  const Json* sources = facts.has_source ? fields.find("source") : nullptr;
  const bool has_base = fields.find("base") != nullptr;
  const bool none = lanes_value != nullptr && event.active == 0;

  LaneMask given = all;
  if (addresses != nullptr && has_base) {
    fields.fail("addr", "stands beside \"base\"; one of them is enough");
  } else if (addresses != nullptr) {
    parse_lane_addresses(fields, "addr", *addresses, warp_lanes, event.addresses, given);
  } else if (has_base) {
    parse_stride(fields, event.addresses);
  } else if (!none) {
    fields.missing("addr", std::string(name(event.op)) +
                               " needs the lanes' addresses, or \"base\" and \"stride\"");
  }
  if (lanes_value == nullptr) event.active = given;
  if (fields.failed() || none) return;
  if (event.active != given && (event.active & ~given) != 0) {
    const auto lane = std::countr_zero(event.active & ~given);
    fields.fail("addr", "no address for lane " + std::to_string(lane) + ", which is active");
  }

  if (!facts.has_source || event.active == 0) return;
  if (sources == nullptr) {
    fields.missing("source", std::string(name(event.op)) + " needs the lanes' global addresses");
    return;
  }
  LaneMask sourced = all;
  parse_lane_addresses(fields, "source", *sources, warp_lanes, event.sources, sourced);
  if ((event.active & ~sourced) != 0) {
    const auto lane = std::countr_zero(event.active & ~sourced);
    fields.fail("source", "no address for lane " + std::to_string(lane) + ", which is active");
  }
}

std::uint64_t parse_scalar(JsonFields& fields, std::string_view name, std::string_view plain) {
  // The plain letter is accepted as well, for programs that treat all operations alike.
  const std::uint64_t fallback = fields.number(plain, 0, UINT64_MAX);
  return name.empty() ? fallback : fields.number(name, fallback, UINT64_MAX);
}

}  // namespace

FlatEvent JsonlEvent::flat(std::uint32_t site_index) const {
  return {op, width, matrices, flags, site_index, active, a, b, addresses, sources};
}

void parse_event(JsonFields& fields, unsigned warp_lanes, JsonlEvent& event) {
  if (!parse_operation(fields, event.op)) return;
  const OperationTraits& facts = traits(event.op);
  const bool matrix = event.op == Operation::ldmatrix || event.op == Operation::stmatrix;
  constexpr unsigned kRowBytes = 16;
  if (facts.lane_addresses && !matrix && fields.find("bytes") == nullptr) {
    fields.missing("bytes", std::string(facts.name) + " needs the bytes of one lane");
  }
  event.width = static_cast<std::uint8_t>(fields.number("bytes", matrix ? kRowBytes : 0, 255));
  event.matrices = static_cast<std::uint8_t>(fields.number("matrices", matrix ? 1 : 0, 255));
  event.flags = 0;
  for (const FlagName& flag : flag_names()) {
    if (fields.flag(flag.name)) event.flags = static_cast<std::uint8_t>(event.flags | flag.bit);
  }
  const ScalarNames names = scalar_names(event.op);
  event.a = parse_scalar(fields, names.a, "a");
  event.b = parse_scalar(fields, names.b, "b");

  event.active = first_lanes(warp_lanes);
  if (fields.find("lanes") != nullptr) {
    const std::optional<LaneMask> lanes = parse_lanes(fields.text("lanes"), warp_lanes);
    if (!lanes) {
      fields.fail("lanes", "expected lanes below " + std::to_string(warp_lanes) +
                               " such as \"0-15\", \"0,2,4\", \"0x0000ffff\", \"all\" or \"none\"");
    }
    event.active = lanes.value_or(0);
  }
  if (facts.lane_addresses) {
    parse_lane_operation(fields, warp_lanes, event);
  } else if (facts.space != AddressSpace::none) {
    event.addresses[0] = parse_address(fields, "addr", event.op);
    if (facts.has_source) event.sources[0] = parse_address(fields, "source", event.op);
  }

  event.site.reset();
  event.site_text.clear();
  const Json* site = fields.find("site");
  if (site == nullptr) return;
  if (site->is_string() && !site->get_ref<const std::string&>().empty()) {
    event.site_text = site->get<std::string>();
  } else if (site->is_number()) {
    event.site = static_cast<std::uint32_t>(fields.number("site", 0, UINT32_MAX));
  } else {
    fields.fail("site", "expected the number of a {\"site\":...} line, a name, or \"file:line\"");
  }
}

}  // namespace smemsim::trace
