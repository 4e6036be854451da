// Advice in words and as source text to paste.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "sim/layout_advice.hpp"

namespace smemsim::cli {

/// How the array is written in source text.
struct ArrayText {
  std::string name = "tile";
  std::string type = "float";
  std::string prefix;                  ///< "__align__(16) " where the declaration has it
  std::vector<std::uint64_t> extents;  ///< outermost first; 0 = unknown
  bool declared = false;               ///< by the user's text; else made up from what was inferred
};

/// One proposal as source text.
struct PasteText {
  std::string declaration;    ///< "float tile[32][33];"
  std::string index;          ///< "tile[r][c ^ (r & 31)]"
  std::string cute_elements;  ///< "Swizzle<5,0,5>"; empty where there is none
  std::string cute_bytes;     ///< the same on byte offsets
  std::string summary;        ///< "pad each row by 1 float (4 bytes)"
};

/// The array that a trace suggests for a proposal.
ArrayText inferred_array(const LayoutRegion& region, std::uint64_t pitch);

PasteText paste_text(const LayoutRegion& region, const ArrayText& array, const LayoutChange& change,
                     const RowPitch& pitch);

/// The value that the row XOR flips the last index with, in terms of index variables:
/// "(r & 7) << 3". `indices` are the array's subscripts but the last.
std::string xor_operand(const LayoutRegion& region, const ArrayText& array,
                        const LayoutChange& change, const RowPitch& pitch,
                        const std::vector<std::string>& indices);

/// Why a padding is refused.
std::string rejected_text(const KernelAccesses& kernel, const LayoutRegion& region,
                          const ArrayText& array, const RejectedLayout& rejected);

/// One or two sentences: what is wrong, what helps, what nothing can help and why.
std::string verdict_text(const KernelAdvice& kernel, const RegionAdvice& region);

/// "kernel.cu:12" or the instruction.
std::string place_of(const AccessSite& site);

/// The same, with the instruction where the kernel has several accesses on that line. `site` =
/// index into the kernel's sites.
std::string exact_place(const KernelAccesses& kernel, std::uint32_t site);

/// "'tile'" or "bytes 1024-5119".
std::string region_title(const LayoutRegion& region);

}  // namespace smemsim::cli
