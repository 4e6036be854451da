// Measurements of a program's launches: TRACE.measured.json as tools/measure writes it, or the CSV
// of Nsight Compute (`ncu --csv`, with or without `--page raw`, or with `--page source`).
// docs/measurement.md describes them.
#pragma once

#include "sim/measured_run.hpp"
#include "trace/byte_io.hpp"

namespace smemsim::trace {

/// Recognises the format by its content; gzip is unpacked. Errors name file and line or key.
Result<MeasuredRun> read_measured_run(ByteSource& source);

/// The measurements that belong to a trace: TRACE without ".smt" or ".jsonl", plus
/// ".measured.json".
std::string measured_path_of(const std::string& trace_path);

}  // namespace smemsim::trace
