#include "sim/layout_regions.hpp"

#include <algorithm>
#include <limits>
#include <map>
#include <numeric>

namespace smemsim {
namespace {

constexpr std::size_t kMostPitches = 4;
constexpr std::uint64_t kWord = 4;  // bytes; what decides whether two sites share memory

struct Range {
  std::uint64_t begin = std::numeric_limits<std::uint64_t>::max(), end = 0;
  void add(std::uint64_t at, std::uint64_t bytes) {
    begin = std::min(begin, at);
    end = std::max(end, at + bytes);
  }
};

template <typename Visit>
void for_each_address(const KernelAccesses& kernel, const AccessClass& one, Visit&& visit) {
  const EventShape& shape = kernel.shapes[one.event.shape];
  for_each_lane(addressed_lanes(shape, kernel.machine->shared),
                [&](unsigned lane) { visit(lane_address(shape, one.event, lane), shape.width); });
}

Range range_of(const KernelAccesses& kernel, const AccessClass& one) {
  Range out;
  for_each_address(kernel, one, [&](std::uint64_t at, std::uint64_t width) { out.add(at, width); });
  return out;
}

void finish_sites(const KernelAccesses& kernel, LayoutRegion& region) {
  for (const std::uint32_t c : region.classes) region.sites.push_back(kernel.classes[c].site);
  std::sort(region.sites.begin(), region.sites.end());
  region.sites.erase(std::unique(region.sites.begin(), region.sites.end()), region.sites.end());
  for (const std::uint32_t s : region.sites) {
    region.widest = std::max<std::uint64_t>(region.widest, kernel.sites[s].width);
  }
}

void add_inferred_pitches(const KernelAccesses& kernel, LayoutRegion& region) {
  for (const RowPitch& pitch : vote_for_pitches(kernel, region)) region.pitches.push_back(pitch);
}

void add_declared_pitches(const DeclaredArray& array, LayoutRegion& region) {
  const std::size_t rank = array.extents.size();
  std::uint64_t below = array.element;
  for (std::size_t d = rank; d-- > 1;) {
    region.pitches.push_back({array.extents[d] * below, below, static_cast<unsigned>(d), 0});
    if (d == rank - 1) region.row = array.extents[d] * below;
    below *= array.extents[d];
  }
  if (array.part != 0) {
    region.pitches.push_back({array.element, array.part, static_cast<unsigned>(rank), 0});
  }
}

/// Disjoint sets of sites.
class Groups {
 public:
  explicit Groups(std::size_t count) : parent_(count) {
    std::iota(parent_.begin(), parent_.end(), 0U);
  }
  std::uint32_t find(std::uint32_t x) {
    while (parent_[x] != x) x = parent_[x] = parent_[parent_[x]];
    return x;
  }
  void join(std::uint32_t a, std::uint32_t b) {
    a = find(a);
    b = find(b);
    parent_[std::max(a, b)] = std::min(a, b);
  }

 private:
  std::vector<std::uint32_t> parent_;
};

/// The element that the accesses suggest.
std::uint64_t guess_element(const KernelAccesses& kernel, LayoutRegion& region) {
  std::uint64_t least = 16;
  bool matrices = false;
  for (const std::uint32_t s : region.sites) {
    if (kernel.sites[s].matrices != 0) {
      matrices = true;
    } else {
      least = std::min<std::uint64_t>(least, kernel.sites[s].width);
    }
  }
  const std::uint64_t element =
      matrices ? std::min<std::uint64_t>(least, 2) : std::min<std::uint64_t>(least, 4);
  region.assumptions.push_back(
      "elements of " + std::to_string(element) + (element == 1 ? " byte" : " bytes") +
      (matrices ? ", as the matrix instructions move" : ", from the narrowest access"));
  return element;
}

}  // namespace

std::vector<RowPitch> vote_for_pitches(const KernelAccesses& kernel, const LayoutRegion& region) {
  std::map<std::uint64_t, std::uint64_t> votes;
  std::vector<std::uint64_t> places;
  for (const std::uint32_t c : region.classes) {
    const AccessClass& one = kernel.classes[c];
    const std::uint64_t width = kernel.sites[one.site].width;
    places.clear();
    for_each_address(kernel, one, [&](std::uint64_t at, std::uint64_t) { places.push_back(at); });
    std::sort(places.begin(), places.end());
    std::uint64_t start = places.empty() ? 0 : places.front();
    for (std::size_t i = 1; i < places.size(); ++i) {
      if (places[i] - places[i - 1] <= width) continue;  // still the same run of bytes
      votes[places[i] - start] += one.count;
      start = places[i];
    }
  }
  std::vector<RowPitch> out;
  for (const auto& [bytes, count] : votes) {
    if (bytes % region.element != 0 || bytes <= region.element || bytes > region.bytes) continue;
    out.push_back({bytes, region.element, RowPitch::kInferred, count});
  }
  std::stable_sort(out.begin(), out.end(),
                   [](const RowPitch& a, const RowPitch& b) { return a.votes > b.votes; });
  if (out.size() > kMostPitches) out.resize(kMostPitches);
  return out;
}

std::vector<LayoutRegion> declared_regions(const KernelAccesses& kernel,
                                           std::span<const DeclaredArray> arrays) {
  std::vector<LayoutRegion> regions;
  std::vector<const DeclaredArray*> owners;
  for (const DeclaredArray& array : arrays) {
    bool shared = false;
    for (std::size_t i = 0; i < regions.size(); ++i) {
      if (owners[i]->base != array.base || owners[i]->bytes != array.bytes) continue;
      shared = true;
      regions[i].assumptions.push_back("'" + array.name + "' lies in the same memory as '" +
                                       owners[i]->name + "' and is counted with it");
    }
    if (shared) continue;
    LayoutRegion& region = regions.emplace_back();
    owners.push_back(&array);
    region.name = array.name;
    region.base = array.base;
    region.bytes = array.bytes;
    region.element = array.element;
  }
  std::vector<Range> touched(regions.size());
  for (std::uint32_t c = 0; c < kernel.classes.size(); ++c) {
    const Range range = range_of(kernel, kernel.classes[c]);
    for (std::size_t i = 0; i < regions.size(); ++i) {
      const LayoutRegion& r = regions[i];
      if (range.begin < r.base || (r.bytes != 0 && range.end > r.base + r.bytes)) continue;
      regions[i].classes.push_back(c);
      touched[i].add(range.begin, range.end - range.begin);
      break;
    }
  }
  std::vector<LayoutRegion> out;
  for (std::size_t i = 0; i < regions.size(); ++i) {
    LayoutRegion& region = regions[i];
    if (region.classes.empty()) continue;
    finish_sites(kernel, region);
    if (region.bytes == 0) region.bytes = touched[i].end - region.base;
    add_declared_pitches(*owners[i], region);
    if (region.pitches.empty()) add_inferred_pitches(kernel, region);
    out.push_back(std::move(region));
  }
  return out;
}

std::vector<LayoutRegion> inferred_regions(const KernelAccesses& kernel) {
  const auto none = std::numeric_limits<std::uint32_t>::max();
  Groups groups(kernel.sites.size());
  std::map<std::uint64_t, std::uint32_t> owner;  // word -> a site that touches it
  std::vector<Range> ranges(kernel.sites.size());
  for (const AccessClass& one : kernel.classes) {
    for_each_address(kernel, one, [&](std::uint64_t at, std::uint64_t width) {
      ranges[one.site].add(at, width);
      for (std::uint64_t word = at / kWord; word <= (at + width - 1) / kWord; ++word) {
        const auto [entry, added] = owner.try_emplace(word, one.site);
        if (!added) groups.join(entry->second, one.site);
      }
    });
  }
  std::vector<std::uint32_t> number(kernel.sites.size(), none);
  std::vector<LayoutRegion> out;
  std::vector<Range> extents;
  for (std::uint32_t c = 0; c < kernel.classes.size(); ++c) {
    const std::uint32_t group = groups.find(kernel.classes[c].site);
    if (number[group] == none) {
      number[group] = static_cast<std::uint32_t>(out.size());
      out.emplace_back();
      extents.emplace_back();
    }
    out[number[group]].classes.push_back(c);
    const Range range = range_of(kernel, kernel.classes[c]);
    extents[number[group]].add(range.begin, range.end - range.begin);
  }
  for (std::size_t i = 0; i < out.size(); ++i) {
    LayoutRegion& region = out[i];
    finish_sites(kernel, region);
    // Chunks count from the base, so it has to be as well aligned as the widest access.
    region.base = extents[i].begin - extents[i].begin % region.widest;
    region.bytes = extents[i].end - region.base;
    region.assumptions.push_back(
        "the array is bytes " + std::to_string(extents[i].begin) + " to " +
        std::to_string(extents[i].end - 1) + " of shared memory: all that " +
        (region.sites.size() == 1 ? "this site touches" : "sites with common bytes touch"));
    region.element = guess_element(kernel, region);
    add_inferred_pitches(kernel, region);
    for (std::size_t j = 0; j < out.size(); ++j) {
      if (j != i && extents[j].begin < extents[i].end && extents[i].begin < extents[j].end) {
        region.assumptions.push_back(
            "another array lies between its bytes: they may be the stages of one buffer, and a "
            "padding has to grow both");
        break;
      }
    }
  }
  return out;
}

}  // namespace smemsim
