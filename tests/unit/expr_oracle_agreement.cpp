// The evaluator against C++ loops that compute the same addresses.
#include <functional>

#include "expr_events.hpp"

namespace smemsim::expr {

namespace {

constexpr std::uint64_t kBase = 1024;  // first shared byte of a block on sm_90

struct Thread {
  unsigned x, y, z, lane;
};
using AddressOf = std::function<std::uint64_t(const Thread&)>;

/// Checks that every event of `seen` with that operation has the oracle's address in every lane.
void compare(const Seen& seen, Dim3 block, const std::vector<AddressOf>& oracle) {
  std::map<std::uint32_t, std::size_t> next;  // per warp
  std::size_t compared = 0;
  for (const SeenEvent& e : seen.events_seen) {
    if (!is_shared_access(e.shape.op)) continue;
    const AddressOf& expected = oracle[next[e.warp]++ % oracle.size()];
    for_each_lane(e.shape.active, [&](unsigned lane) {
      const unsigned thread = e.warp * 32 + lane;
      const Thread t{thread % block.x, thread / block.x % block.y, thread / block.x / block.y,
                     lane};
      CHECK(e.address(lane) == expected(t));
      ++compared;
    });
  }
  CHECK(compared == block.count() * oracle.size());
}

}  // namespace

TEST_CASE("Subscripts of three dimensions in a block of three dimensions") {
  const RunOptions options = with_block(8, 4, 4);
  compare(
      run_events("__shared__ double a[5][7][9]; a[threadIdx.z][threadIdx.y + 2][threadIdx.x + 1]",
                 options),
      options.block, {[](const Thread& t) {
        return kBase + 8 * (static_cast<std::uint64_t>(t.z) * 63 + (t.y + 2) * 9 + t.x + 1);
      }});
}

TEST_CASE("Operators with C's precedence, unsigned and signed") {
  const std::vector<std::pair<std::string, std::function<std::int64_t(int, unsigned)>>> cases = {
      {"(lane * 7 + 3) % 32", [](int l, unsigned) { return (l * 7 + 3) % 32; }},
      {"lane ^ lane >> 1 & 3 | 4", [](int l, unsigned) { return (l ^ ((l >> 1) & 3)) | 4; }},
      {"lane << 1 + 1 >> 2", [](int l, unsigned) { return l << (1 + 1) >> 2; }},
      {"lane < 8 ? lane : 31 - lane", [](int l, unsigned) { return l < 8 ? l : 31 - l; }},
      {"-(-lane) / 3 * 2", [](int l, unsigned) { return -(-l) / 3 * 2; }},
      {"(threadIdx.x - 5) % 64", [](int, unsigned x) { return (x - 5) % 64; }},
      {"(lane - 5) / 2 + 3", [](int l, unsigned) { return (l - 5) / 2 + 3; }},
      {"(lane - 5 >> 1) + 3", [](int l, unsigned) { return ((l - 5) >> 1) + 3; }},
      {"(unsigned char)(lane * 20)",
       [](int l, unsigned) { return static_cast<unsigned char>(l * 20); }},
      {"(lane == 3) + 2 * (lane != 4) + (lane >= 5 && lane <= 7 || !lane)",
       [](int l, unsigned) { return (l == 3) + 2 * (l != 4) + ((l >= 5 && l <= 7) || !l); }},
      {"~lane & 31", [](int l, unsigned) { return ~l & 31; }},
      {"min(lane, 9) + max(lane, 20) - abs(lane - 16)",
       [](int l, unsigned) { return std::min(l, 9) + std::max(l, 20) - std::abs(l - 16); }},
      {"__popc(lane) + __ffs(lane) + __clz(lane)",
       [](int l, unsigned x) {
         return std::popcount(x) + (l ? std::countr_zero(x) + 1 : 0) + std::countl_zero(x);
       }},
  };
  for (const auto& [text, oracle] : cases) {
    const Seen seen = run_events("__shared__ float a[256]; a[" + text + "]");
    REQUIRE(seen.events_seen.size() == 1);
    for (unsigned lane = 0; lane < 32; ++lane) {
      INFO(text << " in lane " << lane);
      CHECK(seen.events_seen[0].address(lane) ==
            kBase + 4 * static_cast<std::uint64_t>(oracle(static_cast<int>(lane), lane)));
    }
  }
}

TEST_CASE("A tiled matrix product: loops, stores, barriers and reads in program order") {
  const RunOptions options = with_block(16, 16);
  const Seen seen = run_events(R"(
    __global__ void product(const float* a, const float* b, float* c, int n) {
      __shared__ float as[16][16];
      __shared__ float bs[16][16 + 1];
      int tx = threadIdx.x, ty = threadIdx.y;
      float sum = 0.0f;
      for (int m = 0; m < n / 16; ++m) {
        as[ty][tx] = a[ty * n + m * 16 + tx];
        bs[ty][tx] = b[(m * 16 + ty) * n + tx];
        __syncthreads();
        for (int k = 0; k < 16; ++k) sum += as[ty][k] * bs[k][tx];
        __syncthreads();
      }
      c[ty * n + tx] = sum;
    })",
                               options, {{"n", 32}});
  std::vector<AddressOf> oracle;
  const std::uint64_t second = kBase + 16 * 16 * 4;
  for (unsigned m = 0; m < 2; ++m) {
    oracle.push_back([](const Thread& t) { return kBase + 4 * (t.y * 16 + t.x); });
    oracle.push_back([=](const Thread& t) { return second + 4 * (t.y * 17 + t.x); });
    for (unsigned k = 0; k < 16; ++k) {
      oracle.push_back([=](const Thread& t) { return kBase + 4 * (t.y * 16 + k); });
      oracle.push_back([=](const Thread& t) { return second + 4 * (k * 17 + t.x); });
    }
  }
  compare(seen, options.block, oracle);
  std::size_t barriers = 0, global = 0;
  for (const SeenEvent& e : seen.events_seen) {
    barriers += e.shape.op == Operation::barrier_sync;
    global += e.shape.op == Operation::global_load || e.shape.op == Operation::global_store;
  }
  CHECK(barriers == 8 * 4);
  CHECK(global == 8 * 5);
  CHECK(seen.launch.kernel == "product");
  CHECK(seen.launch.static_shared == 16 * 16 * 4 + 16 * 17 * 4);
}

TEST_CASE("Pointers into shared memory: casts, arithmetic, pointers to rows") {
  const RunOptions options = with_block(32);
  const Seen seen = run_events(R"(
    extern __shared__ char raw[];
    float* x = (float*)raw;
    half* y = reinterpret_cast<half*>(x + 64);
    float (*rows)[8] = (float(*)[8])(raw + 1024);
    x[lane] = 1.0f;
    y[2 * lane + 1] = y[lane];
    rows[lane / 8][lane % 8] = 0;
    *(x + lane + 1);
  )",
                               options);
  compare(seen, options.block,
          {[](const Thread& t) { return kBase + 4 * t.lane; },
           [](const Thread& t) { return kBase + 256 + 2 * t.lane; },
           [](const Thread& t) { return kBase + 256 + 2 * (2 * t.lane + 1); },
           [](const Thread& t) { return kBase + 1024 + 4 * t.lane; },
           [](const Thread& t) { return kBase + 4 * (t.lane + 1); }});
}

}  // namespace smemsim::expr
