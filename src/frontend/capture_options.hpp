// What to record: the options of `smemsim capture`, as text that travels to the injected library in
// an environment variable. Standard library only, because the library is built without the rest of
// the frontend.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "sim/launch.hpp"
#include "sim/result.hpp"

namespace smemsim::capture {

/// Environment variables between `smemsim capture` and the library.
inline constexpr const char* kOptionsVariable = "SMEMSIM_CAPTURE_OPTIONS";
inline constexpr const char* kDebugVariable = "SMEMSIM_CAPTURE_DEBUG";

/// Which blocks of a grid to record.
struct BlockChoice {
  enum class Kind : std::uint8_t {
    automatic,  ///< all of a small grid, else a spread sample
    all,
    first,   ///< blocks 0 .. count-1
    range,   ///< blocks first .. last
    list,    ///< these
    spread,  ///< `count` blocks at equal distances
  };
  Kind kind = Kind::automatic;
  std::uint64_t count = 0;
  std::uint64_t first = 0, last = 0;
  std::vector<std::uint32_t> list;  ///< sorted, each once

  friend bool operator==(const BlockChoice&, const BlockChoice&) = default;
};

/// `automatic` records grids of up to this many blocks whole ...
inline constexpr std::uint64_t kSmallGrid = 64;
/// ... and of larger ones as many as the largest SMs hold at a time.
inline constexpr std::uint64_t kSample = 32;
inline constexpr std::size_t kMaxListedBlocks = 4096;

/// "all", "auto", "N", "i,j,k", "A-B" or "spread:N".
Result<BlockChoice> parse_blocks(std::string_view text);
std::string to_text(const BlockChoice& choice);

/// A choice applied to one grid, as the device evaluates it: units first, first + stride, ... up to
/// last, where a unit is a block or, with `by_cluster`, a cluster; or the list.
struct Selection {
  bool all = false;
  bool by_cluster = false;
  std::uint64_t first = 0, last = 0, stride = 1;
  bool use_list = false;
  std::uint64_t blocks = 0;  ///< how many blocks of the grid it selects
};
Selection select_blocks(const BlockChoice& choice, const Dim3& grid, const Dim3& cluster);
/// Whether the device would record the block; `list` is the choice's.
bool selects_block(const Selection& selection, const std::vector<std::uint32_t>& list,
                   std::uint64_t block, const Dim3& grid, const Dim3& cluster);
/// Whether the device takes the same blocks for both, in whatever grid.
bool same_device_choice(const Selection& a, const Selection& b);

/// Launches of matching kernels, counted from 0.
struct LaunchRange {
  std::uint64_t first = 0;
  std::uint64_t last = ~std::uint64_t{0};
  bool contains(std::uint64_t index) const { return first <= index && index <= last; }

  friend bool operator==(const LaunchRange&, const LaunchRange&) = default;
};
/// "A-B", "A-" or "A".
Result<LaunchRange> parse_launches(std::string_view text);

struct Options {
  std::string directory;  ///< where the library writes; an absolute path
  std::string sanitizer;  ///< path of libsanitizer-public.so
  std::string command;    ///< for Launch::command
  std::string kernel;     ///< glob; empty = all
  LaunchRange launches;
  BlockChoice blocks;
  std::uint64_t max_records = 50'000'000;  ///< per launch; no further block is started after it
  std::uint64_t ring_bytes = std::uint64_t{64} << 20;  ///< a power of two

  friend bool operator==(const Options&, const Options&) = default;
};

/// One line of text, and back.
std::string encode(const Options& options);
Result<Options> decode(std::string_view text);

/// Whether a kernel is meant by the glob ('*', '?'): its whole demangled name or the name without
/// return type, template arguments and parameters.
bool kernel_matches(std::string_view glob, std::string_view demangled);
/// "void ns::copy<int>(int*)" -> "ns::copy".
std::string base_name(std::string_view demangled);

}  // namespace smemsim::capture
