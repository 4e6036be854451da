// Layout of .smt files, shared by writer and reader. docs/trace-format.md is the specification.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "trace/crc32c.hpp"
#include "trace/varint.hpp"

namespace smemsim::trace::smt {

/// First byte outside ASCII and both line ends, so that a file sent as text is noticed at once.
inline constexpr std::string_view kMagic{"\x89SMT\r\n\x1a\n", 8};
inline constexpr std::string_view kTrailerMagic{"\x89SME", 4};
inline constexpr std::uint16_t kVersion = 1;
inline constexpr std::size_t kFileHeaderBytes = 16;
inline constexpr std::size_t kChunkHeaderBytes = 24;
inline constexpr std::size_t kTrailerBytes = 16;

/// Four letters, the first in the lowest byte. A lower-case first letter marks a chunk that a
/// reader may skip when it does not know it.
constexpr std::uint32_t four_letters(const char (&letters)[5]) {
  std::uint32_t out = 0;
  for (unsigned i = 0; i < 4; ++i) {
    out |= std::uint32_t{static_cast<unsigned char>(letters[i])} << (8 * i);
  }
  return out;
}
inline constexpr std::uint32_t kSites = four_letters("SITE");
inline constexpr std::uint32_t kProgram = four_letters("PROG");
inline constexpr std::uint32_t kLaunch = four_letters("LNCH");
inline constexpr std::uint32_t kEvents = four_letters("EVTS");
inline constexpr std::uint32_t kLaunchEnd = four_letters("LEND");
inline constexpr std::uint32_t kIndex = four_letters("INDX");

constexpr bool may_skip(std::uint32_t type) {
  return (type & 0x20) != 0;
}
inline std::string type_name(std::uint32_t type) {
  std::string out;
  for (unsigned i = 0; i < 4; ++i) {
    const char letter = static_cast<char>(type >> (8 * i) & 0xff);
    out.push_back(letter > ' ' && letter < 0x7f ? letter : '?');
  }
  return out;
}

enum class Codec : std::uint8_t { stored = 0, zstd = 1 };

// Hard limits: a reader refuses what exceeds them before it takes memory.
inline constexpr std::uint32_t kMaxEventsRaw = 4U << 20;     ///< bytes of an EVTS chunk
inline constexpr std::uint32_t kMaxOtherRaw = 32U << 20;     ///< bytes of any other chunk
inline constexpr std::uint64_t kMaxShapes = 1U << 15;        ///< in a chunk
inline constexpr std::uint64_t kMaxEvents = 1U << 24;        ///< in a chunk
inline constexpr std::uint64_t kMaxSites = 1U << 18;         ///< in a table
inline constexpr std::uint64_t kMaxInstructions = 1U << 20;  ///< of a function
inline constexpr std::uint64_t kMaxFiles = 1U << 16;         ///< source files of a function

constexpr std::uint32_t max_raw(std::uint32_t type) {
  return type == kEvents ? kMaxEventsRaw : kMaxOtherRaw;
}

/// The fixed part before each chunk's stored bytes.
struct ChunkHeader {
  std::uint32_t type = 0;
  std::uint8_t codec = 0;
  std::uint32_t raw_bytes = 0;
  std::uint32_t stored_bytes = 0;
  std::uint32_t stored_crc = 0;
};

inline std::string encode(const ChunkHeader& header) {
  std::string out;
  put_fixed(out, header.type);
  put_fixed(out, std::uint32_t{header.codec});
  put_fixed(out, header.raw_bytes);
  put_fixed(out, header.stored_bytes);
  put_fixed(out, header.stored_crc);
  put_fixed(out, crc32c(out));
  return out;
}

inline std::string file_header() {
  std::string out(kMagic);
  put_fixed(out, kVersion);
  put_fixed(out, std::uint16_t{0});
  put_fixed(out, crc32c(out));
  return out;
}

inline std::string trailer(std::uint64_t index_offset) {
  std::string out;
  put_fixed(out, index_offset);
  put_fixed(out, crc32c(out));
  return out.append(kTrailerMagic);
}

/// What both sides expect of a shape's next event, from the events before it in the chunk: at the
/// stride that its addresses last showed twice, and followed by the shape that followed it last.
struct Prediction {
  struct Address {
    std::uint64_t last = 0, stride = 0, step = 0;

    std::uint64_t expected() const { return last + stride; }
    /// Takes an address that was written out. One odd step (the end of an inner loop) keeps the
    /// stride; the same step twice becomes the stride.
    void correct(std::uint64_t address) {
      const std::uint64_t now = address - last;
      if (now == step) stride = now;
      step = now;
      last = address;
    }
  };
  Address base, source;
  std::uint32_t next = 0;  ///< shape; at first the shape itself
};

}  // namespace smemsim::trace::smt
