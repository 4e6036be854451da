// Arithmetic pipes: dependent latency, issue interval, which instructions share a pipe; shuffles,
// votes and other cross-lane instructions; special registers.
#include "cycles.cuh"

using namespace cycles;

namespace {

std::vector<Config> alu_warps() { return few_warps(); }

__device__ __forceinline__ uint32_t shuffle(uint32_t x, uint32_t lane) {
  uint32_t y;
  asm volatile("shfl.sync.idx.b32 %0, %1, %2, 0x1f, 0xffffffff;" : "=r"(y) : "r"(x), "r"(lane));
  return y;
}
__device__ __forceinline__ uint32_t load(uint32_t s) {
  uint32_t x;
  asm volatile("ld.volatile.shared.u32 %0, [%1];" : "=r"(x) : "r"(s) : "memory");
  return x;
}

}  // namespace

// A chain in one register and the same operation over 8 independent registers.
#define ALU2(NAME, OPCODE, TYPE, CONSTRAINT, INIT, PTX)                                           \
  MICRO("alu", op_##NAME##_chain, OPCODE, 64, alu_warps(),                                             \
        CODE(TYPE v = (TYPE)(INIT); TYPE k = (TYPE)(a.count + lane)),                             \
        CODE(asm volatile(PTX : "+" CONSTRAINT(v) : CONSTRAINT(k))),                              \
        CODE(wait_for((uint32_t)v, a)))                                                           \
  MICRO("alu", op_##NAME, OPCODE, 128, alu_warps(),                                               \
        CODE(TYPE v[8]; for (int j = 0; j < 8; ++j) v[j] = (TYPE)((INIT) + j);                    \
             TYPE k = (TYPE)(a.count + lane)),                                                    \
        CODE(asm volatile(PTX : "+" CONSTRAINT(v[i % 8]) : CONSTRAINT(k))),                       \
        CODE(uint32_t z = 0; for (int j = 0; j < 8; ++j) z ^= (uint32_t)v[j]; wait_for(z, a)))

ALU2(ffma, "FFMA", float, "f", lane, "fma.rn.f32 %0, %0, %1, %1;")
ALU2(fadd, "FADD", float, "f", lane, "add.rn.f32 %0, %0, %1;")
ALU2(fmul, "FMUL", float, "f", lane, "mul.rn.f32 %0, %0, %1;")
ALU2(fmnmx, "FMNMX", float, "f", lane, "{ .reg .f32 t; min.f32 t, %0, %1; neg.f32 %0, t; }")
ALU2(hfma2, "HFMA2", uint32_t, "r", lane, "fma.rn.f16x2 %0, %0, %1, %1;")
ALU2(dfma, "DFMA", double, "d", lane, "fma.rn.f64 %0, %0, %1, %1;")
ALU2(dadd, "DADD", double, "d", lane, "add.rn.f64 %0, %0, %1;")
ALU2(lop3, "LOP3", uint32_t, "r", lane, "lop3.b32 %0, %0, %1, %0, 0x1b;")
ALU2(imad, "IMAD ", uint32_t, "r", lane, "mad.lo.u32 %0, %0, %1, %1;")
ALU2(imad_hi, "IMAD.HI", uint32_t, "r", lane, "mad.hi.u32 %0, %0, %1, %1;")
ALU2(imad_wide, "IMAD.WIDE", uint64_t, "l", lane,
     "{ .reg .u32 t, u; mov.b64 {t, u}, %0; mad.wide.u32 %0, t, u, %1; }")
ALU2(shf, "SHF", uint32_t, "r", lane, "shf.l.wrap.b32 %0, %0, %1, %1;")
ALU2(prmt, "PRMT", uint32_t, "r", lane, "prmt.b32 %0, %0, %1, %1;")
ALU2(popc, "POPC", uint32_t, "r", lane, "{ .reg .u32 t; xor.b32 t, %0, %1; popc.b32 %0, t; }")
ALU2(flo, "FLO", uint32_t, "r", lane, "{ .reg .u32 t; xor.b32 t, %0, %1; bfind.u32 %0, t; }")
ALU2(brev, "BREV", uint32_t, "r", lane, "{ .reg .u32 t; add.u32 t, %0, %1; brev.b32 %0, t; }")
ALU2(iadd, "(IADD|VIADD|IMAD)", uint32_t, "r", lane,
     "{ .reg .u32 t; add.u32 t, %0, %1; xor.b32 %0, t, %1; }")
ALU2(ex2, "MUFU.EX2", float, "f", lane, "ex2.approx.ftz.f32 %0, %0;")
ALU2(rsq, "MUFU.RSQ", float, "f", lane + 1, "rsqrt.approx.ftz.f32 %0, %0;")
ALU2(i2f, "I2F", uint32_t, "r", lane, "{ .reg .f32 t; cvt.rn.f32.s32 t, %0; mov.b32 %0, t; }")
ALU2(f2i, "F2I", float, "f", lane,
     "{ .reg .s32 t; cvt.rzi.s32.f32 t, %0; mov.b32 %0, t; }")
ALU2(isetp_xor, "ISETP", uint32_t, "r", lane,
     "{ .reg .pred p; setp.gt.u32 p, %0, %1; @p xor.b32 %0, %0, %1; }")
ALU2(fsetp_branchless, "FSETP", float, "f", lane,
     "{ .reg .pred p; setp.gt.f32 p, %0, %1; selp.f32 %0, %1, %0, p; }")
ALU2(shfl, "SHFL", uint32_t, "r", lane, "shfl.sync.idx.b32 %0, %0, %1, 0x1f, 0xffffffff;")
ALU2(vote, "VOTE", uint32_t, "r", lane,
     "{ .reg .pred p; setp.gt.u32 p, %0, %1; vote.sync.ballot.b32 %0, p, 0xffffffff; }")
ALU2(redux, "REDUX", uint32_t, "r", lane, "redux.sync.add.u32 %0, %0, 0xffffffff;")
ALU2(match, "MATCH", uint32_t, "r", lane, "match.any.sync.b32 %0, %0, 0xffffffff;")
ALU2(dp4a, "IDP", uint32_t, "r", lane, "dp4a.u32.u32 %0, %0, %1, %0;")

// Two instruction kinds in turn: as fast as each alone means different pipes.
#define PAIR(NAME, OPCODE, FIRST, SECOND)                                                          \
  MICRO("alu", NAME, OPCODE, 128, alu_warps(),                                                     \
        CODE(uint32_t v[8]; float f[8]; for (int j = 0; j < 8; ++j) v[j] = lane + j, f[j] = lane + j; \
             uint32_t k = a.count + lane; float g = k),                                            \
        CODE(if (i & 1) { SECOND; } else { FIRST; }),                                              \
        CODE(uint32_t z = 0; for (int j = 0; j < 8; ++j) z ^= v[j] ^ (uint32_t)f[j]; wait_for(z, a)))

#define DO_FFMA asm volatile("fma.rn.f32 %0, %0, %1, %1;" : "+f"(f[i % 8]) : "f"(g))
#define DO_LOP3 asm volatile("lop3.b32 %0, %0, %1, %0, 0x1b;" : "+r"(v[i % 8]) : "r"(k))
#define DO_IMAD asm volatile("mad.lo.u32 %0, %0, %1, %1;" : "+r"(v[i % 8]) : "r"(k))
#define DO_HFMA2 asm volatile("fma.rn.f16x2 %0, %0, %1, %1;" : "+r"(v[i % 8]) : "r"(k))
#define DO_EX2 asm volatile("ex2.approx.ftz.f32 %0, %0;" : "+f"(f[i % 8]))
#define DO_POPC asm volatile("popc.b32 %0, %0;" : "+r"(v[i % 8]))
#define DO_LDS load(s)
#define DO_SHFL v[i % 8] = shuffle(v[i % 8], k)
#define DO_SHF asm volatile("shf.l.wrap.b32 %0, %0, %1, %1;" : "+r"(v[i % 8]) : "r"(k))
#define DO_RED asm volatile("redux.sync.add.u32 %0, %0, 0xffffffff;" : "+r"(v[i % 8]))
PAIR(pair_ffma_lop3, "(FFMA|LOP3)", DO_FFMA, DO_LOP3)
PAIR(pair_ffma_imad, "(FFMA|IMAD)", DO_FFMA, DO_IMAD)
PAIR(pair_lop3_imad, "(LOP3|IMAD)", DO_LOP3, DO_IMAD)
PAIR(pair_ffma_hfma2, "(FFMA|HFMA2)", DO_FFMA, DO_HFMA2)
PAIR(pair_ffma_ex2, "(FFMA|MUFU)", DO_FFMA, DO_EX2)
PAIR(pair_lop3_shf, "(LOP3|SHF)", DO_LOP3, DO_SHF)
PAIR(pair_ex2_popc, "(MUFU|POPC)", DO_EX2, DO_POPC)
PAIR(pair_ex2_lds, "(MUFU|LDS)", DO_EX2, DO_LDS)
PAIR(pair_shfl_lds, "(SHFL|LDS)", DO_SHFL, DO_LDS)
PAIR(pair_ex2_shfl, "(MUFU|SHFL)", DO_EX2, DO_SHFL)
PAIR(pair_ffma_lds, "(FFMA|LDS)", DO_FFMA, DO_LDS)
PAIR(pair_redux_shfl, "(REDUX|SHFL)", DO_RED, DO_SHFL)

// Tensor cores.
#define MMA(NAME, OPCODE, STEPS, REGISTERS)                                                         \
  MICRO("alu", NAME, OPCODE, STEPS, alu_warps(),                                                    \
        CODE(float d[REGISTERS][4] = {}; uint32_t p[4] = {lane, lane, lane, lane}),                 \
        CODE(asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, "       \
                          "{%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"                                  \
                          : "+f"(d[i % REGISTERS][0]), "+f"(d[i % REGISTERS][1]),                   \
                            "+f"(d[i % REGISTERS][2]), "+f"(d[i % REGISTERS][3])                    \
                          : "r"(p[0]), "r"(p[1]), "r"(p[2]), "r"(p[3]), "r"(p[0]), "r"(p[1]))),     \
        CODE(float z = 0; for (int j = 0; j < REGISTERS; ++j) z += d[j][0]; wait_for((uint32_t)z, a)))
MMA(hmma16816_chain, "HMMA.16816", 32, 1)
MMA(hmma16816, "HMMA.16816", 64, 8)
MICRO("alu", hmma1688, "HMMA.1688", 64, alu_warps(),
      CODE(float d[8][4] = {}; uint32_t p[2] = {lane, lane}),
      CODE(asm volatile("mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5}, {%6}, "
                        "{%0,%1,%2,%3};"
                        : "+f"(d[i % 8][0]), "+f"(d[i % 8][1]), "+f"(d[i % 8][2]), "+f"(d[i % 8][3])
                        : "r"(p[0]), "r"(p[1]), "r"(p[0]))),
      CODE(float z = 0; for (int j = 0; j < 8; ++j) z += d[j][0]; wait_for((uint32_t)z, a)))
MICRO("alu", hmma1688_tf32, "HMMA.1688.*TF32", 64, alu_warps(),
      CODE(float d[8][4] = {}; uint32_t p[4] = {lane, lane, lane, lane}),
      CODE(asm volatile("mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, "
                        "{%8,%9}, {%0,%1,%2,%3};"
                        : "+f"(d[i % 8][0]), "+f"(d[i % 8][1]), "+f"(d[i % 8][2]), "+f"(d[i % 8][3])
                        : "r"(p[0]), "r"(p[1]), "r"(p[2]), "r"(p[3]), "r"(p[0]), "r"(p[1]))),
      CODE(float z = 0; for (int j = 0; j < 8; ++j) z += d[j][0]; wait_for((uint32_t)z, a)))
MICRO("alu", imma16832, "IMMA.16832", 64, alu_warps(),
      CODE(uint32_t d[8][4] = {}; uint32_t p[4] = {lane, lane, lane, lane}),
      CODE(asm volatile("mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, "
                        "{%8,%9}, {%0,%1,%2,%3};"
                        : "+r"(d[i % 8][0]), "+r"(d[i % 8][1]), "+r"(d[i % 8][2]), "+r"(d[i % 8][3])
                        : "r"(p[0]), "r"(p[1]), "r"(p[2]), "r"(p[3]), "r"(p[0]), "r"(p[1]))),
      CODE(uint32_t z = 0; for (int j = 0; j < 8; ++j) z += d[j][0]; wait_for(z, a)))

// Special registers, constants and the uniform datapath.
#define SREG(NAME, OPCODE, REG)                                                                     \
  MICRO("alu", NAME, OPCODE, 16, few_warps(), CODE(),                                               \
        CODE(uint32_t v; asm volatile("mov.u32 %0, " REG ";" : "=r"(v)); x ^= v; wait_for(x, a)), CODE())
SREG(s2r_nwarpid, "(S2R|S2UR)", "%%warpid")
__constant__ uint32_t constants[8192];
// A cold walk over constant memory, 64 bytes apart, then warm ones (repetitions).
MICRO("alu", ldc_chain, "LDC", 32, few_warps(), CODE(uint32_t o = lane >> 8),
      CODE(o = constants[o + 16 * i + (a.count >> 20)]), CODE(x = o; wait_for(o, a)))
MICRO("alu", ldc_chain_far, "LDC", 32, few_warps(), CODE(uint32_t o = lane >> 8),
      CODE(o = constants[o + 128 * i + (a.count >> 20)]), CODE(x = o; wait_for(o, a)))
MICRO("alu", syncwarp, "(WARPSYNC|NOP)", 64, few_warps(), CODE(),
      CODE(asm volatile("bar.warp.sync %0;" ::"r"(a.never | 0xffffffffu) : "memory")), CODE(wait_for(x, a)))
MICRO("alu", membar_cta, "MEMBAR", 16, few_warps(), CODE(), CODE(asm volatile("membar.cta;" ::: "memory")),
      CODE(wait_for(load(s), a)))
MICRO("alu", membar_gl, "MEMBAR", 8, few_warps(), CODE(), CODE(asm volatile("membar.gl;" ::: "memory")),
      CODE(wait_for(load(s), a)))

// How long MATCH takes by the number of different values in the warp.
static std::vector<Config> match_values() {
  std::vector<Config> list;
  for (uint32_t values : {1, 2, 4, 8, 16, 32}) {
    for (uint64_t mask : {0x1ull, 0xfull}) {
      Config c;
      c.mask = mask, c.count = values;
      list.push_back(c);
    }
  }
  return list;
}
MICRO("alu", match_groups, "MATCH", 16, match_values(), CODE(uint32_t k = lane % a.count),
      CODE(asm volatile("match.any.sync.b32 %0, %1, 0xffffffff;" : "=r"(x) : "r"(k)); wait_for(x, a)), CODE())
