// Short traces for the race tests: each call appends one warp event at a line of "k.cu".
#pragma once

#include <algorithm>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "catch.hpp"
#include "sim/race_check.hpp"
#include "trace/launch_builder.hpp"

namespace smemsim::race_test {

inline constexpr LaneMask kAll = 0xFFFFFFFF;
using Address = std::function<std::uint64_t(unsigned lane)>;

/// addr = origin + 4 * (32 * warp + lane), the "own element" of a thread.
inline Address own(std::uint32_t warp, std::uint64_t origin = 0) {
  return [=](unsigned lane) { return origin + 4 * (32ULL * warp + lane); };
}
inline Address at(std::uint64_t address) {
  return [=](unsigned) { return address; };
}

class Trace {
 public:
  explicit Trace(std::uint32_t threads, std::uint32_t shared = 16384, std::uint32_t cluster = 1)
      : builder_(launch(threads, shared, cluster)) {}

  Launch& launch() { return builder_.launch(); }
  /// Events go to this block from now on.
  Trace& block(std::uint64_t index) {
    block_ = index;
    return *this;
  }
  Trace& op(Operation what, std::uint32_t line, std::uint32_t warp, LaneMask lanes = kAll,
            std::uint64_t a = 0, std::uint64_t b = 0, std::uint64_t base = 0,
            std::uint64_t source = 0) {
    FlatEventPlus event(*this, what, line, lanes);
    event.flat.a = a;
    event.flat.b = b;
    const std::vector<std::uint64_t> bases{base}, sources{source};
    if (traits(what).space != AddressSpace::none) event.flat.addresses = bases;
    if (traits(what).has_source) event.flat.sources = sources;
    builder_.add(block_, warp, event.flat);
    return *this;
  }
  Trace& access(Operation what, std::uint32_t line, std::uint32_t warp, const Address& address,
                LaneMask lanes = kAll, std::uint8_t width = 4, std::uint8_t flags = 0,
                std::uint8_t matrices = 0) {
    FlatEventPlus event(*this, what, line, lanes);
    event.flat.width = width;
    event.flat.flags = flags;
    event.flat.matrices = matrices;
    std::vector<std::uint64_t> addresses(32), sources(32);
    for_each_lane(lanes, [&](unsigned lane) { addresses[lane] = address(lane); });
    event.flat.addresses = addresses;
    if (traits(what).has_source) event.flat.sources = sources;
    builder_.add(block_, warp, event.flat);
    return *this;
  }
  Trace& store(std::uint32_t line, std::uint32_t warp, const Address& address,
               LaneMask lanes = kAll, std::uint8_t width = 4) {
    return access(Operation::store, line, warp, address, lanes, width);
  }
  Trace& load(std::uint32_t line, std::uint32_t warp, const Address& address, LaneMask lanes = kAll,
              std::uint8_t width = 4) {
    return access(Operation::load, line, warp, address, lanes, width);
  }
  Trace& copy(std::uint32_t line, std::uint32_t warp, const Address& address,
              LaneMask lanes = kAll) {
    return access(Operation::cp_async_ca, line, warp, address, lanes);
  }
  Trace& sync(std::uint32_t line, std::uint32_t warp, LaneMask lanes = kAll) {
    return op(Operation::barrier_sync, line, warp, lanes);
  }
  Trace& named(std::uint32_t line, std::uint32_t warp, std::uint64_t id, std::uint64_t count) {
    return op(Operation::barrier_sync, line, warp, kAll, id, count);
  }
  Trace& arrive(std::uint32_t line, std::uint32_t warp, std::uint64_t id, std::uint64_t count) {
    return op(Operation::barrier_arrive, line, warp, kAll, id, count);
  }
  Trace& syncwarp(std::uint32_t line, std::uint32_t warp, LaneMask lanes = kAll,
                  std::uint64_t mask = kAll) {
    return op(Operation::warp_sync, line, warp, lanes, mask);
  }
  Trace& commit(std::uint32_t line, std::uint32_t warp, LaneMask lanes = kAll) {
    return op(Operation::cp_async_commit, line, warp, lanes);
  }
  Trace& wait(std::uint32_t line, std::uint32_t warp, std::uint64_t left, LaneMask lanes = kAll) {
    return op(Operation::cp_async_wait, line, warp, lanes, left);
  }

  LaunchRaces check(RaceOptions options = {}) {
    RaceChecker checker(options);
    const Status status = builder_.deliver(checker);
    INFO((status.ok() ? std::string() : status.error().text()));
    REQUIRE(status.ok());
    REQUIRE(checker.report().launches.size() == 1);
    return checker.report().launches.front();
  }
  trace::LaunchBuilder& builder() { return builder_; }
  /// Instruction i of the kernel is what stands at line i; events belong to them.
  Trace& code(const std::vector<std::string>& instructions) {
    Program program;
    program.function = "k";
    program.files = {"k.cu"};
    for (const std::string& text : instructions) {
      const auto line = static_cast<std::uint32_t>(program.instructions.size());
      program.instructions.push_back({16 * line, 0, 0, text, 0, line});
    }
    builder_.add_program(program);
    has_code_ = true;
    return *this;
  }

 private:
  struct FlatEventPlus {
    trace::FlatEvent flat;
    FlatEventPlus(Trace& trace, Operation what, std::uint32_t line, LaneMask lanes) {
      flat.op = what;
      flat.active = lanes;
      Site site;
      site.file = "k.cu";
      site.line = line;
      site.instruction = std::string(name(what));
      if (trace.has_code_) {
        site.function = "k";
        site.pc = 16 * line;
      }
      flat.site = trace.builder_.add_site(site);
    }
  };
  static Launch launch(std::uint32_t threads, std::uint32_t shared, std::uint32_t cluster) {
    Launch out;
    out.kernel = out.function = "k";
    out.grid = {64, 1, 1};
    out.block = {threads, 1, 1};
    out.cluster = {cluster, 1, 1};
    out.static_shared = shared;
    return out;
  }

  trace::LaunchBuilder builder_;
  std::uint64_t block_ = 0;
  bool has_code_ = false;
};

/// "kind first-line second-line severity" of every finding of at least that severity.
inline std::vector<std::string> summary(const LaunchRaces& races,
                                        RaceSeverity least = RaceSeverity::info) {
  std::vector<std::string> out;
  for (const RaceFinding& finding : races.findings) {
    if (finding.severity < least) continue;
    std::string text(race_kind_name(finding.kind));
    text += ' ' + std::to_string(races.sites[finding.first.site].line);
    if (finding.second.site != kNoSite) {
      text += ' ' + std::to_string(races.sites[finding.second.site].line);
    }
    out.push_back(text + ' ' + std::string(severity_name(finding.severity)));
  }
  std::sort(out.begin(), out.end());
  return out;
}

using Lines = std::vector<std::string>;

/// The same for several warps, each in turn.
inline void each_warp(std::uint32_t warps, const std::function<void(std::uint32_t)>& visit) {
  for (std::uint32_t warp = 0; warp < warps; ++warp) visit(warp);
}

}  // namespace smemsim::race_test
