// The cycles that advice predicts for a kernel with its proposals are those of the kernel that was
// written so: the bundled naive variants with advice against the traces of their padded ones, and
// the speed-ups against those of the two kernels on an H200.
#include "bundled_trace.hpp"
#include "catch.hpp"
#include "frontend/advise_cycles.hpp"
#include "sim/cycle/simulate.hpp"
#include "trace/byte_io.hpp"
#include "trace/machine_file.hpp"
#include "trace/measured_file.hpp"

namespace smemsim {
namespace {

/// From the first block's start to the last one's end on an SM of the H200, without any tool.
double measured_cycles(const std::string& name) {
  auto file =
      trace::open_source(std::string(SMEMSIM_SOURCE_DIR) + "/traces/" + name + ".measured.json");
  REQUIRE(file.ok());
  const auto run = trace::read_measured_run(**file);
  REQUIRE(run.ok());
  return run->launches.at(0).clocks.value().sm_median;
}

}  // namespace

TEST_CASE("Predicted cycles with the advice are those of the kernel that was written so") {
  const Machine machine = trace::load_machine("sm_90").value();
  const auto machine_of = [&](const Launch&) -> Result<const Machine*> { return &machine; };
  struct Pair {
    std::string naive, fixed;
    double of_simulation, of_hardware;  ///< how far the prediction may be off
  };
  // matmul_tensor, matmul_async2, attention, records_structs: the compiler makes other code of the
  // fixed one, or gives it other registers.
  // stencil_columns: its strided global stores cost more than the model has for them.
  const std::vector<Pair> pairs{{"transpose_naive", "transpose_padded", 0.03, 0.12},
                                {"transpose_wide_naive", "transpose_wide_padded", 0.03, 0.12},
                                {"transpose_half_naive", "transpose_half_padded", 0.03, 0.12},
                                {"matmul_column_naive", "matmul_column_padded", 0.03, 0.12},
                                {"matmul_float4_naive", "matmul_float4_padded", 0.03, 0.12},
                                {"matmul_register_naive", "matmul_register_padded", 0.03, 0.12},
                                {"matmul_async2_naive", "matmul_async2_padded", 0.05, 0.12},
                                {"matmul_tensor_naive", "matmul_tensor_padded", 0.1, 0.12},
                                {"double_column_naive", "double_column_padded", 0.03, 0.12},
                                {"attention_naive", "attention_padded", 0.08, 0.12},
                                {"bulk_rows_naive", "bulk_rows_padded", 0.03, 0.12},
                                {"specialised_naive", "specialised_padded", 0.08, 0.12},
                                {"records_structs", "records_structs_padded", 0.1, 0.12},
                                {"vector_copy_row128", "vector_copy_row144", 0.03, 0.12},
                                {"stencil_columns_naive", "stencil_columns_padded", 0.03, 0.35}};
  for (const Pair& pair : pairs) {
    CAPTURE(pair.naive);
    AccessCollector collector(machine_of);
    read_bundled(pair.naive, collector);
    const AdviceReport report = advise(collector.take(), inferred_regions);
    REQUIRE(report.kernels.size() == 1);
    const auto cycles = cli::predict_cycles(report, 1, machine_of, [&](TraceSink& sink) -> Status {
      read_bundled(pair.naive, sink);
      return {};
    });
    REQUIRE(cycles.ok());
    const cli::KernelPrediction& predicted = cycles->kernels.at(&report.kernels[0]);

    const auto simulated = [&](const std::string& name) {
      SimulateAnalysis analysis(machine_of, {});
      read_bundled(name, analysis);
      return analysis.take_results().at(0).cycles;
    };
    CHECK(predicted.together.before == simulated(pair.naive));
    CHECK(predicted.together.after == Approx(simulated(pair.fixed)).epsilon(pair.of_simulation));
    CHECK(predicted.together.speedup() ==
          Approx(measured_cycles(pair.naive) / measured_cycles(pair.fixed))
              .epsilon(pair.of_hardware));
    CHECK_FALSE(predicted.accesses_only);
    CHECK(predicted.launches == 1);
  }
}

}  // namespace smemsim
