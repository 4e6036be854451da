#include "frontend/capture_sass.hpp"

#include "catch.hpp"

using namespace smemsim;
using namespace smemsim::capture;

namespace {

// What nvdisasm 13.0 prints with -hex -gi -c, shortened.
constexpr const char* kListing = R"(	.target	sm_90

	.elftype	@"ET_EXEC"


//--------------------- .text._Z5plainPf          --------------------------
	.section	.text._Z5plainPf,"ax",@progbits
	.sectionflags	@"SHF_BARRIERS=1"
	.align	128
        .global         _Z5plainPf
        .type           _Z5plainPf,@function
        .size           _Z5plainPf,(.L_x_3 - _Z5plainPf)
        .other          _Z5plainPf,@"STO_CUDA_ENTRY STV_DEFAULT"
_Z5plainPf:
.text._Z5plainPf:
	//## File "/home/me/k.cu", line 17
        /*0000*/                   LDC R1, c[0x0][0x28] ;                                    /* 0x00000a00ff017b82 */
                                                                                             /* 0x000fe20000000800 */
        /*0010*/                   EXIT ;                                                    /* 0x000000000000794d */
                                                                                             /* 0x000fea0003800000 */
.L_x_0:
        /*0020*/                   BRA `(.L_x_0);                                            /* 0xfffffffc00fc7947 */
                                                                                             /* 0x000fc0000383ffff */
        /*0030*/                   NOP;                                                      /* 0x0000000000007918 */
                                                                                             /* 0x000fc00000000000 */
.L_x_3:


//--------------------- .text._Z4kernIiEvPT_i     --------------------------
	.section	.text._Z4kernIiEvPT_i,"ax",@progbits
_Z4kernIiEvPT_i:
.text._Z4kernIiEvPT_i:
	//## File "/usr/local/cuda/bin/../targets/x86_64-linux/include/cuda_pipeline_helpers.h", line 190 inlined at "/usr/local/cuda/bin/../targets/x86_64-linux/include/cuda_pipeline_primitives.h", line 69
	//## File "/usr/local/cuda/bin/../targets/x86_64-linux/include/cuda_pipeline_primitives.h", line 69 inlined at "/home/me/k.cu", line 5
	//## File "/home/me/k.cu", line 5
        /*0000*/                   LDGSTS.E.BYPASS.128 [R4], desc[UR8][R6.64] ;              /* 0x0000000006047fae */
                                                                                             /* 0x0001e2000b901c48 */
	//## File "/home/me/k.cu", line 9
        /*0010*/                   CALL.REL.NOINC `($_Z4kernIiEvPT_i$_Z6helperIiET_PS0_i) ;  /* 0x0000000000007944 */
                                                                                             /* 0x000fea0003c00000 */
        /*0020*/              @!P0 BRA `(.L_x_7) ;                                           /* 0x0000000000008947 */
                                                                                             /* 0x000fea0003800000 */
.L_x_7:
        .type           $_Z4kernIiEvPT_i$_Z6helperIiET_PS0_i,@function
$_Z4kernIiEvPT_i$_Z6helperIiET_PS0_i:
        /*0030*/                   LDS R5, [R5] ;                                            /* 0x0000000005057984 */
                                                                                             /* 0x000e280000000800 */
)";

EventShape refined(Operation op, const char* instruction, std::uint64_t a = 0) {
  EventShape shape;
  shape.op = op;
  shape.a = a;
  refine(shape, instruction);
  return shape;
}

}  // namespace

TEST_CASE("a listing gives a program for each code section") {
  const auto programs = parse_disassembly(kListing);
  REQUIRE(programs.size() == 2);
  CHECK(programs[0].function == "_Z5plainPf");
  REQUIRE(programs[0].instructions.size() == 4);
  const ProgramInstruction& first = programs[0].instructions[0];
  CHECK(first.pc == 0);
  CHECK(first.text == "LDC R1, c[0x0][0x28]");
  CHECK(first.encoding_low == 0x00000a00ff017b82);
  CHECK(first.encoding_high == 0x000fe20000000800);
  CHECK(programs[0].files.at(first.file) == "/home/me/k.cu");
  CHECK(first.line == 17);
  CHECK(programs[0].instructions[3].text == "NOP");
  CHECK(programs[1].function == "_Z4kernIiEvPT_i");
}

TEST_CASE("branch targets become offsets, also into functions within the section") {
  const auto programs = parse_disassembly(kListing);
  REQUIRE(programs.size() == 2);
  CHECK(programs[0].instructions[2].text == "BRA 0x20");
  REQUIRE(programs[1].instructions.size() == 4);
  CHECK(programs[1].instructions[1].text == "CALL.REL.NOINC 0x30");
  CHECK(programs[1].instructions[2].text == "@!P0 BRA 0x30");
}

TEST_CASE("an inlined instruction is placed in the user's source, not in a toolkit header") {
  const auto programs = parse_disassembly(kListing);
  REQUIRE(programs.size() == 2);
  const ProgramInstruction& copy = programs[1].instructions[0];
  CHECK(programs[1].files.at(copy.file) == "/home/me/k.cu");
  CHECK(copy.line == 5);
  CHECK(programs[1].instructions[3].line == 9);  // stays until another place is named
}

TEST_CASE("a listing without line info has no places, and nonsense gives no program") {
  const auto programs = parse_disassembly(
      "\t.section\t.text.k,\"ax\",@progbits\n        /*0000*/  EXIT ;  /* 0x1 */\n   /* 0x2 */\n");
  REQUIRE(programs.size() == 1);
  CHECK(programs[0].files.empty());
  CHECK(programs[0].instructions[0].line == 0);
  CHECK(programs[0].instructions[0].encoding_high == 2);
  CHECK(parse_disassembly("").empty());
  CHECK(parse_disassembly("/*0000*/ EXIT ;\n.section .text.\n/*zz*/ /*\n//## File \"a").empty());
}

TEST_CASE("the opcode stands behind the guard predicate") {
  CHECK(opcode("@!P0 LDS.64 R2, [R4]") == "LDS.64");
  CHECK(opcode("@!UPT UBLKCP.S.G [UR4], [UR6], UR8") == "UBLKCP.S.G");
  CHECK(opcode("EXIT") == "EXIT");
  CHECK(opcode("@P0").empty());
}

TEST_CASE("the instruction tells atomics apart") {
  CHECK(refined(Operation::atomic, "ATOMS.POPC.INC.32 RZ, [R8+URZ]").op == Operation::increment);
  CHECK(refined(Operation::atomic, "ATOMS.ADD R3, [R8], R2").op == Operation::atomic);
  CHECK(refined(Operation::atomic, "ATOMS.ADD RZ, [R8], R2").op == Operation::reduce);
  CHECK(refined(Operation::atomic, "ATOMS.CAS R0, [R0+0xc], R12, R13").op == Operation::cas);
  CHECK(refined(Operation::atomic, "ATOMS.CAST.SPIN R5, [R3], R4, R5").op == Operation::cas_spin);
  CHECK(refined(Operation::atomic, "ATOM.E.ADD.STRONG.GPU PT, RZ, desc[UR6][R4.64], R2").op ==
        Operation::reduce);
  CHECK(refined(Operation::atomic, "ATOM.E.ADD.STRONG.GPU P0, R2, desc[UR6][R4.64], R2").op ==
        Operation::atomic);
  CHECK(refined(Operation::atomic, "").op == Operation::atomic);
}

TEST_CASE("the instruction tells how cp.async goes and what a wait leaves") {
  CHECK(refined(Operation::cp_async_ca, "LDGSTS.E.BYPASS.128 [R4], desc[UR8][R6.64]").op ==
        Operation::cp_async_cg);
  CHECK(refined(Operation::cp_async_cg, "LDGSTS.E.128 [R4], desc[UR8][R6.64]").op ==
        Operation::cp_async_ca);
  CHECK(refined(Operation::cp_async_wait, "DEPBAR.LE SB0, 0x1").a == 1);
  CHECK(refined(Operation::cp_async_wait, "LDGDEPBAR", 3).a == 3);
  CHECK(refined(Operation::cp_async_arrive, "ARRIVES.LDGSTSBAR.64.ARVCNT [UR9]").a == 1);
}

TEST_CASE("the instruction tells arrivals and transposition") {
  CHECK(refined(Operation::barrier_sync, "BAR.ARV 0x1, 0x40").op == Operation::barrier_arrive);
  CHECK(refined(Operation::barrier_sync, "BAR.SYNC.DEFER_BLOCKING 0x0").op ==
        Operation::barrier_sync);
  CHECK(refined(Operation::ldmatrix, "LDSM.16.MT88.4 R4, [R4]").flags == kTransposed);
  CHECK(refined(Operation::ldmatrix, "LDSM.16.M88.4 R4, [R4]").flags == 0);
  const EventShape expect =
      refined(Operation::mbarrier_arrive, "SYNCS.ARRIVE.TRANS64 RZ, [UR5], R0", 1);
  CHECK(expect.op == Operation::mbarrier_expect_tx);
  CHECK(expect.a == 1);
  CHECK(expect.b == 0);  // not known
  CHECK(
      refined(Operation::mbarrier_expect_tx, "SYNCS.ARRIVE.TRANS64.RED.A0TR RZ, [UR6], R0", 1).a ==
      0);
  CHECK(refined(Operation::mbarrier_arrive, "SYNCS.ARRIVE.TRANS64.A1T0 RZ, [UR9], RZ", 1).op ==
        Operation::mbarrier_arrive);
  CHECK(refined(Operation::mbarrier_expect_tx, "SYNCS.ARRIVE.TRANS64.A1T0 RZ, [UR9], RZ", 1).op ==
        Operation::mbarrier_arrive);
}

TEST_CASE("the commit before a wait tells whose copies it waits for") {
  Program program;
  for (const char* text : {"LDGDEPBAR", "DEPBAR.LE SB0, 0x0", "UTMACMDFLUSH", "DEPBAR.LE SB0, 0x2",
                           "CCTL.IVALL", "DEPBAR.LE SB0, 0x1", "EXIT"}) {
    program.instructions.emplace_back().text = text;
  }
  CHECK_FALSE(bulk_wait(program, 1));
  REQUIRE(bulk_wait(program, 3));
  CHECK(bulk_wait(program, 3)->commit == 2);
  CHECK_FALSE(bulk_wait(program, 3)->reads_only);
  CHECK(bulk_wait(program, 5)->reads_only);
  CHECK_FALSE(bulk_wait(program, 6));
}

TEST_CASE("an arrival at a NOP is a mark of the compiler") {
  CHECK(is_marker(Operation::mbarrier_arrive, "NOP"));
  CHECK_FALSE(is_marker(Operation::mbarrier_arrive, "SYNCS.ARRIVE.TRANS64.A1T0 RZ, [UR9], RZ"));
  CHECK_FALSE(is_marker(Operation::warp_sync, "NOP"));
}

TEST_CASE("what cannot be recorded is named") {
  Program program;
  program.instructions.resize(2);
  program.instructions[0].text = "@P1 UTMALDG.2D [UR8], [UR4], desc[UR6]";
  program.instructions[1].text = "EXIT";
  CHECK(unrecorded_instructions(program) == "tensor-map (TMA) loads");
  program.instructions[0].text = "LDS R1, [R2]";
  CHECK(unrecorded_instructions(program).empty());
}

TEST_CASE("paths in a trace tell nothing about the machine") {
  CHECK(portable_path("/home/me/app/src/k.cu", "/home/me/app") == "src/k.cu");
  CHECK(portable_path("/home/me/app2/k.cu", "/home/me/app") == "app2/k.cu");
  CHECK(portable_path("/usr/local/cuda/bin/../include/a.h", "/home/me") == "include/a.h");
  CHECK(portable_path("src/k.cu", "/home/me") == "src/k.cu");
  CHECK(portable_path("./k.cu", "/home/me") == "k.cu");
  CHECK(portable_path("../other/deep/k.cu", "/home/me") == "deep/k.cu");
  CHECK(portable_path("/k.cu", "/home/me") == "k.cu");
  CHECK(portable_path("/home/me/k.cu", "/") == "me/k.cu");
}
