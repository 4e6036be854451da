#include "sim/layout_search.hpp"

#include <algorithm>
#include <tuple>

#include "sim/access_pattern.hpp"
#include "sim/occupancy.hpp"

namespace smemsim {
namespace {

/// Layouts of one kind that need no more bytes and no more wavefronts make others pointless.
bool dominated(const LayoutProposal& one, const std::vector<LayoutProposal>& better) {
  return std::any_of(better.begin(), better.end(), [&](const LayoutProposal& other) {
    return other.change.kind == one.change.kind && other.wavefronts <= one.wavefronts &&
           other.extra_bytes <= one.extra_bytes;
  });
}

/// Excess of the region that lies in accesses for which `holds`, by site of the kernel.
template <typename Holds>
std::uint64_t excess_where(const KernelAccesses& kernel, const LayoutRegion& region,
                           std::uint32_t& site, Holds&& holds) {
  std::vector<std::uint64_t> by_site(kernel.sites.size(), 0);
  std::uint64_t total = 0;
  for (const std::uint32_t c : region.classes) {
    const AccessClass& one = kernel.classes[c];
    const EventShape& shape = kernel.shapes[one.event.shape];
    const AccessCost cost = access_cost(shape, one.event, kernel.machine->shared);
    const std::uint64_t excess = one.count * cost.excess();
    if (excess == 0) continue;
    const std::uint64_t counted = one.count * holds(shape, one.event, cost);
    by_site[one.site] += counted;
    total += counted;
  }
  site = static_cast<std::uint32_t>(std::max_element(by_site.begin(), by_site.end()) -
                                    by_site.begin());
  return total;
}

class Search {
 public:
  Search(const KernelAccesses& kernel, const LayoutRegion& region, const SearchOptions& options)
      : kernel_(kernel) {
    out_.region = region;
    const Launch& launch = kernel.launch;
    block_.threads = launch.threads();
    block_.registers = options.registers != 0 ? options.registers : launch.registers;
    block_.shared_bytes = std::uint64_t{launch.static_shared} + launch.dynamic_shared;
    blocks_now_ = occupancy(kernel.machine->occupancy, block_).blocks;
  }

  RegionAdvice run() {
    const LayoutCost now = layout_cost(kernel_, out_.region, nullptr);
    out_.site_wavefronts = now.wavefronts;
    out_.site_ideal = now.ideal;
    out_.wavefronts = now.total();
    out_.ideal = now.total_ideal();
    best_of_site_ = now.wavefronts;
    if (out_.excess() == 0) return std::move(out_);

    std::vector<RejectedLayout> rejected;
    const SharedMemory& shared = kernel_.machine->shared;
    for (const LayoutCandidate& one : row_candidates(out_.region, shared, rejected)) try_one(one);
    const bool solved = std::any_of(all_.begin(), all_.end(), [&](const LayoutProposal& p) {
      return p.wavefronts == out_.ideal && p.extra_bytes == 0;
    });
    if (!solved) {
      for (const LayoutCandidate& one : swizzle_candidates(out_.region, shared)) try_one(one);
    }
    rank();
    name_rejected(std::move(rejected));
    find_remainder();
    return std::move(out_);
  }

 private:
  void try_one(const LayoutCandidate& candidate) {
    const LayoutCost cost = layout_cost(kernel_, out_.region, &candidate.change);
    if (cost.fault != LayoutFault::none) return;
    ++out_.tried;
    for (std::size_t i = 0; i < best_of_site_.size(); ++i) {
      best_of_site_[i] = std::min(best_of_site_[i], cost.wavefronts[i]);
    }
    const std::uint64_t total = cost.total();
    if (total >= out_.wavefronts) return;
    LayoutProposal one;
    one.change = candidate.change;
    one.pitch = candidate.pitch;
    one.wavefronts = total;
    one.site_wavefronts = cost.wavefronts;
    one.extra_bytes = candidate.change.extra_bytes(out_.region.bytes);
    one.blocks_before = blocks_now_;
    BlockResources block = block_;
    block.shared_bytes += one.extra_bytes;
    one.blocks_after = occupancy(kernel_.machine->occupancy, block).blocks;
    if (one.blocks_after == 0 && blocks_now_ != 0) {
      if (!too_large_named_) {
        out_.rejected.push_back({RejectedLayout::Reason::too_large, one.change, one.pitch, 0});
      }
      too_large_named_ = true;
      return;
    }
    all_.push_back(std::move(one));
  }

  void rank() {
    std::stable_sort(all_.begin(), all_.end(),
                     [](const LayoutProposal& a, const LayoutProposal& b) {
                       const auto key = [](const LayoutProposal& p) {
                         return std::tuple(p.wavefronts, p.extra_bytes, p.change.complexity());
                       };
                       return key(a) < key(b);
                     });
    for (LayoutProposal& one : all_) {
      if (!dominated(one, out_.proposals)) out_.proposals.push_back(std::move(one));
    }
  }

  /// Keeps those that fault here, with the access that does.
  void name_rejected(std::vector<RejectedLayout> rejected) {
    for (RejectedLayout& one : rejected) {
      // A pitch that no proposal uses was a guess that did not help: nobody would pad it.
      const bool used = one.pitch.dimension != RowPitch::kInferred || out_.proposals.empty() ||
                        one.pitch.bytes == out_.proposals.front().pitch.bytes;
      const LayoutCost cost = layout_cost(kernel_, out_.region, &one.change);
      if (!used || cost.fault != LayoutFault::misaligned) continue;
      one.site = cost.fault_site;
      out_.rejected.push_back(one);
    }
  }

  void find_remainder() {
    const std::uint64_t best =
        out_.proposals.empty() ? out_.wavefronts : out_.proposals.front().wavefronts;
    const std::uint64_t left = best - out_.ideal;
    if (left == 0) return;
    const SharedMemory& shared = kernel_.machine->shared;
    std::uint32_t site = 0;
    const std::uint64_t atomics =
        excess_where(kernel_, out_.region, site,
                     [&](const EventShape& shape, const Event& event, const AccessCost& cost) {
                       return unavoidable_wavefronts(shape, event, cost, shared) - cost.ideal;
                     });
    out_.remainder_site = site;
    if (2 * atomics >= left) {
      out_.remainder = Remainder::atomics;
      return;
    }
    const std::uint64_t gather = excess_where(
        kernel_, out_.region, site,
        [&](const EventShape& shape, const Event& event, const AccessCost& cost) {
          const AccessPattern pattern = find_pattern(shape, event, addressed_lanes(shape, shared));
          return std::uint64_t{pattern.kind == PatternKind::irregular ? cost.excess() : 0};
        });
    out_.remainder_site = site;
    if (2 * gather >= left) {
      out_.remainder = Remainder::gather;
      // On other data the layout that happened to help a little may hurt.
      if (10 * (out_.wavefronts - best) < out_.excess()) out_.proposals.clear();
      return;
    }
    const LayoutProposal* first = out_.proposals.empty() ? nullptr : &out_.proposals.front();
    const std::vector<std::uint64_t>& costs = first ? first->site_wavefronts : out_.site_wavefronts;
    std::uint64_t most = 0;
    bool each_alone = out_.region.sites.size() > 1;
    for (std::size_t i = 0; i < costs.size(); ++i) {
      each_alone = each_alone && best_of_site_[i] <= out_.site_ideal[i];
      if (costs[i] - out_.site_ideal[i] <= most) continue;
      most = costs[i] - out_.site_ideal[i];
      out_.remainder_site = out_.region.sites[i];
    }
    out_.remainder = each_alone ? Remainder::sites_disagree : Remainder::not_found;
  }

  const KernelAccesses& kernel_;
  RegionAdvice out_;
  BlockResources block_;
  std::uint32_t blocks_now_ = 0;
  std::vector<LayoutProposal> all_;
  std::vector<std::uint64_t> best_of_site_;
  bool too_large_named_ = false;
};

}  // namespace

RegionAdvice search_layouts(const KernelAccesses& kernel, const LayoutRegion& region,
                            const SearchOptions& options) {
  return Search(kernel, region, options).run();
}

}  // namespace smemsim
