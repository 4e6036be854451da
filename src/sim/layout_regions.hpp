// Which accesses touch the same array, and how long its rows may be.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "sim/layout_collect.hpp"

namespace smemsim {

/// An array as a program declares it.
struct DeclaredArray {
  std::string name;
  std::uint64_t base = 0;     ///< offset in the block's shared window
  std::uint64_t bytes = 0;    ///< 0 = up to the highest byte that is touched
  std::uint64_t element = 0;  ///< bytes
  std::uint64_t part = 0;  ///< bytes by which an element can grow: alignment of a struct; 0 = not
  std::vector<std::uint64_t> extents;  ///< outermost first; 0 = unknown
};

/// A length that rows may have.
struct RowPitch {
  static constexpr unsigned kInferred = ~0U;

  std::uint64_t bytes = 0;
  std::uint64_t unit = 0;          ///< padding comes in multiples of this many bytes
  unsigned dimension = kInferred;  ///< the extent that the pitch comes from, 0 = outermost;
                                   ///< the number of extents = the element itself
  std::uint64_t votes = 0;         ///< inferred: executions times distances of that size
};

/// Accesses that have to agree on a layout.
struct LayoutRegion {
  std::string name;  ///< of the array; empty = not known
  std::uint64_t base = 0, bytes = 0;
  std::uint64_t element = 0;  ///< bytes
  std::uint64_t widest = 0;   ///< bytes of the widest access of a lane
  std::uint64_t row = 0;      ///< bytes of the innermost declared row; 0 = not known
  std::vector<RowPitch> pitches;
  std::vector<std::uint32_t> classes;  ///< indices into KernelAccesses::classes
  std::vector<std::uint32_t> sites;    ///< indices into KernelAccesses::sites, rising
  std::vector<std::string> assumptions;
};

/// One region for each array that is accessed. Accesses outside all arrays are left out. Arrays
/// that overlap (extern ones) are one region.
std::vector<LayoutRegion> declared_regions(const KernelAccesses& kernel,
                                           std::span<const DeclaredArray> arrays);

/// One region for each set of sites that touch common words. Base, size, element size and rows are
/// inferred; the region's assumptions say how.
std::vector<LayoutRegion> inferred_regions(const KernelAccesses& kernel);

/// The commonest distances between the places that a warp's lanes touch in one access, most votes
/// first. Lanes that touch neighbouring bytes count as one place.
std::vector<RowPitch> vote_for_pitches(const KernelAccesses& kernel, const LayoutRegion& region);

}  // namespace smemsim
