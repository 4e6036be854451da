#include "sim/cycle/control_flow.hpp"

#include <algorithm>
#include <deque>

namespace smemsim {

namespace {

bool holds(const CounterStep& test, std::int64_t value) {
  switch (test.test) {
    case CounterStep::Test::ne:
      return value != test.value;
    case CounterStep::Test::eq:
      return value == test.value;
    case CounterStep::Test::lt:
      return value < test.value;
    case CounterStep::Test::le:
      return value <= test.value;
    case CounterStep::Test::gt:
      return value > test.value;
    case CounterStep::Test::ge:
      return value >= test.value;
  }
  return false;
}

}  // namespace

ControlFlow::ControlFlow(std::vector<Decoded> code)
    : code_(std::move(code)),
      stops_(code_.size(), false),
      leaders_(code_.size(), false),
      predecessors_(code_.size()) {
  has_rare_ = std::any_of(code_.begin(), code_.end(), [](const Decoded& one) { return one.rare; });
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
  find_counted_loops();
}

// Loops without a recorded instruction leave nothing in a trace. When the body is straight code
// that adds a constant to a register and compares it with another constant, and the write before
// the loop is a constant too, the number of turns follows.
void ControlFlow::find_counted_loops() {
  trips_.assign(code_.size(), 0);
  for (std::size_t end = 0; end < code_.size(); ++end) {
    const Decoded& branch = code_[end];
    if (branch.kind != InstructionKind::branch || branch.target < 0) continue;
    const auto begin = static_cast<std::size_t>(branch.target);
    if (begin >= end || branch.guard_predicate < 0) continue;
    const auto is = [&](std::size_t at, CounterStep::Kind kind) {
      return code_[at].counter.kind == kind && !code_[at].guarded;
    };
    std::size_t test = end, add = end;
    bool straight = true;
    for (std::size_t at = begin; at < end; ++at) {
      const InstructionKind kind = code_[at].kind;
      if (kind == InstructionKind::branch || kind == InstructionKind::exit) straight = false;
      if (is(at, CounterStep::Kind::test) &&
          code_[at].counter.predicate == branch.guard_predicate) {
        test = at;
      }
    }
    if (!straight || test == end) continue;
    const CounterStep& compared = code_[test].counter;
    std::size_t writes = 0;
    for (std::size_t at = begin; at < end; ++at) {
      if (code_[at].writes != compared.counter) continue;
      ++writes;
      if (is(at, CounterStep::Kind::add) && code_[at].counter.counter == compared.counter) add = at;
    }
    if (writes != 1 || add == end) continue;
    std::size_t first = begin;
    while (first > 0 && code_[first - 1].writes != compared.counter) --first;
    if (first == 0 || !is(first - 1, CounterStep::Kind::set)) continue;
    std::int64_t value = code_[first - 1].counter.value;
    constexpr std::uint32_t kMostTrips = 1U << 16;
    for (std::uint32_t trip = 1; trip <= kMostTrips; ++trip) {
      const std::int64_t before = value;
      value += code_[add].counter.value;
      const std::int64_t seen = test < add ? before : value;
      if (holds(compared, seen) == branch.guard_negated) {
        trips_[end] = trip;
        break;
      }
    }
  }
}

void ControlFlow::set_stops(std::vector<bool> stops, const std::vector<bool>& recorded) {
  stops_ = std::move(stops);
  for (std::size_t end = 0; end < code_.size(); ++end) {
    if (trips_[end] == 0) continue;
    for (auto at = static_cast<std::size_t>(code_[end].target); at < end; ++at) {
      if (recorded[at]) trips_[end] = 0;  // its turns show in the trace
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
  const bool leaves = one.always && (one.kind == InstructionKind::exit || one.returns ||
                                     (one.kind == InstructionKind::branch && one.target >= 0));
  const bool last = at + 1 >= static_cast<std::int32_t>(code_.size());
  return {leaves || last ? -1 : at + 1,
          one.kind == InstructionKind::branch ? one.target : std::int32_t{-1}};
}

const ControlFlow::Distances& ControlFlow::distances(std::int32_t to, Avoid avoid) {
  const auto [entry, added] = distances_.try_emplace({to, avoid});
  Distances& far = entry->second;
  if (!added) return far;
  far.assign(code_.size(), kFar);
  const auto avoided = [&](std::size_t at) {
    if (at == static_cast<std::size_t>(to) || avoid == Avoid::nothing) return false;
    return stops_[at] || (avoid == Avoid::stops_and_rare && code_[at].rare);
  };
  std::deque<std::int32_t> queue{to};
  far[static_cast<std::size_t>(to)] = 0;
  while (!queue.empty()) {
    const auto at = static_cast<std::size_t>(queue.front());
    queue.pop_front();
    if (avoided(at)) continue;
    for (const std::int32_t before : predecessors_[at]) {
      std::uint32_t& known = far[static_cast<std::size_t>(before)];
      if (known != kFar) continue;
      known = far[at] + 1;
      queue.push_back(before);
    }
  }
  // A stop can be left (a path starts behind it) but not passed: walk() never enters it.
  for (std::size_t at = 0; at < far.size(); ++at) {
    if (avoided(at)) far[at] = kFar;
  }
  return far;
}

bool ControlFlow::walk(std::int32_t from, std::int32_t to, const Distances& far,
                       const Distances& every, Path& out) const {
  out.steps.clear();
  out.ambiguous = false;
  std::int32_t at = from;
  std::map<std::int32_t, std::uint32_t> turns;  // taken so far, by backward branch
  constexpr std::size_t kMostSteps = 1U << 20;
  do {
    std::int32_t next = 0, target = -1;
    if (at >= 0) std::tie(next, target) = successors(at);
    const auto distance = [](const Distances& of, std::int32_t to_there) {
      return to_there < 0 ? kFar : of[static_cast<std::size_t>(to_there)];
    };
    const std::uint32_t straight = distance(far, next), taken = distance(far, target);
    if (straight == kFar && taken == kFar) return false;
    const std::uint32_t trips = at >= 0 ? trips_[static_cast<std::size_t>(at)] : 0;
    const bool inside = to >= target && to <= at;
    if (trips != 0 && !inside && straight != kFar && taken != kFar) {
      std::uint32_t& turn = turns[at];
      at = ++turn < trips ? target : next;
      if (turn >= trips) turn = 0;
    } else {
      if (distance(every, next) != kFar && distance(every, target) != kFar && next != target) {
        out.ambiguous = true;
      }
      at = straight <= taken ? next : target;
    }
    out.steps.push_back(at);
  } while (at != to && out.steps.size() <= kMostSteps);
  return at == to;
}

Path ControlFlow::path(std::int32_t from, std::int32_t to) {
  Path out;
  const Distances& every = distances(to, Avoid::stops);
  out.found = has_rare_ && walk(from, to, distances(to, Avoid::stops_and_rare), every, out);
  out.found = out.found || walk(from, to, every, every, out);
  if (!out.found) {
    const Distances& relaxed = distances(to, Avoid::nothing);
    out.found = out.relaxed = walk(from, to, relaxed, relaxed, out);
  }
  if (!out.found) out.steps.assign(1, to);
  return out;
}

Path ControlFlow::path_at(std::int32_t first, std::int32_t to) {
  Path out;
  if (first == to) {
    out.found = true;
  } else {
    out = path(first, to);
  }
  if (out.found) out.steps.insert(out.steps.begin(), first);
  return out;
}

Path ControlFlow::path_to_return(std::int32_t first) {
  Path best;
  for (std::int32_t at = 0; at < static_cast<std::int32_t>(code_.size()); ++at) {
    if (!code_[static_cast<std::size_t>(at)].returns) continue;
    Path way = path_at(first, at);
    if (!way.found || (best.found && best.steps.size() <= way.steps.size())) continue;
    way.ambiguous = way.ambiguous || best.found;
    best = std::move(way);
  }
  return best;
}

Path ControlFlow::path(std::int32_t from, std::int32_t to, std::vector<std::int32_t>& calls) {
  const auto size = static_cast<std::int32_t>(code_.size());
  const std::int32_t callee = from >= 0 ? code_[static_cast<std::size_t>(from)].callee : -1;
  if (callee >= 0) calls.push_back(from + 1);
  Path out = callee >= 0 ? path_at(callee, to) : path(from, to);
  if (out.found || calls.empty()) return out;
  // `to` lies behind the end of the functions that the warp is in.
  Path before;
  std::int32_t first = callee;
  while (!calls.empty()) {
    const std::int32_t back = calls.back();
    calls.pop_back();
    Path rest;
    if (first < 0) {
      const auto [next, target] = successors(from);
      first = std::max(next, target);
    }
    if (first >= 0) rest = path_to_return(first);
    if (!rest.found || back >= size) break;
    before.steps.insert(before.steps.end(), rest.steps.begin(), rest.steps.end());
    before.ambiguous = before.ambiguous || rest.ambiguous;
    rest = path_at(back, to);
    if (rest.found) {
      rest.steps.insert(rest.steps.begin(), before.steps.begin(), before.steps.end());
      rest.ambiguous = rest.ambiguous || before.ambiguous;
      return rest;
    }
    first = back;
  }
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
