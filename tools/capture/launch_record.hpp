// One launch while it is being recorded.
#pragma once

#include <sanitizer.h>

#include <cstdint>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "frontend/capture_decode.hpp"
#include "frontend/capture_options.hpp"
#include "record_target.hpp"
#include "trace/launch_builder.hpp"

namespace smemsim::capture {

/// Takes the launch's records. Used by one thread at a time: the collector's until the launch has
/// ended and the ring is drained, then by the thread that ended it.
class LaunchRecord final : public RecordTarget {
 public:
  LaunchRecord(Launch launch, std::uint64_t max_records)
      : builder_(std::move(launch)), max_records_(max_records) {}

  void add(const Record& record) override;

  /// Whether the block is one of those to record.
  bool selects(std::uint64_t block);
  bool has_entered(std::uint64_t block) const { return entered_blocks_.count(block) != 0; }

  trace::LaunchBuilder& builder() { return builder_; }
  std::uint64_t kept_blocks() const { return kept_; }
  std::uint64_t left_out_blocks() const { return blocks_.size() - kept_; }
  /// Absolute pc of each site of the launch.
  const std::vector<std::uint64_t>& site_pcs() const { return site_pcs_; }
  /// How many records of each kind came, for the log.
  std::string statistics() const;

  // Where it runs; fixed when the launch begins.
  CUmodule module = nullptr;
  Sanitizer_StreamHandle stream = nullptr;
  Selection selection;
  std::vector<std::uint32_t> block_list;  ///< of a selection that uses one
  std::uint32_t function_shared = 0;      ///< bytes that the cubin sets aside, 0 = unknown

  // What the device told at the entry of a block.
  bool entered = false;
  std::uint32_t total_shared = 0, dynamic_shared = 0;
  // Of the shared addresses in the blocks' own windows.
  std::uint64_t lowest_shared = ~std::uint64_t{0}, end_shared = 0;
  std::uint64_t misplaced = 0;  ///< records of blocks or warps that the launch cannot have

 private:
  void note_range(const trace::FlatEvent& event);
  bool keeps(std::uint64_t block);
  std::uint32_t site(std::uint64_t pc);

  trace::LaunchBuilder builder_;
  std::uint64_t max_records_;
  std::uint64_t records_ = 0;
  std::unordered_map<std::uint64_t, bool> blocks_;  ///< whether the block is kept
  std::uint64_t kept_ = 0;
  std::uint64_t last_block_ = ~std::uint64_t{0};
  bool last_kept_ = false;
  std::unordered_map<std::uint64_t, std::uint32_t> sites_;  ///< by pc
  std::vector<std::uint64_t> site_pcs_;
  std::unordered_set<std::uint64_t> entered_blocks_;
  unsigned mbarriers_logged_ = 0;
  struct Before {
    std::uint64_t pc = 0, state = 0;
    std::uint32_t active = 0;
  };
  std::unordered_map<std::uint64_t, Before> before_;  ///< mbarrier object before, by warp
  std::uint64_t counts_[static_cast<std::size_t>(RecordKind::count_)] = {};
};

}  // namespace smemsim::capture
