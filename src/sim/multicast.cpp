#include "sim/multicast.hpp"

#include <algorithm>
#include <array>

#include "sim/word_map.hpp"

namespace smemsim {

bool uses_multicast(const EventShape& shape, const Event& event, const SharedMemory& machine,
                    const AccessCost& cost) {
  const AccessRule* rule = machine.rule(shape.op, shape.width, shape.matrices);
  if (rule == nullptr || rule->count != BankCount::words || rule->through_tags) return false;
  const WordMap map(machine);
  for (const LaneMask pass : cost.merged ? rule->merged_passes : rule->passes) {
    // Accesses are aligned to their width: they share a word exactly when they begin in one.
    std::array<std::uint64_t, kMaxLanes> words;
    std::size_t count = 0;
    bool rising = true;
    for_each_lane(pass & shape.active, [&](unsigned lane) {
      words[count] = map.word(lane_address(shape, event, lane));
      rising = rising && (count == 0 || words[count - 1] < words[count]);
      ++count;
    });
    if (rising) continue;
    const auto end = words.begin() + static_cast<std::ptrdiff_t>(count);
    std::sort(words.begin(), end);
    if (std::adjacent_find(words.begin(), end) != end) return true;
  }
  return false;
}

}  // namespace smemsim
