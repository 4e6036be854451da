// Searches paddings and XOR swizzles for one region, jointly over all sites that touch it.
//
// Tried are, for every length that a row may have:
//   padding    unit, 2 units, ... bytes more in each row, less than one turn over all banks;
//   row XOR    chunk ^= (row / k) mod m, for chunks from the widest access up, k and m powers of 2;
// and, when none of these removes every conflict, Swizzle<B,M,S> of the byte offset.
// A padding that would break the alignment of the widest access is refused and named.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "sim/layout_cost.hpp"

namespace smemsim {

/// A layout that takes fewer wavefronts.
struct LayoutProposal {
  LayoutChange change;
  RowPitch pitch;  ///< meaningless for swizzles
  std::uint64_t wavefronts = 0;
  std::vector<std::uint64_t> site_wavefronts;  ///< like LayoutRegion::sites
  std::uint64_t extra_bytes = 0;
  std::uint32_t blocks_before = 0, blocks_after = 0;  ///< resident on an SM
};

/// A layout that a person may think of, and that must not be used.
struct RejectedLayout {
  enum class Reason : std::uint8_t { alignment, too_large };
  Reason reason = Reason::alignment;
  LayoutChange change;
  RowPitch pitch;
  std::uint32_t site = 0;  ///< alignment: an access that would fault, index into the kernel's sites
};

/// Why conflicts remain, after the best proposal or without one.
enum class Remainder : std::uint8_t {
  none,            ///< no excess wavefront is left
  atomics,         ///< lanes update the same words; only fewer updates help
  gather,          ///< addresses follow no pattern: they depend on data. Layouts that save less
                   ///< than a tenth of the excess are chance, and not proposed
  sites_disagree,  ///< each site could be free of conflicts, but not with the others
  not_found,       ///< no layout that was tried is free of conflicts
};

/// What was found for one region.
struct RegionAdvice {
  LayoutRegion region;
  std::vector<std::uint64_t> site_wavefronts, site_ideal;  ///< now; like region.sites
  std::uint64_t wavefronts = 0, ideal = 0;
  std::vector<LayoutProposal> proposals;  ///< best first; every one is better than now
  std::vector<RejectedLayout> rejected;
  Remainder remainder = Remainder::none;
  std::uint32_t remainder_site = 0;  ///< most of what is left is there; index into kernel's sites
  std::uint64_t tried = 0;           ///< layouts that could be used

  std::uint64_t excess() const { return wavefronts - ideal; }
};

/// Registers and so on for the occupancy of the kernel; the launch's values are the default.
struct SearchOptions {
  std::uint32_t registers = 0;  ///< per thread, 0 = those of the launch
};

RegionAdvice search_layouts(const KernelAccesses& kernel, const LayoutRegion& region,
                            const SearchOptions& options = {});

/// The layouts that the search tries for a region, refused paddings left out, simplest first.
struct LayoutCandidate {
  LayoutChange change;
  RowPitch pitch;
};
std::vector<LayoutCandidate> row_candidates(const LayoutRegion& region, const SharedMemory& shared,
                                            std::vector<RejectedLayout>& rejected);
std::vector<LayoutCandidate> swizzle_candidates(const LayoutRegion& region,
                                                const SharedMemory& shared);

}  // namespace smemsim
