// What the racy/fixed pairs share. Every pair is one body with a switch: NAME_racy leaves out or
// misplaces a piece of synchronisation, NAME_fixed is what it should be.
//
// The optimiser must neither drop, merge nor move the access that races, so shared arrays are
// volatile and everything else is volatile assembly.
#ifndef SMEMSIM_KERNELS_RACES_CUH
#define SMEMSIM_KERNELS_RACES_CUH

#include <vector>

#include "../ptx.cuh"

namespace races {

constexpr int kThreads = 128;
constexpr int kWords = 2048;  // of the input and output of a launch

struct Pair {
  const char* name;
  const char* kind;   // that `smemsim races` gives the racy one (docs/races.md)
  const char* least;  // its severity
  const char* what;   // what is missing
  void (*racy)(const int*, int*);
  void (*fixed)(const int*, int*);
  int threads = kThreads;
  int cluster = 1;  // blocks; the grid is two clusters
  int dynamic_bytes = 0;
  bool terminates = true;  // the racy one; otherwise it hangs on hardware and is only compiled
};

using Pairs = std::vector<Pair>;

// One list for each source file; all_pairs() puts them together.
void add_tiles(Pairs& pairs);
void add_warps(Pairs& pairs);
void add_copies(Pairs& pairs);
void add_barriers(Pairs& pairs);
void add_mbarriers(Pairs& pairs);
void add_memory(Pairs& pairs);

#define RACE_PAIR(name, threads)                                                     \
  __global__ void __launch_bounds__(threads) name##_racy(const int* in, int* out) {  \
    name<false>(in, out);                                                            \
  }                                                                                  \
  __global__ void __launch_bounds__(threads) name##_fixed(const int* in, int* out) { \
    name<true>(in, out);                                                             \
  }

}  // namespace races

// ---- Shared arrays and instructions ------------------------------------------------------------
// Macros, so that the line of an access is the line in the kernel and not one of a helper.

// Volatile: every access of the text is one instruction, in the order of the text.
#define SHARED_WORDS(name, words) __shared__ __align__(128) volatile int name[words]
#define SHARED_MBARRIERS(name, count) __shared__ __align__(8) unsigned long long name[count]

#define SHARED_ADDRESS(pointer) ptx::shared_address(const_cast<const int*>(pointer))
#define GLOBAL_ADDRESS(pointer) __cvta_generic_to_global(pointer)

#define STORE_HALF(word, upper, value)                                                         \
  asm volatile("st.shared.u16 [%0], %1;" ::"r"(SHARED_ADDRESS(word) + 2 * (upper)), "h"(value) \
               : "memory")
#define ATOMIC_ADD(word, value) \
  asm volatile("red.shared.add.u32 [%0], %1;" ::"r"(SHARED_ADDRESS(word)), "r"(value) : "memory")

#define COPY(word, from)                                                               \
  asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(SHARED_ADDRESS(word)), \
               "l"(GLOBAL_ADDRESS(from))                                               \
               : "memory")
#define COMMIT() asm volatile("cp.async.commit_group;" ::: "memory")
#define WAIT_GROUPS(left) asm volatile("cp.async.wait_group %0;" ::"n"(left) : "memory")

#define NAMED_SYNC(id, threads) asm volatile("bar.sync %0, %1;" ::"r"(id), "r"(threads) : "memory")
#define NAMED_ARRIVE(id, threads) \
  asm volatile("bar.arrive %0, %1;" ::"r"(id), "r"(threads) : "memory")

#define MBARRIER_INIT(barrier, arrivals)                                                      \
  asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(ptx::shared_address(barrier)), \
               "r"(arrivals)                                                                  \
               : "memory")
#define MBARRIER_ARRIVE(barrier)                                                              \
  asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(ptx::shared_address(barrier)) \
               : "memory")
#define MBARRIER_EXPECT(barrier, bytes)                                        \
  asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"( \
                   ptx::shared_address(barrier)),                              \
               "r"(bytes)                                                      \
               : "memory")
#define MBARRIER_WAIT(barrier, parity)                             \
  asm volatile(                                                    \
      "{\n"                                                        \
      ".reg .pred done;\n"                                         \
      "again:\n"                                                   \
      "mbarrier.try_wait.parity.shared::cta.b64 done, [%0], %1;\n" \
      "@!done bra again;\n"                                        \
      "}" ::"r"(ptx::shared_address(barrier)),                     \
      "r"(parity)                                                  \
      : "memory")
#define MBARRIER_TEST(done, barrier, parity)                     \
  asm volatile(                                                  \
      "{\n"                                                      \
      ".reg .pred p;\n"                                          \
      "mbarrier.test_wait.parity.shared::cta.b64 p, [%1], %2;\n" \
      "selp.u32 %0, 1, 0, p;\n"                                  \
      "}"                                                        \
      : "=r"(done)                                               \
      : "r"(ptx::shared_address(barrier)), "r"(parity)           \
      : "memory")

#define FENCE_ASYNC() asm volatile("fence.proxy.async.shared::cta;" ::: "memory")
#define BULK_LOAD(to, from, bytes, barrier)                                                        \
  asm volatile(                                                                                    \
      "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" :: \
          "r"(SHARED_ADDRESS(to)),                                                                 \
      "l"(GLOBAL_ADDRESS(from)), "r"(bytes), "r"(ptx::shared_address(barrier))                     \
      : "memory")
#define BULK_STORE(to, from, bytes)                                                            \
  asm volatile(                                                                                \
      "cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;" ::"l"(GLOBAL_ADDRESS(to)), \
      "r"(SHARED_ADDRESS(from)), "r"(bytes)                                                    \
      : "memory")
#define BULK_COMMIT() asm volatile("cp.async.bulk.commit_group;" ::: "memory")
#define BULK_WAIT_READ() asm volatile("cp.async.bulk.wait_group.read 0;" ::: "memory")

#define CLUSTER_SYNC()                            \
  asm volatile(                                   \
      "barrier.cluster.arrive.release.aligned;\n" \
      "barrier.cluster.wait.acquire.aligned;" ::  \
          : "memory")
#define LOAD_REMOTE(value, word, rank)             \
  asm volatile(                                    \
      "{\n"                                        \
      ".reg .u32 remote;\n"                        \
      "mapa.shared::cluster.u32 remote, %1, %2;\n" \
      "ld.shared::cluster.u32 %0, [remote];\n"     \
      "}"                                          \
      : "=r"(value)                                \
      : "r"(SHARED_ADDRESS(word)), "r"(rank)       \
      : "memory")

#endif
