#include "sim/race_copies.hpp"

#include <algorithm>

namespace smemsim {

void RaceCopies::start_launch(std::size_t sites) {
  wait_use_.assign(sites, {});
  waited_by_.assign(sites, kNoSite);
}

void RaceCopies::start() {
  tokens_.clear();
  tokens_.resize(1);
  free_.clear();
  for (auto& family : groups_) {
    family.clear();
    family.resize(unit_.warps.size());
  }
}

void RaceCopies::finish() {
  for (const Token& token : tokens_) {
    if (token.owners != 0) judge_wait(token);
  }
}

RaceCopies::TokenId RaceCopies::make(std::uint32_t warp, std::uint32_t site, Operation op) {
  TokenId id = 0;
  if (free_.empty()) {
    id = static_cast<TokenId>(tokens_.size());
    tokens_.emplace_back();
  } else {
    id = free_.back();
    free_.pop_back();
    tokens_[id] = {};
  }
  Token& token = tokens_[id];
  token.owners = 1;
  token.warp = warp;
  token.issue_time = unit_.warps[warp].time;
  token.issue_epoch = unit_.epoch;
  token.issue_site = site;
  token.op = op;
  return id;
}

void RaceCopies::release(TokenId id) {
  if (id == 0) return;
  Token& token = tokens_[id];
  if (--token.owners != 0) return;
  judge_wait(token);
  free_.push_back(id);
}

std::pair<RaceCopies::TokenId, LaneMask> RaceCopies::open_group(CopyFamily family,
                                                                std::uint32_t warp, LaneMask lanes,
                                                                std::uint32_t site, Operation op) {
  std::vector<Groups>& groups = groups_of(family, warp);
  const TokenId open = groups[static_cast<unsigned>(std::countr_zero(lanes))].open;
  LaneMask same = 0;
  for_each_lane(lanes, [&](unsigned lane) {
    if (groups[lane].open == open) same |= lane_bit(lane);
  });
  if (open != 0) return {open, same};
  const TokenId fresh = make(warp, site, op);
  for_each_lane(same, [&](unsigned lane) { groups[lane].open = fresh; });
  tokens_[fresh].owners = lane_count(same);
  return {fresh, same};
}

void RaceCopies::commit(CopyFamily family, std::uint32_t warp, LaneMask lanes) {
  std::vector<Groups>& groups = groups_of(family, warp);
  for_each_lane(lanes, [&](unsigned lane) {
    groups[lane].committed.push_back(groups[lane].open);  // an empty group counts as one
    groups[lane].open = 0;
  });
}

void RaceCopies::wait(CopyFamily family, std::uint32_t warp, LaneMask lanes, std::uint64_t left,
                      std::uint32_t site) {
  std::vector<Groups>& groups = groups_of(family, warp);
  const std::uint32_t now = unit_.warps[warp].time;
  const auto leave = [&](TokenId id) {
    if (id == 0 || tokens_[id].partial_site != kNoSite) return;
    tokens_[id].partial_site = site;
    tokens_[id].partial_time = now;
    tokens_[id].partial_left = left;
  };
  bool leader = unit_.options.hints && family == CopyFamily::cp_async;
  for_each_lane(lanes, [&](unsigned lane) {
    Groups& own = groups[lane];
    own.waited_epoch = unit_.epoch;
    if (leader && own.newest_done != 0) {
      if (tokens_[own.newest_done].next_wait_time == 0)
        tokens_[own.newest_done].next_wait_time = now;
      release(own.newest_done);
      own.newest_done = 0;
    }
    TokenId newest = 0;
    while (own.committed.size() > left) {
      const TokenId id = own.committed.front();
      own.committed.pop_front();
      if (id == 0) continue;
      if (newest != 0) release(newest);
      newest = id;
      Token& token = tokens_[id];
      if (token.issue_site < waited_by_.size()) waited_by_[token.issue_site] = site;
      if (token.observers.empty() || !token.observers.back().self ||
          token.observers.back().time != now) {
        token.observers.push_back({0, 0, now, warp, true});
      }
      token.observers.back().issuers |= lane_bit(lane);
      token.observers.back().lanes |= lane_bit(lane);
      token.done |= lane_bit(lane);
      token.done_epoch = unit_.epoch;
    }
    if (newest != 0 && leader) {
      Token& token = tokens_[newest];
      token.wait_site = site;
      own.newest_done = newest;  // keeps the ownership of the queue
    } else if (newest != 0) {
      release(newest);
    }
    leader = false;
    for (const TokenId id : own.committed) leave(id);
    leave(own.open);
  });
}

void RaceCopies::observe(TokenId id, LaneMask issuers, std::uint32_t warp, LaneMask lanes,
                         std::uint32_t site) {
  Token& token = tokens_[id];
  if (token.issue_site < waited_by_.size()) waited_by_[token.issue_site] = site;
  const std::uint32_t now = unit_.warps[warp].time;
  for (Observer& each : token.observers) {
    if (each.self || each.warp != warp || each.issuers != issuers) continue;
    if (each.time == now) {
      each.lanes |= lanes;
      return;
    }
    if ((lanes & ~each.lanes) == 0) return;  // they knew it already
  }
  token.observers.push_back({issuers, lanes, now, warp, false});
  if ((issuers & ~token.done) != 0) {
    token.done |= issuers;
    token.done_epoch = unit_.epoch;
  }
}

bool RaceCopies::lane_knows(const Observer& observer, const Token& token, unsigned issuer,
                            std::uint32_t warp, unsigned lane) const {
  if (!has_lane(observer.issuers, issuer)) return false;
  const std::uint32_t* known = unit_.knowledge.known(unit_.warps[warp].rows[lane]);
  if (observer.self) {
    if (warp == token.warp && lane == issuer) return true;
    return known[unit_.thread_index(token.warp, issuer)] > observer.time;
  }
  if (warp == observer.warp && has_lane(observer.lanes, lane)) return true;
  bool knows = false;
  const std::size_t first = unit_.thread_index(observer.warp, 0);
  for_each_lane(observer.lanes,
                [&](unsigned who) { knows = knows || known[first + who] > observer.time; });
  return knows;
}

std::optional<std::pair<unsigned, unsigned>> RaceCopies::unknown(const Token& token,
                                                                 LaneMask issuers,
                                                                 std::uint32_t warp,
                                                                 LaneMask lanes) const {
  if (settled(token, issuers)) return std::nullopt;
  for (LaneMask users = lanes; users != 0; users &= users - 1) {
    const auto lane = static_cast<unsigned>(std::countr_zero(users));
    for (LaneMask left = issuers; left != 0; left &= left - 1) {
      const auto issuer = static_cast<unsigned>(std::countr_zero(left));
      const bool knows = std::any_of(
          token.observers.begin(), token.observers.end(),
          [&](const Observer& each) { return lane_knows(each, token, issuer, warp, lane); });
      if (!knows) return std::pair{issuer, lane};
    }
  }
  return std::nullopt;
}

bool RaceCopies::waited_since(std::uint32_t warp, unsigned lane, std::uint32_t epoch) {
  return groups_of(CopyFamily::cp_async, warp)[lane].waited_epoch >= epoch;
}

void RaceCopies::use(Token& token, std::uint32_t warp, LaneMask lanes) {
  if (token.used || token.wait_site == kNoSite) return;
  if (token.next_wait_time == 0) {
    token.used = true;
    return;
  }
  // A user that does not know of the next wait could not have relied on it.
  const std::size_t first = unit_.thread_index(token.warp, 0);
  for_each_lane(lanes, [&](unsigned lane) {
    const std::uint32_t* known = unit_.knowledge.known(unit_.warps[warp].rows[lane]);
    for_each_lane(token.done, [&](unsigned issuer) {
      if (warp == token.warp && lane == issuer) return;
      if (known[first + issuer] <= token.next_wait_time) token.used = true;
    });
  });
}

void RaceCopies::judge_wait(const Token& token) {
  if (token.wait_site == kNoSite || token.wait_site >= wait_use_.size()) return;
  ++wait_use_[token.wait_site].waits;
  if (!token.used) ++wait_use_[token.wait_site].unused;
}

}  // namespace smemsim
