#include "frontend/expr/functions.hpp"

#include <algorithm>
#include <cctype>

namespace smemsim::expr {

namespace {

constexpr FunctionRow kFunctions[] = {
    {"min", Function::minimum, 0, 2, 2, false, "min(a, b)"},
    {"max", Function::maximum, 0, 2, 2, false, "max(a, b)"},
    {"abs", Function::absolute, 0, 1, 1, false, "abs(x)"},
    {"__popc", Function::population, 0, 1, 1, false, "__popc(x)"},
    {"__ffs", Function::first_set, 0, 1, 1, false, "__ffs(x)"},
    {"__clz", Function::leading_zeros, 0, 1, 1, false, "__clz(x)"},
    {"__cvta_generic_to_shared", Function::shared_address, 0, 1, 1, false,
     "__cvta_generic_to_shared(&s[i])"},
    {"cast_smem_ptr_to_uint", Function::shared_address, 0, 1, 1, false,
     "cast_smem_ptr_to_uint(&s[i])"},
    {"__ldg", Function::load_global, 0, 1, 1, false, "__ldg(&g[i])"},
    {"__ldcs", Function::load_global, 0, 1, 1, false, "__ldcs(&g[i])"},
    {"__ldca", Function::load_global, 0, 1, 1, false, "__ldca(&g[i])"},
    {"__ldcg", Function::load_global, 0, 1, 1, false, "__ldcg(&g[i])"},
    {"atomicAdd", Function::atomic, 0, 2, 2, false, "atomicAdd(&s[i], value)"},
    {"atomicSub", Function::atomic, 0, 2, 2, false, "atomicSub(&s[i], value)"},
    {"atomicExch", Function::atomic, 0, 2, 2, false, "atomicExch(&s[i], value)"},
    {"atomicMin", Function::atomic, 0, 2, 2, false, "atomicMin(&s[i], value)"},
    {"atomicMax", Function::atomic, 0, 2, 2, false, "atomicMax(&s[i], value)"},
    {"atomicInc", Function::atomic, 0, 2, 2, false, "atomicInc(&s[i], limit)"},
    {"atomicDec", Function::atomic, 0, 2, 2, false, "atomicDec(&s[i], limit)"},
    {"atomicAnd", Function::atomic, 0, 2, 2, false, "atomicAnd(&s[i], value)"},
    {"atomicOr", Function::atomic, 0, 2, 2, false, "atomicOr(&s[i], value)"},
    {"atomicXor", Function::atomic, 0, 2, 2, false, "atomicXor(&s[i], value)"},
    {"atomicCAS", Function::atomic_cas, 0, 3, 3, false, "atomicCAS(&s[i], expected, value)"},
    {"ldmatrix_x1", Function::ldmatrix, 1, 1, 2, false, "ldmatrix_x1(&s[row][col])"},
    {"ldmatrix_x2", Function::ldmatrix, 2, 1, 3, false, "ldmatrix_x2(&s[row][col])"},
    {"ldmatrix_x4", Function::ldmatrix, 4, 1, 5, false, "ldmatrix_x4(&s[row][col])"},
    {"ldmatrix_x1_trans", Function::ldmatrix, 1, 1, 2, true, "ldmatrix_x1_trans(&s[row][col])"},
    {"ldmatrix_x2_trans", Function::ldmatrix, 2, 1, 3, true, "ldmatrix_x2_trans(&s[row][col])"},
    {"ldmatrix_x4_trans", Function::ldmatrix, 4, 1, 5, true, "ldmatrix_x4_trans(&s[row][col])"},
    {"stmatrix_x1", Function::stmatrix, 1, 1, 2, false, "stmatrix_x1(&s[row][col])"},
    {"stmatrix_x2", Function::stmatrix, 2, 1, 3, false, "stmatrix_x2(&s[row][col])"},
    {"stmatrix_x4", Function::stmatrix, 4, 1, 5, false, "stmatrix_x4(&s[row][col])"},
    {"stmatrix_x1_trans", Function::stmatrix, 1, 1, 2, true, "stmatrix_x1_trans(&s[row][col])"},
    {"stmatrix_x2_trans", Function::stmatrix, 2, 1, 3, true, "stmatrix_x2_trans(&s[row][col])"},
    {"stmatrix_x4_trans", Function::stmatrix, 4, 1, 5, true, "stmatrix_x4_trans(&s[row][col])"},
    {"cp_async_ca", Function::cp_async_ca, 0, 2, 3, false, "cp_async_ca<4>(&s[i], &g[j])"},
    {"cp_async_ca4", Function::cp_async_ca, 4, 2, 2, false, "cp_async_ca4(&s[i], &g[j])"},
    {"cp_async_ca8", Function::cp_async_ca, 8, 2, 2, false, "cp_async_ca8(&s[i], &g[j])"},
    {"cp_async_ca16", Function::cp_async_ca, 16, 2, 2, false, "cp_async_ca16(&s[i], &g[j])"},
    {"cp_async_cg", Function::cp_async_cg, 16, 2, 3, false, "cp_async_cg(&s[i], &g[j])"},
    {"cp_async_cg16", Function::cp_async_cg, 16, 2, 2, false, "cp_async_cg16(&s[i], &g[j])"},
    {"__pipeline_memcpy_async", Function::memcpy_async, 0, 3, 4, false,
     "__pipeline_memcpy_async(&s[i], &g[j], bytes)"},
    {"cp_async_commit", Function::commit, 0, 0, 0, false, "cp_async_commit()"},
    {"cp_async_commit_group", Function::commit, 0, 0, 0, false, "cp_async_commit_group()"},
    {"cp_async_fence", Function::commit, 0, 0, 0, false, "cp_async_fence()"},
    {"__pipeline_commit", Function::commit, 0, 0, 0, false, "__pipeline_commit()"},
    {"cp_async_wait", Function::wait, 0, 0, 1, false, "cp_async_wait<groups>()"},
    {"cp_async_wait_group", Function::wait, 0, 0, 1, false, "cp_async_wait_group<groups>()"},
    {"cp_async_wait_all", Function::wait, 1, 0, 0, false, "cp_async_wait_all()"},
    {"__pipeline_wait_prior", Function::wait, 0, 1, 1, false, "__pipeline_wait_prior(groups)"},
    {"__syncthreads", Function::sync_threads, 0, 0, 0, false, "__syncthreads()"},
    {"__syncwarp", Function::sync_warp, 0, 0, 1, false, "__syncwarp(mask)"},
    {"__shfl_sync", Function::shuffle, 0, 3, 4, false, "__shfl_sync(mask, value, lane)"},
    {"__shfl_xor_sync", Function::shuffle, 0, 3, 4, false, "__shfl_xor_sync(mask, value, lanes)"},
    {"__shfl_up_sync", Function::shuffle, 0, 3, 4, false, "__shfl_up_sync(mask, value, delta)"},
    {"__shfl_down_sync", Function::shuffle, 0, 3, 4, false, "__shfl_down_sync(mask, value, delta)"},
    {"__ballot_sync", Function::shuffle, 0, 2, 2, false, "__ballot_sync(mask, condition)"},
    {"__any_sync", Function::shuffle, 0, 2, 2, false, "__any_sync(mask, condition)"},
    {"__all_sync", Function::shuffle, 0, 2, 2, false, "__all_sync(mask, condition)"},
    {"__match_any_sync", Function::shuffle, 0, 2, 2, false, "__match_any_sync(mask, value)"},
    {"__reduce_add_sync", Function::shuffle, 0, 2, 2, false, "__reduce_add_sync(mask, value)"},
    {"swizzle", Function::swizzle, 0, 1, 1, false, "swizzle<3,4,3>(offset)"},
    {"Swizzle", Function::swizzle, 0, 1, 1, false, "Swizzle<3,4,3>(offset)"},
    {"tma_swizzle_32B", Function::tma_swizzle, 32, 1, 1, false, "tma_swizzle_32B(byte_offset)"},
    {"tma_swizzle_64B", Function::tma_swizzle, 64, 1, 1, false, "tma_swizzle_64B(byte_offset)"},
    {"tma_swizzle_128B", Function::tma_swizzle, 128, 1, 1, false, "tma_swizzle_128B(byte_offset)"},
    {"triton_swizzle", Function::triton_swizzle, 0, 6, 6, false,
     "triton_swizzle(row, col, columns, vec, per_phase, max_phase)"},
    {"nvmma_offset", Function::nvmma, 0, 4, 4, false,
     "nvmma_offset(row, byte_column, rows, swizzle_bytes)"},
};

// Functions of values that the evaluator does not follow; any number of arguments.
constexpr std::string_view kOpaque[] = {"sqrt",
                                        "sqrtf",
                                        "rsqrt",
                                        "rsqrtf",
                                        "exp",
                                        "expf",
                                        "__expf",
                                        "exp2f",
                                        "log",
                                        "logf",
                                        "__logf",
                                        "log2f",
                                        "sin",
                                        "sinf",
                                        "cos",
                                        "cosf",
                                        "tanh",
                                        "tanhf",
                                        "fabs",
                                        "fabsf",
                                        "pow",
                                        "powf",
                                        "fma",
                                        "fmaf",
                                        "__fmaf_rn",
                                        "fmax",
                                        "fmaxf",
                                        "fmin",
                                        "fminf",
                                        "floorf",
                                        "ceilf",
                                        "roundf",
                                        "__fdividef",
                                        "__float2half",
                                        "__half2float",
                                        "__float2half_rn",
                                        "__floats2half2_rn",
                                        "__half22float2",
                                        "__float2bfloat16",
                                        "__bfloat162float",
                                        "__float22half2_rn",
                                        "__float22bfloat162_rn",
                                        "__half2half2",
                                        "__hadd",
                                        "__hadd2",
                                        "__hmul",
                                        "__hmul2",
                                        "__hfma",
                                        "__hfma2",
                                        "__hmax",
                                        "__hmax2",
                                        "__low2half",
                                        "__high2half",
                                        "__int_as_float",
                                        "__float_as_int",
                                        "__uint_as_float",
                                        "__float_as_uint",
                                        "make_float2",
                                        "make_float3",
                                        "make_float4",
                                        "make_int2",
                                        "make_int3",
                                        "make_int4",
                                        "make_uint2",
                                        "make_uint4",
                                        "make_double2",
                                        "make_half2",
                                        "make_char4",
                                        "make_uchar4",
                                        "clock",
                                        "clock64",
                                        "assert",
                                        "__activemask",
                                        "__byte_perm",
                                        "__funnelshift_l",
                                        "mma_sync"};

bool capitals(std::string_view name) {
  return std::none_of(name.begin(), name.end(),
                      [](char c) { return std::islower(static_cast<unsigned char>(c)) != 0; });
}

}  // namespace

const FunctionRow* find_function(std::string_view name) {
  if (const std::size_t qualifier = name.rfind("::"); qualifier != std::string_view::npos) {
    name.remove_prefix(qualifier + 2);
  }
  std::string lower(name);
  std::transform(lower.begin(), lower.end(), lower.begin(), [](char c) {
    return static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  });
  for (const FunctionRow& row : kFunctions) {
    const bool helper = row.function == Function::ldmatrix || row.function == Function::stmatrix ||
                        row.function == Function::cp_async_ca ||
                        row.function == Function::cp_async_cg || row.function == Function::commit ||
                        row.function == Function::wait;
    if (row.name == name || (helper && capitals(name) && row.name == lower)) return &row;
  }
  static constexpr FunctionRow kOpaqueRow{"", Function::opaque, 0, 0, 255, false, ""};
  const auto* const end = std::end(kOpaque);
  return std::find(std::begin(kOpaque), end, name) == end ? nullptr : &kOpaqueRow;
}

std::vector<std::string> function_names() {
  std::vector<std::string> out;
  for (const FunctionRow& row : kFunctions) out.emplace_back(row.name);
  for (const std::string_view name : kOpaque) out.emplace_back(name);
  return out;
}

}  // namespace smemsim::expr
