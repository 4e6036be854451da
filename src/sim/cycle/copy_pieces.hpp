// Copies past L1 (cp.async.cg): how many writes to shared memory a warp's copy falls into.
#pragma once

#include <cstdint>

#include "sim/event.hpp"

namespace smemsim {

/// Of each 128-byte line of global memory, the 16-byte chunks that are moved by the same distance
/// count as one, and so do those that are permuted by the same XOR within one line of shared
/// memory. Measured: 32 chunks of 4 lines take 4 cycles side by side, in padded rows of 128 bytes
/// and with an XOR swizzle, 6 in padded rows of 64 bytes, 15 of 32 bytes, 16 to 26 with every chunk
/// apart.
std::uint32_t copy_pieces(const EventShape& shape, const Event& event);

}  // namespace smemsim
