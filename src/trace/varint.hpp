// Variable-length integers and bounded reading of bytes: the alphabet of .smt chunks.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace smemsim::trace {

/// LEB128: 7 bits a byte, lowest first, the top bit says that another byte follows.
inline void put_varint(std::string& out, std::uint64_t value) {
  while (value >= 0x80) {
    out.push_back(static_cast<char>(value | 0x80));
    value >>= 7;
  }
  out.push_back(static_cast<char>(value));
}

/// Small for small magnitudes of either sign: 0, -1, 1, -2 become 0, 1, 2, 3.
constexpr std::uint64_t zigzag(std::uint64_t difference) {
  return (difference << 1) ^ (~(difference >> 63) + 1);
}
constexpr std::uint64_t unzigzag(std::uint64_t value) {
  return (value >> 1) ^ (~(value & 1) + 1);
}

inline void put_signed(std::string& out, std::uint64_t difference) {
  put_varint(out, zigzag(difference));
}

inline void put_text(std::string& out, std::string_view text) {
  put_varint(out, text.size());
  out.append(text);
}

template <typename Integer>
void put_fixed(std::string& out, Integer value) {
  for (std::size_t i = 0; i < sizeof(Integer); ++i) {
    out.push_back(static_cast<char>(value >> (8 * i) & 0xff));
  }
}

/// Reads hostile bytes: past the end or on an overlong number it gives 0 and remembers the failure.
class ByteCursor {
 public:
  explicit ByteCursor(std::string_view bytes)
      : begin_(bytes.data()), next_(bytes.data()), end_(bytes.data() + bytes.size()) {}

  bool failed() const { return failed_; }
  std::size_t remaining() const { return static_cast<std::size_t>(end_ - next_); }
  /// Bytes consumed so far.
  std::size_t position() const { return static_cast<std::size_t>(next_ - begin_); }

  std::uint64_t varint() {
    if (next_ != end_ && static_cast<unsigned char>(*next_) < 0x80) {
      return static_cast<unsigned char>(*next_++);
    }
    return long_varint();
  }

  /// The difference that put_signed wrote.
  std::uint64_t signed_varint() { return unzigzag(varint()); }

  std::uint8_t byte() {
    if (next_ == end_) return fail(), std::uint8_t{0};
    return static_cast<std::uint8_t>(*next_++);
  }

  std::string_view bytes(std::uint64_t count) {
    if (count > remaining()) return fail(), std::string_view{};
    const std::string_view out(next_, static_cast<std::size_t>(count));
    next_ += count;
    return out;
  }

  std::string_view text() { return bytes(varint()); }

  template <typename Integer>
  Integer fixed() {
    const std::string_view raw = bytes(sizeof(Integer));
    Integer value = 0;
    for (std::size_t i = 0; i < raw.size(); ++i) {
      const Integer part = static_cast<unsigned char>(raw[i]);
      value = static_cast<Integer>(value | static_cast<Integer>(part << (8 * i)));
    }
    return value;
  }

  void fail() {
    failed_ = true;
    next_ = end_;
  }

 private:
  std::uint64_t long_varint() {
    std::uint64_t value = 0;
    for (unsigned shift = 0; shift < 64 && next_ != end_; shift += 7) {
      const auto part = static_cast<unsigned char>(*next_++);
      if (shift == 63 && part > 1) break;  // more than 64 bits
      value |= std::uint64_t{part & 0x7fU} << shift;
      if (part < 0x80) return value;
    }
    fail();
    return 0;
  }

  const char* begin_;
  const char* next_;
  const char* end_;
  bool failed_ = false;
};

}  // namespace smemsim::trace
