#include "sim/operation.hpp"

#include <array>
#include <cassert>

namespace smemsim {
namespace {

using S = AddressSpace;
using C = CounterKind;
using O = Operation;

//                                  name               space            lanes  source reads  writes
constexpr std::array<OperationTraits, kOperationCount> kOperations{{
    {O::load, "ld", S::shared, true, false, true, false, C::ld},
    {O::store, "st", S::shared, true, false, false, true, C::st},
    {O::ldmatrix, "ldmatrix", S::shared, true, false, true, false, C::ld},
    {O::stmatrix, "stmatrix", S::shared, true, false, false, true, C::st},
    {O::atomic, "atom", S::shared, true, false, true, true, C::atom},
    {O::reduce, "red", S::shared, true, false, true, true, C::atom},
    {O::cas, "atom.cas", S::shared, true, false, true, true, C::atom},
    {O::cp_async_ca, "cp.async.ca", S::shared, true, true, false, true, C::ldgsts},
    {O::cp_async_cg, "cp.async.cg", S::shared, true, true, false, true, C::ldgsts},
    {O::cp_async_commit, "cp.async.commit", S::none, false, false, false, false, C::none},
    {O::cp_async_wait, "cp.async.wait", S::none, false, false, false, false, C::none},
    {O::cp_async_arrive, "cp.async.arrive", S::shared, false, false, false, false, C::none},
    {O::global_load, "ld.global", S::global, true, false, true, false, C::none},
    {O::global_store, "st.global", S::global, true, false, false, true, C::none},
    {O::global_atomic, "atom.global", S::global, true, false, true, true, C::none},
    {O::barrier_sync, "bar.sync", S::none, false, false, false, false, C::none},
    {O::barrier_arrive, "bar.arrive", S::none, false, false, false, false, C::none},
    {O::warp_sync, "warpsync", S::none, false, false, false, false, C::none},
    {O::shuffle, "shfl", S::none, false, false, false, false, C::none},
    {O::mbarrier_init, "mbarrier.init", S::shared, false, false, false, false, C::none},
    {O::mbarrier_arrive, "mbarrier.arrive", S::shared, false, false, false, false, C::none},
    {O::mbarrier_expect_tx, "mbarrier.expect_tx", S::shared, false, false, false, false, C::none},
    {O::mbarrier_wait, "mbarrier.wait", S::shared, false, false, false, false, C::none},
    {O::mbarrier_try, "mbarrier.try", S::shared, false, false, false, false, C::none},
    {O::mbarrier_invalidate, "mbarrier.inval", S::shared, false, false, false, false, C::none},
    {O::bulk_load, "bulk.load", S::shared, false, true, false, true, C::none},
    {O::bulk_store, "bulk.store", S::shared, false, true, true, false, C::none},
    {O::bulk_remote, "bulk.remote", S::shared, false, true, true, false, C::none},
    {O::bulk_reduce, "bulk.reduce", S::shared, false, true, true, false, C::none},
    {O::bulk_commit, "bulk.commit", S::none, false, false, false, false, C::none},
    {O::bulk_wait, "bulk.wait", S::none, false, false, false, false, C::none},
    {O::cluster_arrive, "cluster.arrive", S::none, false, false, false, false, C::none},
    {O::cluster_wait, "cluster.wait", S::none, false, false, false, false, C::none},
    {O::remote_load, "ld.remote", S::remote_shared, true, false, true, false, C::none},
    {O::remote_store, "st.remote", S::remote_shared, true, false, false, true, C::none},
    {O::remote_atomic, "atom.remote", S::remote_shared, true, false, true, true, C::none},
    {O::wgmma, "wgmma", S::shared, false, true, true, false, C::none},
    {O::wgmma_commit, "wgmma.commit", S::none, false, false, false, false, C::none},
    {O::wgmma_wait, "wgmma.wait", S::none, false, false, false, false, C::none},
    {O::wgmma_fence, "wgmma.fence", S::none, false, false, false, false, C::none},
    {O::fence_proxy_async, "fence.proxy.async", S::none, false, false, false, false, C::none},
    {O::instructions, "instructions", S::none, false, false, false, false, C::none},
    {O::exit, "exit", S::none, false, false, false, false, C::none},
    {O::increment, "red.popc", S::shared, true, false, true, true, C::atom},
    {O::cas_spin, "atom.cas.spin", S::shared, true, false, true, true, C::atom},
    {O::call, "call", S::none, false, false, false, false, C::none},
}};

constexpr bool in_enum_order() {
  for (std::size_t i = 0; i < kOperations.size(); ++i) {
    if (static_cast<std::size_t>(kOperations[i].op) != i) return false;
  }
  return true;
}
static_assert(in_enum_order(), "traits() indexes this table by the enum");

}  // namespace

const OperationTraits& traits(Operation op) {
  assert(op < Operation::count_);
  return kOperations[static_cast<std::size_t>(op)];
}

std::span<const OperationTraits> all_operations() {
  return kOperations;
}

std::optional<Operation> operation_from_name(std::string_view name) {
  for (const OperationTraits& row : kOperations) {
    if (row.name == name) return row.op;
  }
  return std::nullopt;
}

bool is_shared_access(Operation op) {
  return traits(op).counter != CounterKind::none;
}

bool is_atomic(Operation op) {
  const OperationTraits& row = traits(op);
  return row.lane_addresses && row.reads && row.writes;
}

}  // namespace smemsim
