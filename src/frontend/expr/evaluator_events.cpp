// From an access to warp events: address checks, pieces, sites.
#include <algorithm>
#include <bit>

#include "frontend/expr/evaluator_impl.hpp"

namespace smemsim::expr {

namespace {

constexpr std::uint64_t kNotSplit = 0;
constexpr std::uint32_t kSitePitch = 16;  // distance of the made-up program counters

std::uint64_t lowest_bit(std::uint64_t value) {
  return value & (0 - value);
}

}  // namespace

std::uint32_t Evaluator::site_index(const Expr& expr, Operation op, std::uint64_t part) {
  const auto key = std::make_tuple(expr.id, op, part);
  const auto known = sites_.find(key);
  if (known != sites_.end()) return known->second;
  Site site;
  site.function = builder_->launch().function;
  site.pc = static_cast<std::uint32_t>(sites_.size()) * kSitePitch;
  site.instruction = program_.source.excerpt(expr.span);
  if (part != kNotSplit) site.instruction += " (piece " + std::to_string(part) + ")";
  site.file = program_.source.name().empty() ? "text" : program_.source.name();
  site.line = program_.source.line(expr.span.begin);
  return sites_[key] = builder_->add_site(site);
}

AccessPieces Evaluator::pieces(const Type& type, const Value& address) const {
  AccessPieces out = access_pieces(type);
  // Of a whole struct in a shared array the compiler knows the alignment that it really has.
  if (type.is(TypeKind::structure) && address.origin.space == Space::shared &&
      address.origin.symbol >= 0) {
    const auto symbol = static_cast<SymbolId>(address.origin.symbol);
    const PlacedArray& array = placement_.arrays.at(symbol);
    if (innermost(array.type)->size == type.size) {
      const std::uint64_t base = array.base == 0 ? 16 : lowest_bit(array.base);
      const std::uint64_t width = std::min<std::uint64_t>({lowest_bit(type.size), base, 16});
      if (width > out.width) out = {width, type.size / width};
    }
  }
  return out;
}

void Evaluator::access_value(const Expr& site, Operation shared, Operation global, const Type& type,
                             const Value& address, std::uint8_t flags) {
  const bool is_shared = address.origin.space == Space::shared;
  Access one;
  one.op = is_shared ? shared : global;
  one.address = &address;
  one.flags = is_shared ? flags : std::uint8_t{0};
  const AccessPieces split = pieces(type, address);
  one.width = static_cast<std::uint8_t>(split.width);
  for (std::uint64_t piece = 0; piece < split.count && !failed(); ++piece) {
    one.offset = piece * split.width;
    access(site, one);
  }
}

bool Evaluator::in_bounds(const Expr& site, const Value& address, std::uint64_t logical,
                          unsigned lane, std::uint64_t width) {
  const std::uint64_t most =
      std::uint64_t{machine_.occupancy.shared_per_block} + machine_.occupancy.shared_reserved;
  std::uint64_t begin = machine_.occupancy.shared_reserved, end = most;
  std::string what = "shared memory of a block";
  if (address.origin.symbol >= 0) {
    const auto symbol = static_cast<SymbolId>(address.origin.symbol);
    const PlacedArray& array = placement_.arrays.at(symbol);
    begin = array.base;
    if (array.bytes != 0) end = array.base + array.bytes;
    what = "'" + program_.symbols[symbol].name + "' (" + array.type->name + ")";
  }
  if (logical >= begin && logical <= end && width <= end - logical) return true;
  const auto offset = static_cast<std::int64_t>(logical - begin);
  fail(site.span,
       "lane " + std::to_string(lane) + " of warp " + std::to_string(warp_) + " accesses byte " +
           std::to_string(offset) + " of " + what + ", which has " + std::to_string(end - begin) +
           " bytes",
       "check --block and the order of the subscripts; guard partial tiles with if");
  return false;
}

bool Evaluator::physical_addresses(const Expr& site, const Access& access,
                                   std::vector<std::uint64_t>& out) {
  const Value& address = *access.address;
  const LaneMask wanted = mask_ & access.addressed;
  if ((wanted & ~address.known) != 0) {
    fail_unknown(site.span, "the address of this access");
    return false;
  }
  const LayoutTransform* transform = nullptr;
  std::uint64_t array_base = 0;
  if (address.origin.space == Space::shared && address.origin.symbol >= 0) {
    const auto symbol = static_cast<SymbolId>(address.origin.symbol);
    const auto found = options_.transforms.find(program_.symbols[symbol].name);
    if (found != options_.transforms.end() && found->second.remap) transform = &found->second;
    array_base = placement_.arrays.at(symbol).base;
  }
  out.assign(lanes_, 0);
  for (unsigned lane = 0; lane < lanes_; ++lane) {
    if (!has_lane(wanted, lane)) continue;
    std::uint64_t at = static_cast<std::uint64_t>(address.lanes[lane]) + access.offset;
    if (address.origin.space == Space::shared) {
      if (!in_bounds(site, address, at, lane, access.width)) return false;
      if (transform != nullptr) at = array_base + transform->remap(at - array_base);
      shared_end_ = std::max(shared_end_, at + access.width);
    }
    if (access.width != 0 && at % access.width != 0) {
      fail(site.span,
           "lane " + std::to_string(lane) + " of warp " + std::to_string(warp_) + " accesses " +
               std::to_string(access.width) + " bytes at byte address " + std::to_string(at) +
               ", which is not a multiple of " + std::to_string(access.width),
           "the GPU faults on a misaligned access: pad rows by a multiple of the access width, or "
           "raise the array's alignment with __align__(16)");
      return false;
    }
    out[lane] = at;
  }
  return true;
}

void Evaluator::access(const Expr& site, const Access& access) {
  if (failed() || mask_ == 0) return;
  if (access.address->origin.space == Space::none) {
    if (access.address->known == 0) {
      fail_unknown(site.span, "the address of this access");
    } else {
      fail(site.span, "this pointer points neither into shared nor into global memory");
    }
    return;
  }
  if (!physical_addresses(site, access, addresses_)) return;
  trace::FlatEvent event;
  event.op = access.op;
  event.width = access.width;
  event.matrices = access.matrices;
  event.flags = access.flags;
  event.active = mask_;
  if (access.source != nullptr) {
    Access source = access;
    source.address = access.source;
    if (!physical_addresses(site, source, sources_)) return;
    event.sources = sources_;
  }
  event.site = site_index(site, access.op,
                          access.offset == 0 ? kNotSplit : access.offset / access.width + 1);
  event.addresses = addresses_;
  builder_->add(block_, warp_, event);
  if (++events_ > options_.event_limit) {
    fail(site.span, "stopped after " + std::to_string(options_.event_limit) + " accesses",
         "run fewer blocks or shorter loops");
  }
}

void Evaluator::event(const Expr& site, Operation op, std::uint64_t a, std::uint64_t b) {
  trace::FlatEvent event;
  event.op = op;
  event.active = mask_;
  event.site = site_index(site, op, kNotSplit);
  event.a = a;
  event.b = b;
  builder_->add(block_, warp_, event);
  if (++events_ > options_.event_limit) {
    fail(site.span, "stopped after " + std::to_string(options_.event_limit) + " events");
  }
}

}  // namespace smemsim::expr
