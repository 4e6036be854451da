// Compression of chunks. Without zstd (SMEMSIM_HAVE_ZSTD 0) chunks are stored as they are.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "sim/result.hpp"
#include "trace/smt_format.hpp"

namespace smemsim::trace {

/// Keeps the compressor's memory between chunks.
class ChunkCompressor {
 public:
  explicit ChunkCompressor(int level);
  ~ChunkCompressor();

  /// The bytes to store; `codec` says how. Stored as they are when compression does not help.
  std::string_view compress(const std::string& raw, smt::Codec& codec);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

class ChunkDecompressor {
 public:
  ChunkDecompressor();
  ~ChunkDecompressor();

  /// Fills `raw`, which has the size that the chunk's header promises.
  Status decompress(std::string_view stored, std::string& raw);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace smemsim::trace
