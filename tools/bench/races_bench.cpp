// Speed of the race check: warp accesses per second, on kernels that put the work in different
// places.
#include <benchmark/benchmark.h>

#include <vector>

#include "sim/race_check.hpp"

namespace {

using namespace smemsim;

constexpr std::uint32_t kWarps = 8;

EventShape shape_of(Operation op, std::uint32_t site, unsigned width, std::int64_t stride,
                    unsigned distinct) {
  EventShape shape;
  shape.op = op;
  shape.site = site;
  shape.active = first_lanes(32);
  if (!traits(op).lane_addresses) return shape;
  shape.width = static_cast<std::uint8_t>(width);
  shape.offsets.resize(32);
  for (unsigned lane = 0; lane < 32; ++lane) shape.offsets[lane] = lane % distinct * stride;
  return shape;
}

Launch launch_of(std::size_t sites) {
  Launch launch;
  launch.kernel = launch.function = "bench";
  launch.grid = {1U << 20, 1, 1};
  launch.block = {kWarps * 32, 1, 1};
  launch.static_shared = 49152;
  launch.sites.resize(sites);
  for (std::size_t i = 0; i < sites; ++i)
    launch.sites[i].pc = static_cast<std::uint32_t>(16 * (i + 1));
  return launch;
}

/// Feeds `accesses` warp accesses in blocks of `per_warp` events.
void play(benchmark::State& state, const std::vector<EventShape>& shapes,
          const std::vector<std::vector<Event>>& warps) {
  const auto target = static_cast<std::uint64_t>(state.range(0));
  for (auto _ : state) {
    const Launch launch = launch_of(shapes.size());
    RaceChecker checker;
    bool ok = checker.begin_launch(launch).ok();
    std::uint64_t done = 0;
    for (std::uint64_t block = 0; done < target; ++block) {
      for (std::uint32_t warp = 0; warp < kWarps; ++warp) {
        EventBatch batch;
        batch.block = block;
        batch.warp = warp;
        batch.shapes = shapes;
        batch.events = warps[warp];
        batch.shapes_id = 1;
        ok = checker.events(batch).ok() && ok;
        done += warps[warp].size();
      }
    }
    ok = checker.end_launch().ok() && ok;
    if (!ok) state.SkipWithError("the checker refused the trace");
    benchmark::DoNotOptimize(checker.report().launches.size());
    state.counters["accesses/s"] =
        benchmark::Counter(static_cast<double>(checker.report().launches[0].accesses),
                           benchmark::Counter::kIsIterationInvariantRate);
  }
}

/// A tiled product: stores, barrier, many loads of which some are broadcasts, barrier.
void BM_tiles(benchmark::State& state) {
  const std::vector<EventShape> shapes{
      shape_of(Operation::store, 0, 4, 4, 32), shape_of(Operation::barrier_sync, 1, 0, 0, 1),
      shape_of(Operation::load, 2, 4, 4, 32), shape_of(Operation::load, 3, 4, 128, 1),
      shape_of(Operation::barrier_sync, 4, 0, 0, 1)};
  std::vector<std::vector<Event>> warps(kWarps);
  for (std::uint32_t warp = 0; warp < kWarps; ++warp) {
    for (int tile = 0; tile < 64; ++tile) {
      for (std::uint64_t i = 0; i < 8; ++i) warps[warp].push_back({0, 128 * (warp * 8 + i), 0});
      warps[warp].push_back({1, 0, 0});
      for (std::uint64_t k = 0; k < 32; ++k) {
        warps[warp].push_back({2, 128 * k, 0});
        warps[warp].push_back({3, 128 * (32 + warp) + 4 * k, 0});
      }
      warps[warp].push_back({4, 0, 0});
    }
  }
  play(state, shapes, warps);
}

/// 16-byte accesses without broadcasts: the most words per instruction.
void BM_vectors(benchmark::State& state) {
  const std::vector<EventShape> shapes{
      shape_of(Operation::store, 0, 16, 16, 32), shape_of(Operation::barrier_sync, 1, 0, 0, 1),
      shape_of(Operation::load, 2, 16, 16, 32), shape_of(Operation::barrier_sync, 3, 0, 0, 1)};
  std::vector<std::vector<Event>> warps(kWarps);
  for (std::uint32_t warp = 0; warp < kWarps; ++warp) {
    for (int step = 0; step < 256; ++step) {
      for (std::uint64_t i = 0; i < 8; ++i) warps[warp].push_back({0, 512 * (warp * 8 + i), 0});
      warps[warp].push_back({1, 0, 0});
      for (std::uint64_t i = 0; i < 8; ++i) {
        warps[warp].push_back({2, 512 * ((warp + 1) % kWarps * 8 + i), 0});
      }
      warps[warp].push_back({3, 0, 0});
    }
  }
  play(state, shapes, warps);
}

/// Exchange inside each warp, ordered by a warp synchronisation around every access.
void BM_warp_exchange(benchmark::State& state) {
  const std::vector<EventShape> shapes{
      shape_of(Operation::store, 0, 4, 4, 32), shape_of(Operation::warp_sync, 1, 0, 0, 1),
      shape_of(Operation::load, 2, 4, 4, 32), shape_of(Operation::warp_sync, 3, 0, 0, 1)};
  std::vector<std::vector<Event>> warps(kWarps);
  for (std::uint32_t warp = 0; warp < kWarps; ++warp) {
    for (int step = 0; step < 2048; ++step) {
      for (std::uint32_t shape = 0; shape < 4; ++shape) {
        warps[warp].push_back({shape, shape % 2 == 0 ? 128ULL * warp : 0ULL, 0});
      }
    }
  }
  play(state, shapes, warps);
}

/// Every access races with those of the other warps.
void BM_racy(benchmark::State& state) {
  const std::vector<EventShape> shapes{shape_of(Operation::store, 0, 4, 4, 32),
                                       shape_of(Operation::load, 1, 4, 4, 32)};
  std::vector<std::vector<Event>> warps(kWarps);
  for (std::uint32_t warp = 0; warp < kWarps; ++warp) {
    for (std::uint64_t step = 0; step < 2048; ++step) {
      warps[warp].push_back({0, 128 * (step % 64), 0});
      warps[warp].push_back({1, 128 * ((step + 1) % 64), 0});
    }
  }
  play(state, shapes, warps);
}

BENCHMARK(BM_tiles)->Arg(10'000'000)->Unit(benchmark::kSecond)->Iterations(1);
BENCHMARK(BM_vectors)->Arg(10'000'000)->Unit(benchmark::kSecond)->Iterations(1);
BENCHMARK(BM_warp_exchange)->Arg(20'000'000)->Unit(benchmark::kSecond)->Iterations(1);
BENCHMARK(BM_racy)->Arg(1'000'000)->Unit(benchmark::kSecond)->Iterations(1);

}  // namespace
