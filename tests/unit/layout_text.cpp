// Advice for a text, from its accesses to what to paste.
#include "layout_fixture.hpp"

namespace smemsim::testing {
namespace {

using cli::LayoutCheck;
using expr::with_block;

TEST_CASE("layout: a column of tile[32][32] is fixed by a XOR or one more float") {
  const TextAdvice advice = advise_text(
      "__shared__ float tile[32][32]; tile[threadIdx.x][threadIdx.y]", with_block(32, 32));
  const RegionAdvice& region = advice.region();
  CHECK(region.wavefronts == 32 * 32);
  CHECK(region.ideal == 32);

  REQUIRE(region.proposals.size() >= 2);
  const LayoutProposal& first = region.proposals[0];
  CHECK(first.change.kind == LayoutChangeKind::row_xor);
  CHECK(first.wavefronts == 32);
  CHECK(first.extra_bytes == 0);
  CHECK(advice.paste(region, first).index == "tile[r][c ^ (r & 31)]");
  CHECK(advice.paste(region, first).cute_elements == "Swizzle<5,0,5>");
  CHECK(advice.paste(region, first).cute_bytes == "Swizzle<5,2,5>");

  const LayoutProposal* padding = best(region, LayoutChangeKind::padding);
  REQUIRE(padding != nullptr);
  CHECK(padding->wavefronts == 32);
  CHECK(padding->extra_bytes == 128);
  CHECK(advice.paste(region, *padding).declaration == "__shared__ float tile[32][33];");
  CHECK(region.rejected.empty());
}

TEST_CASE(
    "layout: a half tile with 64-element rows under ldmatrix takes Swizzle<3,4,3> or 8 halves") {
  const TextAdvice advice = advise_text(
      "__shared__ __align__(128) half tile[64][64];\n"
      "ldmatrix_x4(&tile[lane % 16][lane / 16 * 8]);");
  const RegionAdvice& region = advice.region();
  CHECK(region.wavefronts == 32);
  CHECK(region.ideal == 4);
  const LayoutProposal* swizzle = best(region, LayoutChangeKind::row_xor);
  REQUIRE(swizzle != nullptr);
  CHECK(swizzle->wavefronts == 4);
  CHECK(advice.paste(region, *swizzle).cute_bytes == "Swizzle<3,4,3>");
  CHECK(advice.paste(region, *swizzle).cute_elements == "Swizzle<3,3,3>");
  CHECK(advice.paste(region, *swizzle).index == "tile[r][c ^ ((r & 7) << 3)]");
  const LayoutProposal* padding = best(region, LayoutChangeKind::padding);
  REQUIRE(padding != nullptr);
  CHECK(padding->wavefronts == 4);
  CHECK(padding->change.pad == 16);
  CHECK(advice.paste(region, *padding).declaration ==
        "__shared__ __align__(128) half tile[64][72];");
  CHECK(advice.check(region, *swizzle) == LayoutCheck::text);
  CHECK(advice.check(region, *padding) == LayoutCheck::text);
}

TEST_CASE("layout: one more float is refused under float4 accesses, and four are not") {
  const TextAdvice advice = advise_text(
      "__shared__ __align__(16) float a[32][32];\n"
      "*reinterpret_cast<float4*>(&a[threadIdx.x][0])");
  const RegionAdvice& region = advice.region();
  CHECK(region.wavefronts == 32);
  CHECK(region.ideal == 4);
  REQUIRE(region.rejected.size() == 1);
  const RejectedLayout& rejected = region.rejected[0];
  CHECK(rejected.reason == RejectedLayout::Reason::alignment);
  CHECK(rejected.change.pad == 4);
  const std::string why = cli::rejected_text(advice.kernel().accesses, region.region,
                                             *advice.arrays.text("a"), rejected);
  CHECK(why.find("float a[32][33]") != std::string::npos);
  CHECK(why.find("not multiples of 16") != std::string::npos);
  const LayoutProposal* padding = best(region, LayoutChangeKind::padding);
  REQUIRE(padding != nullptr);
  CHECK(padding->change.pad == 16);
  CHECK(padding->wavefronts == 4);
  for (const LayoutProposal& one : region.proposals) {
    if (one.change.kind == LayoutChangeKind::padding) CHECK(one.change.pad % 16 == 0);
  }
}

TEST_CASE("layout: the address of an array's row keeps a XOR from being a matter of text") {
  const TextAdvice advice =
      advise_text("__shared__ float t[32][32]; float* p = t[threadIdx.x]; p[3];");
  const RegionAdvice& region = advice.region();
  const LayoutProposal* swizzle = best(region, LayoutChangeKind::row_xor);
  REQUIRE(swizzle != nullptr);
  CHECK_FALSE(cli::rewritten_text(advice.program, region.region, swizzle->change, swizzle->pitch));
  CHECK(advice.check(region, *swizzle) == LayoutCheck::layout);
}

TEST_CASE("layout: an array indexed by hand gets rows from its accesses") {
  const TextAdvice advice =
      advise_text("__shared__ float s[1024]; s[threadIdx.x * 32 + 5] = 0.f; s[threadIdx.x];");
  const RegionAdvice& region = advice.region();
  REQUIRE(!region.proposals.empty());
  const LayoutProposal& first = region.proposals[0];
  CHECK(first.pitch.dimension == RowPitch::kInferred);
  CHECK(first.change.pitch == 128);
  CHECK(first.wavefronts == 2);
  CHECK(advice.paste(region, first).index == "s[r * 32 + (c ^ (r & 31))]");
  CHECK(advice.check(region, first) == LayoutCheck::text);
  const LayoutProposal* padding = best(region, LayoutChangeKind::padding);
  REQUIRE(padding != nullptr);
  CHECK(advice.paste(region, *padding).declaration == "__shared__ float s[1056];");
  CHECK(advice.paste(region, *padding).index == "s[r * 33 + c]");
}

TEST_CASE("layout: structs are padded where their accesses allow it") {
  const TextAdvice advice =
      advise_text("struct P { float x, y, z, w; }; __shared__ P p[32]; p[threadIdx.x].x;");
  const LayoutProposal* padding = best(advice.region(), LayoutChangeKind::padding);
  REQUIRE(padding != nullptr);
  CHECK(padding->wavefronts == 1);
  CHECK(padding->change.pad == 4);
}

TEST_CASE("layout: what cannot or need not be helped is said plainly") {
  const auto verdict = [](const TextAdvice& advice) {
    return cli::verdict_text(advice.kernel(), advice.region());
  };
  const TextAdvice ideal = advise_text("__shared__ float t[32][32]; t[3][threadIdx.x]");
  CHECK(ideal.region().proposals.empty());
  CHECK(verdict(ideal).find("Already ideal") == 0);

  const TextAdvice atomics = advise_text("__shared__ int n[32]; atomicAdd(&n[0], 2);");
  CHECK(atomics.region().proposals.empty());
  CHECK(atomics.region().remainder == Remainder::atomics);

  const TextAdvice minor = advise_text(
      "__shared__ float t[32][32]; __shared__ float u[64];\n"
      "for (int i = 0; i < 1000; ++i) t[i % 32][threadIdx.x];\n"
      "u[threadIdx.x * 2];");
  const RegionAdvice& small = minor.region("u");
  CHECK(small.excess() == 1);
  CHECK(minor.kernel().is_minor(small));
  CHECK(cli::verdict_text(minor.kernel(), small).find("hardly matter") != std::string::npos);
}

}  // namespace
}  // namespace smemsim::testing
