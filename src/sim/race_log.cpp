#include "sim/race_log.hpp"

#include <algorithm>

namespace smemsim {
namespace {

constexpr std::size_t kBlockExamples = 4;

/// The example that a person sees is the worst and then the smallest one, so that it does not
/// depend on the order in which occurrences are met.
auto rank(RaceSeverity severity, RaceScope scope, const RaceSide& first, const RaceSide& second,
          std::uint64_t address) {
  return std::tuple(-static_cast<int>(severity), -static_cast<int>(scope), first.block, address,
                    first.thread, second.thread);
}

}  // namespace

void RaceLog::add(const RaceOccurrence& occurrence) {
  const Key key{occurrence.kind, occurrence.variant, occurrence.first.site, occurrence.second.site};
  if (entries_.empty() || !(key == last_key_)) {
    const auto [at, added] = index_.try_emplace(key, entries_.size());
    if (added) entries_.emplace_back();
    last_key_ = key;
    last_ = at->second;
  }
  Entry& entry = entries_[last_];
  RaceFinding& finding = entry.finding;
  const std::uint64_t block = occurrence.first.block;
  if (finding.count == 0 || entry.last_block != block) {
    ++finding.blocks;
    entry.last_block = block;
    if (finding.block_examples.size() < kBlockExamples) finding.block_examples.push_back(block);
  }
  const bool better =
      finding.count == 0 ||
      rank(occurrence.severity, occurrence.scope, occurrence.first, occurrence.second,
           occurrence.address) <
          rank(finding.severity, finding.scope, finding.first, finding.second, finding.address);
  ++finding.count;
  if (!better) return;
  finding.kind = occurrence.kind;
  finding.severity = occurrence.severity;
  finding.scope = occurrence.scope;
  finding.first = occurrence.first;
  finding.second = occurrence.second;
  finding.address = occurrence.address;
  finding.has_address = occurrence.has_address;
  finding.helper_site = occurrence.helper_site;
  finding.detail = occurrence.detail;
  finding.detail2 = occurrence.detail2;
  finding.variant = occurrence.variant;
}

std::vector<RaceFinding> RaceLog::take() {
  std::vector<RaceFinding> out;
  out.reserve(entries_.size());
  for (Entry& entry : entries_) out.push_back(std::move(entry.finding));
  index_.clear();
  entries_.clear();
  return out;
}

}  // namespace smemsim
