#include "trace/chunk_codec.hpp"

#ifndef SMEMSIM_HAVE_ZSTD
#define SMEMSIM_HAVE_ZSTD 0
#endif

#if SMEMSIM_HAVE_ZSTD
#include <zstd.h>
#endif

namespace smemsim::trace {

#if SMEMSIM_HAVE_ZSTD

struct ChunkCompressor::State {
  int level;
  ZSTD_CCtx* context = ZSTD_createCCtx();
  std::string out = {};
};

ChunkCompressor::ChunkCompressor(int level) : state_(new State{level}) {}
ChunkCompressor::~ChunkCompressor() {
  ZSTD_freeCCtx(state_->context);
}

std::string_view ChunkCompressor::compress(const std::string& raw, smt::Codec& codec) {
  codec = smt::Codec::stored;
  std::string& out = state_->out;
  out.resize(ZSTD_compressBound(raw.size()));
  const std::size_t size = ZSTD_compressCCtx(state_->context, out.data(), out.size(), raw.data(),
                                             raw.size(), state_->level);
  if (ZSTD_isError(size) != 0 || size >= raw.size()) return raw;
  codec = smt::Codec::zstd;
  return std::string_view(out).substr(0, size);
}

struct ChunkDecompressor::State {
  ZSTD_DCtx* context = ZSTD_createDCtx();
};

ChunkDecompressor::ChunkDecompressor() : state_(new State) {}
ChunkDecompressor::~ChunkDecompressor() {
  ZSTD_freeDCtx(state_->context);
}

Status ChunkDecompressor::decompress(std::string_view stored, std::string& raw) {
  const std::size_t size =
      ZSTD_decompressDCtx(state_->context, raw.data(), raw.size(), stored.data(), stored.size());
  if (ZSTD_isError(size) != 0 || size != raw.size()) {
    return invalid_input({}, "its compressed bytes do not give the " + std::to_string(raw.size()) +
                                 " bytes that it promises");
  }
  return {};
}

#else

struct ChunkCompressor::State {};
ChunkCompressor::ChunkCompressor(int) {}
ChunkCompressor::~ChunkCompressor() = default;

std::string_view ChunkCompressor::compress(const std::string& raw, smt::Codec& codec) {
  codec = smt::Codec::stored;
  return raw;
}

struct ChunkDecompressor::State {};
ChunkDecompressor::ChunkDecompressor() = default;
ChunkDecompressor::~ChunkDecompressor() = default;

Status ChunkDecompressor::decompress(std::string_view, std::string&) {
  return io_error({}, "it is compressed, and this program was built without zstd");
}

#endif

}  // namespace smemsim::trace
