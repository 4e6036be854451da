#pragma once

#include <string>

#include "catch.hpp"
#include "trace/open.hpp"

namespace smemsim {

/// Reads the bundled trace `traces/NAME.smt` into a sink; the test fails where it cannot be read.
inline void read_bundled(const std::string& name, TraceSink& sink) {
  auto source = trace::open_trace(std::string(SMEMSIM_SOURCE_DIR) + "/traces/" + name + ".smt");
  REQUIRE(source.ok());
  const Status status = (*source)->read(sink);
  if (!status.ok()) FAIL(status.error().text());
}

}  // namespace smemsim
