#include "sim/bank_model.hpp"

#include <algorithm>
#include <array>
#include <cassert>

#include "sim/copy_model.hpp"
#include "sim/word_map.hpp"

namespace smemsim {
namespace {

/// Some x of the rule pairs every active lane i with a lane i^x that is inactive or at the same
/// address. One x has to hold for the whole warp.
bool merges(const EventShape& shape, const AccessRule& rule) {
  for (const std::uint8_t x : rule.merge_xor) {
    bool holds = true;
    for_each_lane(shape.active, [&](unsigned lane) {
      const unsigned other = lane ^ x;
      if (has_lane(shape.active, other) && shape.offsets[lane] != shape.offsets[other]) {
        holds = false;
      }
    });
    if (holds) return true;
  }
  return false;
}

/// Collects the words of one pass bank by bank. Each bank's words form a short linked list, so that
/// a conflict-free pass costs one step per word.
class PassCounter {
 public:
  PassCounter(const WordMap& map, BankCount count) : map_(map), count_(count) {
    assert(map.banks() <= kMaxBanks);
  }

  /// W of the pass.
  std::uint32_t count(const EventShape& shape, const Event& event, LaneMask lanes) {
    std::fill_n(head_.begin(), map_.banks(), kNone);
    std::fill_n(depth_.begin(), map_.banks(), std::uint8_t{0});
    used_ = 0;
    std::uint32_t most = 0;
    for_each_lane(lanes, [&](unsigned lane) {
      const std::uint64_t address = lane_address(shape, event, lane);
      const std::uint64_t last = map_.word(address + shape.width - 1);
      for (std::uint64_t word = map_.word(address); word <= last; ++word) {
        most = std::max(most, add(word));
      }
    });
    return most;
  }

 private:
  static constexpr std::uint16_t kNone = 0xffff;

  /// Depth of the word's bank after this word.
  std::uint32_t add(std::uint64_t word) {
    const unsigned bank = map_.bank(word);
    if (count_ == BankCount::words) {
      for (std::uint16_t at = head_[bank]; at != kNone; at = next_[at]) {
        if (words_[at] == word) return depth_[bank];
      }
      words_[used_] = word;
      next_[used_] = head_[bank];
      head_[bank] = static_cast<std::uint16_t>(used_++);
    }
    return ++depth_[bank];
  }

  const WordMap& map_;
  const BankCount count_;
  std::array<std::uint16_t, kMaxBanks> head_;
  std::array<std::uint8_t, kMaxBanks> depth_;
  std::array<std::uint64_t, kMaxLanes * kMaxWordsPerLane> words_;
  std::array<std::uint16_t, kMaxLanes * kMaxWordsPerLane> next_;
  unsigned used_ = 0;
};

std::string lane_place(const EventShape& shape, unsigned lane) {
  return std::string(name(shape.op)) + ", lane " + std::to_string(lane);
}

/// The lanes whose addresses an instruction looks at: matrix operations ignore the rest.
LaneMask address_lanes(const AccessRule& rule, LaneMask active) {
  LaneMask lanes = 0;
  for (const LaneMask pass : rule.passes) lanes |= pass;
  return lanes & active;
}

std::string widths_of(Operation op, const SharedMemory& machine) {
  std::string out;
  for (const AccessRule& rule : machine.rules) {
    if (std::find(rule.operations.begin(), rule.operations.end(), op) == rule.operations.end()) {
      continue;
    }
    const std::string text =
        rule.matrices != 0 ? "x" + std::to_string(rule.matrices) : std::to_string(rule.width);
    out += out.empty() ? text : ", " + text;
  }
  return out;
}

}  // namespace

const AccessRule* SharedMemory::rule(Operation op, unsigned width, unsigned matrices) const {
  for (const AccessRule& candidate : rules) {
    if (candidate.width != width || candidate.matrices != matrices) continue;
    const auto& ops = candidate.operations;
    if (std::find(ops.begin(), ops.end(), op) != ops.end()) return &candidate;
  }
  return nullptr;
}

Status check_access(const EventShape& shape, const Event& event, const SharedMemory& machine,
                    std::uint64_t shared_end) {
  assert(is_shared_access(shape.op));
  if (const LaneMask extra = shape.active & ~first_lanes(machine.lanes); extra != 0) {
    return invalid_input(lane_place(shape, static_cast<unsigned>(std::countr_zero(extra))),
                         "the machine's warps have " + std::to_string(machine.lanes) + " lanes");
  }
  const AccessRule* rule = machine.rule(shape.op, shape.width, shape.matrices);
  if (rule == nullptr) {
    const std::string have = widths_of(shape.op, machine);
    return invalid_input(
        std::string(name(shape.op)),
        shape.matrices != 0
            ? "no such instruction with x" + std::to_string(shape.matrices)
            : "no such instruction with " + std::to_string(shape.width) + " bytes per lane",
        have.empty() ? "the machine does not have this operation" : "the machine has " + have);
  }
  Status status;
  for_each_lane(address_lanes(*rule, shape.active), [&](unsigned lane) {
    if (!status.ok()) return;
    const std::uint64_t address = lane_address(shape, event, lane);
    if (address % shape.width != 0) {
      status = invalid_input(lane_place(shape, lane),
                             "address " + std::to_string(address) + " is not a multiple of the " +
                                 std::to_string(shape.width) + "-byte access",
                             "hardware faults on misaligned shared accesses");
    } else if (shared_end != 0 && (address >= shared_end || shared_end - address < shape.width)) {
      status = invalid_input(lane_place(shape, lane),
                             "address " + std::to_string(address) + " with " +
                                 std::to_string(shape.width) +
                                 " bytes is past the block's shared memory, which ends at " +
                                 std::to_string(shared_end));
    } else if (traits(shape.op).has_source && lane_source(shape, event, lane) % shape.width != 0) {
      status = invalid_input(lane_place(shape, lane),
                             "global address " + std::to_string(lane_source(shape, event, lane)) +
                                 " is not a multiple of the " + std::to_string(shape.width) +
                                 "-byte copy");
    }
  });
  return status;
}

AccessCost access_cost(const EventShape& shape, const Event& event, const SharedMemory& machine) {
  const AccessRule* rule = machine.rule(shape.op, shape.width, shape.matrices);
  if (rule == nullptr) return {.modelled = false};
  if (rule->through_tags) return copy_cost(shape, event, machine, *rule);
  if (rule->uncounted) return {.bypass = bypass_wavefronts(shape, event, machine)};

  AccessCost cost;
  cost.merged = merges(shape, *rule);
  const auto& passes = cost.merged ? rule->merged_passes : rule->passes;
  const WordMap map(machine);
  PassCounter counter(map, rule->count);
  std::uint32_t words = 0;
  for (const LaneMask pass : passes) {
    if ((pass & shape.active) == 0) continue;
    const std::uint32_t most = counter.count(shape, event, pass & shape.active);
    words += rule->count == BankCount::one ? 1 : most;
    cost.ways = std::max(cost.ways, most);
    ++cost.passes;
  }
  cost.wavefronts = words * rule->wavefronts_per_word;
  cost.ideal = cost.passes * rule->wavefronts_per_word;
  cost.conflicts = words - cost.passes;
  const std::uint32_t floor = cost.merged ? rule->merged_floor : rule->floor;
  cost.cycles = cost.passes == 0 ? 0 : std::max(cost.wavefronts, floor);
  return cost;
}

std::uint64_t cost_key(const EventShape& shape, const Event& event, const SharedMemory& machine) {
  const std::uint64_t row = std::uint64_t{machine.banks} * machine.bank_bytes;
  if (shape.op == Operation::cp_async_cg) return bypass_key(event, machine);
  if (shape.op != Operation::cp_async_ca) return event.base % machine.bank_bytes;
  // Which lines share a tag set depends on the whole line number.
  return event.source * row + event.base % row;
}

AccessDetail access_detail(const EventShape& shape, const Event& event,
                           const SharedMemory& machine) {
  AccessDetail detail;
  detail.cost = access_cost(shape, event, machine);
  const AccessRule* rule = machine.rule(shape.op, shape.width, shape.matrices);
  if (rule == nullptr) return detail;
  const WordMap map(machine);
  for (const LaneMask pass : detail.cost.merged ? rule->merged_passes : rule->passes) {
    const LaneMask lanes = pass & shape.active;
    if (lanes == 0) continue;
    PassDetail& out = detail.passes.emplace_back();
    out.lanes = lanes;
    out.banks.resize(machine.banks);
    for_each_lane(lanes, [&](unsigned lane) {
      const std::uint64_t address = lane_address(shape, event, lane);
      const std::uint64_t last = map.word(address + shape.width - 1);
      for (std::uint64_t word = map.word(address); word <= last; ++word) {
        auto& bank = out.banks[map.bank(word)];
        const auto same = std::find_if(bank.begin(), bank.end(),
                                       [&](const WordUse& use) { return use.word == word; });
        if (same != bank.end() && rule->count == BankCount::words) {
          same->lanes |= lane_bit(lane);
        } else {
          bank.push_back({word, lane_bit(lane)});
        }
      }
    });
    for (const auto& bank : out.banks) {
      out.ways = std::max(out.ways, static_cast<std::uint32_t>(bank.size()));
    }
  }
  return detail;
}

LaneMask multicast_lanes(const PassDetail& pass) {
  LaneMask lanes = 0;
  for (const auto& bank : pass.banks) {
    for (const WordUse& use : bank) {
      if (lane_count(use.lanes) > 1) lanes |= use.lanes;
    }
  }
  return lanes;
}

}  // namespace smemsim
