#include "sim/cycle/copy_pieces.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

namespace smemsim {
namespace {

constexpr std::uint64_t kLine = 128;

struct Moves {
  std::set<std::uint64_t> distances;                       // destination - source
  std::set<std::pair<std::uint64_t, std::uint64_t>> xors;  // line of the destination, XOR within it
};

}  // namespace

std::uint32_t copy_pieces(const EventShape& shape, const Event& event) {
  std::map<std::uint64_t, Moves> lines;
  for_each_lane(shape.active, [&](unsigned lane) {
    if (lane >= shape.source_offsets.size() || lane >= shape.offsets.size()) return;
    const std::uint64_t from = lane_source(shape, event, lane);
    const std::uint64_t to = lane_address(shape, event, lane);
    Moves& moves = lines[from / kLine];
    moves.distances.insert(to - from);
    moves.xors.insert({to / kLine, (to ^ from) % kLine});
  });
  std::size_t pieces = 0;
  for (const auto& [line, moves] : lines) {
    pieces += std::min(moves.distances.size(), moves.xors.size());
  }
  return static_cast<std::uint32_t>(pieces);
}

}  // namespace smemsim
