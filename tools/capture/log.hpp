// Messages of the injected library. They go to files beside the trace, never to the program's own
// output: `smemsim capture` shows the problems when the program has ended.
#pragma once

#include <string>

namespace smemsim::capture {

/// Files PREFIX.problems and, with `debug`, PREFIX.log.
void open_log(const std::string& prefix, bool debug);

/// Something that the user should know. At most a few hundred are kept.
[[gnu::format(printf, 1, 2)]] void problem(const char* format, ...);

/// Only with SMEMSIM_CAPTURE_DEBUG=1.
[[gnu::format(printf, 1, 2)]] void debug(const char* format, ...);

}  // namespace smemsim::capture
