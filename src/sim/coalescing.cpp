#include "sim/coalescing.hpp"

#include <algorithm>

namespace smemsim {

namespace {

bool is_bulk(Operation op) {
  return op == Operation::bulk_load || op == Operation::bulk_store || op == Operation::bulk_reduce;
}

bool is_copy(Operation op) {
  return op == Operation::cp_async_ca || op == Operation::cp_async_cg;
}

std::uint32_t blocks_of(std::uint64_t bytes, std::uint64_t block) {
  return static_cast<std::uint32_t>((bytes + block - 1) / block);
}

}  // namespace

SectorCost sector_cost(std::vector<std::uint64_t> addresses, std::uint64_t width) {
  SectorCost out;
  if (width == 0) return out;
  std::sort(addresses.begin(), addresses.end());
  addresses.erase(std::unique(addresses.begin(), addresses.end()), addresses.end());
  // Sorted intervals of one width: each adds what lies behind the end of those before it.
  bool first = true;
  std::uint64_t last_byte = 0, last_sector = 0, last_line = 0;
  for (const std::uint64_t begin : addresses) {
    // Inclusive; a hostile address does not wrap around.
    const std::uint64_t end = begin + std::min(width - 1, ~std::uint64_t{0} - begin);
    const std::uint64_t from = first ? begin : std::max(begin, last_byte + 1);
    out.bytes += end - from + 1;
    const std::uint64_t sector =
        first ? begin / kSectorBytes : std::max(begin / kSectorBytes, last_sector + 1);
    const std::uint64_t line =
        first ? begin / kLineBytes : std::max(begin / kLineBytes, last_line + 1);
    if (end / kSectorBytes >= sector)
      out.sectors += static_cast<std::uint32_t>(end / kSectorBytes - sector + 1);
    if (end / kLineBytes >= line)
      out.lines += static_cast<std::uint32_t>(end / kLineBytes - line + 1);
    last_byte = std::max(last_byte, end);
    last_sector = end / kSectorBytes;
    last_line = end / kLineBytes;
    first = false;
  }
  out.ideal = blocks_of(out.bytes, kSectorBytes);
  out.ideal_lines = blocks_of(out.bytes, kLineBytes);
  return out;
}

bool is_global_access(Operation op) {
  return traits(op).space == AddressSpace::global || is_copy(op) || is_bulk(op);
}

SectorCost sector_cost(const EventShape& shape, const Event& event) {
  constexpr std::uint64_t kLargestBulk = std::uint64_t{1} << 31;
  if (is_bulk(shape.op)) return sector_cost({event.source}, std::min(shape.a, kLargestBulk));
  std::vector<std::uint64_t> addresses;
  const bool source = is_copy(shape.op);
  for_each_lane(shape.active, [&](unsigned lane) {
    addresses.push_back(source ? lane_source(shape, event, lane)
                               : lane_address(shape, event, lane));
  });
  return sector_cost(std::move(addresses), shape.width);
}

SectorTotals& SectorTotals::operator+=(const SectorCost& cost) {
  ++requests;
  sectors += cost.sectors;
  ideal += cost.ideal;
  lines += cost.lines;
  ideal_lines += cost.ideal_lines;
  bytes += cost.bytes;
  return *this;
}

SectorTotals& SectorTotals::operator+=(const SectorTotals& other) {
  requests += other.requests;
  sectors += other.sectors;
  ideal += other.ideal;
  lines += other.lines;
  ideal_lines += other.ideal_lines;
  bytes += other.bytes;
  return *this;
}

CoalescingAnalysis::Kernel& CoalescingAnalysis::kernel(const std::string& name) {
  const auto [at, is_new] = kernels_.try_emplace(name);
  if (is_new) order_.push_back(name);
  return at->second;
}

Status CoalescingAnalysis::begin_launch(const Launch& launch) {
  launch_ = &launch;
  current_ = &kernel(launch.kernel);
  ++current_->launches;
  known_.clear();
  return {};
}

SectorCost CoalescingAnalysis::cached_cost(const EventBatch& batch, const Event& event) {
  if (batch.shapes_id != shapes_id_) {
    costs_.clear();
    shapes_id_ = batch.shapes_id;
  }
  const EventShape& shape = batch.shapes[event.shape];
  // Sectors and lines look the same from any base that differs by whole lines.
  const std::uint64_t base =
      traits(shape.op).space == AddressSpace::global ? event.base : event.source;
  const auto [at, is_new] = costs_.try_emplace({event.shape, base % kLineBytes});
  if (is_new) at->second = sector_cost(shape, event);
  return at->second;
}

Status CoalescingAnalysis::events(const EventBatch& batch) {
  for (const Event& event : batch.events) {
    const EventShape& shape = batch.shapes[event.shape];
    if (!is_global_access(shape.op) || (shape.active == 0 && !is_bulk(shape.op))) continue;
    if (shape.width == 0 && !is_bulk(shape.op)) continue;
    SiteCoalescing*& site = known_[{shape.site, shape.op, shape.width}];
    if (site == nullptr) {
      const Site place = shape.site < launch_->sites.size() ? launch_->sites[shape.site] : Site{};
      site = &current_->sites[{place.function, place.pc, place.instruction, place.line, shape.op,
                               shape.width}];
      site->site = place;
      site->op = shape.op;
      site->width = shape.width;
    }
    const SectorCost cost = cached_cost(batch, event);
    site->totals += cost;
    site->worst_sectors = std::max(site->worst_sectors, cost.sectors);
  }
  return {};
}

Status CoalescingAnalysis::end_launch() {
  launch_ = nullptr;
  return {};
}

CoalescingReport CoalescingAnalysis::take_report() {
  CoalescingReport report;
  for (const std::string& name : order_) {
    Kernel& from = kernels_[name];
    if (from.sites.empty()) continue;
    KernelCoalescing out;
    out.kernel = name;
    out.launches = from.launches;
    for (auto& [key, site] : from.sites) {
      out.totals += site.totals;
      out.sites.push_back(std::move(site));
    }
    std::stable_sort(out.sites.begin(), out.sites.end(),
                     [](const SiteCoalescing& a, const SiteCoalescing& b) {
                       if (a.totals.excess() != b.totals.excess()) {
                         return a.totals.excess() > b.totals.excess();
                       }
                       if (a.totals.sectors != b.totals.sectors) {
                         return a.totals.sectors > b.totals.sectors;
                       }
                       return a.site.pc < b.site.pc;
                     });
    report.totals += out.totals;
    report.kernels.push_back(std::move(out));
  }
  order_.clear();
  kernels_.clear();
  return report;
}

}  // namespace smemsim
