// Floating-point operations of machine instructions, and the roofs over a kernel's work.
#include "catch.hpp"
#include "sim/cycle/cycle_parameters.hpp"
#include "sim/cycle/roofline.hpp"
#include "trace/machine_file.hpp"

namespace smemsim {

TEST_CASE("Roofline: FLOP of an instruction") {
  const auto lane = [](const char* sass) { return flops_of(sass).per_lane; };
  const auto warp = [](const char* sass) { return flops_of(sass).per_warp; };
  CHECK(lane("FFMA R1, R2, R3, R1") == 2);
  CHECK(lane("@!P0 FADD.FTZ R1, R2, -R3") == 1);
  CHECK(lane("FMUL R0, R0, R0") == 1);
  CHECK(lane("DFMA R2, R4, R6, R2") == 2);
  CHECK(lane("HFMA2 R2, R4, R6, R2") == 4);
  CHECK(lane("HFMA2.BF16_V2 R2, R4, R6, R2") == 4);
  CHECK(lane("HADD2 R2, R4, R6") == 2);
  // Constants, conversions, comparisons, integers, special functions.
  CHECK(lane("HFMA2.MMA R5, -RZ, RZ, 0, 5.9604644775390625e-08") == 0);
  CHECK(lane("HADD2.F32 R4, -RZ, R3.H0_H0") == 0);
  CHECK(lane("FSETP.GT.AND P0, PT, R1, R2, PT") == 0);
  CHECK(lane("FMNMX R1, R1, R2, PT") == 0);
  CHECK(lane("IMAD R1, R2, R3, R4") == 0);
  CHECK(lane("MUFU.RCP R1, R2") == 0);
  CHECK(lane("LDS R13, [R15]") == 0);
  CHECK(lane("") == 0);
  // 2 m n k of a warp.
  CHECK(warp("HMMA.16816.F32 R4, R8, R12, R4") == 4096);
  CHECK(warp("HMMA.1688.F32.TF32 R4, R8, R12, R4") == 2048);
  CHECK(warp("HMMA.1684.F32.TF32 R4, R8, R12, R4") == 1024);
  CHECK(warp("DMMA.884 R4, R8, R12, R4") == 512);
  CHECK(flops_of("DMMA.884 R4, R8, R12, R4").kind == FlopKind::fp64);
  CHECK(warp("QMMA.16832.F32.E4M3.E4M3 R4, R8, R12, R4") == 8192);
  CHECK(warp("HGMMA.64x128x16.F32 R24, gdesc[UR8], R24") == 2.0 * 64 * 128 * 16 / 4);
  CHECK(flops_of("HGMMA.64x128x16.F32 R24, gdesc[UR8], R24").kind == FlopKind::wgmma);
  CHECK(warp("HMMA.F32 R4, R8, R12, R4") == 0);
  CHECK(warp("IMMA.16832.S8.S8 R4, R8.ROW, R12.COL, R4") == 0);
}

TEST_CASE("Roofline: the lowest roof limits, each is its peak times the intensity") {
  const Machine machine = trace::load_machine("sm_90").value();
  KernelWork work;
  work.has_program = true;
  work.flop[static_cast<std::size_t>(FlopKind::fp32)] = 64000;
  work.instructions = 2000;
  work.wavefronts = 2000;
  work.sector_bytes = 32000;
  work.touched_bytes = 3200;
  const Roofline line = roofline(work, machine, 132);
  REQUIRE(line.roofs.size() == 5);
  // 128 lanes of FP32, two FLOP each.
  CHECK(line.roofs[0].name == "FP32");
  CHECK(line.roofs[0].attainable == 256);
  CHECK(line.roofs[1].attainable == 4 * 32);  // four issue slots, 32 FLOP an instruction
  CHECK(line.roofs[2].attainable == 32);      // one wavefront a cycle, 32 FLOP each
  CHECK(line.roofs[3].intensity == 2);
  CHECK(line.roofs[3].attainable == Approx(2 * machine.cycle->l2_total * 0.8 / 132));
  CHECK(line.roofs[4].attainable == Approx(20 * machine.cycle->dram_total / 132));
  CHECK(line.lowest == 2);

  // Few SMs: each takes what its own port carries.
  CHECK(roofline(work, machine, 1).roofs[4].attainable == Approx(20 * machine.cycle->dram_port));
  work.touched_known = false;
  CHECK(roofline(work, machine, 132).roofs.size() == 4);
  const Roofline other = roofline(work, trace::load_machine("sm_80").value(), 108);
  CHECK(other.roofs.empty());
  CHECK_FALSE(other.peaks_known);
  CHECK(other.flop == 64000);
  work.flop = {};
  CHECK(roofline(work, machine, 132).roofs.empty());
}

}  // namespace smemsim
