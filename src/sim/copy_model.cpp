#include "sim/copy_model.hpp"

#include <algorithm>
#include <array>
#include <bit>

#include "sim/word_map.hpp"

namespace smemsim {
namespace {

/// Tag pass of each active lane; all in one when L1 holds the lines.
std::array<std::uint8_t, kMaxLanes> tag_passes(const EventShape& shape, const Event& event,
                                               const CopyRule& copies) {
  struct Line {
    std::uint64_t number;
    std::uint32_t set;
    std::uint8_t pass;
  };
  std::array<Line, kMaxLanes> lines;
  std::size_t line_count = 0;
  std::array<std::uint8_t, kMaxLanes> passes{};
  if (copies.hits != 0) return passes;
  for_each_lane(shape.active, [&](unsigned lane) {
    const std::uint64_t number = lane_source(shape, event, lane) / copies.line_bytes;
    const auto end = lines.begin() + static_cast<std::ptrdiff_t>(line_count);
    const auto seen =
        std::find_if(lines.begin(), end, [&](const Line& line) { return line.number == number; });
    if (seen != end) {
      passes[lane] = seen->pass;
      return;
    }
    const std::uint32_t set = tag_set(number, copies);
    const auto before =
        std::count_if(lines.begin(), end, [&](const Line& line) { return line.set == set; });
    passes[lane] = static_cast<std::uint8_t>(before);
    lines[line_count++] = {number, set, passes[lane]};
  });
  return passes;
}

}  // namespace

std::uint32_t tag_set(std::uint64_t line, const CopyRule& copies) {
  std::uint32_t set = 0;
  for (std::size_t bit = 0; bit < copies.set_hash.size(); ++bit) {
    const auto parity = static_cast<unsigned>(std::popcount(line & copies.set_hash[bit])) & 1u;
    set |= parity << bit;
  }
  return set;
}

AccessCost copy_cost(const EventShape& shape, const Event& event, const SharedMemory& machine,
                     const AccessRule& rule) {
  AccessCost cost;
  if (!machine.copies.known) {
    cost.modelled = false;
    return cost;
  }
  const auto tag_pass = tag_passes(shape, event, machine.copies);
  const WordMap map(machine);
  const std::uint32_t words_per_lane = std::max(1u, shape.width / machine.bank_bytes);
  for (const LaneMask group : rule.passes) {
    for (LaneMask left = group & shape.active; left != 0;) {
      const std::uint8_t pass = tag_pass[static_cast<unsigned>(std::countr_zero(left))];
      std::array<std::uint32_t, kMaxBanks> source{}, destination{};
      std::uint32_t longest = 0;
      for_each_lane(left, [&](unsigned lane) {
        if (tag_pass[lane] != pass) return;
        left &= ~lane_bit(lane);
        const std::uint64_t from = map.word(lane_source(shape, event, lane));
        const std::uint64_t to = map.word(lane_address(shape, event, lane));
        for (std::uint32_t word = 0; word < words_per_lane; ++word) {
          std::uint32_t& s = source[map.bank(from + word)];
          std::uint32_t& d = destination[map.bank(to + word)];
          s = d = std::max(s, d) + 1;
          longest = std::max(longest, s);
        }
      });
      cost.wavefronts += longest;
      cost.conflicts += longest - 1;
      cost.ways = std::max(cost.ways, longest);
      ++cost.passes;
    }
  }
  cost.ideal = cost.passes;
  cost.cycles = cost.wavefronts;
  return cost;
}

}  // namespace smemsim
