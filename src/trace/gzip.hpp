// gzip, as measured tables and imported traces come.
#pragma once

#include <cstdint>
#include <string>

#include "sim/result.hpp"

namespace smemsim::trace {

/// Unpacks gzip bytes; other bytes come back as they are. `limit` bounds the unpacked size.
Result<std::string> gunzip(std::string bytes, const std::string& place, std::uint64_t limit);

}  // namespace smemsim::trace
