// The text of a kernel, run by the evaluator, gives the very accesses that the compiled kernel made
// on an H200: same offsets, lanes and widths in every warp, between the same barriers.
#include <algorithm>
#include <map>
#include <string>
#include <tuple>
#include <vector>

#include "catch.hpp"
#include "frontend/expr/evaluator.hpp"
#include "trace/byte_io.hpp"
#include "trace/machine_file.hpp"
#include "trace/open.hpp"

namespace smemsim {

namespace {

using Addresses = std::vector<std::pair<unsigned, std::uint64_t>>;  // lane, byte offset
using Access = std::tuple<Operation, unsigned, unsigned, Addresses>;
/// What a warp does between two barriers, in any order: the compiler moves loads.
using Phase = std::vector<Access>;
using Warp = std::pair<std::uint64_t, std::uint32_t>;

struct Accesses : TraceSink {
  Launch launch;
  std::map<Warp, std::vector<Phase>> warps;

  Status begin_launch(const Launch& started) override {
    launch = started;
    return {};
  }
  Status events(const EventBatch& batch) override {
    std::vector<Phase>& phases = warps[{batch.block, batch.warp}];
    if (phases.empty()) phases.emplace_back();
    for (const Event& event : batch.events) {
      const EventShape& shape = batch.shapes[event.shape];
      if (shape.op == Operation::barrier_sync) phases.emplace_back();
      if (!is_shared_access(shape.op)) continue;
      Addresses addresses;
      for_each_lane(shape.active, [&](unsigned lane) {
        addresses.emplace_back(lane, lane_address(shape, event, lane));
      });
      phases.back().emplace_back(shape.op, shape.width, shape.matrices, std::move(addresses));
    }
    return {};
  }
  Status end_launch() override {
    for (auto& [warp, phases] : warps) {
      for (Phase& phase : phases) std::sort(phase.begin(), phase.end());
    }
    return {};
  }
};

std::string text_of(const std::string& path) {
  auto file = trace::open_source(path);
  REQUIRE(file.ok());
  return trace::read_all(**file, 1 << 20).value();
}

struct Explained {
  const char* trace;
  const char* text;
  std::int64_t pitch;
  std::int64_t variant;  ///< SWIZZLED or VARIANT of the text
};

}  // namespace

TEST_CASE("Explaining a kernel's text gives the accesses of the kernel on the GPU") {
  const auto kernel =
      GENERATE(values<Explained>({{"transpose_naive", "transpose", 32, 0},
                                  {"transpose_padded", "transpose", 33, 0},
                                  {"transpose_swizzled", "transpose", 32, 1},
                                  {"transpose_wide_naive", "transpose_wide", 64, 0},
                                  {"transpose_wide_padded", "transpose_wide", 65, 0},
                                  {"transpose_half_naive", "transpose_half", 32, 0},
                                  {"transpose_half_padded", "transpose_half", 33, 0},
                                  {"double_column_naive", "double_column", 32, 0},
                                  {"double_column_padded", "double_column", 33, 0},
                                  {"vector_copy_row128", "vector_copy", 128, 0},
                                  {"vector_copy_row144", "vector_copy", 144, 0},
                                  {"matmul_column_naive", "matmul_column", 32, 0},
                                  {"matmul_column_padded", "matmul_column", 33, 0},
                                  {"matmul_column_swizzled", "matmul_column", 32, 1},
                                  {"matmul_float4_naive", "matmul_float4", 32, 0},
                                  {"matmul_float4_padded", "matmul_float4", 36, 0},
                                  {"matmul_tensor_naive", "matmul_tensor", 64, 0},
                                  {"matmul_tensor_padded", "matmul_tensor", 72, 0},
                                  {"matmul_tensor_swizzled", "matmul_tensor", 64, 1},
                                  {"reduction_interleaved_divergent", "reduction", 0, 0},
                                  {"reduction_interleaved_strided", "reduction", 0, 1},
                                  {"reduction_sequential", "reduction", 0, 2},
                                  {"scan_blelloch_naive", "scan_blelloch", 32, 0},
                                  {"scan_blelloch_padded", "scan_blelloch", 33, 0},
                                  {"records_structs", "records", 8, 0},
                                  {"records_structs_padded", "records", 9, 0},
                                  {"records_arrays", "records", 1, 0}}));
  CAPTURE(kernel.trace);
  const std::string root = SMEMSIM_SOURCE_DIR;
  Accesses measured;
  auto trace = trace::open_trace(root + "/traces/" + kernel.trace + ".smt");
  REQUIRE(trace.ok());
  REQUIRE((*trace)->read(measured).ok());

  expr::RunOptions options;
  options.grid = measured.launch.grid;
  options.block = measured.launch.block;
  options.blocks = options.grid.count();
  const std::string path = root + "/tests/hardware/explained/" + kernel.text + ".cu";
  const auto events = expr::run_text(expr::Source(text_of(path), path),
                                     {{"PITCH", kernel.pitch},
                                      {"SWIZZLED", kernel.variant},
                                      {"VARIANT", kernel.variant},
                                      {"n", options.grid.y * 32},
                                      {"depth", 64}},
                                     trace::load_machine("sm_90").value(), options);
  if (!events.ok()) FAIL(events.error().text());
  Accesses explained;
  REQUIRE((*events)->deliver(explained).ok());

  CHECK(explained.launch.static_shared == measured.launch.static_shared);
  CHECK(explained.launch.first_shared == measured.launch.first_shared);
  REQUIRE(!measured.warps.empty());
  for (const auto& [warp, phases] : measured.warps) {
    CAPTURE(warp.first, warp.second);
    CHECK((explained.warps[warp] == phases));
  }
}

}  // namespace smemsim
