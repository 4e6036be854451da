// Microbenchmarks replayed: the clocks that the warps of a probe read on the H200 against those
// that the model has them read. h200_issue.csv.gz is the output of
//   probes barrier_run_ahead issue_order outer_products     (tools/calibrate/probes*.cu)
// and h200_issue.smt the trace of the same program, one launch for each group of lines.
#include <algorithm>
#include <map>
#include <sstream>

#include "catch.hpp"
#include "sim/cycle/simulate.hpp"
#include "trace/byte_io.hpp"
#include "trace/gzip.hpp"
#include "trace/machine_file.hpp"
#include "trace/open.hpp"

namespace smemsim {
namespace {

using Clocks = std::map<unsigned, std::vector<double>>;  // readings, by warp

struct Probe {
  std::string parameters;  ///< probe and parameters, without warp and clock
  Clocks measured, predicted;
};

double number_behind(const std::string& line, const std::string& key) {
  return std::stod(line.substr(line.find(key) + key.size()));
}

std::vector<Probe> measured_probes() {
  auto file = trace::open_source(SMEMSIM_SOURCE_DIR "/tests/hardware/h200_issue.csv.gz");
  REQUIRE(file.ok());
  const auto packed = trace::read_all(**file, 1U << 20);
  REQUIRE(packed.ok());
  const auto text = trace::gunzip(*packed, (*file)->name(), 1U << 24);
  REQUIRE(text.ok());
  std::istringstream lines(*text);
  std::vector<Probe> out;
  std::string line;
  std::getline(lines, line);  // the header
  while (std::getline(lines, line)) {
    const std::string parameters = line.substr(0, line.find(" warp="));
    if (out.empty() || out.back().parameters != parameters) out.push_back({parameters, {}, {}});
    const auto warp = static_cast<unsigned>(number_behind(line, " warp="));
    out.back().measured[warp].push_back(number_behind(line, ",1,"));
  }
  return out;
}

std::vector<Probe> replayed_probes() {
  std::vector<Probe> out = measured_probes();
  const Machine machine = trace::load_machine("sm_90").value();
  SimulateOptions options;
  options.timeline_cycles = 1e6;
  SimulateAnalysis analysis([&](const Launch&) -> Result<const Machine*> { return &machine; },
                            options);
  auto source = trace::open_trace(SMEMSIM_SOURCE_DIR "/tests/hardware/h200_issue.smt");
  REQUIRE(source.ok());
  const Status status = (*source)->read(analysis);
  if (!status.ok()) FAIL(status.error().text());
  const std::vector<KernelCycles> kernels = analysis.take_results();
  REQUIRE(kernels.size() == out.size());
  for (std::size_t i = 0; i < kernels.size(); ++i) {
    for (const TimelineEntry& entry : kernels[i].timeline) {
      if (entry.text.find("SR_CLOCK") == std::string::npos) continue;
      out[i].predicted[entry.warp.warp].push_back(entry.cycle);
    }
    // A probe repeats itself until everything is warm; the last readings count.
    for (auto& [warp, measured] : out[i].measured) {
      std::vector<double>& clocks = out[i].predicted[warp];
      REQUIRE(clocks.size() >= measured.size());
      clocks.erase(clocks.begin(), clocks.end() - static_cast<std::ptrdiff_t>(measured.size()));
    }
  }
  return out;
}

/// From the second reading of the first warp to the last of the last one.
double span(const Clocks& clocks) {
  double first = clocks.begin()->second.at(1), last = 0;
  for (const auto& [warp, readings] : clocks) {
    if (readings.empty()) continue;  // of a warp that the probe leaves out
    first = std::min(first, readings.at(1));
    last = std::max(last, readings.back());
  }
  return last - first;
}

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("Replayed probes read the clocks of the hardware") {
  std::size_t spans = 0, free = 0;
  for (const Probe& probe : replayed_probes()) {
    CAPTURE(probe.parameters);
    if (has(probe.parameters, "barrier_run_ahead")) {
      // What issues although warp 0 is late: as soon as on the hardware. (The loop in which warp 0
      // passes the time is not in a trace.)
      const double at = probe.measured.at(4)[1] - probe.measured.at(4)[0];
      if (at > 100) continue;
      ++free;
      CHECK(probe.predicted.at(4)[1] - probe.predicted.at(4)[0] == Approx(at).margin(3));
      continue;
    }
    // With one or two warps on a sub-core, from the first clock behind the barrier on. (An LDC
    // that a predicate switches off, in lds_alu, takes the model too long.)
    const bool few = has(probe.parameters, "mask=1") && !has(probe.parameters, "mask=1111");
    const bool two = has(probe.parameters, "mask=11");
    if (!few || has(probe.parameters, "lds_alu")) continue;
    if (two && !has(probe.parameters, "outer_products")) continue;
    CHECK(span(probe.predicted) == Approx(span(probe.measured)).epsilon(0.02));
    ++spans;
  }
  CHECK(free == 9);
  CHECK(spans == 7 + 3 + 3);
}

}  // namespace smemsim
