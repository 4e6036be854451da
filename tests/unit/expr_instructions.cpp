// Which warp events a text's accesses become: widths, pieces, operations, copies, atomics.
#include "expr_events.hpp"

namespace smemsim::expr {

namespace {

struct Wanted {
  Operation op;
  unsigned width;
};

void check(const std::string& text, const std::vector<Wanted>& wanted) {
  INFO(text);
  const Seen seen = run_events(text);
  REQUIRE(seen.events_seen.size() == wanted.size());
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    CHECK(seen.events_seen[i].shape.op == wanted[i].op);
    CHECK(seen.events_seen[i].shape.width == wanted[i].width);
  }
}

}  // namespace

TEST_CASE("A value moves in pieces as wide as its alignment allows") {
  const auto ld = Operation::load;
  check("__shared__ double a[32]; a[lane]", {{ld, 8}});
  check("__shared__ half2 a[32]; a[lane]", {{ld, 4}});
  check("__shared__ float3 a[32]; a[lane]", {{ld, 4}, {ld, 4}, {ld, 4}});
  check("__shared__ double4 a[32]; a[lane]", {{ld, 16}, {ld, 16}});
  check("__shared__ char3 a[32]; a[lane]", {{ld, 1}, {ld, 1}, {ld, 1}});
  check("__shared__ uchar4 a[32]; a[lane]", {{ld, 4}});
}

TEST_CASE("Whole structs in shared arrays move as wide as their size and place allow") {
  // As nvcc 13.0 compiles them for sm_90.
  const auto ld = Operation::load;
  check("struct S { float a, b, c; }; __shared__ S s[32]; s[lane]", {{ld, 4}, {ld, 4}, {ld, 4}});
  check("struct S { float a; double b; }; __shared__ S s[32]; s[lane]", {{ld, 16}});
  check("struct S { float4 v; float w; }; __shared__ S s[32]; s[lane]", {{ld, 16}, {ld, 16}});
  check("struct S { float a, b; }; __shared__ S s[32]; s[lane]", {{ld, 8}});
  check("struct S { float a, b, c, d; }; __shared__ S s[32]; s[lane]", {{ld, 16}});
}

TEST_CASE("Atomics by type and by use of the result") {
  check("__shared__ int s[32]; atomicAdd(&s[lane], 1);", {{Operation::increment, 4}});
  check("__shared__ int s[32]; atomicAdd(&s[lane], 2);", {{Operation::reduce, 4}});
  check("__shared__ int s[32]; int old = atomicAdd(&s[lane], 1);", {{Operation::atomic, 4}});
  check("__shared__ int s[32]; atomicExch(&s[lane], 1);", {{Operation::atomic, 4}});
  check("__shared__ int s[32]; atomicCAS(&s[lane], 1, 2);", {{Operation::cas, 4}});
  check("__shared__ unsigned long long s[32]; atomicCAS(&s[lane], 1, 2);", {{Operation::cas, 8}});
  check("int* g; atomicAdd(&g[lane], 1);", {{Operation::global_atomic, 4}});
}

TEST_CASE(
    "Adding floats in shared memory is a compare-and-swap loop, one round per lane of a bank") {
  const auto ld = Operation::load, cas = Operation::cas_spin;
  check("__shared__ float s[32]; atomicAdd(&s[lane], 1.0f);", {{ld, 4}, {cas, 4}});
  const Seen seen = run_events("__shared__ float s[32]; atomicAdd(&s[lane / 3], 1.0f);");
  REQUIRE(seen.events_seen.size() == 6);
  CHECK(lane_count(seen.events_seen[0].shape.active) == 32);
  CHECK(lane_count(seen.events_seen[2].shape.active) == 21);
  CHECK(lane_count(seen.events_seen[4].shape.active) == 10);
  // Different words of one bank wait for each other as well.
  CHECK(
      run_events("__shared__ float s[1024]; atomicAdd(&s[lane * 32], 1.0f);").events_seen.size() ==
      64);
  check("__shared__ double s[32]; atomicAdd(&s[lane], 1.0);", {{ld, 8}, {cas, 8}});
}

TEST_CASE("Matrix instructions take the addresses of their rows only") {
  const Seen seen = run_events(
      "__shared__ half s[8][64]; ldmatrix_x1(&s[lane][0]); stmatrix_x2_trans(&s[lane % 8][0]);");
  REQUIRE(seen.events_seen.size() == 2);
  CHECK(seen.events_seen[0].shape.matrices == 1);
  CHECK(seen.events_seen[1].shape.op == Operation::stmatrix);
  CHECK(seen.events_seen[1].shape.flags == kTransposed);
  const Seen other = run_events(
      "__shared__ half s[16][64]; unsigned r0, r1, r2, r3;"
      "unsigned address = __cvta_generic_to_shared(&s[lane % 16][0]);"
      "LDMATRIX_X4(r0, r1, r2, r3, address + 16 * (lane / 16));");
  REQUIRE(other.events_seen.size() == 1);
  CHECK(other.events_seen[0].address(17) == 1024 + 128 + 16);
}

TEST_CASE("Asynchronous copies carry both addresses and their groups") {
  const Seen seen = run_events(
      "float* g; __shared__ float s[2][128]; cp_async_ca<4>(&s[0][lane], &g[lane * 2]);"
      "cp_async_cg16(&s[1][4 * lane], &g[4 * lane]); cp_async_commit(); "
      "__pipeline_memcpy_async(&s[0][4 * lane], &g[4 * lane], 16); __pipeline_commit();"
      "cp_async_wait_group<1>(); cp_async_wait_all(); __pipeline_wait_prior(2); __syncwarp();");
  std::vector<Operation> ops;
  std::vector<std::uint64_t> waits;
  for (const SeenEvent& e : seen.events_seen) {
    ops.push_back(e.shape.op);
    if (e.shape.op == Operation::cp_async_wait) waits.push_back(e.shape.a);
  }
  const auto commit = Operation::cp_async_commit, wait = Operation::cp_async_wait;
  CHECK(ops == std::vector<Operation>{Operation::cp_async_ca, Operation::cp_async_cg, commit,
                                      Operation::cp_async_cg, commit, wait, wait, wait,
                                      Operation::warp_sync});
  CHECK(waits == std::vector<std::uint64_t>{1, 0, 2});
  const SeenEvent& copy = seen.events_seen[0];
  CHECK(lane_source(copy.shape, copy.event, 3) - lane_source(copy.shape, copy.event, 0) == 24);
}

TEST_CASE("Stores tell whether lanes at one address wrote the same value") {
  const Seen seen =
      run_events("__shared__ int s[32]; s[0] = 7; s[lane / 2] = lane; s[lane] = s[0];");
  REQUIRE(seen.events_seen.size() == 4);
  CHECK(seen.events_seen[0].shape.flags == (kValuesKnown | kEqualValues));
  CHECK(seen.events_seen[1].shape.flags == kValuesKnown);
  CHECK(seen.events_seen[3].shape.flags == 0);
}

}  // namespace smemsim::expr
