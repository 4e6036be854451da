#include "sim/cycle/control_flow.hpp"

#include <algorithm>
#include <deque>

namespace smemsim {

ControlFlow::ControlFlow(std::vector<Decoded> code)
    : code_(std::move(code)),
      stops_(code_.size(), false),
      leaders_(code_.size(), false),
      predecessors_(code_.size()) {
  for (std::int32_t at = 0; at < static_cast<std::int32_t>(code_.size()); ++at) {
    const auto [next, target] = successors(at);
    for (const std::int32_t to : {next, target}) {
      if (to >= 0) predecessors_[static_cast<std::size_t>(to)].push_back(at);
    }
    if (target >= 0) leaders_[static_cast<std::size_t>(target)] = true;
    const bool leaves = code_[static_cast<std::size_t>(at)].kind == InstructionKind::branch;
    if (leaves && at + 1 < static_cast<std::int32_t>(code_.size())) {
      leaders_[static_cast<std::size_t>(at) + 1] = true;
    }
  }
}

std::int32_t ControlFlow::index_of(std::uint32_t pc) const {
  const auto found =
      std::lower_bound(code_.begin(), code_.end(), pc,
                       [](const Decoded& one, std::uint32_t at) { return one.pc < at; });
  return found != code_.end() && found->pc == pc ? static_cast<std::int32_t>(found - code_.begin())
                                                 : -1;
}

std::pair<std::int32_t, std::int32_t> ControlFlow::successors(std::int32_t at) const {
  const Decoded& one = code_[static_cast<std::size_t>(at)];
  const bool leaves = one.always && (one.kind == InstructionKind::exit ||
                                     (one.kind == InstructionKind::branch && one.target >= 0));
  const bool last = at + 1 >= static_cast<std::int32_t>(code_.size());
  return {leaves || last ? -1 : at + 1,
          one.kind == InstructionKind::branch ? one.target : std::int32_t{-1}};
}

const ControlFlow::Distances& ControlFlow::distances(std::int32_t to, bool with_stops) {
  const auto [entry, added] = distances_.try_emplace({to, with_stops});
  Distances& far = entry->second;
  if (!added) return far;
  far.assign(code_.size(), kFar);
  std::deque<std::int32_t> queue{to};
  far[static_cast<std::size_t>(to)] = 0;
  while (!queue.empty()) {
    const auto at = static_cast<std::size_t>(queue.front());
    queue.pop_front();
    if (at != static_cast<std::size_t>(to) && with_stops && stops_[at]) continue;
    for (const std::int32_t before : predecessors_[at]) {
      std::uint32_t& known = far[static_cast<std::size_t>(before)];
      if (known != kFar) continue;
      known = far[at] + 1;
      queue.push_back(before);
    }
  }
  // A stop can be left (a path starts behind it) but not passed: walk() never enters it.
  if (with_stops) {
    for (std::size_t at = 0; at < far.size(); ++at) {
      if (stops_[at] && at != static_cast<std::size_t>(to)) far[at] = kFar;
    }
  }
  return far;
}

bool ControlFlow::walk(std::int32_t from, std::int32_t to, const Distances& far, Path& out) const {
  out.steps.clear();
  out.ambiguous = false;
  std::int32_t at = from;
  do {
    std::int32_t next = 0, target = -1;
    if (at >= 0) std::tie(next, target) = successors(at);
    const auto distance = [&](std::int32_t to_there) {
      return to_there < 0 ? kFar : far[static_cast<std::size_t>(to_there)];
    };
    const std::uint32_t straight = distance(next), taken = distance(target);
    if (straight == kFar && taken == kFar) return false;
    if (straight != kFar && taken != kFar && next != target) out.ambiguous = true;
    at = straight <= taken ? next : target;
    out.steps.push_back(at);
  } while (at != to && out.steps.size() <= code_.size());
  return at == to;
}

Path ControlFlow::path(std::int32_t from, std::int32_t to) {
  Path out;
  out.found = walk(from, to, distances(to, true), out);
  if (!out.found) {
    out.found = out.relaxed = walk(from, to, distances(to, false), out);
  }
  if (!out.found) out.steps.assign(1, to);
  return out;
}

Path ControlFlow::block_path(std::int32_t to) const {
  Path out;
  std::int32_t first = to;
  while (first > 0 && !leaders_[static_cast<std::size_t>(first)] &&
         !stops_[static_cast<std::size_t>(first) - 1]) {
    --first;
  }
  for (std::int32_t at = first; at <= to; ++at) out.steps.push_back(at);
  return out;
}

}  // namespace smemsim
