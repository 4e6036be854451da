// CRC-32C (Castagnoli), the checksum of .smt chunks.
#pragma once

#include <cstdint>
#include <string_view>

namespace smemsim::trace {

/// The checksum of `bytes`; "123456789" gives 0xe3069283.
std::uint32_t crc32c(std::string_view bytes);

}  // namespace smemsim::trace
