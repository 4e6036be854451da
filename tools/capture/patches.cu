// Device side of the capture: one callback for each instruction class. The Sanitizer API calls a
// callback for every active lane before the instruction executes; the lanes that arrive together
// write one record into a ring in pinned host memory, which the host drains while the kernel runs.
// When the ring is full the leading lane waits: draining needs no SM, so nothing is ever lost.

#include <sanitizer_patching.h>

#include "frontend/capture_record.hpp"

using namespace smemsim::capture;

namespace {

__device__ __forceinline__ std::uint32_t lane_id() {
  std::uint32_t lane;
  asm("mov.u32 %0, %%laneid;" : "=r"(lane));
  return lane;
}

__device__ __forceinline__ std::uint64_t block_index() {
  return (static_cast<std::uint64_t>(blockIdx.z) * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x;
}

__device__ __forceinline__ std::uint64_t cluster_index() {
#if __CUDA_ARCH__ >= 900
  std::uint32_t x, y, z, nx, ny;
  asm("mov.u32 %0, %%clusterid.x;" : "=r"(x));
  asm("mov.u32 %0, %%clusterid.y;" : "=r"(y));
  asm("mov.u32 %0, %%clusterid.z;" : "=r"(z));
  asm("mov.u32 %0, %%nclusterid.x;" : "=r"(nx));
  asm("mov.u32 %0, %%nclusterid.y;" : "=r"(ny));
  return (static_cast<std::uint64_t>(z) * ny + y) * nx + x;
#else
  return block_index();
#endif
}

/// Tells launches apart that run at about the same time.
__device__ __forceinline__ std::uint64_t grid_number() {
  std::uint64_t id;
  asm("mov.u64 %0, %%gridid;" : "=l"(id));
  return id;
}

__device__ __forceinline__ std::uint32_t thread_index() {
  return (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
}

__device__ __forceinline__ bool in_list(const Control* control, std::uint32_t block) {
  std::uint32_t low = 0, high = control->list_size;
  while (low < high) {
    const std::uint32_t middle = (low + high) / 2;
    if (control->list[middle] < block)
      low = middle + 1;
    else
      high = middle;
  }
  return low < control->list_size && control->list[low] == block;
}

/// Whether this thread's block is to be recorded; the same answer for all its threads.
__device__ __forceinline__ bool recorded(const Control* control) {
  if (control == nullptr) return false;
  const std::uint64_t block = block_index();
  if (block > kMaxBlock) return false;
  if (control->mode == SelectMode::all) return true;
  const std::uint64_t unit = control->by_cluster != 0 ? cluster_index() : block;
  if (unit >> 32 != 0) return false;
  const std::uint32_t index = static_cast<std::uint32_t>(unit);
  if (control->mode == SelectMode::list) return in_list(control, index);
  return index >= control->first && index <= control->last &&
         (control->stride == 1 || (index - control->first) % control->stride == 0);
}

// The ring's state is in global memory; saying so spares the code for generic atomics.
__device__ __forceinline__ unsigned long long add_global(unsigned long long* target,
                                                         unsigned long long value) {
  unsigned long long old;
  asm volatile("atom.global.add.u64 %0, [%1], %2;"
               : "=l"(old)
               : "l"(__cvta_generic_to_global(target)), "l"(value)
               : "memory");
  return old;
}
__device__ __forceinline__ void max_global(unsigned long long* target, unsigned long long value) {
  asm volatile("red.global.max.u64 [%0], %1;" ::"l"(__cvta_generic_to_global(target)), "l"(value)
               : "memory");
}

/// Bytes [result, result + bytes) of the ring, counted since its start, once they are free.
__device__ __forceinline__ std::uint64_t reserve(const Control* control, std::uint32_t bytes) {
  RingState* ring = control->ring;
  const unsigned long long position = add_global(&ring->head, bytes);
  const unsigned long long end = position + bytes;
  const volatile unsigned long long* seen = &ring->seen_tail;
  if (end <= *seen + control->bytes) return position;
  for (;;) {
    const unsigned long long tail = *control->tail;
    if (end <= tail + control->bytes) {
      max_global(&ring->seen_tail, tail);
      return position;
    }
    __nanosleep(500);
  }
}

/// What a callback has to tell. `lanes` is the group of lanes that tell it together.
struct Report {
  RecordKind kind;
  std::uint32_t flags;
  std::uint64_t pc, a, b;
};

/// Writes one record for the group. Every lane of `lanes` calls it with the same `report`, and with
/// its own addresses as far as the kind has any.
template <bool kWide, bool kNarrow>
__device__ __forceinline__ void write(const Control* control, std::uint32_t lanes, Report report,
                                      std::uint64_t wide = 0, std::uint32_t narrow = 0) {
  const std::uint32_t lane = lane_id();
  const std::uint32_t count = __popc(lanes);
  const std::uint32_t rank = __popc(lanes & ((1u << lane) - 1u));
  const std::uint32_t wide_words = kWide ? count : 0;
  const std::uint32_t words = kHeaderWords + wide_words + (kNarrow ? (count + 1) / 2 : 0);
  const int leader = __ffs(static_cast<int>(lanes)) - 1;

  std::uint64_t position = 0;
  if (rank == 0) position = reserve(control, words * 8);
  position = __shfl_sync(lanes, static_cast<unsigned long long>(position), leader);

  // A record may lie around the end of the ring, so every piece finds its own place.
  const std::uint64_t mask = control->bytes - 1;
  const auto place = [&](std::uint32_t byte) { return control->data + ((position + byte) & mask); };
  if (kWide) *reinterpret_cast<volatile std::uint64_t*>(place((kHeaderWords + rank) * 8)) = wide;
  if (kNarrow) {
    *reinterpret_cast<volatile std::uint32_t*>(place((kHeaderWords + wide_words) * 8 + rank * 4)) =
        narrow;
  }
  __syncwarp(lanes);
  if (rank == 0) {
    const std::uint64_t where = block_index() |
                                static_cast<std::uint64_t>(thread_index() / 32) << 40 |
                                static_cast<std::uint64_t>(control->tag) << 48;
    *reinterpret_cast<volatile std::uint64_t*>(place(8)) = report.pc | grid_number() << kPcBits;
    *reinterpret_cast<volatile std::uint64_t*>(place(16)) = where;
    *reinterpret_cast<volatile std::uint64_t*>(place(24)) = report.a;
    *reinterpret_cast<volatile std::uint64_t*>(place(32)) = report.b;
    __threadfence_system();
    *reinterpret_cast<volatile std::uint64_t*>(place(0)) =
        static_cast<std::uint64_t>(report.kind) | static_cast<std::uint64_t>(report.flags) << 8 |
        static_cast<std::uint64_t>(words) << 16 | static_cast<std::uint64_t>(lanes) << 32;
  }
  __syncwarp(lanes);
}

/// A record without lane addresses.
__device__ __forceinline__ SanitizerPatchResult plain(void* userdata, RecordKind kind, uint64_t pc,
                                                      std::uint64_t a = 0, std::uint64_t b = 0,
                                                      std::uint32_t flags = 0) {
  const auto* control = static_cast<const Control*>(userdata);
  if (recorded(control)) {
    write<false, false>(control, __activemask(), {kind, flags, pc, a, b});
  }
  return SANITIZER_PATCH_SUCCESS;
}

/// The same where lanes may differ in `a` or `b`: one record for each group that agrees.
__device__ __forceinline__ SanitizerPatchResult grouped(void* userdata, RecordKind kind,
                                                        uint64_t pc, std::uint64_t a,
                                                        std::uint64_t b, std::uint32_t flags = 0) {
  const auto* control = static_cast<const Control*>(userdata);
  if (recorded(control)) {
    const std::uint32_t active = __activemask();
    std::uint32_t lanes = __match_any_sync(active, static_cast<unsigned long long>(a));
    lanes &= __match_any_sync(active, static_cast<unsigned long long>(b));
    lanes &= __match_any_sync(active, flags);
    write<false, false>(control, lanes, {kind, flags, pc, a, b});
  }
  return SANITIZER_PATCH_SUCCESS;
}

/// A bulk copy: the byte count travels as a narrow word of the lowest lane.
__device__ __forceinline__ SanitizerPatchResult bulk(void* userdata, RecordKind kind, uint64_t pc,
                                                     std::uint64_t a, std::uint64_t b,
                                                     std::uint32_t bytes) {
  const auto* control = static_cast<const Control*>(userdata);
  if (recorded(control)) {
    const std::uint32_t active = __activemask();
    std::uint32_t lanes = __match_any_sync(active, static_cast<unsigned long long>(a));
    lanes &= __match_any_sync(active, static_cast<unsigned long long>(b));
    write<false, true>(control, lanes, {kind, 0, pc, a, b}, 0, bytes);
  }
  return SANITIZER_PATCH_SUCCESS;
}

/// Whether lanes that store to the same address store the same, as record flags.
__device__ __forceinline__ std::uint32_t compare_values(std::uint32_t lanes, std::uint64_t address,
                                                        std::uint32_t size, const void* data) {
  if (__any_sync(lanes, data == nullptr)) return 0;
  const std::uint32_t peers = __match_any_sync(lanes, static_cast<unsigned long long>(address));
  const int first = __ffs(static_cast<int>(peers)) - 1;
  bool equal = true;
  if (__any_sync(lanes, (peers & (peers - 1)) != 0)) {
    for (std::uint32_t byte = 0; byte < size; byte += 4) {
      std::uint32_t word;
      if (size == 1)
        word = *static_cast<const std::uint8_t*>(data);
      else if (size == 2)
        word = *static_cast<const std::uint16_t*>(data);
      else
        word = static_cast<const std::uint32_t*>(data)[byte / 4];
      equal = equal && word == __shfl_sync(lanes, word, first);
    }
  }
  return kRecordValues | (__all_sync(lanes, equal) ? kRecordEqual : 0);
}

__device__ __forceinline__ std::uint32_t access_flags(std::uint32_t flags) {
  return ((flags & SANITIZER_MEMORY_DEVICE_FLAG_READ) != 0 ? kRead : 0) |
         ((flags & SANITIZER_MEMORY_DEVICE_FLAG_WRITE) != 0 ? kWrite : 0);
}

__device__ __forceinline__ std::uint64_t pack(std::uint32_t high, std::uint32_t low) {
  return static_cast<std::uint64_t>(high) << 32 | low;
}

/// The 64 bits of an mbarrier object of this block; 0 for an object of another one.
__device__ __forceinline__ std::uint64_t mbarrier_state(std::uint32_t address) {
  std::uint32_t rank = 0, total;
#if __CUDA_ARCH__ >= 900
  asm("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
#endif
  asm("mov.u32 %0, %%total_smem_size;" : "=r"(total));
  const std::uint32_t offset = address & 0xffffffu;
  if (address >> 24 != rank || offset % 8 != 0 || offset + 8 > total + 1024) return 0;
  std::uint64_t state;
  asm volatile("ld.volatile.shared.u64 %0, [%1];" : "=l"(state) : "r"(address) : "memory");
  return state;
}

__device__ __forceinline__ SanitizerPatchResult mbarrier(void* userdata, RecordKind record,
                                                         uint64_t pc, void* object, uint32_t kind,
                                                         uint32_t data, uint32_t result) {
  if (!recorded(static_cast<const Control*>(userdata))) return SANITIZER_PATCH_SUCCESS;
  // What the callback calls data is the count of an arrival and nothing useful for the rest.
  const bool arrives = kind >= SANITIZER_CUDA_BARRIER_ARRIVE &&
                       kind <= SANITIZER_CUDA_BARRIER_ARRIVE_DROP_NOCOMPLETE;
  const std::uint32_t address = static_cast<std::uint32_t>(reinterpret_cast<std::uint64_t>(object));
  const std::uint32_t high = kind << 24 | (arrives ? data & 0xffffffu : 0);
  const bool succeeded = kind != SANITIZER_CUDA_BARRIER_WAIT || result != 0;
  return grouped(userdata, record, pc, pack(high, address), mbarrier_state(address),
                 succeeded ? kSucceeded : 0);
}

}  // namespace

extern "C" {

__device__ __noinline__ SanitizerPatchResult smemsim_block_enter(void* userdata, uint64_t pc) {
  if (thread_index() != 0) return SANITIZER_PATCH_SUCCESS;
  std::uint32_t total, dynamic, sm;
  asm volatile("mov.u32 %0, %%total_smem_size;" : "=r"(total));
  asm volatile("mov.u32 %0, %%dynamic_smem_size;" : "=r"(dynamic));
  asm volatile("mov.u32 %0, %%smid;" : "=r"(sm));
  return plain(userdata, RecordKind::block_enter, pc, pack(total, dynamic), sm);
}

__device__ __noinline__ SanitizerPatchResult smemsim_exit(void* userdata, uint64_t pc) {
  return plain(userdata, RecordKind::exit, pc);
}

__device__ __noinline__ SanitizerPatchResult smemsim_shared(void* userdata, uint64_t pc, void* ptr,
                                                            uint32_t size, uint32_t flags,
                                                            const void* data) {
  const auto* control = static_cast<const Control*>(userdata);
  if (!recorded(control)) return SANITIZER_PATCH_SUCCESS;
  const std::uint32_t lanes = __activemask();
  const std::uint32_t address = static_cast<std::uint32_t>(reinterpret_cast<std::uint64_t>(ptr));
  std::uint32_t bits = access_flags(flags);
  if (bits == kWrite) bits |= compare_values(lanes, address, size, data);
  write<false, true>(control, lanes, {RecordKind::shared, bits, pc, size, 0}, 0, address);
  return SANITIZER_PATCH_SUCCESS;
}

__device__ __noinline__ SanitizerPatchResult smemsim_global(void* userdata, uint64_t pc, void* ptr,
                                                            uint32_t size, uint32_t flags,
                                                            const void*) {
  const auto* control = static_cast<const Control*>(userdata);
  if ((flags & SANITIZER_MEMORY_DEVICE_FLAG_PREFETCH) != 0 || !recorded(control)) {
    return SANITIZER_PATCH_SUCCESS;
  }
  write<true, false>(control, __activemask(),
                     {RecordKind::global, access_flags(flags), pc, size, 0},
                     reinterpret_cast<std::uint64_t>(ptr));
  return SANITIZER_PATCH_SUCCESS;
}

__device__ __noinline__ SanitizerPatchResult smemsim_remote(void* userdata, uint64_t pc, void* ptr,
                                                            uint32_t size, uint32_t flags,
                                                            const void*) {
  const auto* control = static_cast<const Control*>(userdata);
  if (!recorded(control)) return SANITIZER_PATCH_SUCCESS;
  write<true, false>(control, __activemask(),
                     {RecordKind::remote, access_flags(flags), pc, size, 0},
                     reinterpret_cast<std::uint64_t>(ptr));
  return SANITIZER_PATCH_SUCCESS;
}

__device__ __noinline__ SanitizerPatchResult smemsim_matrix(void* userdata, uint64_t pc,
                                                            uint32_t address, uint32_t size,
                                                            uint32_t flags, uint32_t count,
                                                            const void*) {
  const auto* control = static_cast<const Control*>(userdata);
  if (!recorded(control)) return SANITIZER_PATCH_SUCCESS;
  write<false, true>(control, __activemask(),
                     {RecordKind::matrix, access_flags(flags), pc, size, count}, 0, address);
  return SANITIZER_PATCH_SUCCESS;
}

__device__ __noinline__ SanitizerPatchResult smemsim_barrier(void* userdata, uint64_t pc,
                                                             uint32_t index, uint32_t threads,
                                                             uint32_t) {
  return grouped(userdata, RecordKind::barrier, pc, index, threads);
}

__device__ __noinline__ SanitizerPatchResult smemsim_warp_sync(void* userdata, uint64_t pc,
                                                               uint32_t mask) {
  return grouped(userdata, RecordKind::warp_sync, pc, mask, 0);
}

__device__ __noinline__ SanitizerPatchResult smemsim_shuffle(void* userdata, uint64_t pc) {
  return plain(userdata, RecordKind::shuffle, pc);
}

__device__ __noinline__ SanitizerPatchResult smemsim_call(void* userdata, uint64_t pc, uint64_t,
                                                          uint32_t) {
  return plain(userdata, RecordKind::call, pc);
}

__device__ __noinline__ SanitizerPatchResult smemsim_copy(void* userdata, uint64_t pc, void* source,
                                                          uint32_t destination, uint32_t size) {
  const auto* control = static_cast<const Control*>(userdata);
  if (!recorded(control)) return SANITIZER_PATCH_SUCCESS;
  write<true, true>(control, __activemask(), {RecordKind::copy, kWrite, pc, size, 0},
                    reinterpret_cast<std::uint64_t>(source), destination);
  return SANITIZER_PATCH_SUCCESS;
}

__device__ __noinline__ SanitizerPatchResult smemsim_copy_commit(void* userdata, uint64_t pc) {
  return plain(userdata, RecordKind::copy_commit, pc);
}

__device__ __noinline__ SanitizerPatchResult smemsim_copy_wait(void* userdata, uint64_t pc,
                                                               uint32_t groups) {
  return plain(userdata, RecordKind::copy_wait, pc, groups);
}

__device__ __noinline__ SanitizerPatchResult smemsim_copy_arrive(void* userdata, uint64_t pc,
                                                                 uint32_t barrier) {
  return grouped(userdata, RecordKind::copy_arrive, pc, barrier, 0);
}

__device__ __noinline__ SanitizerPatchResult smemsim_mbarrier(void* userdata, uint64_t pc,
                                                              void* barrier, uint32_t kind,
                                                              uint32_t data) {
  return mbarrier(userdata, RecordKind::mbarrier, pc, barrier, kind, data, 1);
}

__device__ __noinline__ SanitizerPatchResult smemsim_mbarrier_attempt(void* userdata, uint64_t pc,
                                                                      void* barrier, uint32_t kind,
                                                                      uint32_t data,
                                                                      uint32_t result) {
  return mbarrier(userdata, RecordKind::mbarrier_attempt, pc, barrier, kind, data, result);
}

__device__ __noinline__ SanitizerPatchResult smemsim_cluster_arrive(void* userdata, uint64_t pc) {
  return plain(userdata, RecordKind::cluster_arrive, pc);
}

__device__ __noinline__ SanitizerPatchResult smemsim_cluster_wait(void* userdata, uint64_t pc) {
  return plain(userdata, RecordKind::cluster_wait, pc);
}

__device__ __noinline__ SanitizerPatchResult smemsim_wgmma(void* userdata, uint64_t pc,
                                                           uint32_t address_a, uint32_t size_a,
                                                           uint32_t address_b, uint32_t size_b,
                                                           uint32_t flags, uint32_t lanes) {
  std::uint32_t bits =
      (flags & SANITIZER_WARPGROUP_MMA_ASYNC_FLAG_COMMIT_GROUP) != 0 ? kCommits : 0;
  if (lanes != 0) bits |= kRead;
  if (bits == 0) return SANITIZER_PATCH_SUCCESS;
  return plain(userdata, RecordKind::wgmma, pc, pack(address_a, size_a), pack(address_b, size_b),
               bits);
}

__device__ __noinline__ SanitizerPatchResult smemsim_wgmma_wait(void* userdata, uint64_t pc,
                                                                uint32_t groups, uint32_t) {
  return plain(userdata, RecordKind::wgmma_wait, pc, groups);
}

__device__ __noinline__ SanitizerPatchResult smemsim_wgmma_fence(void* userdata, uint64_t pc,
                                                                 uint32_t lanes) {
  return lanes != 0 ? plain(userdata, RecordKind::wgmma_fence, pc) : SANITIZER_PATCH_SUCCESS;
}

__device__ __noinline__ SanitizerPatchResult smemsim_async_store(void* userdata, uint64_t pc,
                                                                 uint32_t address, uint32_t barrier,
                                                                 void*, uint32_t size) {
  const auto* control = static_cast<const Control*>(userdata);
  if (!recorded(control)) return SANITIZER_PATCH_SUCCESS;
  write<false, true>(control, __activemask(), {RecordKind::async_store, kWrite, pc, size, barrier},
                     0, address);
  return SANITIZER_PATCH_SUCCESS;
}

__device__ __noinline__ SanitizerPatchResult smemsim_async_reduce(void* userdata, uint64_t pc,
                                                                  uint32_t address,
                                                                  uint32_t barrier, uint32_t size) {
  const auto* control = static_cast<const Control*>(userdata);
  if (!recorded(control)) return SANITIZER_PATCH_SUCCESS;
  write<false, true>(control, __activemask(),
                     {RecordKind::async_reduce, kRead | kWrite, pc, size, barrier}, 0, address);
  return SANITIZER_PATCH_SUCCESS;
}

__device__ __noinline__ SanitizerPatchResult smemsim_bulk_load(void* userdata, uint64_t pc,
                                                               uint64_t source,
                                                               uint32_t destination,
                                                               uint32_t barrier, uint32_t data,
                                                               uint32_t) {
  return bulk(userdata, RecordKind::bulk_load, pc, source, pack(destination, barrier),
              (data & 0xffffu) * 16);
}

__device__ __noinline__ SanitizerPatchResult smemsim_bulk_store(void* userdata, uint64_t pc,
                                                                uint64_t destination,
                                                                uint32_t source, uint32_t blocks) {
  return bulk(userdata, RecordKind::bulk_store, pc, destination, pack(source, 0), blocks * 16);
}

__device__ __noinline__ SanitizerPatchResult smemsim_bulk_remote(void* userdata, uint64_t pc,
                                                                 uint32_t source,
                                                                 uint32_t destination,
                                                                 uint32_t barrier,
                                                                 uint32_t blocks) {
  return bulk(userdata, RecordKind::bulk_remote, pc, destination, pack(source, barrier),
              blocks * 16);
}

__device__ __noinline__ SanitizerPatchResult smemsim_bulk_reduce(void* userdata, uint64_t pc,
                                                                 uint64_t destination,
                                                                 uint32_t source, uint32_t blocks) {
  return bulk(userdata, RecordKind::bulk_reduce, pc, destination, pack(source, 0), blocks * 16);
}

__device__ __noinline__ SanitizerPatchResult smemsim_bulk_reduce_remote(void* userdata, uint64_t pc,
                                                                        uint32_t source,
                                                                        uint32_t destination,
                                                                        uint32_t barrier,
                                                                        uint32_t blocks) {
  return bulk(userdata, RecordKind::bulk_reduce_remote, pc, destination, pack(source, barrier),
              blocks * 16);
}

}  // extern "C"
