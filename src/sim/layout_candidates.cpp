// The layouts that are worth trying for a region.
#include <algorithm>
#include <bit>

#include "sim/layout_search.hpp"

namespace smemsim {
namespace {

constexpr std::uint64_t kMostRowsPerStep = 32;
constexpr std::uint64_t kMostUnits = 256;

void add_paddings(const LayoutRegion& region, const RowPitch& pitch, std::uint64_t turn,
                  std::vector<LayoutCandidate>& out, std::vector<RejectedLayout>& rejected) {
  // Padding an outer dimension adds whole rows, which may be longer than a turn over the banks.
  const std::uint64_t most = pitch.unit < turn ? turn - 1 : 8 * pitch.unit;
  bool named = false;
  for (std::uint64_t pad = pitch.unit; pad <= most && pad / pitch.unit <= kMostUnits;
       pad += pitch.unit) {
    LayoutChange change;
    change.kind = LayoutChangeKind::padding;
    change.pitch = pitch.bytes;
    change.pad = pad;
    if (pitch.bytes % region.widest == 0 && pad % region.widest != 0) {
      if (!named) rejected.push_back({RejectedLayout::Reason::alignment, change, pitch, 0});
      named = true;
      continue;
    }
    out.push_back({change, pitch});
  }
}

void add_row_xors(const LayoutRegion& region, const RowPitch& pitch, std::uint64_t turn,
                  std::vector<LayoutCandidate>& out) {
  if (region.element == 0 || pitch.bytes == region.element) return;
  const std::uint64_t row = region.row != 0 ? region.row : pitch.bytes;
  for (std::uint64_t chunk = region.element; chunk < turn; chunk *= 2) {
    if (chunk % region.widest != 0 || pitch.bytes % chunk != 0) continue;
    for (std::uint64_t ways = 2; ways * chunk <= 2 * turn; ways *= 2) {
      // Within one declared row, so that only its last index changes.
      if (row % (chunk * ways) != 0 || pitch.bytes % (chunk * ways) != 0) break;
      for (std::uint64_t rows = 1; rows <= kMostRowsPerStep; rows *= 2) {
        if (rows * pitch.bytes >= region.bytes) break;
        LayoutChange change;
        change.kind = LayoutChangeKind::row_xor;
        change.pitch = pitch.bytes;
        change.chunk = chunk;
        change.rows = rows;
        change.ways = ways;
        out.push_back({change, pitch});
      }
    }
  }
}

}  // namespace

std::vector<LayoutCandidate> row_candidates(const LayoutRegion& region, const SharedMemory& shared,
                                            std::vector<RejectedLayout>& rejected) {
  const std::uint64_t turn = std::uint64_t{shared.banks} * shared.bank_bytes;
  std::vector<LayoutCandidate> out;
  for (const RowPitch& pitch : region.pitches) {
    add_paddings(region, pitch, turn, out, rejected);
    add_row_xors(region, pitch, turn, out);
  }
  std::stable_sort(out.begin(), out.end(), [](const LayoutCandidate& a, const LayoutCandidate& b) {
    return a.change.complexity() < b.change.complexity();
  });
  return out;
}

std::vector<LayoutCandidate> swizzle_candidates(const LayoutRegion& region,
                                                const SharedMemory& shared) {
  std::vector<LayoutCandidate> out;
  const std::uint64_t unit = std::max(region.element, region.widest);
  if (!std::has_single_bit(unit) || !std::has_single_bit(region.element)) return out;
  const auto log2 = [](std::uint64_t x) { return static_cast<unsigned>(std::bit_width(x) - 1); };
  const unsigned bank_bits = log2(std::uint64_t{shared.banks} * shared.bank_bytes);
  const unsigned top = log2(std::bit_ceil(region.bytes));
  for (unsigned base = log2(unit); base < bank_bits; ++base) {
    for (unsigned bits = 1; base + bits <= bank_bits; ++bits) {
      if (region.bytes % (std::uint64_t{1} << (base + bits)) != 0) break;
      for (unsigned shift = bits; base + shift < top; ++shift) {
        LayoutChange change;
        change.kind = LayoutChangeKind::swizzle;
        change.swizzle = {bits, base, shift};
        out.push_back({change, {}});
      }
    }
  }
  return out;
}

}  // namespace smemsim
