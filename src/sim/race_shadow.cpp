#include "sim/race_shadow.hpp"

#include <algorithm>

namespace smemsim {
namespace {

/// More than any SM has; addresses past it are outside whatever the launch owns.
constexpr std::uint64_t kMaxWindow = std::uint64_t{1} << 20;
constexpr std::size_t kMaxSeen = std::size_t{1} << 22;
constexpr std::size_t kMaxUnwritten = std::size_t{1} << 16;

/// A pair conflicts unless both only read or both are atomic.
bool conflict(unsigned a, unsigned b) {
  return ((a | b) & kRaceWrites) != 0 && (a & b & kRaceAtomic) == 0;
}

}  // namespace

void RaceShadow::start_launch(const Launch& launch) {
  first_byte_ = launch.first_shared;
  const std::uint64_t owned = std::uint64_t{launch.static_shared} + launch.dynamic_shared;
  end_byte_ = owned == 0 ? 0 : launch.shared_end();
  any_write_ = false;
  seen_.clear();
}

void RaceShadow::start_unit() {
  cells_.resize(unit_.blocks.size());
  last_writes_.resize(unit_.blocks.size());
  pool_.clear();
  async_pool_.clear();
  unwritten_.clear();
  const std::size_t wanted = unit_.warps.size() * unit_.launch->sites.size();
  if (wanted <= kMaxSeen && seen_.size() != wanted) seen_.assign(wanted, {});
}

void RaceShadow::end_epoch() {
  for (const Unwritten& read : unwritten_) {
    const Cell& cell = cells_[read.block][read.word];
    const unsigned missing = read.bytes & ~unsigned{read.updates ? cell.set : cell.written};
    if (missing == 0) continue;
    RaceOccurrence found;
    found.kind = RaceKind::uninitialised_read;
    found.severity = RaceSeverity::warning;
    found.scope = RaceScope::block;
    found.first = read.side;
    found.address = read.word * kWordBytes + static_cast<unsigned>(std::countr_zero(missing));
    found.has_address = true;
    unit_.log->add(found);
  }
  unwritten_.clear();
  pool_.clear();
}

void RaceShadow::note_site(std::uint32_t warp, std::uint32_t site) {
  if (seen_.empty()) return;
  Seen& seen = seen_[std::size_t{warp} * unit_.launch->sites.size() + site];
  if (seen.epoch == unit_.epoch) return;
  const RaceWarp& now = unit_.warps[warp];
  seen = {unit_.epoch, now.ordinal - now.epoch_ordinal, now.time};
}

Footprint RaceShadow::range(std::uint64_t base, std::uint64_t bytes, LaneMask lanes) {
  Footprint out;
  bytes = std::min(bytes, kMaxWindow);
  out.high = static_cast<std::int64_t>(bytes);
  const std::uint64_t origin = base / kWordBytes;
  for (std::uint64_t at = base; at < base + bytes;) {
    const std::uint64_t skip = at % kWordBytes;
    const std::uint64_t here = std::min(kWordBytes - skip, base + bytes - at);
    out.parts.push_back({static_cast<std::int64_t>(at / kWordBytes - origin), lanes,
                         static_cast<std::uint8_t>(((1U << here) - 1) << skip)});
    at += here;
  }
  return out;
}

bool RaceShadow::check_window(const RaceActor& actor, std::uint32_t block, std::uint64_t base,
                              const Footprint& footprint) {
  if (footprint.low == footprint.high) return true;
  const std::uint64_t end = end_byte_ == 0 ? kMaxWindow : std::min(end_byte_, kMaxWindow);
  const std::uint64_t low = base + static_cast<std::uint64_t>(footprint.low);
  const std::uint64_t high = base + static_cast<std::uint64_t>(footprint.high);
  const std::uint64_t first = end_byte_ == 0 ? 0 : first_byte_;
  if (low >= first && high <= end && low < high) return true;
  RaceOccurrence found;
  found.kind = RaceKind::out_of_window;
  found.scope = RaceScope::thread;
  const LaneMask lanes = footprint.parts.empty() ? 1 : footprint.parts.front().lanes;
  found.first =
      unit_.side(actor.warp, static_cast<unsigned>(std::countr_zero(lanes)), actor.site, actor.op);
  found.first.block = unit_.blocks[block];
  found.address = low >= first && low < end ? end : low;
  for (const FootprintPart& part : footprint.parts) {
    const std::uint64_t at =
        (base / kWordBytes + static_cast<std::uint64_t>(part.word)) * kWordBytes;
    if (at < first || at + kWordBytes > end) {
      found.first.thread = unit_.warps[actor.warp].number * unit_.lanes +
                           static_cast<unsigned>(std::countr_zero(part.lanes));
      found.address = at;
      break;
    }
  }
  found.has_address = true;
  found.detail = first;
  found.detail2 = end;
  unit_.log->add(found);
  return false;
}

RaceShadow::Cell* RaceShadow::find(std::uint32_t& block, std::uint64_t& word, bool remote) {
  if (remote) {
    block = static_cast<std::uint32_t>(word >> (kRemoteShift - 2) & 0xFFFF);
    word &= (std::uint64_t{1} << (kRemoteShift - 2)) - 1;
    if (block >= cells_.size()) return nullptr;
  }
  std::vector<Cell>& cells = cells_[block];
  if (word >= cells.size()) {
    if (word >= kMaxWindow / kWordBytes) return nullptr;
    const std::uint64_t known = std::min(end_byte_, kMaxWindow) / kWordBytes + 1;
    cells.resize(std::max({word + 1, known, std::uint64_t{cells.size()} * 2}));
  }
  Cell& cell = cells[word];
  if (cell.epoch != unit_.epoch) roll(cell);
  return &cell;
}

void RaceShadow::roll(Cell& cell) {
  if (cell.epoch < unit_.first_epoch) {
    cell = Cell{};
  } else {
    const bool adjacent = cell.epoch + 1 == unit_.epoch;
    cell.last_reader = adjacent ? cell.reader : std::uint16_t{0};
    cell.last_writer = adjacent ? cell.writer : std::uint16_t{0};
    cell.reader = cell.writer = 0;
    cell.reads = cell.writes = 0;
  }
  cell.epoch = unit_.epoch;
}

std::optional<std::pair<unsigned, unsigned>> RaceShadow::unordered(const Record& record,
                                                                   std::uint32_t warp,
                                                                   LaneMask lanes) const {
  const bool same_warp = record.warp == warp;
  if (same_warp && (unit_.lockstep || (lanes == record.lanes && std::has_single_bit(lanes)))) {
    return std::nullopt;
  }
  std::optional<std::pair<unsigned, unsigned>> pair;
  const std::size_t first = unit_.thread_index(record.warp, 0);
  unit_.for_each_row(unit_.warps[warp], lanes, [&](Knowledge::Row row, LaneMask group) {
    if (pair) return;
    const std::uint32_t* known = unit_.knowledge.known(row) + first;
    LaneMask open = 0;
    for_each_lane(record.lanes, [&](unsigned lane) {
      if (known[lane] <= record.time) open |= lane_bit(lane);
    });
    for (; open != 0 && group != 0 && !pair; group &= group - 1) {
      const auto lane = static_cast<unsigned>(std::countr_zero(group));
      const LaneMask others = same_warp ? open & ~lane_bit(lane) : open;
      if (others != 0) pair = {static_cast<unsigned>(std::countr_zero(others)), lane};
    }
  });
  return pair;
}

void RaceShadow::check_list(Cell& cell, const Touch& touch, std::uint32_t head) {
  const unsigned flags = race_flags(*touch.actor);
  for (std::uint32_t index = head; index != 0; index = pool_.records[index].next) {
    const Record& record = pool_.records[index];
    if ((record.bytes & touch.bytes) == 0 || !conflict(record.flags, flags)) continue;
    if (const auto pair = unordered(record, touch.actor->warp, touch.lanes)) {
      report(record, cell.epoch, touch, *pair);
    }
  }
}

void RaceShadow::check_asyncs(Cell& cell, const Touch& touch) {
  const RaceActor& actor = *touch.actor;
  const unsigned flags = race_flags(actor);
  const bool replaces = actor.writes && (flags & kRaceAtomic) == 0;
  std::uint32_t* link = &cell.asyncs;
  while (*link != 0) {
    const std::uint32_t index = *link;
    Record& record = async_pool_.records[index];
    RaceCopies::Token& token = copies_.token(record.token);
    bool drop = false;
    if (copies_.settled(token, record.lanes)) {
      if (token.done_epoch + 1 == unit_.epoch) {
        std::uint16_t& who =
            (record.flags & kRaceWrites) != 0 ? cell.last_writer : cell.last_reader;
        const std::uint16_t issuer = code(record.warp, record.lanes);
        who = who == 0 || who == issuer ? issuer : kMany;
      }
      drop = true;
    }
    const bool same_instruction =
        record.warp == actor.warp && record.ordinal == unit_.warps[actor.warp].ordinal;
    if ((record.bytes & touch.bytes) != 0 && conflict(record.flags, flags) && !same_instruction) {
      if (unit_.options.hints) copies_.use(token, actor.warp, touch.lanes);
      if (!drop) {
        const auto pair = copies_.unknown(token, record.lanes, actor.warp, touch.lanes);
        if (pair) {
          report_copy(record, touch, *pair);
        } else {
          drop = replaces && (record.bytes & ~touch.bytes) == 0;
        }
      }
    } else if (drop && unit_.options.hints && !token.used) {
      drop = false;  // a later access may still be the first use
    }
    if (drop) {
      *link = record.next;
      copies_.release(record.token);
      async_pool_.remove(index);
    } else {
      link = &record.next;
    }
  }
}

void RaceShadow::check_fence(const Touch& touch) {
  std::vector<LastWrite>& writes = last_writes_[touch.block];
  if (touch.word >= writes.size()) return;
  LastWrite& last = writes[touch.word];
  if (last.epoch < unit_.first_epoch || (last.bytes & touch.bytes) == 0) return;
  const std::uint32_t warp = touch.actor->warp;
  const std::size_t first = unit_.thread_index(last.warp, 0);
  const auto user = static_cast<unsigned>(std::countr_zero(touch.lanes));
  const Knowledge::Row row = unit_.warps[warp].rows[user];
  const std::uint32_t* known = unit_.knowledge.known(row) + first;
  const std::uint32_t* fenced = unit_.knowledge.fenced(row) + first;
  for (LaneMask left = last.lanes; left != 0; left &= left - 1) {
    const auto lane = static_cast<unsigned>(std::countr_zero(left));
    if (fenced[lane] > last.time) continue;
    const bool own = last.warp == warp && lane == user;
    if (!own && known[lane] <= last.time) continue;  // unordered altogether: a race, told as such
    RaceOccurrence found;
    found.kind = RaceKind::missing_proxy_fence;
    found.severity = touch.actor->writes ? RaceSeverity::warning : RaceSeverity::error;
    found.scope = own ? RaceScope::thread : unit_.scope(last.warp, warp);
    found.first = unit_.side(last.warp, lane, last.site, last.op);
    found.second = unit_.side(warp, user, touch.actor->site, touch.actor->op);
    found.address = touch.word * kWordBytes +
                    static_cast<unsigned>(std::countr_zero(unsigned{last.bytes} & touch.bytes));
    found.has_address = true;
    unit_.tell(found);
    return;
  }
}

void RaceShadow::check_needed(const Cell& cell, const Touch& touch) {
  if (!unit_.options.hints || unit_.needed) return;
  const std::uint16_t mine = code(touch.actor->warp, touch.lanes);
  const auto other = [&](std::uint16_t who) { return who != 0 && (who != mine || mine == kMany); };
  unit_.needed = other(cell.last_writer) || (touch.actor->writes && other(cell.last_reader));
}

void RaceShadow::check_written(Cell& cell, const Touch& touch) {
  if (!unit_.options.uninitialised || unwritten_.size() >= kMaxUnwritten) return;
  unwritten_.push_back(
      {unit_.side(touch.actor->warp, static_cast<unsigned>(std::countr_zero(touch.lanes)),
                  touch.actor->site, touch.actor->op),
       touch.block, static_cast<std::uint32_t>(touch.word),
       static_cast<std::uint8_t>(touch.bytes & ~unsigned{cell.written}), touch.actor->writes});
}

void RaceShadow::check_access(const Touch& touch, Cell& cell) {
  const RaceActor& actor = *touch.actor;
  check_needed(cell, touch);
  if (cell.asyncs != 0) check_asyncs(cell, touch);
  if (cell.writes != 0) check_list(cell, touch, cell.writes);
  if (actor.writes && cell.reads != 0) check_list(cell, touch, cell.reads);
  if (actor.reads && (touch.bytes & ~unsigned{cell.written}) != 0) check_written(cell, touch);
}

template <typename Visit>
void RaceShadow::for_each_word(const RaceActor& actor, std::uint32_t block, std::uint64_t base,
                               const Footprint& footprint, bool remote, Visit&& visit) {
  const std::uint64_t origin = base / kWordBytes;
  for (const FootprintPart& part : footprint.parts) {
    std::uint64_t word = origin + static_cast<std::uint64_t>(part.word);
    std::uint32_t where = block;
    Cell* cell = find(where, word, remote);
    if (cell != nullptr) visit(Touch{&actor, where, word, part.lanes, part.bytes}, *cell);
  }
}

void RaceShadow::access(const RaceActor& actor, std::uint32_t block, std::uint64_t base,
                        const Footprint& footprint, bool remote) {
  if (!remote && !check_window(actor, block, base, footprint)) return;
  any_write_ = any_write_ || (actor.writes && !actor.reads);
  const auto check = [this](const Touch& touch, Cell& cell) { check_access(touch, cell); };
  const auto note = [this](const Touch& touch, Cell& cell) { note_access(touch, cell); };
  if (footprint.overlaps == 0) {
    for_each_word(actor, block, base, footprint, remote, [&](const Touch& touch, Cell& cell) {
      check(touch, cell);
      note(touch, cell);
    });
    return;
  }
  // Lanes that hit each other are told as one instruction's doing, not as a pair of accesses.
  for_each_word(actor, block, base, footprint, remote, check);
  for_each_word(actor, block, base, footprint, remote, note);
}

void RaceShadow::async_access(const RaceActor& actor, std::uint32_t block, std::uint64_t base,
                              const Footprint& footprint, LaneMask lanes,
                              RaceCopies::TokenId token) {
  if (!check_window(actor, block, base, footprint)) return;
  any_write_ = any_write_ || (actor.writes && !actor.reads);
  for_each_word(actor, block, base, footprint, false, [&](Touch touch, Cell& cell) {
    touch.lanes &= lanes;
    if (touch.lanes == 0) return;
    check_needed(cell, touch);
    if ((actor.flags & kRaceProxy) != 0 && unit_.check_fences) check_fence(touch);
    if (cell.asyncs != 0) check_asyncs(cell, touch);
    if (cell.writes != 0) check_list(cell, touch, cell.writes);
    if (actor.writes && cell.reads != 0) check_list(cell, touch, cell.reads);
    note_copy(touch, cell, token);
  });
}

}  // namespace smemsim
