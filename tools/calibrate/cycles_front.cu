// The front end: instruction fetch, branches, divergence, block launch and replacement.
#include "cycles.cuh"

using namespace cycles;

namespace {

std::vector<Config> fetch_configs() {
  std::vector<Config> list;
  for (uint32_t reps : {1, 2, 4}) {  // cold, second time, steady
    for (uint64_t mask : {0x1ull, 0xfull, 0xffull, 0xffffull}) {
      Config c;
      c.reps = reps, c.mask = mask;
      list.push_back(c);
    }
  }
  Config all;
  all.reps = 1, all.mask = 0xff, all.blocks = 0;
  list.push_back(all);
  return list;
}
std::vector<Config> launches() {
  std::vector<Config> list;
  for (unsigned warps : {1, 2, 4, 8, 16, 32}) {
    for (unsigned kib : {1, 40, 100, 200}) {
      for (uint32_t work : {0u, 200u}) {
        Config c;
        c.mask = warps == 32 ? 0xffffffffull : (1ull << warps) - 1;
        c.blocks = 0, c.per_sm = kib >= 100 ? 6 : 24;
        c.shared_bytes = kib << 10, c.count = work, c.note = "launch";
        list.push_back(c);
      }
    }
  }
  return list;
}

}  // namespace

// Straight-line code, 16 bytes an instruction, in four chains: one instruction an issue slot, so that
// fetch shows.
#define FETCH(COUNT)                                                                                  \
  MICRO("front", fetch_##COUNT, "FFMA", COUNT, fetch_configs(),                                       \
        CODE(float v[4] = {1, 2, 3, 4}; float y = lane),                                              \
        CODE(asm volatile("fma.rn.f32 %0, %0, %1, %1;" : "+f"(v[i % 4]) : "f"(y))), CODE(wait_for((uint32_t)(v[0] + v[1] + v[2] + v[3]), a)))
FETCH(128)
FETCH(256)
FETCH(512)
FETCH(1024)
FETCH(2048)
FETCH(4096)
FETCH(8192)
FETCH(16384)

// A loop of one instruction and a branch: count iterations.
MICRO("front", loop_taken, "", 1, few_warps([] { Config c; c.count = 256; return c; }()), CODE(float v = lane),
      CODE(_Pragma("unroll 1") for (uint32_t k = 0; k < a.count; ++k) asm volatile("fma.rn.f32 %0, %0, %0, %0;" : "+f"(v))),
      CODE(wait_for((uint32_t)v, a)))
MICRO("front", loop_taken8, "", 1, few_warps([] { Config c; c.count = 256; return c; }()), CODE(float v[8] = {}),
      CODE(_Pragma("unroll 1") for (uint32_t k = 0; k < a.count; ++k) {
             _Pragma("unroll") for (int j = 0; j < 8; ++j) asm volatile("fma.rn.f32 %0, %0, %0, %0;" : "+f"(v[j])); }),
      CODE(wait_for((uint32_t)(v[0] + v[1] + v[7]), a)))
// Divergence: lanes below `keep` take one side. 0 and 32: nobody diverges.
static std::vector<Config> divergence() {
  std::vector<Config> list;
  for (uint32_t keep : {0, 1, 16, 32}) {
    for (uint64_t mask : {0x1ull, 0xfull, 0xffffull}) {
      Config c;
      c.keep = keep, c.mask = mask;
      list.push_back(c);
    }
  }
  return list;
}
MICRO("front", diverge, "", 16, divergence(), CODE(float v = lane),
      CODE(if (lane < a.keep) { asm volatile("ex2.approx.ftz.f32 %0, %0;" : "+f"(v)); asm volatile("bar.warp.sync %0;" ::"r"(__activemask())); }
           else { asm volatile("rcp.approx.ftz.f32 %0, %0;" : "+f"(v)); asm volatile("bar.warp.sync %0;" ::"r"(__activemask())); }),
      CODE(wait_for((uint32_t)v, a)))
MICRO("front", diverge_store, "", 16, divergence(), CODE(uint32_t v = lane),
      CODE(if (lane < a.keep) { _Pragma("unroll 1") for (uint32_t k = 0; k < 1 + a.count; ++k) asm volatile("st.volatile.shared.u32 [%0], %1;" ::"r"(s), "r"(v) : "memory"); }),
      CODE(wait_for(v, a)))

// Nothing between the clocks, many blocks: how blocks follow each other on an SM. `enter` of each
// warp and `leave` of the block before it tell. Written out, without the harness's shared fill.
extern "C" __global__ void __launch_bounds__(1024) launch_kernel(Args a) {
  Sample sample{};
  sample.enter = now();
  float v = static_cast<float>(threadIdx.x);
  sample.t0 = sample.first = now();
#pragma unroll 1
  for (uint32_t k = 0; k < a.count; ++k) asm volatile("ex2.approx.ftz.f32 %0, %0;" : "+f"(v));
  wait_for(static_cast<uint32_t>(v), a);
  sample.t1 = sample.t2 = now();
  sample.leave = now();
  write_sample(a, sample);
}
static const Register register_launch("launch", "launch_kernel", "", 1, launch_kernel, launches());
