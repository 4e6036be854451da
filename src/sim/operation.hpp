// The vocabulary of what a warp does, and the facts about each operation that every part shares.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace smemsim {

/// One kind of warp event. The order is part of the .smt format: append, never insert.
enum class Operation : std::uint8_t {
  // Shared memory of the own block: lane addresses are byte offsets in the block's shared window.
  load,
  store,
  ldmatrix,  ///< `matrices` 1, 2 or 4; a lane's address is one 16-byte row
  stmatrix,
  atomic,  ///< read-modify-write that returns the old value: add, exch, min, ...
  reduce,  ///< the same without a result
  cas,     ///< compare-and-swap
  // Asynchronous copies global -> shared: `address` is the shared side, `source` the global side.
  cp_async_ca,      ///< through L1 (4, 8 or 16 bytes a lane)
  cp_async_cg,      ///< bypassing L1 (16 bytes a lane)
  cp_async_commit,  ///< closes the lanes' current group
  cp_async_wait,    ///< a = groups that may stay unfinished; a = 0 waits for all
  cp_async_arrive,  ///< cp.async.mbarrier.arrive: base = mbarrier; a = 1 for .noinc
  // Global memory: lane addresses are 64-bit addresses.
  global_load,
  global_store,
  global_atomic,
  // Ordering inside the block.
  barrier_sync,    ///< bar.sync: a = barrier id, b = thread count (0 = whole block)
  barrier_arrive,  ///< bar.arrive: likewise, does not wait
  warp_sync,       ///< a = lane mask given to __syncwarp
  shuffle,         ///< shfl, vote, match, redux with a mask: a = mask (0 = unknown)
  // mbarrier: base = shared offset of the barrier object.
  mbarrier_init,       ///< a = expected arrivals
  mbarrier_arrive,     ///< a = count; b = 1 when the arrival drops out of later phases
  mbarrier_expect_tx,  ///< a = arrivals it also makes (0 or 1), b = bytes expected
  mbarrier_wait,       ///< returned from a wait on phase parity a
  mbarrier_try,        ///< unsuccessful attempt on phase parity a
  mbarrier_invalidate,
  // Bulk (TMA) copies: `address` base = shared side, `source` base = the other side, a = bytes,
  // b = shared offset of the mbarrier that completes it.
  bulk_load,    ///< global -> shared
  bulk_store,   ///< shared -> global, completed through bulk groups
  bulk_remote,  ///< shared -> shared of another block of the cluster
  bulk_reduce,  ///< shared -> global with a reduction
  bulk_commit,
  bulk_wait,  ///< a = groups that may stay unfinished; b = 1 waits for the reads only
  // Cluster.
  cluster_arrive,
  cluster_wait,
  remote_load,  ///< distributed shared memory; addresses are cluster-window offsets
  remote_store,
  remote_atomic,
  // Tensor-core operands in shared memory: base = operand A, source = operand B, a, b = bytes.
  wgmma,
  wgmma_commit,
  wgmma_wait,  ///< a = groups that may stay unfinished
  wgmma_fence,
  fence_proxy_async,  ///< orders generic accesses before the asynchronous proxy
  // Everything else.
  instructions,  ///< a = issue slots between two other events
  exit,          ///< lanes that leave the kernel
  // Shared atomics with a data stage of their own.
  increment,  ///< adds 1 for every lane, without a result: lanes at one word count as one
              ///< (POPC.INC)
  cas_spin,   ///< one round of a retry loop: lanes that met another lane's update try again
              ///< (CAST.SPIN)
  call,       ///< lanes that call a function of the machine code
  count_      ///< number of operations; not an operation
};

inline constexpr std::size_t kOperationCount = static_cast<std::size_t>(Operation::count_);

/// Which memory the lanes' `address` list means.
enum class AddressSpace : std::uint8_t { none, shared, global, remote_shared };

/// The counter family of Nsight Compute that an operation's wavefronts are counted under.
enum class CounterKind : std::uint8_t { none, ld, st, atom, ldgsts };

/// Facts about one operation. One row per operation in operation.cpp.
struct OperationTraits {
  Operation op;
  std::string_view name;  ///< as written in JSON Lines, reports and machine files
  AddressSpace space;     ///< of `address`
  bool lane_addresses;    ///< every active lane has its own address; else only `base` counts
  bool has_source;        ///< carries a second address (list) in global memory
  bool reads;             ///< of the `address` side
  bool writes;
  CounterKind counter;
};

const OperationTraits& traits(Operation op);

/// All rows, in enum order.
std::span<const OperationTraits> all_operations();

/// The operation with that name, or nothing.
std::optional<Operation> operation_from_name(std::string_view name);

inline std::string_view name(Operation op) {
  return traits(op).name;
}

/// True for the accesses that the bank model gives a cost for: one shared instruction of a warp.
bool is_shared_access(Operation op);

/// True for what reads and writes a lane's address in one step, in whichever memory.
bool is_atomic(Operation op);

}  // namespace smemsim
