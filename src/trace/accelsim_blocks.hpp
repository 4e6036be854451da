// The second pass over a kernel of an Accel-Sim trace: instruction lines -> warp events, block by
// block. Holds the blocks that have begun and not ended; in the raw form those are the ones that
// were on the device at a time.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <vector>

#include "sim/trace_sink.hpp"
#include "trace/accelsim_survey.hpp"
#include "trace/launch_builder.hpp"
#include "trace/shape_table.hpp"

namespace smemsim::trace {

class AccelsimBlocks {
 public:
  /// All must outlive this object.
  AccelsimBlocks(const AccelsimHeader& header, AccelsimSurvey& survey, TraceSink& sink)
      : header_(header), survey_(survey), sink_(sink) {}

  /// Reads the rest of `file` and hands each block to the sink when it ends. Errors name file and
  /// line, unless the sink made them.
  Status read(AccelsimFile& file);

 private:
  /// The first of the two lines of an LDGSTS in the raw form.
  struct HalfCopy {
    std::uint32_t pc = 0;
    LaneMask active = 0;
    std::array<std::uint64_t, kAccelsimLanes> addresses{};
  };
  struct Warp {
    std::vector<Event> events;
    std::uint64_t slots = 0;  ///< instructions since the last event
    LaneMask slot_lanes = 0;  ///< that executed them
    bool copied = false;      ///< has closed a group of copies
    std::unique_ptr<HalfCopy> half_copy;
  };
  struct Block {
    ShapeTable shapes;
    std::map<std::uint32_t, Warp> warps;
  };

  Status instruction(const AccelsimFile& file);
  Status deliver(std::uint64_t number, Block& block);
  void slot(const AccelsimLine& line);
  void add(FlatEvent event);
  void flush_slots();
  void shared(const AccelsimLine& line);
  void matrix(const AccelsimLine& line);
  void generic(const AccelsimLine& line);
  void global(const AccelsimLine& line, LaneMask lanes);
  Status copy(const AccelsimFile& file);
  void copy_event(const AccelsimLine& line, const HalfCopy& destination);
  void synchronisation(const AccelsimLine& line);

  const AccelsimHeader& header_;
  AccelsimSurvey& survey_;
  TraceSink& sink_;
  std::map<std::uint64_t, Block> blocks_;
  EventShape scratch_;
  // Of the instruction at hand.
  Block* block_ = nullptr;
  Warp* warp_ = nullptr;
  const AccelsimInstruction* known_ = nullptr;
};

}  // namespace smemsim::trace
