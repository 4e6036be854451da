// The formats that a trace can be read from. A new importer is a row of the table in open.cpp.
#pragma once

#include <memory>
#include <span>
#include <string_view>

#include "sim/trace_sink.hpp"
#include "trace/byte_io.hpp"
#include "trace/launch_filter.hpp"

namespace smemsim::trace {

struct Importer {
  std::string_view name;     ///< for --from
  std::string_view summary;  ///< for people
  /// Whether the input is of this format, by its first bytes (at most kRecognitionBytes of them).
  bool (*recognises)(std::string_view first_bytes);
  /// Formats keep what they deliver of the launches that the filter lets through.
  std::unique_ptr<TraceSource> (*open)(std::unique_ptr<ByteSource> bytes,
                                       const LaunchFilter& filter);
};

inline constexpr std::size_t kRecognitionBytes = 512;

/// All formats, in the order in which they are tried.
std::span<const Importer> importers();

/// Opens the input with the named format; "" = the first that recognises it.
Result<std::unique_ptr<TraceSource>> import_trace(std::unique_ptr<ByteSource> bytes,
                                                  std::string_view format,
                                                  const LaunchFilter& filter = {});

}  // namespace smemsim::trace
