// Any text given to the JSON Lines reader.
#include "checking_sink.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  // The first byte decides the format; the rest is up to the fuzzer.
  smemsim::fuzz::check_trace("{" + std::string(reinterpret_cast<const char*>(data), size));
  return 0;
}
