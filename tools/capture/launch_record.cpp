#include "launch_record.hpp"

#include <algorithm>
#include <array>

#include "log.hpp"
#include "sim/lanes.hpp"

namespace smemsim::capture {

bool LaunchRecord::keeps(std::uint64_t block) {
  if (block == last_block_) return last_kept_;
  const auto [entry, added] = blocks_.try_emplace(block, records_ < max_records_);
  if (added && entry->second) ++kept_;
  last_block_ = block;
  last_kept_ = entry->second;
  return last_kept_;
}

std::uint32_t LaunchRecord::site(std::uint64_t pc) {
  const auto [entry, added] = sites_.try_emplace(pc, 0);
  if (added) {
    // The name of the function is found when the launch has ended; until then the pc is the name.
    Site site;
    site.function = std::to_string(pc);
    entry->second = builder_.add_site(site);
    site_pcs_.push_back(pc);
  }
  return entry->second;
}

bool LaunchRecord::selects(std::uint64_t block) {
  const Launch& launch = builder_.launch();
  return selects_block(selection, block_list, block, launch.grid, launch.cluster);
}

void LaunchRecord::note_range(const trace::FlatEvent& event) {
  constexpr std::uint64_t kOwnWindow = std::uint64_t{1} << 24;
  const OperationTraits& facts = traits(event.op);
  if (facts.space != AddressSpace::shared || !facts.lane_addresses) return;
  for_each_lane(event.active, [&](unsigned lane) {
    const std::uint64_t address = event.addresses[lane];
    if (address >= kOwnWindow) return;
    lowest_shared = std::min(lowest_shared, address);
    end_shared = std::max(end_shared, address + event.width);
  });
}

void LaunchRecord::add(const Record& whole) {
  Record record = whole;
  ++counts_[static_cast<std::size_t>(record.kind)];
  Launch& launch = builder_.launch();
  if (record.block >= launch.grid.count() ||
      record.warp * std::uint64_t{32} >= launch.block.count()) {
    ++misplaced;
    return;
  }
  const bool kept = keeps(record.block);
  if (record.kind == RecordKind::block_enter) {
    entered = true;
    total_shared = static_cast<std::uint32_t>(record.a >> 32);
    dynamic_shared = static_cast<std::uint32_t>(record.a);
    entered_blocks_.insert(record.block);
    return;
  }
  if (!kept) {
    ++launch.dropped_events;
    return;
  }
  ++records_;
  if (record.kind == RecordKind::mbarrier || record.kind == RecordKind::mbarrier_attempt) {
    Before& before = before_[record.block << 8 | record.warp];
    if (record.kind == RecordKind::mbarrier) {
      before = {record.pc, record.b, record.active};
      return;
    }
    if (before.pc == record.pc && (before.active & record.active) == record.active) {
      record.before = before.state;
    }
    if (mbarriers_logged_ < 200) {
      ++mbarriers_logged_;
      debug(
          "mbarrier pc %#llx block %llu warp %u lanes %#x flags %#x a %#llx before %#llx after "
          "%#llx",
          static_cast<unsigned long long>(record.pc), static_cast<unsigned long long>(record.block),
          record.warp, record.active, static_cast<unsigned>(record.flags),
          static_cast<unsigned long long>(record.a), static_cast<unsigned long long>(before.state),
          static_cast<unsigned long long>(record.b));
    }
  }
  const std::uint32_t rank = cluster_rank(record.block, launch.grid, launch.cluster);
  to_events(record, site(record.pc), rank, [&](const trace::FlatEvent& event) {
    note_range(event);
    builder_.add(record.block, record.warp, event);
  });
}

std::string LaunchRecord::statistics() const {
  std::string out;
  for (std::size_t kind = 0; kind < std::size(counts_); ++kind) {
    if (counts_[kind] != 0) {
      out += " " + std::to_string(kind) + ":" + std::to_string(counts_[kind]);
    }
  }
  return out;
}

}  // namespace smemsim::capture
