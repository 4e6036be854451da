#include "sim/race_advice.hpp"

#include <array>
#include <cstdio>

namespace smemsim {
namespace {

std::string hex(std::uint64_t value) {
  std::array<char, 24> buffer{};
  std::snprintf(buffer.data(), buffer.size(), "0x%llx", static_cast<unsigned long long>(value));
  return buffer.data();
}

std::string plural(std::uint64_t count, const char* noun) {
  return std::to_string(count) + " " + noun + (count == 1 ? "" : "s");
}

bool is_copy(Operation op) {
  return op == Operation::cp_async_ca || op == Operation::cp_async_cg || op == Operation::bulk_load;
}

/// "reads", "writes", ... of a side.
std::string verb(Operation op) {
  if (is_atomic(op)) return "atomically updates";
  if (is_copy(op)) return "copies asynchronously into";
  if (op == Operation::bulk_store || op == Operation::bulk_reduce) return "bulk-copies from";
  if (op == Operation::wgmma) return "multiplies from";
  return traits(op).writes ? "writes" : "reads";
}

class Words {
 public:
  Words(const Launch& launch, RaceFinding& finding) : launch_(launch), f_(finding) {}

  void describe() {
    switch (f_.kind) {
      case RaceKind::read_after_write:
      case RaceKind::write_after_read:
      case RaceKind::write_after_write:
        hazard();
        break;
      case RaceKind::same_instruction_write:
        same_instruction();
        break;
      case RaceKind::copy_not_waited:
      case RaceKind::copy_too_few_groups:
      case RaceKind::copy_wrong_thread:
      case RaceKind::copy_not_published:
        copy();
        break;
      case RaceKind::missing_proxy_fence:
        fence();
        break;
      case RaceKind::barrier_partial:
      case RaceKind::barrier_divergent:
      case RaceKind::barrier_count:
      case RaceKind::warp_sync_partial:
        barrier();
        break;
      case RaceKind::mbarrier_init_race:
      case RaceKind::mbarrier_uninitialised:
      case RaceKind::mbarrier_incomplete:
      case RaceKind::mbarrier_overflow:
        mbarrier();
        break;
      default:
        rest();
        break;
    }
  }

 private:
  std::string at(const RaceSide& side) const { return race_place(launch_.sites, side.site); }
  std::string first() const { return at(f_.first); }
  std::string second() const { return at(f_.second); }
  std::string thread(const RaceSide& side) const { return "thread " + std::to_string(side.thread); }
  std::string byte() const { return "shared byte " + hex(f_.address); }
  const Site* site(std::uint32_t index) const {
    return index < launch_.sites.size() ? &launch_.sites[index] : nullptr;
  }
  bool same_line() const {
    const Site* a = site(f_.first.site);
    const Site* b = site(f_.second.site);
    return a != nullptr && b != nullptr && a->line != 0 && a->line == b->line && a->file == b->file;
  }
  /// Both sides are one statement that reads and then writes back, such as bins[i] += 1.
  bool is_update() const {
    const bool first_writes = traits(f_.first.op).writes;
    if (!same_line() || first_writes == traits(f_.second.op).writes) return false;
    if (is_copy(f_.first.op) || is_copy(f_.second.op)) return false;
    const std::uint32_t read = first_writes ? f_.second.site : f_.first.site;
    const std::uint32_t write = first_writes ? f_.first.site : f_.second.site;
    const Site& a = launch_.sites[read];
    const Site& b = launch_.sites[write];
    return a.pc != b.pc ? a.pc < b.pc : read < write;
  }
  /// The first side stands below the second: the pair meets across iterations of a loop.
  bool wraps() const {
    const Site* a = site(f_.first.site);
    const Site* b = site(f_.second.site);
    return a != nullptr && b != nullptr && a->line != 0 && a->file == b->file && a->line > b->line;
  }
  std::string sync() const {
    if (f_.scope == RaceScope::warp) return "__syncwarp()";
    return f_.scope == RaceScope::cluster ? "a cluster barrier (cluster.sync())"
                                          : "__syncthreads()";
  }
  std::string between() const {
    if (wraps()) {
      return "after " + first() + ", before " + second() + " of the next iteration";
    }
    return "between " + first() + " and " + second();
  }

  void hazard() {
    const char* nothing = f_.scope == RaceScope::warp
                              ? "; lanes of a warp are not ordered without __syncwarp()"
                              : "; nothing orders the two";
    f_.what = thread(f_.second) + " " + verb(f_.second.op) + " " + byte() + " that " +
              thread(f_.first) + " " + verb(f_.first.op) + nothing;
    if (f_.first.site == f_.second.site) {
      f_.advice = "let one thread do " + first() +
                  ", give every thread its own element, or make "
                  "it atomic";
    } else if (is_update()) {
      f_.advice = "make the update at " + first() +
                  " atomic (atomicAdd), or give every thread its "
                  "own element";
    } else {
      f_.advice = "add " + sync() + " " + between();
    }
  }

  void same_instruction() {
    f_.what = "lanes " + std::to_string(f_.first.thread % launch_.device.warp_lanes) + " and " +
              std::to_string(f_.second.thread % launch_.device.warp_lanes) +
              " of one store write " + byte();
    if (f_.variant == kRaceOverlapEqual) {
      f_.what += "; the values were equal";
      f_.advice = "harmless while the values stay equal; let one lane store to say so";
      return;
    }
    f_.what += f_.variant == kRaceOverlapKnown
                   ? "; the values differ, and which one stays is undefined"
                   : "; which value stays is undefined";
    f_.advice = "let one lane store at " + first() + ", or give every lane its own element";
  }

  std::string wait_call(bool read) const {
    switch (f_.first.op) {
      case Operation::bulk_load:
        return "a wait on its mbarrier (mbarrier.try_wait.parity)";
      case Operation::bulk_store:
      case Operation::bulk_reduce:
        return "cp.async.bulk.wait_group.read 0";
      case Operation::wgmma:
        return "wgmma.wait_group 0";
      default:
        return read ? "cp.async.wait_group 0 (__pipeline_wait_prior(0))" : "cp.async.wait_group 0";
    }
  }

  void copy() {
    const bool read_side = !is_copy(f_.first.op);
    const std::string used = thread(f_.second) + " " + verb(f_.second.op) + " " + byte() +
                             (read_side ? " while the " : " before the copy of ") +
                             (read_side ? std::string(name(f_.first.op)) + " of " : "") +
                             thread(f_.first);
    const bool bulk = f_.first.op == Operation::bulk_load;
    const std::string help = race_place(launch_.sites, f_.helper_site);
    if (f_.kind == RaceKind::copy_too_few_groups) {
      f_.what = used + (read_side ? " may still read it" : " is known to be complete") +
                "; the wait at " + help + " leaves " + plural(f_.detail, "group") +
                " unfinished, among them that of " + first();
      f_.advice = "use a smaller count in the wait at " + help + " (0 always does), or commit " +
                  first() + " in an earlier group";
    } else if (f_.kind == RaceKind::copy_wrong_thread) {
      f_.what = used +
                " is known to be complete; it waited itself, but a wait covers only the "
                "copies of the thread that waits";
      f_.advice = "let the threads that issue " + first() +
                  " wait too, then __syncthreads(), before " + second();
    } else if (f_.kind == RaceKind::copy_not_published) {
      f_.what = used + (read_side ? " may still read it" : " is known to be complete") +
                "; the wait at " + help + " is not ordered before it";
      f_.advice = bulk ? "let every thread that uses the data wait on the mbarrier, or add "
                         "__syncthreads() between " +
                             help + " and " + second()
                       : "add " + sync() + " between " + help + " and " + second();
    } else {
      f_.what = used + (read_side ? " may still read it" : " is complete") +
                "; nothing waits for it" +
                (f_.scope == RaceScope::thread ? "" : ", and a barrier does not");
      f_.advice = "add " + wait_call(true) + " between " + first() + " and " + second();
      if (f_.scope != RaceScope::thread && !bulk) {
        f_.advice += ", in the issuing threads, and __syncthreads() after it";
      }
    }
  }

  void fence() {
    f_.what = thread(f_.second) + " hands " + byte() + " to the asynchronous proxy, which " +
              thread(f_.first) + " wrote by an ordinary store; no proxy fence lies between";
    f_.advice = "add fence.proxy.async (cuda::ptx::fence_proxy_async) after " + first() +
                (f_.scope == RaceScope::thread ? "" : ", before the barrier") + ", ahead of " +
                second();
  }

  void barrier() {
    if (f_.kind == RaceKind::barrier_divergent) {
      const bool warp = f_.scope == RaceScope::warp;
      f_.what = thread(f_.first) + " meets the barrier at " + first() + " and " +
                thread(f_.second) + (warp ? ", of the same warp," : "") + " the one at " + second();
      f_.advice =
          "move the barrier out of the divergent code, so that all threads reach the same "
          "one";
      return;
    }
    if (f_.kind == RaceKind::warp_sync_partial) {
      f_.what = "the mask " + hex(f_.detail) + " at " + first() + " names lanes " +
                hex(f_.detail2) + " that never get there";
      f_.advice = "name only the lanes that reach " + first() + ", or move it out of the branch";
      return;
    }
    if (f_.kind == RaceKind::barrier_count) {
      count();
      return;
    }
    if (f_.variant == kRaceEarlyExit) {
      f_.what =
          plural(f_.detail, "thread") + " left the kernel" +
          (f_.helper_site == kNoSite ? "" : " at " + race_place(launch_.sites, f_.helper_site)) +
          " before the barrier at " + first() + " that the others reach";
      f_.advice =
          "let the early threads skip the work instead of returning, so that all reach " + first();
      return;
    }
    f_.what = plural(f_.detail, "thread") + " of the block " +
              (f_.variant == kRaceStuckElsewhere ? "wait for something else and never reach"
                                                 : "never reach") +
              " the barrier at " + first();
    f_.advice =
        "move the barrier at " + first() + " out of the branch, so that all threads reach it";
  }

  void count() {
    switch (f_.variant) {
      case kRaceCountNotWarps:
        f_.what = "the count " + std::to_string(f_.detail) + " at " + first() +
                  " is not a multiple of the warp (" + std::to_string(f_.detail2) + ")";
        f_.advice = "round the count at " + first() + " up to whole warps";
        break;
      case kRaceCountDiffers:
        f_.what = "the barrier counts " + std::to_string(f_.detail) + " threads at " + first() +
                  " and " + std::to_string(f_.detail2) + " at " + second();
        f_.advice = "give all participants of one barrier the same count, or use two barrier ids";
        break;
      case kRaceArriveTwice:
        f_.what = thread(f_.first) + " arrives at " + first() + " again while the barrier has " +
                  std::to_string(f_.detail2) + " of " + std::to_string(f_.detail) + " threads";
        f_.advice =
            "let the thread wait for the other side (bar.sync on a second id) before it "
            "arrives again at " +
            first();
        break;
      default:
        f_.what = "the barrier at " + first() + " waits for " + std::to_string(f_.detail) +
                  " threads and only " + std::to_string(f_.detail2) + " ever arrive";
        f_.advice = "make the count at " + first() + " the number of threads that use this id";
        break;
    }
  }

  void mbarrier() {
    if (f_.kind == RaceKind::mbarrier_init_race) {
      f_.what = thread(f_.second) + " uses the mbarrier at " + hex(f_.address) + " that " +
                thread(f_.first) + " initialises; nothing orders the two";
      f_.advice = "add " + sync() + " between " + first() + " and " + second();
    } else if (f_.kind == RaceKind::mbarrier_uninitialised) {
      f_.what = "the mbarrier at " + hex(f_.address) + " is used at " + first() +
                " and nothing initialises it";
      f_.advice = "initialise it in one thread and add __syncthreads() before " + first();
    } else if (f_.kind == RaceKind::mbarrier_incomplete) {
      f_.what = thread(f_.first) + " waits at " + first() + " for a phase that still lacks " +
                plural(f_.detail, "arrival") + " and " + plural(f_.detail2, "byte");
      f_.advice = "check the parity at " + first() + " and the expected arrivals and bytes";
    } else {
      f_.what = thread(f_.first) + " arrives at " + first() + " in a phase that already has its " +
                plural(f_.detail, "arrival");
      f_.advice =
          "expect as many arrivals as there are, or wait for the phase before arriving in "
          "the next";
    }
  }

  void rest() {
    switch (f_.kind) {
      case RaceKind::uninitialised_read:
        f_.what = thread(f_.first) + " reads " + byte() + ", which nothing in the block wrote";
        f_.advice = "write it before " + first() + "; shared memory starts undefined";
        break;
      case RaceKind::out_of_window:
        f_.what = thread(f_.first) + " touches " + byte() + "; the block owns " + hex(f_.detail) +
                  " to " + hex(f_.detail2);
        f_.advice = "bound the index at " + first() + ", or allocate more";
        break;
      case RaceKind::redundant_barrier:
        f_.what = "the barrier at " + first() + " ordered no conflicting accesses in its " +
                  plural(f_.detail, "execution");
        f_.advice = "if other inputs do not need it either, remove the barrier at " + first();
        break;
      case RaceKind::redundant_wait:
        f_.what = "the newest group that the wait at " + first() +
                  " completes is not used before the next wait, in " +
                  plural(f_.detail, "execution");
        f_.advice = "if other inputs do not need it either, raise the count of the wait at " +
                    first() + " by one";
        break;
      default:
        break;
    }
  }

  const Launch& launch_;
  RaceFinding& f_;
};

}  // namespace

std::string race_place(std::span<const Site> sites, std::uint32_t index) {
  if (index >= sites.size()) return "an unknown place";
  const Site& site = sites[index];
  if (site.line != 0) {
    const std::size_t slash = site.file.find_last_of('/');
    const std::string file = slash == std::string::npos ? site.file : site.file.substr(slash + 1);
    return (file.empty() ? "line " : file + ":") + std::to_string(site.line);
  }
  if (site.pc != 0) return (site.function.empty() ? "pc " : site.function + "+") + hex(site.pc);
  if (!site.instruction.empty()) return "'" + site.instruction + "'";
  return "site " + std::to_string(index);
}

void describe_race(const Launch& launch, RaceFinding& finding) {
  Words(launch, finding).describe();
}

}  // namespace smemsim
