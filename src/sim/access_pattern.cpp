#include "sim/access_pattern.hpp"

#include <algorithm>
#include <bit>

#include "sim/word_map.hpp"

namespace smemsim {
namespace {

constexpr unsigned kLargestGroup = 32;

std::vector<unsigned> lanes_of(LaneMask mask) {
  std::vector<unsigned> lanes;
  for_each_lane(mask, [&](unsigned lane) { lanes.push_back(lane); });
  return lanes;
}

/// offset = c + stride * lane for all lanes, if there is such a stride.
std::optional<std::int64_t> constant_stride(const EventShape& shape,
                                            const std::vector<unsigned>& lanes) {
  const std::int64_t steps = std::int64_t{lanes[1]} - lanes[0];
  const std::int64_t rise = shape.offsets[lanes[1]] - shape.offsets[lanes[0]];
  if (rise % steps != 0) return std::nullopt;
  const std::int64_t stride = rise / steps;
  for (const unsigned lane : lanes) {
    if (shape.offsets[lane] - shape.offsets[lanes[0]] != stride * (std::int64_t{lane} - lanes[0])) {
      return std::nullopt;
    }
  }
  return stride;
}

/// The rise per step of `index(lane)` among lanes with equal `fixed(lane)`, if it is a constant.
template <typename Index, typename Fixed>
std::optional<std::int64_t> rise_along(const EventShape& shape, const std::vector<unsigned>& lanes,
                                       Index&& index, Fixed&& fixed) {
  for (std::size_t i = 0; i < lanes.size(); ++i) {
    for (std::size_t j = i + 1; j < lanes.size(); ++j) {
      if (fixed(lanes[i]) != fixed(lanes[j])) continue;
      const std::int64_t steps = std::int64_t{index(lanes[j])} - index(lanes[i]);
      const std::int64_t rise = shape.offsets[lanes[j]] - shape.offsets[lanes[i]];
      if (rise % steps != 0) return std::nullopt;
      return rise / steps;
    }
  }
  return std::nullopt;
}

std::optional<AccessPattern> grid_pattern(const EventShape& shape, LaneMask mask,
                                          const std::vector<unsigned>& lanes, unsigned group) {
  const auto column = [&](unsigned lane) { return (lane - lanes[0]) % group; };
  const auto row = [&](unsigned lane) { return (lane - lanes[0]) / group; };
  const auto stride = rise_along(shape, lanes, column, row);
  const auto group_stride = rise_along(shape, lanes, row, column);
  if (!stride || !group_stride) return std::nullopt;
  for (const unsigned lane : lanes) {
    const std::int64_t expected =
        *stride * std::int64_t{column(lane)} + *group_stride * std::int64_t{row(lane)};
    if (shape.offsets[lane] - shape.offsets[lanes[0]] != expected) return std::nullopt;
  }
  return AccessPattern{PatternKind::grid, mask, *stride, group, *group_stride};
}

/// address = c ^ (linear map of the lane's bits over GF(2)), with lanes left over to confirm it.
bool is_swizzle(const EventShape& shape, const Event& event, const std::vector<unsigned>& lanes) {
  const std::uint64_t constant = lane_address(shape, event, lanes[0]);
  // Each row: lane bits (a combination that occurs), and the address bits that it flips.
  std::vector<std::pair<unsigned, std::uint64_t>> basis;
  std::size_t confirmed = 0;
  for (const unsigned lane : lanes) {
    unsigned bits = lane ^ lanes[0];
    std::uint64_t flips = lane_address(shape, event, lane) ^ constant;
    for (const auto& [row_bits, row_flips] : basis) {
      if ((bits ^ row_bits) >= bits) continue;
      bits ^= row_bits;
      flips ^= row_flips;
    }
    if (bits != 0) {
      basis.emplace_back(bits, flips);
      std::sort(basis.rbegin(), basis.rend());
    } else if (flips != 0) {
      return false;
    } else {
      ++confirmed;
    }
  }
  return confirmed > basis.size();
}

std::string bytes_text(std::int64_t bytes) {
  const auto size = static_cast<std::uint64_t>(bytes < 0 ? -bytes : bytes);
  return std::to_string(size) + (size == 1 ? " byte" : " bytes");
}

/// "128 bytes apart", also for a falling stride.
std::string apart(std::int64_t bytes) {
  return bytes_text(bytes) + (bytes < 0 ? " apart, descending" : " apart");
}

/// What a lane's address is called: a matrix instruction's lanes each name a row.
struct Noun {
  std::string one, many;
};

std::string pattern_text(const AccessPattern& pattern, const Noun& noun) {
  switch (pattern.kind) {
    case PatternKind::none:
      return "no lane is active";
    case PatternKind::single:
      return "only lane " + std::to_string(std::countr_zero(pattern.lanes)) + " is active";
    case PatternKind::same:
      return "all " + std::to_string(lane_count(pattern.lanes)) + ' ' + noun.many +
             " are at one address";
    case PatternKind::stride:
      return noun.many + " are " + apart(pattern.stride);
    case PatternKind::grid: {
      const std::string within = pattern.stride == 0 ? "at one address" : apart(pattern.stride);
      const std::string between =
          pattern.group_stride == 0 ? "at the same addresses" : apart(pattern.group_stride);
      return "groups of " + std::to_string(pattern.group) + ' ' + noun.many + " (" + within +
             ") are " + between;
    }
    case PatternKind::swizzle:
      return noun.many + " are XOR-swizzled";
    case PatternKind::irregular:
      return noun.many + " follow no fixed stride";
  }
  return {};
}

std::string bank_range(unsigned bank, unsigned count, unsigned banks) {
  if (count <= 1) return "bank " + std::to_string(bank);
  return "banks " + std::to_string(bank) + '-' + std::to_string((bank + count - 1) % banks);
}

std::string clash_text(const BankClash& clash, const AccessDetail& detail, const EventShape& shape,
                       const SharedMemory& machine, const Noun& noun, bool lanes_count,
                       bool inside_pass) {
  const LaneMask pass = detail.passes[clash.pass].lanes;
  const std::string bank = "bank " + std::to_string(clash.bank);
  if (lanes_count) {
    if (clash.words == 1) {
      return std::to_string(clash.lanes.size()) + " lanes update one word of " + bank +
             ", one after the other";
    }
    return std::to_string(clash.lanes.size()) + " lanes update " + std::to_string(clash.words) +
           " words of " + bank + ", one after the other";
  }
  if (clash.whole_pass && clash.lanes.size() == lane_count(pass)) {
    const unsigned per_lane = std::max(1u, shape.width / machine.bank_bytes);
    const bool several = detail.passes.size() > 1;
    std::string who = "all " + std::to_string(lane_count(pass));
    if (several && !inside_pass) who += shape.matrices != 0 ? " of a matrix" : " of a pass";
    return who + " fall in " + bank_range(clash.bank, per_lane, machine.banks);
  }
  return noun.many + ' ' + lane_list_text(clash.lanes) + " want " + std::to_string(clash.words) +
         " different words of " + bank;
}

/// For an access that costs no more than it has to.
std::string clean_text(const AccessPattern& pattern, const AccessCost& cost,
                       const EventShape& shape, const std::string& lead) {
  const OperationTraits& facts = traits(shape.op);
  if (pattern.kind == PatternKind::same && cost.passes == 1) {
    return lead + (!facts.writes ? ": one read serves them all"
                   : facts.reads ? ": one update serves them all"
                                 : ": written once, one lane's value stays");
  }
  if (cost.passes <= 1) return lead + ": at most one word in each bank";
  return lead + ": " + std::to_string(cost.passes) + " passes for " +
         (shape.matrices != 0 ? std::to_string(shape.matrices) + " matrices"
                              : std::to_string(unsigned{shape.width}) + " bytes a lane") +
         (cost.merged ? " (equal neighbours share a pass)" : "") + ", none with a conflict";
}

}  // namespace

AccessPattern find_pattern(const EventShape& shape, const Event& event, LaneMask mask) {
  const std::vector<unsigned> lanes = lanes_of(mask);
  if (lanes.empty()) return {PatternKind::none, mask};
  if (lanes.size() == 1) return {PatternKind::single, mask};
  if (const auto stride = constant_stride(shape, lanes)) {
    return *stride == 0 ? AccessPattern{PatternKind::same, mask}
                        : AccessPattern{PatternKind::stride, mask, *stride};
  }
  for (unsigned group = 2; group <= kLargestGroup; ++group) {
    if (const auto grid = grid_pattern(shape, mask, lanes, group)) return *grid;
  }
  if (is_swizzle(shape, event, lanes)) return {PatternKind::swizzle, mask};
  return {PatternKind::irregular, mask};
}

std::optional<BankClash> worst_clash(const AccessDetail& detail, const EventShape& shape,
                                     const Event& event, const SharedMemory& machine) {
  BankClash clash;
  std::uint32_t most = 1;
  for (std::size_t pass = 0; pass < detail.passes.size(); ++pass) {
    if (detail.passes[pass].ways <= most) continue;
    most = detail.passes[pass].ways;
    clash.pass = pass;
  }
  if (most <= 1) return std::nullopt;
  const PassDetail& pass = detail.passes[clash.pass];
  while (pass.banks[clash.bank].size() != most) ++clash.bank;
  std::vector<std::uint64_t> words;
  for (const WordUse& use : pass.banks[clash.bank]) {
    clash.lanes.push_back(static_cast<unsigned>(std::countr_zero(use.lanes)));
    if (std::find(words.begin(), words.end(), use.word) == words.end()) words.push_back(use.word);
  }
  clash.words = words.size();
  std::sort(clash.lanes.begin(), clash.lanes.end());
  const WordMap map(machine);
  clash.whole_pass = true;
  for_each_lane(pass.lanes, [&](unsigned lane) {
    const std::uint64_t word = map.word(lane_address(shape, event, lane));
    clash.whole_pass = clash.whole_pass && map.bank(word) == clash.bank;
  });
  return clash;
}

std::string lane_list_text(const std::vector<unsigned>& lanes) {
  constexpr std::size_t kShown = 4;
  std::string out;
  if (lanes.size() <= kShown) {
    for (std::size_t i = 0; i < lanes.size(); ++i) {
      out += i == 0 ? "" : i + 1 == lanes.size() ? " and " : ", ";
      out += std::to_string(lanes[i]);
    }
    return out;
  }
  for (std::size_t i = 0; i < kShown - 1; ++i) out += std::to_string(lanes[i]) + ", ";
  return out + "... " + std::to_string(lanes.back());
}

std::string explain_access(const EventShape& shape, const Event& event,
                           const SharedMemory& machine) {
  const AccessRule* rule = machine.rule(shape.op, shape.width, shape.matrices);
  const AccessDetail detail = access_detail(shape, event, machine);
  if (rule == nullptr || !detail.cost.modelled) {
    return "not modelled: the machine has no rule for this access";
  }
  const Noun noun = shape.matrices != 0 ? Noun{"row", "rows"} : Noun{"lane", "lanes"};
  LaneMask lanes = 0;
  for (const PassDetail& pass : detail.passes) lanes |= pass.lanes;

  const auto clash = worst_clash(detail, shape, event, machine);
  AccessPattern pattern = find_pattern(shape, event, lanes);
  std::string lead = pattern_text(pattern, noun);
  bool inside_pass = false;  // the lead speaks of one pass
  if (detail.passes.size() > 1 && pattern.kind > PatternKind::stride) {
    // What counts is inside a pass, and there the lanes often are more regular.
    AccessPattern inside = find_pattern(shape, event, detail.passes[clash ? clash->pass : 0].lanes);
    bool everywhere = true;
    for (const PassDetail& pass : detail.passes) {
      AccessPattern other = find_pattern(shape, event, pass.lanes);
      other.lanes = inside.lanes;
      everywhere = everywhere && other == inside;
    }
    if (inside.kind < pattern.kind && (clash || everywhere)) {
      pattern = inside;
      inside_pass = true;
      const std::string where = shape.matrices != 0 ? " of a matrix" : " of a pass";
      lead = pattern_text(pattern, {noun.one + where, noun.many + where});
    }
  }
  const unsigned whole = lane_count(first_lanes(machine.lanes));
  const bool partial = shape.matrices == 0 && lane_count(lanes) > 1 && lane_count(lanes) < whole;
  const std::string some = partial ? " (" + std::to_string(lane_count(lanes)) + " of " +
                                         std::to_string(whole) + " lanes active)"
                                   : std::string();

  if (rule->uncounted) return lead + some + ": bypasses L1, no data-stage wavefronts are counted";
  if (rule->through_tags && detail.cost.excess() > 0) {
    return lead + some + "; words of one copy group meet in a source or destination bank: " +
           std::to_string(detail.cost.wavefronts) + " wavefronts for " +
           std::to_string(detail.cost.passes) + (detail.cost.passes == 1 ? " group" : " groups");
  }
  if (rule->count == BankCount::one && clash) {
    const std::size_t rivals = clash->lanes.size();
    return lead + some + ": lanes " + lane_list_text(clash->lanes) + " want bank " +
           std::to_string(clash->bank) + "; one of them updates its word, the other " +
           (rivals == 2 ? "goes" : std::to_string(rivals - 1) + " go") + " through the loop again";
  }
  if (detail.cost.excess() == 0 || !clash) {
    return clean_text(pattern, detail.cost, shape, lead + some);
  }
  const bool follows = pattern.kind != PatternKind::irregular;
  return lead + some + (follows ? ", so " : ": ") +
         clash_text(*clash, detail, shape, machine, noun, rule->count == BankCount::lanes,
                    inside_pass);
}

}  // namespace smemsim
