// The path of a warp between two recorded events, found in the kernel's control flow.
#pragma once

#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "sim/cycle/sass.hpp"

namespace smemsim {

/// Instructions, by index, that a warp executes after one event up to and with the next.
struct Path {
  std::vector<std::int32_t> steps;
  bool found = false;      ///< false: the control flow has no way; `steps` is the target alone
  bool ambiguous = false;  ///< other ways exist that pass no recorded instruction: shortest taken
  bool relaxed = false;    ///< every way passes a recorded instruction without an event
};

class ControlFlow {
 public:
  explicit ControlFlow(std::vector<Decoded> code);

  const std::vector<Decoded>& code() const { return code_; }
  /// Index of the instruction at a byte offset, or -1.
  std::int32_t index_of(std::uint32_t pc) const;
  /// Declares the instructions that a warp cannot pass without an event, and all those that may
  /// have one.
  void set_stops(std::vector<bool> stops, const std::vector<bool>& recorded);

  /// From behind `from` (-1 = entry) up to and with `to`.
  Path path(std::int32_t from, std::int32_t to);
  /// The same where the last calls have left events, `calls`: where each goes on, innermost last.
  /// A call at `from` is entered; functions that end on the way are taken off `calls`.
  Path path(std::int32_t from, std::int32_t to, std::vector<std::int32_t>& calls);
  /// The instructions of `to`'s basic block up to and with it: what a diverged part of a warp
  /// executes at least.
  Path block_path(std::int32_t to) const;

 private:
  using Distances = std::vector<std::uint32_t>;  ///< steps to the target, kFar = no way
  static constexpr std::uint32_t kFar = ~std::uint32_t{0};
  std::pair<std::int32_t, std::int32_t> successors(std::int32_t at) const;
  /// What a path does not pass. Stops: instructions that would have left an event.
  enum class Avoid : std::uint8_t { nothing, stops, stops_and_rare };
  const Distances& distances(std::int32_t to, Avoid avoid);
  void find_counted_loops();
  /// From `first` on, itself included.
  Path path_at(std::int32_t first, std::int32_t to);
  Path path_to_return(std::int32_t first);
  /// `every`: distances by which it is ambiguous.
  bool walk(std::int32_t from, std::int32_t to, const Distances& far, const Distances& every,
            Path& out) const;

  std::vector<Decoded> code_;
  std::vector<std::uint32_t> trips_;  ///< of the loop that a backward branch closes; 0 = unknown
  std::vector<bool> stops_, leaders_;
  bool has_rare_ = false;
  std::vector<std::vector<std::int32_t>> predecessors_;
  std::map<std::pair<std::int32_t, Avoid>, Distances> distances_;
};

}  // namespace smemsim
