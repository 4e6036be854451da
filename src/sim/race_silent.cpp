#include "sim/race_silent.hpp"

#include <algorithm>
#include <deque>

#include "sim/race_sass.hpp"

namespace smemsim {
namespace {

/// A branch that is taken whatever happens.
bool always_taken(const SassText& code) {
  return !code.guarded && (code.opcode == "BRA" || code.opcode == "JMP") &&
         code.operands.size() == 1;
}

bool ends_here(const SassText& code) {
  return !code.guarded && (code.name == "EXIT" || code.name == "RET" || code.name == "BRX" ||
                           code.name == "JMX" || code.name == "BRXU" || code.name == "JMXU");
}

bool has_target(const SassText& code) {
  return code.name == "BRA" || code.name == "JMP" || code.name == "CALL";
}

}  // namespace

void RaceSilent::start_launch() {
  graphs_.clear();
  silents_.clear();
  places_.clear();
  ways_.clear();
  made_.clear();
  last_.clear();
  entry_ = kNone;
  any_arrivals_ = false;
}

void RaceSilent::add(const Program& program) {
  const auto number = static_cast<std::uint32_t>(graphs_.size());
  Graph& graph = graphs_.emplace_back();
  graph.function = program.function;
  const auto& all = program.instructions;
  graph.nodes.resize(all.size());
  std::map<std::uint64_t, std::uint32_t> index_of;
  for (std::uint32_t i = 0; i < all.size(); ++i) index_of[all[i].pc] = i;
  for (std::uint32_t i = 0; i < all.size(); ++i) {
    Node& node = graph.nodes[i];
    const SassText code = parse_sass(all[i].text);
    node.pc = all[i].pc;
    node.guarded = code.guarded;
    if (!always_taken(code) && !ends_here(code) && i + 1 < all.size()) node.next[0] = i + 1;
    if (has_target(code) && !code.operands.empty()) {
      const auto target = sass_number(code.operands.back());
      const auto at = target ? index_of.find(*target) : index_of.end();
      if (at != index_of.end()) node.next[1] = at->second;
    }
    Silent silent;
    if (code.name == "BAR" && code.has("ARV")) {
      silent.shape.op = Operation::barrier_arrive;
      const auto operand = [&](std::size_t which) {
        return which < code.operands.size() ? sass_number(code.operands[which]) : std::nullopt;
      };
      silent.shape.a = operand(0).value_or(kUnknownBarrier);
      silent.shape.b = operand(1).value_or(0);
      if (!operand(1)) silent.shape.a = kUnknownBarrier;
    } else if (code.name == "FENCE" && code.has("VIEW") && code.has("ASYNC")) {
      silent.shape.op = Operation::fence_proxy_async;
    } else {
      continue;
    }
    silent.graph = number;
    silent.node = i;
    silent.text = all[i].text;
    silent.line = all[i].line;
    if (all[i].file < program.files.size()) silent.file = program.files[all[i].file];
    node.silent = static_cast<std::uint32_t>(silents_.size());
    silents_.push_back(std::move(silent));
    graph.any = true;
  }
  for (std::uint32_t i = 0; i < graph.nodes.size(); ++i) {
    for (const std::uint32_t to : graph.nodes[i].next) {
      if (to != kNone) graph.nodes[to].before.push_back(i);
    }
  }
}

bool RaceSilent::prepare(Launch& launch) {
  if (silents_.empty()) return false;
  std::map<std::string, std::uint32_t> by_name;
  for (std::uint32_t i = 0; i < graphs_.size(); ++i) by_name[graphs_[i].function] = i;
  const auto kernel = by_name.find(launch.function);
  if (kernel != by_name.end()) entry_ = kernel->second;
  places_.assign(launch.sites.size(), {});
  for (std::size_t site = 0; site < launch.sites.size(); ++site) {
    const auto graph = by_name.find(launch.sites[site].function);
    if (graph == by_name.end()) continue;
    std::vector<Node>& nodes = graphs_[graph->second].nodes;
    const auto at =
        std::lower_bound(nodes.begin(), nodes.end(), launch.sites[site].pc,
                         [](const Node& node, std::uint32_t pc) { return node.pc < pc; });
    if (at == nodes.end() || at->pc != launch.sites[site].pc) continue;
    at->stop = !at->guarded;
    at->silent = kNone;  // this trace has events of it
    places_[site] = {graph->second, static_cast<std::uint32_t>(at - nodes.begin())};
  }
  bool any = false;
  for (std::uint32_t i = 0; i < silents_.size(); ++i) {
    Silent& silent = silents_[i];
    const Node& node = graphs_[silent.graph].nodes[silent.node];
    if (node.silent != i) continue;
    any = true;
    any_arrivals_ = any_arrivals_ || silent.shape.op == Operation::barrier_arrive;
    silent.shape.site = static_cast<std::uint32_t>(launch.sites.size());
    launch.sites.push_back(
        {graphs_[silent.graph].function, node.pc, silent.text, silent.file, silent.line});
  }
  return any;
}

void RaceSilent::start_block() {
  for (auto& warp : last_) warp.fill(kNone);
}

bool RaceSilent::certain(const Graph& graph, std::uint32_t from, std::uint32_t to,
                         std::uint32_t node, const std::vector<std::uint8_t>& on_way) const {
  if (graph.nodes[node].guarded) return false;
  // Neither is there a way around it, nor one from it back to it.
  const auto reaches = [&](std::uint32_t start, std::uint32_t goal, std::uint32_t without) {
    std::vector<std::uint8_t> seen(graph.nodes.size(), 0);
    std::vector<std::uint32_t> stack;
    const auto visit = [&](std::uint32_t next) {
      if (next == kNone || next == without || seen[next] != 0) return;
      if (next != goal && on_way[next] == 0) return;
      seen[next] = 1;
      stack.push_back(next);
    };
    const auto leave = [&](std::uint32_t at) {
      if (at == kNone) {
        visit(0);
      } else {
        for (const std::uint32_t next : graph.nodes[at].next) visit(next);
      }
    };
    leave(start);
    while (!stack.empty() && seen[goal] == 0) {
      const std::uint32_t at = stack.back();
      stack.pop_back();
      leave(at);
    }
    return seen[goal] != 0;
  };
  return !reaches(from, to, node) && !reaches(node, node, kNone);
}

RaceSilent::Way RaceSilent::find_way(Place from, Place to) const {
  Way way;
  const auto any = [&](std::uint32_t graph) { return graph != kNone && graphs_[graph].any; };
  if (from.graph != to.graph || to.graph == kNone) {
    way.known = !any(from.graph) && !any(to.graph);
    return way;
  }
  const Graph& graph = graphs_[to.graph];
  if (!graph.any) return way;
  std::vector<std::uint32_t> distance(graph.nodes.size(), kNone);
  std::deque<std::uint32_t> queue;
  const auto reach = [&](std::uint32_t node, std::uint32_t steps) {
    if (node == kNone || distance[node] != kNone) return;
    distance[node] = steps;
    if (!graph.nodes[node].stop) queue.push_back(node);
  };
  if (from.node == kNone) {
    reach(0, 0);
  } else {
    for (const std::uint32_t next : graph.nodes[from.node].next) reach(next, 0);
  }
  while (!queue.empty()) {
    const std::uint32_t at = queue.front();
    queue.pop_front();
    for (const std::uint32_t next : graph.nodes[at].next) reach(next, distance[at] + 1);
  }
  if (distance[to.node] == kNone) {
    way.known = false;
    return way;
  }
  std::vector<std::uint8_t> on_way(graph.nodes.size(), 0);
  std::vector<std::uint32_t> stack{to.node};
  while (!stack.empty()) {
    const std::uint32_t at = stack.back();
    stack.pop_back();
    for (const std::uint32_t before : graph.nodes[at].before) {
      if (on_way[before] != 0 || distance[before] == kNone || graph.nodes[before].stop) continue;
      on_way[before] = 1;
      stack.push_back(before);
    }
  }
  for (std::uint32_t node = 0; node < graph.nodes.size(); ++node) {
    if (on_way[node] == 0 || graph.nodes[node].silent == kNone) continue;
    way.passed.push_back(
        {graph.nodes[node].silent, certain(graph, from.node, to.node, node, on_way)});
  }
  std::stable_sort(way.passed.begin(), way.passed.end(), [&](const Passed& a, const Passed& b) {
    return distance[silents_[a.silent].node] < distance[silents_[b.silent].node];
  });
  return way;
}

const RaceSilent::Way& RaceSilent::way(std::uint32_t from_site, std::uint32_t to_site) {
  const std::uint64_t key = std::uint64_t{from_site} << 32 | to_site;
  const auto [at, added] = ways_.try_emplace(key);
  if (added) {
    const Place from = from_site == kNone ? Place{entry_, kNone} : places_[from_site];
    at->second = find_way(from, places_[to_site]);
  }
  return at->second;
}

std::shared_ptr<ShapeSet> RaceSilent::shape_set(const EventShape& shape) {
  std::shared_ptr<ShapeSet>& set = made_[{std::uint64_t{shape.flags} << 32 | shape.site,
                                          shape.active, static_cast<std::uint64_t>(shape.op)}];
  if (set == nullptr) set = std::make_shared<ShapeSet>(std::span(&shape, 1));
  return set;
}

void RaceSilent::weave(const EventBatch& batch, const std::shared_ptr<ShapeSet>& shapes,
                       const Deliver& deliver) {
  if (batch.warp >= last_.size()) {
    const std::size_t had = last_.size();
    last_.resize(batch.warp + 1);
    for (std::size_t i = had; i < last_.size(); ++i) last_[i].fill(kNone);
  }
  auto& last = last_[batch.warp];
  std::vector<Event> ready;
  std::vector<EventShape> missing;
  for (const Event& event : batch.events) {
    const EventShape& shape = shapes->shape(event.shape);
    if (shape.op == Operation::instructions || shape.site >= places_.size()) {
      ready.push_back(event);
      continue;
    }
    missing.clear();
    for (LaneMask left = shape.active; left != 0;) {
      const std::uint32_t from = last[static_cast<unsigned>(std::countr_zero(left))];
      LaneMask group = 0;
      for_each_lane(left, [&](unsigned lane) {
        if (last[lane] == from) group |= lane_bit(lane);
      });
      left &= ~group;
      const auto note = [&](EventShape made, unsigned flags) {
        made.flags = static_cast<std::uint8_t>(flags);
        const auto same = std::find_if(missing.begin(), missing.end(), [&](const EventShape& each) {
          return each.site == made.site && each.flags == made.flags && each.op == made.op;
        });
        if (same != missing.end()) {
          same->active |= group;
          return;
        }
        made.active = group;
        missing.push_back(std::move(made));
      };
      const Way& between = way(from, shape.site);
      for (const Passed& passed : between.passed) {
        const EventShape& silent = silents_[passed.silent].shape;
        const bool arrives = silent.op == Operation::barrier_arrive;
        // A fence that may have been executed counts as one: better to miss a mistake.
        const bool sure = !arrives || (passed.certain && silent.a != kUnknownBarrier);
        note(silent, sure ? 0 : kSilentPossible);
      }
      if (between.known) continue;
      EventShape anything;
      anything.site = shape.site;
      anything.op = Operation::fence_proxy_async;
      note(anything, 0);
      anything.op = Operation::barrier_arrive;
      if (any_arrivals_) note(anything, kSilentUnknown);
    }
    if (!missing.empty()) {
      if (!ready.empty()) deliver(shapes, std::move(ready));
      ready = {};
      for (const EventShape& each : missing) deliver(shape_set(each), {Event{}});
    }
    ready.push_back(event);
    for_each_lane(shape.active, [&](unsigned lane) { last[lane] = shape.site; });
  }
  if (!ready.empty()) deliver(shapes, std::move(ready));
}

}  // namespace smemsim
