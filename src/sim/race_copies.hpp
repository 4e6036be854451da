// Asynchronous operations on shared memory and what makes their end known: cp.async groups, bulk
// groups, wgmma groups, and mbarrier phases.
//
// An asynchronous access does not happen at its instruction but at some time between it and the
// moment its completion is observed. A *token* stands for the accesses of one warp that complete
// together: it says which lanes issued them and which threads observed their end, and when.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <optional>
#include <utility>
#include <vector>

#include "sim/race_state.hpp"

namespace smemsim {

/// Families of groups, each counted separately per thread.
enum class CopyFamily : std::uint8_t { cp_async, bulk, wgmma };
inline constexpr std::size_t kCopyFamilies = 3;

class RaceCopies {
 public:
  using TokenId = std::uint32_t;  ///< 0 = none

  struct Observer {
    LaneMask issuers = 0;    ///< lanes of the token's warp whose accesses it covers
    LaneMask lanes = 0;      ///< lanes that observed it
    std::uint32_t time = 0;  ///< of the observing warp
    std::uint32_t warp = 0;
    bool self = false;  ///< every lane observed its own accesses only
  };
  struct Token {
    std::uint32_t owners = 0;  ///< records, queues and mbarriers that refer to it
    std::uint32_t warp = 0;
    std::uint32_t issue_time = 0;
    std::uint32_t issue_epoch = 0;
    LaneMask done = 0;  ///< issuers whose completion someone observed
    std::uint32_t done_epoch = 0;
    /// The first wait after the issue that left it unfinished.
    std::uint32_t partial_site = kNoSite;
    std::uint32_t partial_time = 0;
    std::uint64_t partial_left = 0;
    std::vector<Observer> observers;
    /// For the advice on waits: set on the newest group that a wait completed.
    std::uint32_t wait_site = kNoSite;
    std::uint32_t next_wait_time = 0;  ///< of the issuing warp at its next wait; 0 = none yet
    bool used = false;                 ///< before that next wait
    std::uint32_t issue_site = kNoSite;
    Operation op = Operation::cp_async_ca;  ///< of its accesses
  };

  explicit RaceCopies(RaceUnit& unit) : unit_(unit) {}
  void start();
  /// The unit is over: judges the waits of tokens still alive.
  void finish();

  /// A token outside any group (completed by an mbarrier).
  TokenId make(std::uint32_t warp, std::uint32_t site, Operation op);
  /// Calls visit(token, lanes) with the open group of the lanes, started where there is none.
  template <typename Visit>
  void issue(CopyFamily family, std::uint32_t warp, LaneMask lanes, std::uint32_t site,
             Operation op, Visit&& visit) {
    while (lanes != 0) {
      const auto [token, group] = open_group(family, warp, lanes, site, op);
      visit(token, group);
      lanes &= ~group;
    }
  }
  void commit(CopyFamily family, std::uint32_t warp, LaneMask lanes);
  /// The lanes return from a wait that may leave `left` groups unfinished.
  void wait(CopyFamily family, std::uint32_t warp, LaneMask lanes, std::uint64_t left,
            std::uint32_t site);
  /// The lanes of `warp` learn that the accesses of `issuers` are over.
  void observe(TokenId token, LaneMask issuers, std::uint32_t warp, LaneMask lanes,
               std::uint32_t site);
  /// Calls visit(token) for all unfinished cp.async groups of the lane, and the open one.
  template <typename Visit>
  void for_each_unfinished(std::uint32_t warp, unsigned lane, Visit&& visit) {
    Groups& groups = groups_of(CopyFamily::cp_async, warp)[lane];
    for (const TokenId token : groups.committed) {
      if (token != 0) visit(token);
    }
    if (groups.open != 0) visit(groups.open);
  }

  Token& token(TokenId id) { return tokens_[id]; }
  const Token& token(TokenId id) const { return tokens_[id]; }
  void retain(TokenId id) { ++tokens_[id].owners; }
  void release(TokenId id);

  /// Everyone knows that the accesses of these issuers are over.
  bool settled(const Token& token, LaneMask issuers) const {
    return (issuers & ~token.done) == 0 && token.done_epoch < unit_.epoch;
  }
  /// An issuer and a lane of `warp` that does not know the issuer's accesses to be over.
  std::optional<std::pair<unsigned, unsigned>> unknown(const Token& token, LaneMask issuers,
                                                       std::uint32_t warp, LaneMask lanes) const;
  /// Whether the lane waited for cp.async groups in or after that epoch.
  bool waited_since(std::uint32_t warp, unsigned lane, std::uint32_t epoch);
  /// Notes the use of completed data, for the advice on waits.
  void use(Token& token, std::uint32_t warp, LaneMask lanes);

  /// Per wait site: executions that completed a group, and how many of them completed a newest
  /// group that nobody used before the next wait.
  struct WaitUse {
    std::uint64_t waits = 0;
    std::uint64_t unused = 0;
  };
  const std::vector<WaitUse>& wait_use() const { return wait_use_; }
  /// Per site of an asynchronous operation: a site that waited for its completion, or kNoSite.
  const std::vector<std::uint32_t>& waited_by() const { return waited_by_; }
  /// A new launch: forgets the per-site results.
  void start_launch(std::size_t sites);

 private:
  struct Groups {
    TokenId open = 0;
    std::deque<TokenId> committed;
    std::uint32_t waited_epoch = 0;
    TokenId newest_done = 0;  ///< the newest group that the last wait completed (hints only)
  };
  std::vector<Groups>& groups_of(CopyFamily family, std::uint32_t warp) {
    std::vector<Groups>& groups = groups_[static_cast<std::size_t>(family)][warp];
    if (groups.empty()) groups.resize(unit_.lanes);
    return groups;
  }
  std::pair<TokenId, LaneMask> open_group(CopyFamily family, std::uint32_t warp, LaneMask lanes,
                                          std::uint32_t site, Operation op);
  bool lane_knows(const Observer& observer, const Token& token, unsigned issuer, std::uint32_t warp,
                  unsigned lane) const;
  void judge_wait(const Token& token);

  RaceUnit& unit_;
  std::vector<Token> tokens_{1};
  std::vector<TokenId> free_;
  std::array<std::vector<std::vector<Groups>>, kCopyFamilies> groups_;
  std::vector<WaitUse> wait_use_;
  std::vector<std::uint32_t> waited_by_;
};

}  // namespace smemsim
