// What shadow memory keeps of an access, and what it lets go.
#include "sim/race_shadow.hpp"

namespace smemsim {

void RaceShadow::remember(const Touch& touch, std::uint32_t& head) {
  const RaceActor& actor = *touch.actor;
  const RaceWarp& warp = unit_.warps[actor.warp];
  const std::uint8_t flags = race_flags(actor);
  const std::uint32_t ordinal = warp.ordinal - warp.epoch_ordinal;
  std::uint32_t own = 0;
  for (std::uint32_t index = head; index != 0;) {
    Record& record = pool_.records[index];
    if (record.warp == actor.warp) {
      ++own;
      if (record.site == actor.site && record.bytes == touch.bytes && record.flags == flags) {
        if (record.time == warp.time) {
          record.lanes |= touch.lanes;
          return;
        }
        // The newer access of the same lanes stands for the older one: what comes later and is not
        // ordered after the older one is not ordered after the newer one either.
        record.lanes &= ~touch.lanes;
        if (record.lanes == 0) {
          record.lanes = touch.lanes;
          record.time = warp.time;
          record.ordinal = ordinal;
          return;
        }
      }
    } else if (warp.runs == 1) {
      break;  // in its first run of the epoch, a warp's records are all in front
    }
    index = record.next;
  }
  if (own >= unit_.options.history) {  // for existence alone, the site does not matter
    for (std::uint32_t* link = &head; *link != 0;) {
      const std::uint32_t index = *link;
      Record& record = pool_.records[index];
      const bool covered = record.warp == actor.warp && (record.bytes & ~touch.bytes) == 0 &&
                           ((flags & kRaceAtomic) == 0 || (record.flags & kRaceAtomic) != 0);
      if (covered) record.lanes &= ~touch.lanes;
      if (record.lanes == 0) {
        *link = record.next;
        pool_.remove(index);
      } else {
        link = &record.next;
      }
    }
  }
  // Written in place, field by field: building it elsewhere and copying costs more than the rest.
  const std::uint32_t index = pool_.make();
  Record& fresh = pool_.records[index];
  fresh.lanes = touch.lanes;
  fresh.time = warp.time;
  fresh.site = actor.site;
  fresh.ordinal = ordinal;
  fresh.token = static_cast<std::uint32_t>(actor.op);
  fresh.next = head;
  fresh.warp = static_cast<std::uint16_t>(actor.warp);
  fresh.bytes = touch.bytes;
  fresh.flags = flags;
  head = index;
}

void RaceShadow::prune(std::uint32_t& head, const Touch& touch) {
  std::uint32_t length = 0;
  for (std::uint32_t index = head; index != 0; index = pool_.records[index].next) ++length;
  if (length <= unit_.options.history) return;
  const bool atomic = (touch.actor->flags & kRaceAtomic) != 0;
  for (std::uint32_t* link = &head; *link != 0;) {
    const std::uint32_t index = *link;
    const Record& record = pool_.records[index];
    if ((record.bytes & ~touch.bytes) == 0 && (!atomic || (record.flags & kRaceAtomic) != 0) &&
        !unordered(record, touch.actor->warp, touch.lanes)) {
      *link = record.next;
      pool_.remove(index);
    } else {
      link = &pool_.records[index].next;
    }
  }
}

std::uint16_t RaceShadow::code(std::uint32_t warp, LaneMask lanes) const {
  if (!std::has_single_bit(lanes)) return kMany;
  const std::size_t thread =
      unit_.thread_index(warp, static_cast<unsigned>(std::countr_zero(lanes)));
  return thread + 1 < kMany ? static_cast<std::uint16_t>(thread + 1) : kMany;
}

void RaceShadow::remember_users(Cell& cell, const Touch& touch) {
  const std::uint16_t mine = code(touch.actor->warp, touch.lanes);
  const auto merge = [&](std::uint16_t& who) { who = who == 0 || who == mine ? mine : kMany; };
  if (touch.actor->reads) merge(cell.reader);
  if (touch.actor->writes) merge(cell.writer);
}

void RaceShadow::note_access(const Touch& touch, Cell& cell) {
  const RaceActor& actor = *touch.actor;
  if (unit_.options.hints) remember_users(cell, touch);
  if (!actor.writes) {
    remember(touch, cell.reads);
    return;
  }
  if (cell.reads != 0) prune(cell.reads, touch);
  if (cell.writes != 0) prune(cell.writes, touch);
  remember(touch, cell.writes);
  cell.written |= touch.bytes;
  if (!actor.reads) cell.set |= touch.bytes;
  if (unit_.check_fences && (actor.flags & kRaceSync) == 0) note_last_write(touch);
}

void RaceShadow::note_last_write(const Touch& touch) {
  const RaceActor& actor = *touch.actor;
  std::vector<LastWrite>& writes = last_writes_[touch.block];
  if (touch.word >= writes.size()) writes.resize(cells_[touch.block].size());
  LastWrite& last = writes[touch.word];
  const std::uint32_t time = unit_.warps[actor.warp].time;
  const bool same = last.epoch >= unit_.first_epoch && last.warp == actor.warp &&
                    last.time == time && last.site == actor.site;
  if (!same) last = {0, time, actor.site, actor.warp, unit_.epoch, actor.op, 0};
  last.lanes |= touch.lanes;
  last.bytes |= touch.bytes;
}

void RaceShadow::note_copy(const Touch& touch, Cell& cell, RaceCopies::TokenId token) {
  const RaceActor& actor = *touch.actor;
  const RaceWarp& warp = unit_.warps[actor.warp];
  if (actor.writes) {
    cell.written |= touch.bytes;
    cell.set |= touch.bytes;
    std::vector<LastWrite>& writes = last_writes_[touch.block];
    if (touch.word < writes.size()) {
      writes[touch.word].bytes &= static_cast<std::uint8_t>(~touch.bytes);
    }
  }
  const std::uint32_t index = async_pool_.make();
  Record& record = async_pool_.records[index];
  record.lanes = touch.lanes;
  record.time = warp.time;
  record.site = actor.site;
  record.ordinal = warp.ordinal;
  record.token = token;
  record.next = cell.asyncs;
  record.warp = static_cast<std::uint16_t>(actor.warp);
  record.bytes = touch.bytes;
  record.flags = race_flags(actor);
  cell.asyncs = index;
  copies_.retain(token);
}

}  // namespace smemsim
