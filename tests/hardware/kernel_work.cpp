// The floating-point work of traced kernels is that of their algorithms, counted by hand; sectors
// and wavefronts are those of the analyses that count nothing else.
#include "bundled_trace.hpp"
#include "catch.hpp"
#include "sim/coalescing.hpp"
#include "sim/conflict_analysis.hpp"
#include "sim/cycle/roofline.hpp"
#include "trace/machine_file.hpp"

namespace smemsim {
namespace {

KernelWork work_of(const std::string& name) {
  const Machine machine = trace::load_machine("sm_90").value();
  WorkAnalysis analysis([&](const Launch&) -> Result<const Machine*> { return &machine; });
  read_bundled(name, analysis);
  REQUIRE(analysis.launches().size() == 1);
  return analysis.launches()[0];
}

double flop(const KernelWork& work, FlopKind kind) {
  return work.flop[static_cast<std::size_t>(kind)];
}

}  // namespace

TEST_CASE("FLOP of matrix products: 2 m n k, whoever computes them") {
  // One result a thread, 64 x 64 x 64.
  for (const char* name : {"matmul_column_naive", "matmul_column_padded", "matmul_column_swizzled",
                           "matmul_float4_naive", "matmul_float4_padded"}) {
    CAPTURE(name);
    const KernelWork work = work_of(name);
    CHECK(flop(work, FlopKind::fp32) == 2.0 * 64 * 64 * 64);
    CHECK(work.total_flop() == flop(work, FlopKind::fp32));
    // Four blocks stage their tiles of A and B twice; C is written once. Each matrix has 16 KiB.
    CHECK(work.sector_bytes == 4 * 2 * (4096 + 4096) + 16384);
    CHECK(work.touched_bytes == 3 * 16384);
  }
  // Sixteen results a thread, 128 x 128 x 128.
  for (const char* name :
       {"matmul_register_naive", "matmul_register_padded", "matmul_async3_padded"}) {
    CAPTURE(name);
    CHECK(flop(work_of(name), FlopKind::fp32) == 2.0 * 128 * 128 * 128);
  }
  // Tensor cores, halves.
  for (const char* name : {"matmul_tensor_naive", "matmul_tensor_swizzled"}) {
    CAPTURE(name);
    const KernelWork work = work_of(name);
    CHECK(flop(work, FlopKind::tensor) == work.total_flop());
    CHECK(flop(work, FlopKind::tensor) == 2.0 * 128 * 128 * 256);
  }
}

TEST_CASE("FLOP of lanes that diverge or are switched off by predicates") {
  // Four blocks add 256 values: 255 adds each, in whatever order the lanes take them.
  for (const char* name : {"reduction_sequential", "reduction_interleaved_strided",
                           "reduction_interleaved_divergent"}) {
    CAPTURE(name);
    CHECK(work_of(name).total_flop() == 4 * 255);
  }
  CHECK(work_of("reduction_first_add").total_flop() == 4 * (256 + 255));
  // All lanes add after each shuffle: five times in eight warps, three times in the first one.
  CHECK(work_of("reduction_shuffle").total_flop() == 4 * (256 + 5 * 256 + 3 * 32));
  // 64 x 64 points: a multiply-add and three more adds.
  CHECK(work_of("stencil_rows").total_flop() == 64 * 64 * 5);
  // 1,024 threads add up 16 records of three values, one of them doubled.
  CHECK(work_of("records_structs_padded").total_flop() == 1024 * 16 * 4);
}

TEST_CASE("Kernels that compute nothing in floating point have no FLOP") {
  for (const char* name : {"transpose_padded", "sort_bitonic_padded", "micro_load_32way"}) {
    CAPTURE(name);
    CHECK(work_of(name).total_flop() == 0);
    CHECK(work_of(name).has_program);
  }
}

TEST_CASE("Sectors and wavefronts of the work are those of the reports") {
  const Machine machine = trace::load_machine("sm_90").value();
  for (const char* name : {"transpose_naive", "matmul_tensor_naive", "stencil_rows",
                           "bulk_pipeline", "gather_random", "attention_padded"}) {
    CAPTURE(name);
    const KernelWork work = work_of(name);
    CoalescingAnalysis global;
    read_bundled(name, global);
    CHECK(work.sector_bytes == 32 * global.take_report().totals.sectors);
    CHECK(work.touched_bytes <= work.sector_bytes);
    ConflictAnalysis shared([&](const Launch&) -> Result<const Machine*> { return &machine; },
                            ConflictAnalysis::GroupBy::kernel, name);
    read_bundled(name, shared);
    // Copies that pass L1 by are no counted wavefronts, but take the data stage all the same.
    CHECK(work.wavefronts >= shared.take_report().totals.wavefronts);
  }
}

}  // namespace smemsim
