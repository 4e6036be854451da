// Copies past L1: what the per-instruction counter shows (copy_model.hpp has the rule).
#include <algorithm>
#include <array>
#include <bit>
#include <vector>

#include "sim/copy_model.hpp"

namespace smemsim {
namespace {

constexpr std::uint64_t kPiece = 16, kSector = 32;  // bytes

/// One piece on its way. Sectors and halves are counted within their lines.
struct Move {
  std::uint64_t from = 0, to = 0;  ///< piece numbers
  std::uint64_t from_line = 0, to_line = 0;
  std::uint32_t from_sector = 0, to_sector = 0;
  std::uint32_t from_half = 0, to_half = 0;
  std::uint32_t round = 0;

  bool same_lines(const Move& other) const {
    return from_line == other.from_line && to_line == other.to_line;
  }
};

/// Pieces that move between two sectors in one step. Bit 2 * from_half + to_half of `halves` stands
/// for a piece.
struct Unit {
  Move first;
  std::uint32_t halves = 0;
};

std::uint32_t halves_bit(const Move& move) {
  return 1U << (2 * move.from_half + move.to_half);
}

/// The moves that count, the highest lane first, with their rounds.
std::vector<Move> moves_of(const EventShape& shape, const Event& event, std::uint64_t line) {
  std::vector<Move> moves;
  for_each_lane(shape.active, [&](unsigned lane) {
    const std::uint64_t from = lane_source(shape, event, lane);
    const std::uint64_t to = lane_address(shape, event, lane);
    const auto written = [&](const Move& move) { return move.to == to / kPiece; };
    if (std::any_of(moves.begin(), moves.end(), written)) return;
    Move& move = moves.emplace_back();
    move.from = from / kPiece;
    move.to = to / kPiece;
    move.from_line = from / line;
    move.to_line = to / line;
    move.from_sector = static_cast<std::uint32_t>(from % line / kSector);
    move.to_sector = static_cast<std::uint32_t>(to % line / kSector);
    move.from_half = static_cast<std::uint32_t>(from % kSector / kPiece);
    move.to_half = static_cast<std::uint32_t>(to % kSector / kPiece);
  });
  std::reverse(moves.begin(), moves.end());
  for (std::size_t i = 0; i < moves.size(); ++i) {
    std::uint32_t others = 0;  // sectors that the piece went to before
    for (std::size_t j = 0; j < i; ++j) {
      if (moves[j].from != moves[i].from || moves[j].to_line != moves[i].to_line) continue;
      if (moves[j].to_sector == moves[i].to_sector) {
        others = moves[j].round;
        break;
      }
      others = std::max(others, moves[j].round + 1);
    }
    moves[i].round = others;
  }
  return moves;
}

/// Whether the move can join the unit: of the same sectors, other halves on both sides.
bool joins(const Unit& unit, const Move& move) {
  if (unit.first.round != move.round || !unit.first.same_lines(move) ||
      unit.first.from_sector != move.from_sector || unit.first.to_sector != move.to_sector) {
    return false;
  }
  const std::uint32_t same_from = 3U << (2 * move.from_half);
  const std::uint32_t same_to = 5U << move.to_half;
  return (unit.halves & (same_from | same_to)) == 0;
}

bool in_one_group(const Unit& a, const Unit& b) {
  const auto parity = [](const Unit& unit) {
    return (unit.first.from_sector + unit.first.to_sector) % 2;
  };
  return a.first.round == b.first.round && a.first.same_lines(b.first) && a.halves == b.halves &&
         parity(a) == parity(b);
}

}  // namespace

std::optional<std::uint32_t> bypass_wavefronts(const EventShape& shape, const Event& event,
                                               const SharedMemory& machine) {
  const bool both_sides = shape.source_offsets.size() == shape.offsets.size();
  if (!machine.copies.known || shape.width != kPiece || !both_sides) return std::nullopt;
  std::vector<Move> moves = moves_of(shape, event, machine.copies.line_bytes);
  // Of several ways to make two units of three pieces, the one that begins with the lowest halves.
  std::sort(moves.begin(), moves.end(), [](const Move& a, const Move& b) {
    return std::pair(a.from_half, a.to_half) < std::pair(b.from_half, b.to_half);
  });
  std::vector<Unit> units;
  for (const Move& move : moves) {
    const auto unit =
        std::find_if(units.begin(), units.end(), [&](const Unit& one) { return joins(one, move); });
    if (unit == units.end()) {
      units.push_back({move, halves_bit(move)});
    } else {
      unit->halves |= halves_bit(move);
    }
  }
  std::uint32_t total = 0;
  std::vector<bool> counted(units.size());
  for (std::size_t i = 0; i < units.size(); ++i) {
    if (counted[i]) continue;
    std::array<std::uint32_t, 32> read{}, written{};
    std::uint32_t steps = 0;
    for (std::size_t j = i; j < units.size(); ++j) {
      if (counted[j] || !in_one_group(units[i], units[j])) continue;
      counted[j] = true;
      steps = std::max({steps, ++read[units[j].first.from_sector % read.size()],
                        ++written[units[j].first.to_sector % written.size()]});
    }
    total += steps;
  }
  return total;
}

std::uint64_t bypass_key(const Event& event, const SharedMemory& machine) {
  const std::uint64_t line = machine.copies.line_bytes;
  return event.base % line * line + event.source % line;
}

}  // namespace smemsim
