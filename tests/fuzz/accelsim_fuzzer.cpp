// Any text given to the reader of Accel-Sim traces.
#include "checking_sink.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  // What begins otherwise could name files to open.
  smemsim::fuzz::check_trace("-kernel " + std::string(reinterpret_cast<const char*>(data), size));
  return 0;
}
