// Advice applied gives what it promised, breaks no alignment and makes nothing worse.
#include <random>
#include <set>

#include "layout_fixture.hpp"

namespace smemsim::testing {
namespace {

using cli::LayoutCheck;
using expr::with_block;

/// Runs the changed text of every proposal; `least` of them must have one.
void check_texts(const std::string& text, const expr::RunOptions& options, std::size_t least) {
  INFO(text);
  const TextAdvice advice = advise_text(text, options);
  std::size_t rewritten = 0;
  for (const RegionAdvice& region : advice.kernel().regions) {
    for (const LayoutProposal& one : region.proposals) {
      CHECK(one.wavefronts < region.wavefronts);
      CHECK(one.wavefronts >= region.ideal);
      const auto changed =
          cli::rewritten_text(advice.program, region.region, one.change, one.pitch);
      if (!changed) continue;
      ++rewritten;
      INFO(*changed);
      auto events = expr::run_text(expr::Source(*changed, ""), {}, expr::hopper(), options);
      if (!events.ok()) FAIL(events.error().text());
      CHECK(*cli::wavefronts_of(**events, expr::hopper()) ==
            advice.wavefronts - region.wavefronts + one.wavefronts);
      // The declaration that is printed is the one in the changed text.
      const std::string declaration = advice.paste(region, one).declaration;
      CHECK(changed->find(declaration) != std::string::npos);
    }
  }
  CHECK(rewritten >= least);
}

TEST_CASE("layout: the changed text takes the promised wavefronts") {
  check_texts(
      "__shared__ float tile[32][32];\n tile[threadIdx.y][threadIdx.x] = 1.f;\n"
      "__syncthreads(); tile[threadIdx.x][threadIdx.y];",
      with_block(32, 32), 2);
  check_texts(
      "__shared__ half tile[64][64];\n"
      "for (int i = 0; i < 4; ++i) tile[i * 16 + threadIdx.x / 2][threadIdx.x % 2 * 32 + i] = 0;\n"
      "ldmatrix_x4(&tile[lane % 16][lane / 16 * 8]);",
      with_block(32), 2);
  check_texts("__shared__ half s[16][16];\n ldmatrix_x4(&s[lane % 16][lane / 16 * 8]);",
              with_block(32), 1);
  check_texts(
      "__shared__ __align__(16) float a[32][32];\n"
      "float4 v; *reinterpret_cast<float4*>(&a[threadIdx.x][4]) = v; a[threadIdx.x][0];",
      with_block(32), 1);
  check_texts(
      "__shared__ float t[4][16][32];\n t[threadIdx.y][threadIdx.x][5]; "
      "t[threadIdx.x / 4 % 4][3][threadIdx.x % 4];",
      with_block(16, 4), 1);
  check_texts("__shared__ double d[32][32];\n d[threadIdx.x][2]; d[2][threadIdx.x] = 1.0;",
              with_block(32), 2);
}

/// The trace's accesses moved by the proposal, each costed on its own.
std::uint64_t moved_cost(const KernelAccesses& kernel, const RegionAdvice& region,
                         const LayoutChange& change) {
  std::uint64_t total = 0;
  for (const std::uint32_t c : region.region.classes) {
    const AccessClass& one = kernel.classes[c];
    const EventShape& shape = kernel.shapes[one.event.shape];
    Access moved = access(
        shape.op, shape.width,
        [&](unsigned lane) {
          const std::uint64_t offset = lane_address(shape, one.event, lane) - region.region.base;
          std::uint64_t at = 0;  // written out again, apart from LayoutChange
          if (change.kind == LayoutChangeKind::padding) {
            at = offset + offset / change.pitch * change.pad;
          } else if (change.kind == LayoutChangeKind::row_xor) {
            at = offset ^ (offset / change.pitch / change.rows % change.ways * change.chunk);
          } else {
            const XorBits& b = change.swizzle;
            const std::uint64_t field = (offset >> (b.base + b.shift)) & ((1U << b.bits) - 1);
            at = offset ^ (field << b.base);
          }
          return region.region.base + at;
        },
        shape.active, shape.matrices);
    moved.shape.source_offsets = shape.source_offsets;
    moved.event.source = one.event.source;
    const Status status = check_access(moved.shape, moved.event, kernel.machine->shared, 0);
    if (!status.ok()) FAIL(status.error().text());
    total += one.count * access_cost(moved.shape, moved.event, kernel.machine->shared).wavefronts;
  }
  return total;
}

TEST_CASE("layout: moved events of random traces cost what was promised, never more than now") {
  std::mt19937 random(7);
  const auto pick = [&](std::uint64_t n) { return std::uint64_t{random()} % n; };
  std::size_t proposals = 0;
  for (int round = 0; round < 40; ++round) {
    const std::uint64_t width = std::uint64_t{4} << pick(3);
    const std::uint64_t row = std::uint64_t{64} << pick(3);
    std::vector<Access> accesses;
    for (int i = 0; i < 3; ++i) {
      const std::uint64_t group = std::uint64_t{1} << pick(6), start = 1024 + width * pick(8);
      const Operation op = pick(2) != 0 ? Operation::load : Operation::store;
      accesses.push_back(access(op, static_cast<unsigned>(width), [&](unsigned lane) {
        return start + lane / group * row + lane % group * width;
      }));
    }
    const AdviceReport report = advise_trace(accesses);
    const KernelAdvice& kernel = report.kernels[0];
    for (const RegionAdvice& region : kernel.regions) {
      for (const LayoutProposal& one : region.proposals) {
        ++proposals;
        CHECK(one.wavefronts < region.wavefronts);
        CHECK(moved_cost(kernel.accesses, region, one.change) == one.wavefronts);
      }
    }
  }
  CHECK(proposals > 20);
}

TEST_CASE("layout: every change is a permutation of the bytes, or spreads them out") {
  std::vector<RejectedLayout> rejected;
  LayoutRegion region;
  region.bytes = 2048;
  region.element = region.widest = 4;
  region.pitches = {{128, 4, RowPitch::kInferred, 0}, {96, 4, RowPitch::kInferred, 0}};
  const SharedMemory& shared = expr::hopper().shared;
  auto all = row_candidates(region, shared, rejected);
  const auto swizzles = swizzle_candidates(region, shared);
  all.insert(all.end(), swizzles.begin(), swizzles.end());
  REQUIRE(all.size() > 100);
  for (const LayoutCandidate& one : all) {
    std::set<std::uint64_t> seen;
    // 96-byte rows do not divide the region: the last one is whole in the array.
    const std::uint64_t bytes = one.change.pitch == 96 ? 22 * 96 : region.bytes;
    for (std::uint64_t at = 0; at < bytes; at += 4) seen.insert(one.change(at));
    CHECK(seen.size() == bytes / 4);
    CHECK(*seen.rbegin() < bytes + one.change.extra_bytes(bytes));
    if (const auto bits = one.change.as_swizzle()) {
      for (std::uint64_t at = 0; at < bytes; ++at) REQUIRE((*bits)(at) == one.change(at));
    }
  }
}

}  // namespace
}  // namespace smemsim::testing
