#include "sim/access_kind.hpp"

#include <cassert>

namespace smemsim {
namespace {

// LDSM and STSM have counters of their own only in the `sass` family.
constexpr std::array<CounterNames, kAccessKinds> kNames{{
    {"ld", "smsp__inst_executed_op_shared_ld.sum",
     "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum",
     "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum"},
    {"ldmatrix", "smsp__inst_executed_op_ldsm.sum",
     "smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_ldsm.sum",
     "smsp__sass_l1tex_data_bank_conflicts_pipe_lsu_mem_shared_op_ldsm.sum"},
    {"st", "smsp__inst_executed_op_shared_st.sum",
     "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_st.sum",
     "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_st.sum"},
    {"stmatrix", "smsp__inst_executed_op_shared_stsm.sum", "",
     "smsp__sass_l1tex_data_bank_conflicts_pipe_lsu_mem_shared_op_stsm.sum"},
    {"atom", "smsp__inst_executed_op_shared_atom.sum",
     "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_atom.sum",
     "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_atom.sum"},
    {"ldgsts", "smsp__inst_executed_op_ldgsts.sum",
     "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ldgsts.sum",
     "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ldgsts.sum"},
}};

constexpr CounterNames kTotal{"total", "", "l1tex__data_pipe_lsu_wavefronts_mem_shared.sum",
                              "l1tex__data_bank_conflicts_pipe_lsu_mem_shared.sum", true};

}  // namespace

AccessKind access_kind(Operation op) {
  assert(is_shared_access(op));
  switch (op) {
    case Operation::ldmatrix:
      return AccessKind::ldmatrix;
    case Operation::stmatrix:
      return AccessKind::stmatrix;
    default:
      break;
  }
  switch (traits(op).counter) {
    case CounterKind::st:
      return AccessKind::store;
    case CounterKind::atom:
      return AccessKind::atomic;
    case CounterKind::ldgsts:
      return AccessKind::copy;
    default:
      return AccessKind::load;
  }
}

const CounterNames& counter_names(AccessKind kind) {
  return kNames[static_cast<std::size_t>(kind)];
}

const CounterNames& total_counter_names() {
  return kTotal;
}

}  // namespace smemsim
