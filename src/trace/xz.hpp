// xz, as Accel-Sim's tracer compresses its files.
#pragma once

#include <memory>
#include <string_view>

#include "sim/result.hpp"
#include "trace/byte_io.hpp"

namespace smemsim::trace {

/// Whether the bytes begin an .xz file.
bool is_xz(std::string_view first_bytes);

/// Reads what the .xz file in `packed`, which must be able to seek, unpacks to. Its size is not
/// known, and it can seek to the start only. An error when this build lacks liblzma.
Result<std::unique_ptr<ByteSource>> unxz(std::unique_ptr<ByteSource> packed);

}  // namespace smemsim::trace
