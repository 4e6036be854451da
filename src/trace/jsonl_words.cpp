#include "trace/jsonl_words.hpp"

#include <charconv>

#include "trace/lane_list.hpp"

namespace smemsim::trace {

ScalarNames scalar_names(Operation op) {
  using O = Operation;
  switch (op) {
    case O::cp_async_wait:
    case O::wgmma_wait:
      return {"pending", {}};
    case O::cp_async_arrive:
      return {"noinc", {}};
    case O::barrier_sync:
    case O::barrier_arrive:
      return {"barrier", "threads"};
    case O::warp_sync:
    case O::shuffle:
      return {"mask", {}};
    case O::mbarrier_init:
      return {"count", {}};
    case O::mbarrier_arrive:
      return {"count", "drop"};
    case O::mbarrier_expect_tx:
      return {"arrivals", "tx_bytes"};
    case O::mbarrier_wait:
    case O::mbarrier_try:
      return {"parity", {}};
    case O::bulk_load:
    case O::bulk_store:
    case O::bulk_remote:
    case O::bulk_reduce:
      return {"size", "mbarrier"};
    case O::bulk_wait:
      return {"pending", "reads_only"};
    case O::wgmma:
      return {"size_a", "size_b"};
    case O::instructions:
      return {"slots", {}};
    default:
      return {};
  }
}

const std::vector<FlagName>& flag_names() {
  static const std::vector<FlagName> kNames{{kValuesKnown, "values_known"},
                                            {kEqualValues, "equal_values"},
                                            {kTransposed, "transposed"},
                                            {kAddressesPartial, "addresses_partial"}};
  return kNames;
}

std::string lanes_text(LaneMask lanes, unsigned warp_lanes) {
  if (lanes == first_lanes(warp_lanes)) return "all";
  constexpr std::size_t kShort = 20;  // as long as a mask of 64 lanes
  std::string list = lane_list(lanes);
  if (list.size() <= kShort) return list;
  return "0x" + hexadecimal(lanes, (warp_lanes + 3) / 4);
}

std::string hexadecimal(std::uint64_t value, unsigned digits) {
  std::string out;
  for (unsigned digit = digits; digit-- != 0;) {
    out += "0123456789abcdef"[value >> (4 * digit) & 15];
  }
  return out;
}

std::optional<std::uint64_t> parse_number(std::string_view text) {
  const bool hexadecimal = text.starts_with("0x") || text.starts_with("0X");
  if (hexadecimal) text.remove_prefix(2);
  std::uint64_t value = 0;
  const auto [end, error] =
      std::from_chars(text.data(), text.data() + text.size(), value, hexadecimal ? 16 : 10);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return value;
}

std::optional<LaneMask> parse_lanes(std::string_view text, unsigned warp_lanes) {
  if (text == "all") return first_lanes(warp_lanes);
  if (text == "none") return LaneMask{0};
  const std::optional<LaneMask> lanes = parse_lane_list(text);
  return lanes && (*lanes & ~first_lanes(warp_lanes)) == 0 ? lanes : std::nullopt;
}

std::string default_site_text(const EventShape& shape) {
  std::string out(name(shape.op));
  if (shape.matrices != 0) return out + ".x" + std::to_string(shape.matrices);
  if (shape.width != 0) out += ", " + std::to_string(shape.width) + " bytes";
  return out;
}

}  // namespace smemsim::trace
