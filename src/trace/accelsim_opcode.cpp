#include "trace/accelsim_opcode.hpp"

#include <algorithm>
#include <array>

#include "sim/event.hpp"

namespace smemsim::trace {
namespace {

// Opcodes of sm_70 to sm_120 that only take an issue slot here, as NVIDIA's list of instruction
// sets (CUDA Binary Utilities) names them. Sorted.
constexpr std::array kPlain = std::to_array<std::string_view>({
    "ACQBULK",   "AL2P",       "B2R",           "BFE",        "BFI",         "BMMA",
    "BMOV",      "BMSK",       "BPT",           "BRA",        "BREAK",       "BREV",
    "BRX",       "BRXU",       "BSSY",          "BSYNC",      "CALL",        "CCTL",
    "CCTLL",     "CCTLT",      "CGAERRBAR",     "CREDUX",     "CS2R",        "CS2UR",
    "DADD",      "DFMA",       "DMMA",          "DMNMX",      "DMUL",        "DSET",
    "DSETP",     "ELECT",      "ENDCOLLECTIVE", "ERRBAR",     "F2F",         "F2FP",
    "F2I",       "F2IP",       "FADD",          "FADD2",      "FADD32I",     "FCHK",
    "FFMA",      "FFMA2",      "FFMA32I",       "FHADD",      "FHFMA",       "FLO",
    "FMNMX",     "FMNMX3",     "FMUL",          "FMUL2",      "FMUL32I",     "FRND",
    "FSEL",      "FSET",       "FSETP",         "FSWZADD",    "GETLMEMBASE", "HADD2",
    "HADD2_32I", "HFMA2",      "HFMA2_32I",     "HMMA",       "HMNMX2",      "HMUL2",
    "HMUL2_32I", "HSET2",      "HSETP2",        "I2F",        "I2FP",        "I2I",
    "I2IP",      "IABS",       "IADD",          "IADD3",      "IADD32I",     "IDP",
    "IDP4A",     "IMAD",       "IMMA",          "IMNMX",      "IMUL",        "IMUL32I",
    "IPA",       "ISBERD",     "ISCADD",        "ISCADD32I",  "ISETP",       "JMP",
    "JMX",       "JMXU",       "KILL",          "LDC",        "LDCU",        "LDL",
    "LEA",       "LEPC",       "LOP",           "LOP3",       "LOP32I",      "MATCH",
    "MEMBAR",    "MOV",        "MOV32I",        "MOVM",       "MUFU",        "NANOSLEEP",
    "NOP",       "OMMA",       "P2R",           "PLOP3",      "PMTRIG",      "POPC",
    "PREEXIT",   "PRMT",       "PSETP",         "QMMA",       "QSPC",        "R2B",
    "R2P",       "R2UR",       "REDUX",         "RET",        "RPCMOV",      "RTT",
    "S2R",       "S2UR",       "SEL",           "SETCTAID",   "SETLMEMBASE", "SETMAXREG",
    "SGXT",      "SHF",        "SHL",           "SHR",        "STL",         "SUATOM",
    "SULD",      "SUQ",        "SURED",         "SUST",       "TEX",         "TLD",
    "TLD4",      "TMML",       "TXD",           "TXQ",        "UBMSK",       "UBREV",
    "UCLEA",     "UF2F",       "UF2FP",         "UF2I",       "UF2IP",       "UFADD",
    "UFFMA",     "UFLO",       "UFMNMX",        "UFMUL",      "UFRND",       "UFSEL",
    "UFSET",     "UFSETP",     "UI2F",          "UI2FP",      "UI2I",        "UI2IP",
    "UIABS",     "UIADD3",     "UIMAD",         "UIMNMX",     "UISETP",      "ULDC",
    "ULEA",      "ULEPC",      "ULOP",          "ULOP3",      "ULOP32I",     "UMOV",
    "UP2UR",     "UPLOP3",     "UPOPC",         "UPRMT",      "UPSETP",      "UR2UP",
    "USEL",      "USETMAXREG", "USETSHMSZ",     "USGXT",      "USHF",        "USHL",
    "USHR",      "UVIADD",     "UVIMNMX",       "UVIRTCOUNT", "VABSDIFF",    "VABSDIFF4",
    "VHMNMX",    "VIADD",      "VIADDMNMX",     "VIMNMX",     "VIMNMX3",     "VOTE",
    "VOTEU",     "WARPGROUP",  "WARPGROUPSET",  "XMAD",       "YIELD",
});
static_assert(std::is_sorted(kPlain.begin(), kPlain.end()));

// mbarriers, bulk copies, tensor-core operands in shared memory, tensor memory.
constexpr std::array kUnmodelled = std::to_array<std::string_view>({
    "ARRIVES",     "BGMMA",        "CCTLS",   "HGMMA",   "IGMMA",      "LDGMC",
    "LDT",         "LDTM",         "QGMMA",   "REDAS",   "STAS",       "STT",
    "STTM",        "SYNCS",        "UBLKCP",  "UBLKPF",  "UBLKRED",    "UCGABAR_GET",
    "UCGABAR_SET", "UMEMSETS",     "UREDGR",  "USTGR",   "UTCATOMSWS", "UTCBAR",
    "UTCCP",       "UTCHMMA",      "UTCIMMA", "UTCOMMA", "UTCQMMA",    "UTCSHIFT",
    "UTMACCTL",    "UTMACMDFLUSH", "UTMALDG", "UTMAPF",  "UTMAREDG",   "UTMASTG",
});
static_assert(std::is_sorted(kUnmodelled.begin(), kUnmodelled.end()));

struct Row {
  std::string_view base;
  AccelsimKind kind;
  Operation op = Operation::instructions;
};
constexpr std::array kRows{
    Row{"ATOM", AccelsimKind::generic, Operation::atomic},
    Row{"ATOMG", AccelsimKind::global, Operation::atomic},
    Row{"ATOMS", AccelsimKind::shared, Operation::atomic},
    Row{"BAR", AccelsimKind::block_barrier, Operation::barrier_sync},
    Row{"DEPBAR", AccelsimKind::copy_wait},
    Row{"EXIT", AccelsimKind::exit},
    Row{"LD", AccelsimKind::generic, Operation::load},
    Row{"LDG", AccelsimKind::global, Operation::load},
    Row{"LDGDEPBAR", AccelsimKind::copy_commit},
    Row{"LDGSTS", AccelsimKind::copy, Operation::cp_async_ca},
    Row{"LDS", AccelsimKind::shared, Operation::load},
    Row{"LDSM", AccelsimKind::matrix, Operation::ldmatrix},
    Row{"RED", AccelsimKind::global, Operation::reduce},
    Row{"REDG", AccelsimKind::global, Operation::reduce},
    Row{"REDS", AccelsimKind::shared, Operation::reduce},
    Row{"SHFL", AccelsimKind::shuffle},
    Row{"ST", AccelsimKind::generic, Operation::store},
    Row{"STG", AccelsimKind::global, Operation::store},
    Row{"STS", AccelsimKind::shared, Operation::store},
    Row{"STSM", AccelsimKind::matrix, Operation::stmatrix},
    Row{"UCGABAR_ARV", AccelsimKind::cluster_arrive},
    Row{"UCGABAR_WAIT", AccelsimKind::cluster_wait},
    Row{"WARPSYNC", AccelsimKind::warp_barrier},
};

/// Calls `visit` with each modifier until it returns true.
template <typename Visit>
bool any_modifier(std::string_view opcode, Visit visit) {
  for (std::size_t at = opcode.find('.'); at != std::string_view::npos;
       at = opcode.find('.', at + 1)) {
    const std::string_view rest = opcode.substr(at + 1);
    if (visit(rest.substr(0, rest.find('.')))) return true;
  }
  return false;
}

/// Bytes of a lane: without a modifier that says so, a word.
std::uint8_t width_of(std::string_view opcode) {
  struct Size {
    std::string_view name;
    std::uint8_t bytes;
  };
  static constexpr std::array kSizes{
      Size{"U8", 1},   Size{"S8", 1},   Size{"8", 1},     Size{"U16", 2},    Size{"S16", 2},
      Size{"16", 2},   Size{"64", 8},   Size{"U64", 8},   Size{"S64", 8},    Size{"F64", 8},
      Size{"128", 16}, Size{"256", 32}, Size{"F32x2", 8}, Size{"F32x4", 16},
  };
  std::uint8_t bytes = 4;
  any_modifier(opcode, [&](std::string_view modifier) {
    for (const Size& size : kSizes) {
      if (size.name == modifier) bytes = size.bytes;
    }
    return bytes != 4;
  });
  return bytes;
}

Operation refined_atomic(std::string_view opcode) {
  if (accelsim_has(opcode, "SPIN")) return Operation::cas_spin;
  if (accelsim_has(opcode, "CAS") || accelsim_has(opcode, "CAST")) return Operation::cas;
  if (accelsim_has(opcode, "POPC")) return Operation::increment;
  return Operation::atomic;
}

}  // namespace

std::string_view accelsim_base(std::string_view opcode) {
  return opcode.substr(0, opcode.find('.'));
}

bool accelsim_has(std::string_view opcode, std::string_view modifier) {
  return any_modifier(opcode, [&](std::string_view one) { return one == modifier; });
}

AccelsimOpcode accelsim_opcode(std::string_view opcode) {
  const std::string_view base = accelsim_base(opcode);
  AccelsimOpcode out;
  if (std::binary_search(kPlain.begin(), kPlain.end(), base)) {
    out.kind = AccelsimKind::plain;
    return out;
  }
  if (base == "FENCE") {  // FENCE.VIEW.ASYNC orders the two proxies
    out.kind = accelsim_has(opcode, "ASYNC") ? AccelsimKind::proxy_fence : AccelsimKind::plain;
    return out;
  }
  if (base == "ARRIVES" && accelsim_has(opcode, "LDGSTSBAR")) {
    out.kind = AccelsimKind::copy_arrive;
    return out;
  }
  if (std::binary_search(kUnmodelled.begin(), kUnmodelled.end(), base)) {
    out.kind = AccelsimKind::unmodelled;
    return out;
  }
  const auto* row =
      std::find_if(kRows.begin(), kRows.end(), [&](const Row& one) { return one.base == base; });
  if (row == kRows.end()) return out;
  out.kind = row->kind;
  out.op = row->op;
  switch (out.kind) {
    case AccelsimKind::matrix:
      out.width = 16;
      out.matrices = accelsim_has(opcode, "4") ? 4 : accelsim_has(opcode, "2") ? 2 : 1;
      if (any_modifier(opcode, [](std::string_view one) { return one.starts_with("MT"); })) {
        out.flags = kTransposed;
      }
      break;
    case AccelsimKind::copy:
      out.width = width_of(opcode);
      if (accelsim_has(opcode, "BYPASS")) out.op = Operation::cp_async_cg;
      break;
    case AccelsimKind::shared:
    case AccelsimKind::generic:
    case AccelsimKind::global:
      out.width = width_of(opcode);
      if (out.op == Operation::atomic) out.op = refined_atomic(opcode);
      break;
    case AccelsimKind::block_barrier:
      if (accelsim_has(opcode, "ARV")) out.op = Operation::barrier_arrive;
      break;
    case AccelsimKind::warp_barrier:
      out.all_lanes = accelsim_has(opcode, "ALL");
      break;
    default:
      break;
  }
  return out;
}

}  // namespace smemsim::trace
