// Writes an .smt trace of any length, with the mix of patterns that real kernels have: a tiled
// transpose, a tiled matrix product, a tree reduction and a few data-dependent atomics. Streams, so
// length costs time and disk, not memory. The same arguments give the same file.
#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "trace/byte_io.hpp"
#include "trace/smt_writer.hpp"

namespace {

using namespace smemsim;
using trace::TraceWriter;

constexpr LaneMask kWarp = first_lanes(32);

/// Shapes and events of one warp program, built up instruction by instruction.
struct Script {
  std::vector<EventShape> shapes;
  std::vector<Event> events;

  std::uint32_t shape(Operation op, unsigned width, std::uint32_t site, std::int64_t stride,
                      LaneMask active = kWarp) {
    EventShape out;
    out.op = op;
    out.width = static_cast<std::uint8_t>(width);
    out.site = site;
    out.active = active;
    if (traits(op).lane_addresses) {
      out.offsets.assign(static_cast<std::size_t>(std::bit_width(active)), 0);
      for_each_lane(active, [&](unsigned lane) { out.offsets[lane] = stride * lane; });
    }
    shapes.push_back(out);
    return static_cast<std::uint32_t>(shapes.size() - 1);
  }
};

class Generator {
 public:
  Generator(TraceWriter& writer, std::uint64_t seed) : writer_(writer), random_(seed) {}

  Status transpose(std::uint64_t events) {
    Script script;
    const auto read = script.shape(Operation::global_load, 4, 0, 4);
    const auto store = script.shape(Operation::store, 4, 1, 4);
    const auto sync = script.shape(Operation::barrier_sync, 0, 2, 0);
    const auto load = script.shape(Operation::load, 4, 3, 128);
    const auto write = script.shape(Operation::global_store, 4, 4, 4);
    constexpr std::uint64_t kPitch = 4096 * 4;
    return launch("transpose(float*, float const*)", 5, 8, events, script,
                  [&](std::uint64_t block, std::uint32_t warp) {
                    const std::uint64_t tile = block / 128 * 32 * kPitch + block % 128 * 128;
                    for (std::uint64_t row = warp; row < 32; row += 8) {
                      script.events.push_back({read, kGlobal + tile + row * kPitch, 0});
                      script.events.push_back({store, kShared + row * 128, 0});
                    }
                    script.events.push_back({sync, 0, 0});
                    for (std::uint64_t row = warp; row < 32; row += 8) {
                      script.events.push_back({load, kShared + row * 4, 0});
                      script.events.push_back({write, kGlobal * 2 + tile + row * kPitch, 0});
                    }
                  });
  }

  Status matrix_product(std::uint64_t events) {
    Script script;
    const auto read_a = script.shape(Operation::global_load, 4, 0, 4);
    const auto read_b = script.shape(Operation::global_load, 4, 1, 4);
    const auto store_a = script.shape(Operation::store, 4, 2, 4);
    const auto store_b = script.shape(Operation::store, 4, 3, 4);
    const auto sync = script.shape(Operation::barrier_sync, 0, 4, 0);
    const auto load_a = script.shape(Operation::load, 4, 5, 0);
    const auto load_b = script.shape(Operation::load, 4, 6, 4);
    constexpr std::uint64_t kTileB = kShared + 4096, kPitch = 4096;
    return launch(
        "matrix_product(float*, float const*, float const*, int)", 7, 32, events, script,
        [&](std::uint64_t block, std::uint32_t warp) {
          for (std::uint64_t tile = 0; tile < 32; ++tile) {
            const std::uint64_t row = (block / 32 * 32 + warp) * kPitch;
            script.events.push_back({read_a, kGlobal + row + tile * 128, 0});
            script.events.push_back(
                {read_b, kGlobal * 2 + (tile * 32 + warp) * kPitch + block % 32 * 128, 0});
            script.events.push_back({store_a, kShared + warp * 128, 0});
            script.events.push_back({store_b, kTileB + warp * 128, 0});
            script.events.push_back({sync, 0, 0});
            for (std::uint64_t k = 0; k < 32; ++k) {
              script.events.push_back({load_a, kShared + warp * 128 + k * 4, 0});
              script.events.push_back({load_b, kTileB + k * 128, 0});
            }
            script.events.push_back({sync, 0, 0});
          }
        });
  }

  Status reduction(std::uint64_t events) {
    Script script;
    const auto sync = script.shape(Operation::barrier_sync, 0, 0, 0);
    std::array<std::uint32_t, 16> load{}, store{};
    for (unsigned step = 0; step < 8; ++step) {
      // Interleaved: thread t works when t % (2 * distance) == 0.
      LaneMask active = 0;
      for (unsigned lane = 0; lane < 32; ++lane) {
        if (lane % (2U << step) == 0) active |= lane_bit(lane);
      }
      load[step] = script.shape(Operation::load, 4, 1 + step * 2, 4, active);
      store[step] = script.shape(Operation::store, 4, 2 + step * 2, 4, active);
    }
    return launch("reduce_interleaved(float*, float const*)", 17, 8, events, script,
                  [&](std::uint64_t, std::uint32_t warp) {
                    for (unsigned step = 0; step < 8; ++step) {
                      const std::uint64_t base = kShared + warp * 128;
                      if (warp % std::max(1U, (2U << step) / 32) == 0) {
                        script.events.push_back({load[step], base + (4ULL << step), 0});
                        script.events.push_back({load[step], base, 0});
                        script.events.push_back({store[step], base, 0});
                      }
                      script.events.push_back({sync, 0, 0});
                    }
                  });
  }

  Status histogram(std::uint64_t events) {
    Script script;
    return launch("histogram(unsigned*, unsigned char const*)", 1, 8, events, script,
                  [&](std::uint64_t, std::uint32_t) {
                    for (std::uint32_t i = 0; i < 64; ++i) {
                      EventShape shape;
                      shape.op = Operation::reduce;
                      shape.width = 4;
                      shape.active = kWarp;
                      const std::uint64_t first = random_() % 256;
                      for (unsigned lane = 0; lane < 32; ++lane) {
                        const std::uint64_t bin = lane == 0 ? first : random_() % 256;
                        shape.offsets.push_back(static_cast<std::int64_t>((bin - first) * 4));
                      }
                      script.shapes.push_back(shape);
                      script.events.push_back({i, kShared + first * 4, 0});
                    }
                  });
  }

 private:
  static constexpr std::uint64_t kShared = 1024;
  static constexpr std::uint64_t kGlobal = 0x7f0000000000;

  /// Runs `warp_program` for warp after warp until there are `events` events. It fills the script's
  /// events, and its shapes too when there are none at first.
  template <typename WarpProgram>
  Status launch(const std::string& kernel, std::uint32_t sites, std::uint32_t warps,
                std::uint64_t events, Script& script, WarpProgram&& warp_program) {
    Launch launch;
    launch.kernel = kernel;
    launch.device.arch = "sm_90";
    launch.grid.x = 1U << 30;
    launch.block.x = warps * 32;
    launch.static_shared = 8192;
    launch.first_shared = kShared;
    launch.launch_index = launches_++;
    launch.command = "generate_trace";
    for (std::uint32_t i = 0; i < sites; ++i) {
      launch.sites.push_back({kernel, i * 16, "SITE " + std::to_string(i), "generated.cu", i + 1});
    }
    SMEMSIM_TRY(writer_.begin_launch(launch));
    const bool own_shapes = script.shapes.empty();
    EventBatch batch;
    batch.shapes_id = ++shapes_id_;
    for (std::uint64_t done = 0; done < events;) {
      script.events.clear();
      if (own_shapes) {
        script.shapes.clear();
        batch.shapes_id = ++shapes_id_;
      }
      warp_program(batch.block, batch.warp);
      if (script.events.size() > events - done) script.events.resize(events - done);
      batch.shapes = script.shapes;
      batch.events = script.events;
      SMEMSIM_TRY(writer_.events(batch));
      done += script.events.size();
      if (++batch.warp == warps) {
        batch.warp = 0;
        ++batch.block;
      }
    }
    return writer_.end_launch();
  }

  TraceWriter& writer_;
  std::mt19937_64 random_;
  std::uint64_t launches_ = 0, shapes_id_ = 0;
};

Status generate(const std::string& path, std::uint64_t events, unsigned irregular, int level) {
  Result<std::unique_ptr<trace::ByteSink>> sink = trace::open_sink(path);
  if (!sink) return sink.error();
  trace::SmtWriterOptions options;
  options.level = level;
  trace::SmtWriter writer(**sink, options);
  Generator generator(writer, 1);
  const std::uint64_t atomics = events / 100 * irregular;
  const std::uint64_t regular = events - atomics;
  SMEMSIM_TRY(generator.transpose(regular / 4));
  SMEMSIM_TRY(generator.matrix_product(regular / 2));
  SMEMSIM_TRY(generator.reduction(regular - regular / 4 - regular / 2));
  SMEMSIM_TRY(generator.histogram(atomics));
  return writer.finish();
}

}  // namespace

int main(int count, char** arguments) {
  if (count < 2 || count > 5 || arguments[1][0] == '-') {
    std::fputs(
        "usage: generate_trace OUT.smt [EVENTS = 50000000] [IRREGULAR = 2] [LEVEL = 5]\n"
        "IRREGULAR is the percentage of atomics at random addresses, LEVEL that of zstd.\n",
        stderr);
    return 2;
  }
  const auto number = [&](int i, unsigned long long fallback) {
    return count > i ? std::strtoull(arguments[i], nullptr, 10) : fallback;
  };
  const Status status = generate(arguments[1], number(2, 50'000'000),
                                 static_cast<unsigned>(std::min(100ULL, number(3, 2))),
                                 static_cast<int>(number(4, 5)));
  if (status) return 0;
  std::fprintf(stderr, "generate_trace: %s\n", status.error().text().c_str());
  return 4;
}
