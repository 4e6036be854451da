// Instructions that leave no event but matter for order: arrivals at named barriers (BAR.ARV) and
// proxy fences, for which tracers have no callback. They are found again in the machine code: what
// lies on every way that a lane can take from one of its events to the next, it executed.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "sim/event.hpp"
#include "sim/launch.hpp"
#include "sim/race_footprint.hpp"

namespace smemsim {

/// EventShape::flags of the barrier_arrive events that RaceSilent makes.
enum SilentFlags : std::uint8_t {
  kSilentPossible = 64,  ///< may have been executed: not on every way, guarded, or in a loop
  kSilentUnknown = 128,  ///< no way is known: any arrival may have been executed
};
inline constexpr std::uint64_t kUnknownBarrier = ~std::uint64_t{0};  ///< its id is in a register

class RaceSilent {
 public:
  using Deliver = std::function<void(std::shared_ptr<ShapeSet>, std::vector<Event>)>;

  void start_launch();
  void add(const Program& program);
  /// Whether the programs have any; call before the first event. Adds their sites to the launch.
  bool prepare(Launch& launch);
  bool any_arrivals() const { return any_arrivals_; }
  void start_block();
  /// Passes the events on, with those that are missing in between.
  void weave(const EventBatch& batch, const std::shared_ptr<ShapeSet>& shapes,
             const Deliver& deliver);

 private:
  static constexpr std::uint32_t kNone = 0xFFFFFFFF;
  struct Node {
    std::uint32_t pc = 0;
    std::array<std::uint32_t, 2> next{kNone, kNone};
    std::vector<std::uint32_t> before;
    std::uint32_t silent = kNone;  ///< index into silents_
    bool guarded = false;
    bool stop = false;  ///< cannot be passed without an event
  };
  struct Graph {
    std::string function;
    std::vector<Node> nodes;
    bool any = false;
  };
  struct Silent {
    std::uint32_t graph = 0, node = 0;
    EventShape shape;  ///< without lanes
    std::string text;
    std::string file;
    std::uint32_t line = 0;
  };
  struct Passed {
    std::uint32_t silent = 0;
    bool certain = false;
  };
  struct Way {
    std::vector<Passed> passed;
    bool known = true;
  };
  struct Place {
    std::uint32_t graph = kNone, node = kNone;
  };

  const Way& way(std::uint32_t from_site, std::uint32_t to_site);
  Way find_way(Place from, Place to) const;
  bool certain(const Graph& graph, std::uint32_t from, std::uint32_t to, std::uint32_t node,
               const std::vector<std::uint8_t>& on_way) const;
  std::shared_ptr<ShapeSet> shape_set(const EventShape& shape);

  std::vector<Graph> graphs_;
  std::vector<Silent> silents_;
  std::vector<Place> places_;    ///< by site
  std::uint32_t entry_ = kNone;  ///< graph of the kernel itself
  bool any_arrivals_ = false;
  std::unordered_map<std::uint64_t, Way> ways_;
  std::vector<std::array<std::uint32_t, kMaxLanes>> last_;  ///< site, by warp and lane
  std::map<std::array<std::uint64_t, 3>, std::shared_ptr<ShapeSet>> made_;
};

}  // namespace smemsim
