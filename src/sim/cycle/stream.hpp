// What the warps of a block execute: instructions and events, ready for the cycle model.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <tuple>
#include <unordered_map>
#include <vector>

#include "sim/cycle/control_flow.hpp"
#include "sim/event.hpp"
#include "sim/machine.hpp"
#include "sim/race_values.hpp"

namespace smemsim {

/// Sectors that a request touches in one line of global memory.
struct LineUse {
  std::uint64_t line = 0;    ///< address / 128
  std::uint8_t sectors = 0;  ///< bit i = bytes 32 i to 32 i + 31
  bool filled = false;       ///< all bytes of the sectors
  bool shared = false;       ///< other blocks of the trace use the line as well
  bool everywhere = false;   ///< all blocks of the trace do
};

/// What an event costs, worked out before the warps run.
struct EventCost {
  Operation op = Operation::instructions;
  std::uint8_t lanes = 0;        ///< active lanes
  std::uint32_t wavefronts = 0;  ///< data-stage cycles
  std::uint32_t first_line = 0;  ///< into BlockTrace::lines
  std::uint32_t lines = 0;  ///< of remote accesses: lines of 128 bytes, not in BlockTrace::lines
  std::uint32_t remote_sectors = 0;
  std::uint32_t bytes = 0;  ///< of all lanes
  std::uint64_t base = 0;
  std::uint64_t a = 0, b = 0;  ///< as in EventShape
};

/// A stretch of instructions; the last one carries the event, if there is one.
struct StreamItem {
  std::uint32_t path = 0;       ///< into StreamBuilder::paths
  std::uint32_t event = kNone;  ///< into BlockTrace::events
  static constexpr std::uint32_t kNone = ~std::uint32_t{0};
};

struct BlockTrace {
  std::uint64_t block = 0;
  std::vector<std::vector<StreamItem>> warps;
  std::vector<EventCost> events;
  std::vector<LineUse> lines;
};

/// Fills LineUse::shared and everywhere of all blocks.
void find_shared_lines(const std::vector<std::unique_ptr<BlockTrace>>& blocks);

/// How far the instruction stream can be trusted. Counts of executed warp instructions.
struct StreamQuality {
  std::uint64_t instructions = 0;
  std::uint64_t ambiguous = 0;  ///< on a stretch with more than one possible path
  std::uint64_t unknown = 0;    ///< events without a path from the event before
  std::uint64_t diverged = 0;   ///< on stretches that only part of a warp executed
  bool from_slots = false;      ///< no program in the trace: rests on its issue slots
};

struct StreamOptions {
  bool conflict_free = false;  ///< what if every shared access took its ideal wavefronts
  /// The way through the kernel on which the first warp of a block takes the block's clocks: begin
  /// at the first clock that the code reads, end at the last, after a barrier of the block.
  bool clocked = false;
  bool no_barriers = false;  ///< what if block barriers cost an instruction and no more
};

class StreamBuilder {
 public:
  StreamBuilder(const Launch& launch, const Machine& machine, const StreamOptions& options);
  void add_program(const Program& program);
  void add(const EventBatch& batch, BlockTrace& block);
  /// Ends the warps that have no exit event.
  void finish(BlockTrace& block);

  /// Instructions of every program, and those made up for traces without one.
  const std::vector<Decoded>& instructions() const { return instructions_; }
  /// Indices into instructions(), by StreamItem::path.
  const std::vector<std::vector<std::uint32_t>>& paths() const { return paths_; }
  const StreamQuality& quality() const { return quality_; }

 private:
  struct Flow {
    std::unique_ptr<ControlFlow> control;
    std::uint32_t first = 0;  ///< of its instructions in instructions_
    std::int32_t first_clock = -1, last_clock = -1;
  };
  struct WarpPlace {
    const Flow* flow = nullptr;
    std::int32_t at = -1;
    LaneMask active = 0;
    LaneMask seen = 0;    ///< lanes of all events so far
    bool parted = false;  ///< some of these lanes went another way and have not rejoined
    std::vector<std::int32_t> calls;  ///< where the functions that it is in return to
    bool left = false;                ///< has executed its exit
  };
  struct KnownPath {
    std::uint32_t path = 0;
    bool ambiguous = false, unknown = false, diverged = false, rejoined = false;
    std::vector<std::int32_t> calls;  ///< of the warp behind it
  };
  void set_stops();
  KnownPath path_to(WarpPlace& place, const Flow& flow, std::int32_t to, LaneMask active,
                    std::int32_t by);
  void add_clocked_end(const Flow& flow, std::int32_t exit, std::uint32_t warp_index,
                       BlockTrace& block);
  std::uint32_t made_up(const EventShape& shape);
  EventCost cost(const EventBatch& batch, const Event& event, bool merging, BlockTrace& block);
  std::uint32_t keep(std::vector<std::uint32_t> steps);

  const Launch& launch_;
  MbarrierConstants mbarriers_;
  const Machine& machine_;
  StreamOptions options_;
  std::map<std::string, Flow> flows_;
  bool stops_known_ = false;
  std::vector<Decoded> instructions_;
  std::vector<std::vector<std::uint32_t>> paths_;
  std::map<std::tuple<const Flow*, std::int32_t, const Flow*, std::int32_t, bool, bool,
                      std::int32_t, std::vector<std::int32_t>>,
           KnownPath>
      known_;
  std::map<std::tuple<Operation, std::uint8_t, std::uint64_t>, std::uint32_t> made_up_;
  std::map<std::uint32_t, WarpPlace> places_;  ///< of the current block's warps
  std::uint64_t block_ = ~std::uint64_t{0};
  StreamQuality quality_;
  std::uint64_t shapes_id_ = 0;
  std::map<std::pair<std::uint32_t, std::uint64_t>, std::uint32_t> wavefronts_;  ///< of the shapes
};

}  // namespace smemsim
