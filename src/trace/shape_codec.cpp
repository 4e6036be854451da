#include "trace/shape_codec.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cassert>
#include <cstring>

namespace smemsim::trace {
namespace {

// How a list of offsets is written: low two bits of its first byte. The upper six bits are `shift`,
// the number of low zero bits that all values share and that are left out.
enum ListKind : unsigned {
  kAllZero = 0,     // every active lane at the base
  kStride = 1,      // offset = stride * (lane - first active lane)
  kPacked = 2,      // difference from the smallest, in as many bits as the largest needs
  kDifferences = 3  // difference from the active lane before, as varints
};

/// Offsets of the active lanes after the first; those past `count` are not set.
struct LaneValues {
  std::array<std::uint64_t, kMaxLanes> values;  // NOLINT(*-member-init): filling it costs as much
                                                // as decoding a list
  unsigned count = 0;
};

std::uint64_t shift_signed(std::uint64_t value, unsigned shift) {
  return static_cast<std::uint64_t>(static_cast<std::int64_t>(value) >> shift);
}

void put_bits(std::string& out, const LaneValues& list, std::uint64_t low, unsigned shift,
              unsigned bits) {
  unsigned used = 0;  // bits taken of the last byte
  for (unsigned i = 0; i < list.count; ++i) {
    std::uint64_t value = (list.values[i] - low) >> shift;
    for (unsigned left = bits; left != 0;) {
      if (used == 0) out.push_back(0);
      const unsigned now = std::min(left, 8 - used);
      const auto part = static_cast<unsigned>(value & ((1U << now) - 1)) << used;
      out.back() = static_cast<char>(static_cast<unsigned char>(out.back()) | part);
      value >>= now;
      left -= now;
      used = (used + now) % 8;
    }
  }
}

bool is_stride(const std::vector<std::int64_t>& offsets, LaneMask active, std::uint64_t& stride) {
  const auto first = static_cast<unsigned>(std::countr_zero(active));
  const LaneMask rest = active & (active - 1);
  if (rest == 0) return false;
  const auto second = static_cast<unsigned>(std::countr_zero(rest));
  const std::int64_t apart = second - first;
  assert(apart > 0);
  if (offsets[second] % apart != 0) return false;
  stride = static_cast<std::uint64_t>(offsets[second] / apart);
  bool same = true;
  for_each_lane(rest, [&](unsigned lane) {
    same = same && static_cast<std::uint64_t>(offsets[lane]) == stride * (lane - first);
  });
  return same;
}

void put_list(std::string& out, const std::vector<std::int64_t>& offsets, LaneMask active) {
  LaneValues list;
  std::uint64_t all = 0;
  for_each_lane(active & (active - 1), [&](unsigned lane) {
    list.values[list.count] = static_cast<std::uint64_t>(offsets[lane]);
    all |= list.values[list.count++];
  });
  if (all == 0) return put_varint(out, kAllZero);
  std::uint64_t stride = 0;
  if (is_stride(offsets, active, stride)) {
    put_varint(out, kStride);
    return put_signed(out, stride);
  }

  const auto shift = static_cast<unsigned>(std::countr_zero(all));
  const auto head = [&](ListKind kind) { out.push_back(static_cast<char>(kind | shift << 2)); };
  std::uint64_t low = list.values[0], widest = 0;
  for (unsigned i = 0; i < list.count; ++i) {
    if (static_cast<std::int64_t>(list.values[i]) < static_cast<std::int64_t>(low)) {
      low = list.values[i];
    }
  }
  for (unsigned i = 0; i < list.count; ++i) widest |= (list.values[i] - low) >> shift;
  const auto bits = static_cast<unsigned>(std::bit_width(widest));

  std::string differences;
  std::uint64_t previous = 0;
  for (unsigned i = 0; i < list.count; ++i) {
    put_signed(differences, shift_signed(list.values[i] - previous, shift));
    previous = list.values[i];
  }
  if (differences.size() <= (bits * list.count + 7) / 8 + 2) {
    head(kDifferences);
    out += differences;
    return;
  }
  head(kPacked);
  put_signed(out, shift_signed(low, shift));
  out.push_back(static_cast<char>(bits));
  put_bits(out, list, low, shift, bits);
}

std::uint64_t load_64(const char* bytes) {
  std::uint64_t out = 0;
  if constexpr (std::endian::native == std::endian::little) {
    std::memcpy(&out, bytes, sizeof out);
    return out;
  }
  for (unsigned i = 0; i < 8; ++i) {
    out |= std::uint64_t{static_cast<unsigned char>(bytes[i])} << (8 * i);
  }
  return out;
}

/// `count` bits from bit number `first` on. Irregular traces spend their time here.
std::uint64_t bits_at(std::string_view packed, std::size_t first, unsigned count) {
  const std::size_t byte = first / 8;
  const unsigned skip = first % 8;
  const std::uint64_t mask = count == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << count) - 1;
  if (count <= 56 && byte + 8 <= packed.size()) {
    return load_64(packed.data() + byte) >> skip & mask;
  }
  // Near the end, and for values that span nine bytes: through a window padded with zeros.
  std::array<char, 16> window{};
  packed.substr(std::min(byte, packed.size())).copy(window.data(), window.size());
  const std::uint64_t low = load_64(window.data()), high = load_64(window.data() + 8);
  return (skip == 0 ? low : low >> skip | high << (64 - skip)) & mask;
}

bool get_packed(ByteCursor& in, unsigned shift, LaneValues& list) {
  const std::uint64_t low = in.signed_varint() << shift;
  const unsigned bits = in.byte();
  if (bits > 64) return false;
  const std::string_view packed = in.bytes((std::uint64_t{bits} * list.count + 7) / 8);
  if (in.failed()) return false;
  for (unsigned i = 0; i < list.count; ++i) {
    list.values[i] = low + (bits_at(packed, std::size_t{i} * bits, bits) << shift);
  }
  return true;
}

bool get_list(ByteCursor& in, std::vector<std::int64_t>& offsets, LaneMask active) {
  offsets.assign(static_cast<std::size_t>(std::bit_width(active)), 0);
  const LaneMask rest = active & (active - 1);
  const auto first = static_cast<unsigned>(std::countr_zero(active));
  const unsigned head = in.byte();
  const unsigned shift = head >> 2;
  LaneValues list;
  list.count = lane_count(rest);
  switch (head & 3) {
    case kAllZero:
      return shift == 0 && !in.failed();
    case kStride: {
      const std::uint64_t stride = in.signed_varint();
      for_each_lane(rest, [&](unsigned lane) {
        offsets[lane] = static_cast<std::int64_t>(stride * (lane - first));
      });
      return shift == 0 && !in.failed();
    }
    case kPacked:
      if (!get_packed(in, shift, list)) return false;
      break;
    default: {
      std::uint64_t previous = 0;
      for (unsigned i = 0; i < list.count; ++i) {
        previous += in.signed_varint() << shift;
        list.values[i] = previous;
      }
    }
  }
  unsigned i = 0;
  for_each_lane(
      rest, [&](unsigned lane) { offsets[lane] = static_cast<std::int64_t>(list.values[i++]); });
  return !in.failed();
}

}  // namespace

void put_shape(std::string& out, const EventShape& shape) {
  out.push_back(static_cast<char>(shape.op));
  out.push_back(static_cast<char>(shape.width));
  out.push_back(static_cast<char>(shape.matrices));
  out.push_back(static_cast<char>(shape.flags));
  put_varint(out, shape.site);
  put_varint(out, shape.active);
  put_varint(out, shape.a);
  put_varint(out, shape.b);
  if (!shape.offsets.empty()) put_list(out, shape.offsets, shape.active);
  if (!shape.source_offsets.empty()) put_list(out, shape.source_offsets, shape.active);
}

bool get_shape(ByteCursor& in, EventShape& shape) {
  shape.op = static_cast<Operation>(in.byte());
  if (shape.op >= Operation::count_) return false;
  shape.width = in.byte();
  shape.matrices = in.byte();
  shape.flags = in.byte();
  const std::uint64_t site = in.varint();
  shape.site = static_cast<std::uint32_t>(site);
  shape.active = in.varint();
  shape.a = in.varint();
  shape.b = in.varint();
  shape.offsets.clear();
  shape.source_offsets.clear();
  if (in.failed() || site > UINT32_MAX) return false;
  const OperationTraits& facts = traits(shape.op);
  if (!facts.lane_addresses || shape.active == 0) return true;
  if (!get_list(in, shape.offsets, shape.active)) return false;
  return !facts.has_source || get_list(in, shape.source_offsets, shape.active);
}

}  // namespace smemsim::trace
