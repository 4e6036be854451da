#include "trace/lane_list.hpp"

#include <charconv>

namespace smemsim::trace {
namespace {

template <typename Number>
bool parse_whole(std::string_view text, int base, Number& out) {
  const char* end = text.data() + text.size();
  const auto [at, error] = std::from_chars(text.data(), end, out, base);
  return error == std::errc() && at == end && !text.empty();
}

}  // namespace

std::optional<LaneMask> parse_lane_mask(std::string_view text) {
  if (text.starts_with("0x") || text.starts_with("0X")) text.remove_prefix(2);
  LaneMask mask = 0;
  if (!parse_whole(text, 16, mask)) return std::nullopt;
  return mask;
}

std::optional<LaneMask> parse_lane_list(std::string_view text) {
  if (text.starts_with("0x") || text.starts_with("0X")) return parse_lane_mask(text);
  LaneMask mask = 0;
  while (true) {
    const std::size_t comma = text.find(',');
    const std::string_view part = text.substr(0, comma);
    const std::size_t dash = part.find('-');
    unsigned first = 0, last = 0;
    if (!parse_whole(part.substr(0, dash), 10, first)) return std::nullopt;
    last = first;
    if (dash != std::string_view::npos && !parse_whole(part.substr(dash + 1), 10, last)) {
      return std::nullopt;
    }
    if (first > last || last >= kMaxLanes) return std::nullopt;
    mask |= first_lanes(last + 1) & ~first_lanes(first);
    if (comma == std::string_view::npos) return mask;
    text.remove_prefix(comma + 1);
  }
}

std::string lane_list(LaneMask mask) {
  if (mask == 0) return "none";
  std::string out;
  for (unsigned lane = 0; lane < kMaxLanes; ++lane) {
    if (!has_lane(mask, lane)) continue;
    unsigned last = lane;
    while (last + 1 < kMaxLanes && has_lane(mask, last + 1)) ++last;
    if (!out.empty()) out += ',';
    out += std::to_string(lane);
    if (last > lane) out += '-' + std::to_string(last);
    lane = last;
  }
  return out;
}

}  // namespace smemsim::trace
