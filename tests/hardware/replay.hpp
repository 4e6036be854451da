// What a program of probes measured, and the trace of the same program replayed: NAME.csv.gz and
// NAME.smt of this folder.
#pragma once

#include <map>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "catch.hpp"
#include "sim/cycle/simulate.hpp"
#include "trace/byte_io.hpp"
#include "trace/gzip.hpp"
#include "trace/machine_file.hpp"
#include "trace/open.hpp"

namespace smemsim {

inline bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

/// Lines of NAME.csv.gz behind the header: probe,parameters,n,least,p10,median,p90,most.
inline std::vector<std::string> measured_lines(const std::string& name) {
  auto file = trace::open_source(SMEMSIM_SOURCE_DIR "/tests/hardware/" + name + ".csv.gz");
  REQUIRE(file.ok());
  const auto packed = trace::read_all(**file, 1U << 20);
  REQUIRE(packed.ok());
  const auto text = trace::gunzip(*packed, (*file)->name(), 1U << 24);
  REQUIRE(text.ok());
  std::istringstream lines(*text);
  std::vector<std::string> out;
  std::string line;
  std::getline(lines, line);  // the header
  while (std::getline(lines, line)) out.push_back(line);
  return out;
}

struct MeasuredRow {
  std::string probe, parameters;
  double median = 0;
};

inline std::vector<MeasuredRow> measured_rows(const std::string& name) {
  std::vector<MeasuredRow> out;
  for (const std::string& line : measured_lines(name)) {
    std::vector<std::string> cells;
    std::istringstream row(line);
    for (std::string cell; std::getline(row, cell, ',');) cells.push_back(cell);
    REQUIRE(cells.size() == 8);
    out.push_back({cells[0], cells[1], std::stod(cells[5])});
  }
  return out;
}

/// The launches of NAME.smt as the model of the H200 has them.
inline std::vector<KernelCycles> replay(const std::string& name, const SimulateOptions& options) {
  const Machine machine = trace::load_machine("sm_90").value();
  SimulateAnalysis analysis([&](const Launch&) -> Result<const Machine*> { return &machine; },
                            options);
  auto source = trace::open_trace(SMEMSIM_SOURCE_DIR "/tests/hardware/" + name + ".smt");
  REQUIRE(source.ok());
  const Status status = (*source)->read(analysis);
  if (!status.ok()) FAIL(status.error().text());
  return analysis.take_results();
}

/// The readings of the clock by each warp of a replayed launch: by block, in the order in which
/// they begin, and warp.
using Clocks = std::map<std::pair<unsigned, unsigned>, std::vector<double>>;
inline Clocks clocks(const KernelCycles& kernel) {
  Clocks out;
  for (const TimelineEntry& entry : kernel.timeline) {
    if (!contains(entry.text, "SR_CLOCK")) continue;
    out[{entry.warp.start, entry.warp.warp}].push_back(entry.cycle);
  }
  return out;
}

}  // namespace smemsim
