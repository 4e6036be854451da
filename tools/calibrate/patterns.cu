// Executes shared-memory access patterns, one kernel launch per row of a table.
//
//   patterns [--warm 0|1] IN.csv      for a profiler that counts each launch
//   patterns --time IN.csv OUT.csv    SM cycles per instruction, by clock64
//
// IN.csv has a header line that names at least op, active_mask and lane_byte_offsets, and
// lane_global_byte_offsets when the table holds copies; other columns are ignored; no quoting.
//
// The counted form launches one warp of which only the pattern touches shared memory. In order:
//   1 launch        no pattern at all
//   2 per op        a plain pattern, executed 16 and 32 times, for each op of the table by first
//                   appearance: what the two have in common is no part of the pattern
//   1 per row       the row's pattern, executed 16 times
// Copies miss L1 (every execution reads a fresh slice of global memory) or, with --warm 1, hit it.
// The timed form launches 16 warps of one block that all repeat the row's pattern.
//
// Exit codes: 0 ok, 2 usage, 3 bad table, 4 no usable GPU or a CUDA error, 5 cannot write.

#include <cuda_runtime.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace {

constexpr int kWarp = 32;
constexpr int kTimedWarps = 16;
constexpr int kExecutions = 16;  // of the pattern, in a row, without a branch between them
constexpr int kTimedLoops = 64;
constexpr int kTimedRuns = 5;
constexpr int kMinSharedBytes = 64 << 10;
constexpr int kMaxSharedBytes = 200 << 10;
constexpr int kSharedAlign = 1 << 10;
constexpr int kSourceAlign = 1 << 20;
constexpr int kMaxSourceBytes = 16 << 20;

// clang-format off
enum class Op {
  ld_u8, ld_u16, ld_b32, ld_b64, ld_b128,
  st_u8, st_u16, st_b32, st_b64, st_b128,
  ldmatrix_x1, ldmatrix_x2, ldmatrix_x4, ldmatrix_x1_trans, ldmatrix_x2_trans, ldmatrix_x4_trans,
  stmatrix_x1, stmatrix_x2, stmatrix_x4,
  atom_add_u32, atom_exch_b32, atom_exch_b64, red_add_u32, red_popc_inc_u32,
  red_add_f32, red_add_u64, atom_cas_b32, atom_cas_b64,
  cp_async_ca_4, cp_async_ca_8, cp_async_ca_16, cp_async_cg_16,
};
// clang-format on

template <Op op>
constexpr bool is_store_matrix = (op >= Op::stmatrix_x1) && (op <= Op::stmatrix_x4);
template <Op op>
constexpr bool is_matrix = (op >= Op::ldmatrix_x1) && (op <= Op::stmatrix_x4);
template <Op op>
constexpr bool is_copy = op >= Op::cp_async_ca_4;

// ---- Device side

struct Lane {
  uint32_t shared;     // address in the shared window
  const char* global;  // source of a copy
  uint32_t value;      // what stores and atomics write
  uint32_t sink;       // every result ends here, so that none is dead
};

struct Timing {
  long long start;
  long long end;
};

// One execution of the instruction.
// clang-format off
template <Op op>
__device__ __forceinline__ void execute(Lane& l) {
  uint32_t a = 0, b = 0, c = 0, d = 0;
  uint64_t wide = 0;
  if constexpr (op == Op::ld_u8) {
    asm volatile("ld.shared.u8 %0, [%1];" : "=r"(a) : "r"(l.shared) : "memory");
  } else if constexpr (op == Op::ld_u16) {
    asm volatile("ld.shared.u16 %0, [%1];" : "=r"(a) : "r"(l.shared) : "memory");
  } else if constexpr (op == Op::ld_b32) {
    asm volatile("ld.shared.b32 %0, [%1];" : "=r"(a) : "r"(l.shared) : "memory");
  } else if constexpr (op == Op::ld_b64) {
    asm volatile("ld.shared.v2.b32 {%0, %1}, [%2];"
                 : "=r"(a), "=r"(b) : "r"(l.shared) : "memory");
  } else if constexpr (op == Op::ld_b128) {
    asm volatile("ld.shared.v4.b32 {%0, %1, %2, %3}, [%4];"
                 : "=r"(a), "=r"(b), "=r"(c), "=r"(d) : "r"(l.shared) : "memory");
  } else if constexpr (op == Op::st_u8) {
    asm volatile("st.shared.u8 [%0], %1;" ::"r"(l.shared), "r"(l.value) : "memory");
  } else if constexpr (op == Op::st_u16) {
    asm volatile("st.shared.u16 [%0], %1;" ::"r"(l.shared), "r"(l.value) : "memory");
  } else if constexpr (op == Op::st_b32) {
    asm volatile("st.shared.b32 [%0], %1;" ::"r"(l.shared), "r"(l.value) : "memory");
  } else if constexpr (op == Op::st_b64) {
    asm volatile("st.shared.v2.b32 [%0], {%1, %1};" ::"r"(l.shared), "r"(l.value) : "memory");
  } else if constexpr (op == Op::st_b128) {
    asm volatile("st.shared.v4.b32 [%0], {%1, %1, %1, %1};"
                 ::"r"(l.shared), "r"(l.value) : "memory");
  } else if constexpr (op == Op::ldmatrix_x1) {
    asm volatile("ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%0}, [%1];"
                 : "=r"(a) : "r"(l.shared) : "memory");
  } else if constexpr (op == Op::ldmatrix_x2) {
    asm volatile("ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%0, %1}, [%2];"
                 : "=r"(a), "=r"(b) : "r"(l.shared) : "memory");
  } else if constexpr (op == Op::ldmatrix_x4) {
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(a), "=r"(b), "=r"(c), "=r"(d) : "r"(l.shared) : "memory");
  } else if constexpr (op == Op::ldmatrix_x1_trans) {
    asm volatile("ldmatrix.sync.aligned.m8n8.x1.trans.shared.b16 {%0}, [%1];"
                 : "=r"(a) : "r"(l.shared) : "memory");
  } else if constexpr (op == Op::ldmatrix_x2_trans) {
    asm volatile("ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16 {%0, %1}, [%2];"
                 : "=r"(a), "=r"(b) : "r"(l.shared) : "memory");
  } else if constexpr (op == Op::ldmatrix_x4_trans) {
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(a), "=r"(b), "=r"(c), "=r"(d) : "r"(l.shared) : "memory");
  } else if constexpr (is_store_matrix<op>) {
#if __CUDA_ARCH__ >= 900
    if constexpr (op == Op::stmatrix_x1) {
      asm volatile("stmatrix.sync.aligned.m8n8.x1.shared.b16 [%0], {%1};"
                   ::"r"(l.shared), "r"(l.value) : "memory");
    } else if constexpr (op == Op::stmatrix_x2) {
      asm volatile("stmatrix.sync.aligned.m8n8.x2.shared.b16 [%0], {%1, %1};"
                   ::"r"(l.shared), "r"(l.value) : "memory");
    } else {
      asm volatile("stmatrix.sync.aligned.m8n8.x4.shared.b16 [%0], {%1, %1, %1, %1};"
                   ::"r"(l.shared), "r"(l.value) : "memory");
    }
#else
    __trap();  // the host refuses such rows first
#endif
  } else if constexpr (op == Op::atom_add_u32) {
    asm volatile("atom.shared.add.u32 %0, [%1], %2;"
                 : "=r"(a) : "r"(l.shared), "r"(l.value) : "memory");
  } else if constexpr (op == Op::atom_exch_b32) {
    asm volatile("atom.shared.exch.b32 %0, [%1], %2;"
                 : "=r"(a) : "r"(l.shared), "r"(l.value) : "memory");
  } else if constexpr (op == Op::red_add_u32) {
    asm volatile("red.shared.add.u32 [%0], %1;" ::"r"(l.shared), "r"(l.value) : "memory");
  } else if constexpr (op == Op::red_popc_inc_u32) {
    // A constant 1 and no result: ptxas makes ATOMS.POPC.INC of it.
    asm volatile("red.shared.add.u32 [%0], 1;" ::"r"(l.shared) : "memory");
  } else if constexpr (op == Op::red_add_f32) {
    // Shared memory adds neither floats nor 64-bit numbers: ptxas makes a loop of LDS and ATOMS.CAST.SPIN.
    asm volatile("red.shared.add.f32 [%0], 0f3F800000;" ::"r"(l.shared) : "memory");
  } else if constexpr (op == Op::red_add_u64) {
    asm volatile("red.shared.add.u64 [%0], 1;" ::"r"(l.shared) : "memory");
  } else if constexpr (op == Op::atom_exch_b64) {
    asm volatile("atom.shared.exch.b64 %0, [%1], %2;"
                 : "=l"(wide) : "r"(l.shared), "l"(uint64_t{l.value}) : "memory");
  } else if constexpr (op == Op::atom_cas_b32) {
    asm volatile("atom.shared.cas.b32 %0, [%1], %2, %3;"
                 : "=r"(a) : "r"(l.shared), "r"(l.value), "r"(l.value + 1) : "memory");
  } else if constexpr (op == Op::atom_cas_b64) {
    asm volatile("atom.shared.cas.b64 %0, [%1], %2, %3;"
                 : "=l"(wide)
                 : "r"(l.shared), "l"(uint64_t{l.value}), "l"(uint64_t{l.value} + 1)
                 : "memory");
  } else if constexpr (op == Op::cp_async_ca_4) {
    asm volatile("cp.async.ca.shared.global [%0], [%1], 4;"
                 ::"r"(l.shared), "l"(l.global) : "memory");
  } else if constexpr (op == Op::cp_async_ca_8) {
    asm volatile("cp.async.ca.shared.global [%0], [%1], 8;"
                 ::"r"(l.shared), "l"(l.global) : "memory");
  } else if constexpr (op == Op::cp_async_ca_16) {
    asm volatile("cp.async.ca.shared.global [%0], [%1], 16;"
                 ::"r"(l.shared), "l"(l.global) : "memory");
  } else if constexpr (op == Op::cp_async_cg_16) {
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;"
                 ::"r"(l.shared), "l"(l.global) : "memory");
  }
  l.sink ^= a ^ b ^ c ^ d ^ static_cast<uint32_t>(wide) ^ static_cast<uint32_t>(wide >> 32);
}
// clang-format on

// What every launch is given. `offsets` holds 32 shared offsets, then 32 global ones.
// `shared_step` is always 0, which the compiler cannot know: no two executions provably use one
// address, so none is merged, hoisted or removed. `source_step` leads from slice to slice.
struct Launch {
  const uint32_t* offsets;
  uint32_t mask;
  int loops;
  uint32_t shared_step;
  const char* source;
  uint32_t source_step;
  bool warm;
  Timing* timings;
  uint32_t* sinks;
};

// The compiler puts a few loads without an active lane before the first cp.async of a loop body,
// and each counts as a wavefront. That is why executions are written out rather than looped over.
template <Op op, int kUnroll, bool kWaitForEach>
__global__ void repeat_pattern(const Launch launch) {
  extern __shared__ char shared[];
  const uint32_t lane = threadIdx.x % kWarp;
  const uint32_t window = static_cast<uint32_t>(__cvta_generic_to_shared(shared));
  const bool active = is_matrix<op> || (launch.mask >> lane & 1);  // matrix rows have the full mask
  Lane l{};
  l.shared = (window + kSharedAlign - 1) / kSharedAlign * kSharedAlign + launch.offsets[lane];
  l.value = threadIdx.x;
  bool absurd = l.shared == ~0u;
  if constexpr (is_copy<op>) {
    l.global = launch.source + launch.offsets[kWarp + lane];
    if (launch.warm && active) {  // a plain load brings the line into L1
      asm volatile("ld.global.ca.u8 %0, [%1];" : "=r"(l.sink) : "l"(l.global) : "memory");
    }
    absurd |= l.sink == ~0u || l.global == nullptr;
  }
  if (__syncthreads_or(absurd)) return;  // never taken; waits until the addresses have arrived
  const long long start = clock64();
  if (active) {
#pragma unroll 1
    for (int i = 0; i < launch.loops; ++i) {
#pragma unroll
      for (int u = 0; u < kUnroll; ++u) {
        execute<op>(l);
        l.shared += launch.shared_step;
        l.global += launch.source_step;
        if constexpr (kWaitForEach) asm volatile("cp.async.wait_all;" ::: "memory");
      }
      if constexpr (is_copy<op>) asm volatile("cp.async.wait_all;" ::: "memory");
    }
  }
  __syncwarp();
  const long long end = clock64();
  launch.timings[threadIdx.x] = {start, end};
  launch.sinks[threadIdx.x] = l.sink;
}

// ---- The operations

using Kernel = void (*)(Launch);

struct OpInfo {
  const char* name;
  int bytes;       // that one lane touches; addresses are multiples of it
  int lanes;       // whose addresses count: fewer than 32 for ldmatrix and stmatrix
  int capability;  // least compute capability, times 10
  bool matrix;
  bool copy;
  Kernel counted;        // kExecutions
  Kernel counted_twice;  // 2 * kExecutions
  Kernel timed;          // kExecutions per loop
};

template <Op op>
OpInfo describe(const char* name, int bytes, int lanes = kWarp) {
  return {name,
          bytes,
          lanes,
          is_store_matrix<op> ? 90
          : is_copy<op>       ? 80
                              : 75,
          is_matrix<op>,
          is_copy<op>,
          repeat_pattern<op, kExecutions, is_copy<op>>,
          repeat_pattern<op, 2 * kExecutions, is_copy<op>>,
          repeat_pattern<op, kExecutions, false>};
}

const std::vector<OpInfo>& operations() {
  static const std::vector<OpInfo> all = {
      describe<Op::ld_u8>("ld.u8", 1),
      describe<Op::ld_u16>("ld.u16", 2),
      describe<Op::ld_b32>("ld.b32", 4),
      describe<Op::ld_b64>("ld.b64", 8),
      describe<Op::ld_b128>("ld.b128", 16),
      describe<Op::st_u8>("st.u8", 1),
      describe<Op::st_u16>("st.u16", 2),
      describe<Op::st_b32>("st.b32", 4),
      describe<Op::st_b64>("st.b64", 8),
      describe<Op::st_b128>("st.b128", 16),
      describe<Op::ldmatrix_x1>("ldmatrix.x1", 16, 8),
      describe<Op::ldmatrix_x2>("ldmatrix.x2", 16, 16),
      describe<Op::ldmatrix_x4>("ldmatrix.x4", 16),
      describe<Op::ldmatrix_x1_trans>("ldmatrix.x1.trans", 16, 8),
      describe<Op::ldmatrix_x2_trans>("ldmatrix.x2.trans", 16, 16),
      describe<Op::ldmatrix_x4_trans>("ldmatrix.x4.trans", 16),
      describe<Op::stmatrix_x1>("stmatrix.x1", 16, 8),
      describe<Op::stmatrix_x2>("stmatrix.x2", 16, 16),
      describe<Op::stmatrix_x4>("stmatrix.x4", 16),
      describe<Op::atom_add_u32>("atom.add.u32", 4),
      describe<Op::atom_exch_b32>("atom.exch.b32", 4),
      describe<Op::red_add_u32>("red.add.u32", 4),
      describe<Op::red_popc_inc_u32>("red.popc.inc.u32", 4),
      describe<Op::red_add_f32>("red.add.f32", 4),
      describe<Op::red_add_u64>("red.add.u64", 8),
      describe<Op::atom_exch_b64>("atom.exch.b64", 8),
      describe<Op::atom_cas_b32>("atom.cas.b32", 4),
      describe<Op::atom_cas_b64>("atom.cas.b64", 8),
      describe<Op::cp_async_ca_4>("cp.async.ca.4", 4),
      describe<Op::cp_async_ca_8>("cp.async.ca.8", 8),
      describe<Op::cp_async_ca_16>("cp.async.ca.16", 16),
      describe<Op::cp_async_cg_16>("cp.async.cg.16", 16),
  };
  return all;
}

const OpInfo* find_operation(std::string_view name) {
  for (const OpInfo& op : operations()) {
    if (name == op.name) return &op;
  }
  return nullptr;
}

// ---- The table

struct Row {
  const OpInfo* op = nullptr;
  uint32_t mask = 0;
  std::vector<uint32_t> shared = std::vector<uint32_t>(kWarp, 0);
  std::vector<uint32_t> global = std::vector<uint32_t>(kWarp, 0);
  uint32_t shared_end = 0;  // one past the last byte that an active lane touches
  uint32_t global_end = 0;
  std::string text;
};

[[noreturn]] void fail(int code, const std::string& message) {
  std::fprintf(stderr, "patterns: %s\n", message.c_str());
  std::exit(code);
}

std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  for (size_t begin = 0;;) {
    const size_t end = text.find(separator, begin);
    parts.push_back(text.substr(begin, end - begin));
    if (end == text.npos) return parts;
    begin = end + 1;
  }
}

bool parse_number(std::string_view text, int base, uint32_t& value) {
  const std::string digits(text);
  const char* allowed = base == 16 ? "0123456789abcdefABCDEF" : "0123456789";
  if (digits.empty() || digits.size() > 9 ||
      digits.find_first_not_of(allowed) != std::string::npos) {
    return false;
  }
  const unsigned long parsed = std::strtoul(digits.c_str(), nullptr, base);
  if (parsed > UINT32_MAX) return false;
  value = static_cast<uint32_t>(parsed);
  return true;
}

// Fills `offsets` from a list of 32 numbers and checks those of the lanes in `mask`. Returns what
// is wrong with the list, or nothing.
std::string parse_offsets(const char* what, std::string_view text, uint32_t mask, int bytes,
                          uint32_t limit, std::vector<uint32_t>& offsets, uint32_t& end) {
  const auto parts = split(text, ' ');
  if (parts.size() != kWarp) {
    return std::string(what) + " has " + std::to_string(text.empty() ? 0 : parts.size()) +
           " numbers, not 32";
  }
  for (int lane = 0; lane < kWarp; ++lane) {
    const std::string at = std::string(what) + " of lane " + std::to_string(lane);
    if (!parse_number(parts[lane], 10, offsets[lane])) return at + " is not a number";
    if (!(mask >> lane & 1)) continue;
    if (offsets[lane] % bytes != 0) return at + " is no multiple of " + std::to_string(bytes);
    if (offsets[lane] > limit - bytes) return at + " ends past " + std::to_string(limit) + " bytes";
    end = std::max(end, offsets[lane] + bytes);
  }
  return {};
}

std::string parse_row(std::string_view op, std::string_view mask, std::string_view shared,
                      std::string_view global, Row& row) {
  row.op = find_operation(op);
  if (row.op == nullptr) return "unknown op '" + std::string(op) + "'";
  if (!parse_number(mask, 16, row.mask)) return "active_mask is not a hexadecimal number";
  if (row.mask == 0) return "no lane is active";
  if (row.op->matrix && row.mask != ~0u) return std::string(op) + " needs active_mask ffffffff";
  const uint32_t counting = row.mask & (~0u >> (kWarp - row.op->lanes));
  std::string wrong = parse_offsets("lane_byte_offsets", shared, counting, row.op->bytes,
                                    kMaxSharedBytes, row.shared, row.shared_end);
  if (!wrong.empty()) return wrong;
  if (row.op->copy) {
    return parse_offsets("lane_global_byte_offsets", global, counting, row.op->bytes,
                         kMaxSourceBytes, row.global, row.global_end);
  }
  if (!global.empty()) return "lane_global_byte_offsets is for cp.async only";
  return {};
}

std::vector<Row> read_table(const std::string& path, std::string& header) {
  std::ifstream file(path);
  if (!file) fail(3, "cannot read " + path);
  const auto read_line = [&](std::string& line) {
    if (!std::getline(file, line)) return false;
    if (!line.empty() && line.back() == '\r') line.pop_back();
    return true;
  };
  if (!read_line(header)) fail(3, path + " is empty");
  std::map<std::string, size_t, std::less<>> columns;
  const auto names = split(header, ',');
  for (size_t i = 0; i < names.size(); ++i) columns.emplace(names[i], i);
  for (const char* name : {"op", "active_mask", "lane_byte_offsets"}) {
    if (!columns.count(name)) fail(3, path + " has no column " + name);
  }
  std::vector<Row> rows;
  for (std::string line; read_line(line);) {
    if (line.empty()) continue;
    const auto cells = split(line, ',');
    const auto cell = [&](const char* name) {
      const auto column = columns.find(std::string_view(name));
      if (column == columns.end() || column->second >= cells.size()) return std::string_view{};
      return cells[column->second];
    };
    Row row;
    const std::string wrong = parse_row(cell("op"), cell("active_mask"), cell("lane_byte_offsets"),
                                        cell("lane_global_byte_offsets"), row);
    if (!wrong.empty()) fail(3, "row " + std::to_string(rows.size() + 1) + ": " + wrong);
    row.text = line;
    rows.push_back(std::move(row));
  }
  return rows;
}

// ---- Running

void check(cudaError_t error, const char* what) {
  if (error != cudaSuccess) fail(4, std::string(what) + ": " + cudaGetErrorString(error));
}

template <typename T>
T* allocate(size_t count) {
  void* memory = nullptr;
  check(cudaMalloc(&memory, count * sizeof(T)), "cudaMalloc");
  return static_cast<T*>(memory);
}

// Device buffers that live as long as the program.
class Device {
 public:
  Device(const std::vector<Row>& rows, bool warm, bool slices) {
    int count = 0;
    if (cudaGetDeviceCount(&count) != cudaSuccess || count == 0) fail(4, "no GPU");
    cudaDeviceProp properties{};
    check(cudaGetDeviceProperties(&properties, 0), "cudaGetDeviceProperties");
    const int capability = properties.major * 10 + properties.minor;
    const int available = static_cast<int>(properties.sharedMemPerBlockOptin);

    std::vector<uint32_t> offsets;
    uint32_t source_bytes = 1;
    for (size_t i = 0; i < rows.size(); ++i) {
      const std::string at = "row " + std::to_string(i + 1) + ": ";
      if (rows[i].op->capability > capability) {
        fail(4, at + "this GPU has no " + rows[i].op->name);
      }
      if (shared_bytes(rows[i]) > available) {
        fail(4, at + "this GPU has less shared memory than the row touches");
      }
      offsets.insert(offsets.end(), rows[i].shared.begin(), rows[i].shared.end());
      offsets.insert(offsets.end(), rows[i].global.begin(), rows[i].global.end());
      source_bytes = std::max(source_bytes, rows[i].global_end);
    }
    for (const OpInfo& op : operations()) {
      for (const Kernel kernel : {op.counted, op.counted_twice, op.timed}) {
        check(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                   std::min(available, kMaxSharedBytes + kSharedAlign)),
              op.name);
      }
    }
    offsets_ = allocate<uint32_t>(offsets.size());
    check(cudaMemcpy(offsets_, offsets.data(), offsets.size() * sizeof(uint32_t),
                     cudaMemcpyHostToDevice),
          "cudaMemcpy");
    launch_.warm = warm;
    launch_.timings = allocate<Timing>(kTimedWarps * kWarp);
    launch_.sinks = allocate<uint32_t>(kTimedWarps * kWarp);
    // cudaMalloc promises no more than 256 bytes of alignment.
    const size_t slice = (source_bytes + kSourceAlign - 1) / kSourceAlign * kSourceAlign;
    launch_.source_step = slices ? static_cast<uint32_t>(slice) : 0;
    const char* unaligned = allocate<char>(slice * (slices ? 2 * kExecutions : 1) + kSourceAlign);
    const auto address = reinterpret_cast<uintptr_t>(unaligned);
    launch_.source = unaligned + (kSourceAlign - address % kSourceAlign) % kSourceAlign;
  }

  // `index` says which row of the table given to the constructor `row` is.
  void launch(Kernel kernel, const Row& row, size_t index, int warps, int loops) {
    launch_.offsets = offsets_ + index * 2 * kWarp;
    launch_.mask = row.mask;
    launch_.loops = loops;
    kernel<<<1, warps * kWarp, shared_bytes(row)>>>(launch_);
    check(cudaGetLastError(), row.op->name);
    check(cudaDeviceSynchronize(), row.op->name);
  }

  // Cycles from the first warp's start to the last warp's end in the latest launch.
  long long elapsed() const {
    std::vector<Timing> timings(kTimedWarps * kWarp);
    check(cudaMemcpy(timings.data(), launch_.timings, timings.size() * sizeof(Timing),
                     cudaMemcpyDeviceToHost),
          "cudaMemcpy");
    long long start = timings[0].start, end = timings[0].end;
    for (const Timing& t : timings) {
      start = std::min(start, t.start);
      end = std::max(end, t.end);
    }
    return end - start;
  }

 private:
  static int shared_bytes(const Row& row) {
    return std::max(kMinSharedBytes, static_cast<int>(row.shared_end)) + kSharedAlign;
  }

  uint32_t* offsets_ = nullptr;
  Launch launch_{};
};

// Neighbouring lanes, neighbouring places.
Row plain_pattern(const OpInfo& op) {
  Row row;
  row.op = &op;
  row.mask = ~0u;
  for (int lane = 0; lane < kWarp; ++lane) row.shared[lane] = row.global[lane] = op.bytes * lane;
  row.shared_end = row.global_end = op.bytes * kWarp;
  return row;
}

void count_rows(std::vector<Row> rows, bool warm) {
  const size_t table_rows = rows.size();
  for (size_t i = 0; i < table_rows; ++i) {
    const auto same = [&](const Row& row) { return row.op == rows[i].op; };
    if (std::none_of(rows.begin() + table_rows, rows.end(), same)) {
      rows.push_back(plain_pattern(*rows[i].op));
    }
  }
  Device device(rows, warm, !warm);
  device.launch(rows[table_rows].op->counted, rows[table_rows], table_rows, 1, 0);
  for (size_t i = table_rows; i < rows.size(); ++i) {
    device.launch(rows[i].op->counted, rows[i], i, 1, 1);
    device.launch(rows[i].op->counted_twice, rows[i], i, 1, 1);
  }
  for (size_t i = 0; i < table_rows; ++i) device.launch(rows[i].op->counted, rows[i], i, 1, 1);
}

void time_rows(const std::vector<Row>& rows, const std::string& header, const std::string& path) {
  Device device(rows, true, false);
  std::ofstream out(path);
  out << header << ",cycles_per_instruction\n";
  for (size_t i = 0; i < rows.size(); ++i) {
    long long best = 0;
    for (int run = 0; run < kTimedRuns; ++run) {
      device.launch(rows[i].op->timed, rows[i], i, kTimedWarps, kTimedLoops);
      const long long cycles = device.elapsed();
      best = run == 0 ? cycles : std::min(best, cycles);
    }
    char text[32];
    std::snprintf(text, sizeof text, "%.3f",
                  static_cast<double>(best) / (kTimedWarps * kTimedLoops * kExecutions));
    out << rows[i].text << ',' << text << '\n';
  }
  if (!out.flush()) fail(5, "cannot write " + path);
}

}  // namespace

int main(int argc, char** argv) {
  const char* usage =
      "usage: patterns [--warm 0|1] IN.csv\n"
      "       patterns --time IN.csv OUT.csv";
  bool time = false;
  uint32_t warm = 0;
  std::vector<std::string> paths;
  for (int i = 1; i < argc; ++i) {
    const std::string argument = argv[i];
    const std::string_view next = i + 1 < argc ? argv[i + 1] : "";
    if (argument == "--time") {
      time = true;
    } else if (argument == "--warm") {
      if (!parse_number(next, 10, warm) || warm > 1) fail(2, usage);
      ++i;
    } else if (argument.size() > 1 && argument[0] == '-') {
      fail(2, usage);
    } else {
      paths.push_back(argument);
    }
  }
  if (paths.size() != (time ? 2u : 1u)) fail(2, usage);
  std::string header;
  const std::vector<Row> rows = read_table(paths[0], header);
  if (rows.empty()) fail(3, paths[0] + " has no rows");
  if (time) {
    time_rows(rows, header, paths[1]);
  } else {
    count_rows(rows, warm != 0);
  }
  return 0;
}
