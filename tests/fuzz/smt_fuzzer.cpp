// Any chunks given to the .smt reader. Checksums would keep a fuzzer out, so the input is read as a
// list of {type, codec, length, bytes} to which right headers and checksums are put. Inputs that
// begin with the format's magic are given to the reader as they are.
#include "checking_sink.hpp"
#include "trace/crc32c.hpp"
#include "trace/smt_format.hpp"

namespace {

namespace smt = smemsim::trace::smt;

std::string file_of(std::string_view input) {
  constexpr std::uint32_t kTypes[] = {smt::kSites,  smt::kProgram,   smt::kLaunch,
                                      smt::kEvents, smt::kLaunchEnd, smt::kIndex};
  std::string out = smt::file_header();
  smemsim::trace::ByteCursor in(input);
  std::uint64_t last = 0;
  while (in.remaining() >= 3) {
    smt::ChunkHeader header;
    header.type = kTypes[in.byte() % std::size(kTypes)];
    const unsigned codec = in.byte();
    header.codec = codec % 8 == 7 ? 1 : 0;
    const std::string_view bytes = in.bytes(std::min<std::uint64_t>(in.varint(), in.remaining()));
    header.stored_bytes = static_cast<std::uint32_t>(bytes.size());
    header.raw_bytes = header.stored_bytes * (header.codec == 1 ? 4 : 1);
    header.stored_crc = smemsim::trace::crc32c(bytes);
    last = out.size();
    out += smt::encode(header);
    out += bytes;
  }
  return out + smt::trailer(last);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view input(reinterpret_cast<const char*>(data), size);
  smemsim::fuzz::check_trace(input.starts_with(smt::kMagic) ? std::string(input) : file_of(input));
  return 0;
}
