// The bank model again, as slowly and obviously as possible: sets of words per bank and pass, from
// the sentences of h200 measurements rather than from the machine's rule table.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <set>
#include <vector>

#include "sim/event.hpp"

namespace smemsim::oracle {

struct Cost {
  unsigned wavefronts = 0, ideal = 0, conflicts = 0;
};

inline bool pairs_agree(const EventShape& shape, unsigned x) {
  for (unsigned lane = 0; lane < 32; ++lane) {
    const unsigned other = lane ^ x;
    if (has_lane(shape.active, lane) && has_lane(shape.active, other) &&
        shape.offsets[lane] != shape.offsets[other]) {
      return false;
    }
  }
  return true;
}

/// sm_90, plain shared accesses (no asynchronous copies).
inline Cost cost(const EventShape& shape, const Event& event) {
  const bool matrix = shape.op == Operation::ldmatrix || shape.op == Operation::stmatrix;
  const bool cas = shape.op == Operation::cas;
  const bool lanes_count = cas || shape.op == Operation::atomic || shape.op == Operation::reduce;
  unsigned group = 32;
  if (shape.width == 8) group = 16;
  if (shape.width == 16) group = 8;
  if (shape.op == Operation::load && shape.width >= 8 &&
      (pairs_agree(shape, 1) || pairs_agree(shape, 2))) {
    group *= 2;
  }
  const unsigned lanes = matrix ? 8u * shape.matrices : 32u;
  Cost out;
  for (unsigned first = 0; first < lanes; first += group) {
    std::map<std::uint64_t, std::multiset<std::uint64_t>> banks;
    bool any = false;
    for (unsigned lane = first; lane < first + group; ++lane) {
      if (!has_lane(shape.active, lane)) continue;
      any = true;
      std::set<std::uint64_t> words;
      for (unsigned byte = 0; byte < shape.width; ++byte) {
        words.insert((lane_address(shape, event, lane) + byte) / 4);
      }
      for (const std::uint64_t word : words) banks[word % 32].insert(word);
    }
    if (!any) continue;
    std::size_t most = 0;
    for (const auto& [bank, words] : banks) {
      const std::set<std::uint64_t> different(words.begin(), words.end());
      most = std::max(most, lanes_count ? words.size() : different.size());
    }
    const unsigned w = static_cast<unsigned>(most);
    out.wavefronts += cas ? 2 * w : w;
    out.ideal += cas ? 2 : 1;
    out.conflicts += w - 1;
  }
  return out;
}

}  // namespace smemsim::oracle
