#include "frontend/capture_elf.hpp"

#include <algorithm>
#include <cstring>
#include <map>

namespace smemsim::capture {
namespace {

// Offsets in the structures of 64-bit ELF; cubins are little-endian.
constexpr std::size_t kHeaderSize = 64, kSectionSize = 64, kSymbolSize = 24;
constexpr std::uint32_t kSymbolTable = 2, kNoBits = 8;
constexpr std::uint8_t kFunctionSymbol = 2;
// Entries of .nv.info: format, attribute, then 16 bits of value or of size.
constexpr std::uint8_t kSizedFormat = 4, kRegisterCount = 0x2f;

class Image {
 public:
  explicit Image(std::string_view bytes) : bytes_(bytes) {}

  template <typename T>
  T get(std::uint64_t offset) {
    T value{};
    if (offset > bytes_.size() || bytes_.size() - offset < sizeof(T)) {
      bad_ = true;
    } else {
      std::memcpy(&value, bytes_.data() + offset, sizeof(T));
    }
    return value;
  }
  std::string_view part(std::uint64_t offset, std::uint64_t size) {
    if (offset > bytes_.size() || bytes_.size() - offset < size) {
      bad_ = true;
      return {};
    }
    return bytes_.substr(offset, size);
  }
  bool bad() const { return bad_; }

 private:
  std::string_view bytes_;
  bool bad_ = false;  ///< something pointed outside of the image
};

struct Section {
  std::uint32_t name = 0, type = 0, link = 0;
  std::uint64_t offset = 0, size = 0;
};

std::string_view text_at(std::string_view table, std::uint32_t offset) {
  if (offset >= table.size()) return {};
  const std::string_view rest = table.substr(offset);
  return rest.substr(0, rest.find('\0'));
}

std::map<std::uint32_t, std::uint32_t> register_counts(Image& image, const Section& info) {
  std::map<std::uint32_t, std::uint32_t> counts;  // by symbol
  const std::uint64_t end = info.offset + info.size;
  for (std::uint64_t at = info.offset; at + 4 <= end && !image.bad();) {
    const auto format = image.get<std::uint8_t>(at);
    const auto attribute = image.get<std::uint8_t>(at + 1);
    const std::uint32_t size = format == kSizedFormat ? image.get<std::uint16_t>(at + 2) : 0U;
    if (attribute == kRegisterCount && size == 8) {
      counts[image.get<std::uint32_t>(at + 4)] = image.get<std::uint32_t>(at + 8);
    }
    at += 4U + size;
  }
  return counts;
}

/// Whether the code has an instruction UCGABAR_ARV (sm_90 and later; 16 bytes an instruction, its
/// opcode in the lowest 12 bits).
bool waits_for_cluster(std::string_view code) {
  constexpr std::size_t kInstruction = 16;
  constexpr unsigned kClusterArrive = 0x9c7;
  for (std::size_t at = 0; at + kInstruction <= code.size(); at += kInstruction) {
    const unsigned low = static_cast<unsigned char>(code[at]);
    const unsigned high = static_cast<unsigned char>(code[at + 1]) & 0xfU;
    if ((high << 8U | low) == kClusterArrive) return true;
  }
  return false;
}

}  // namespace

Result<std::vector<CubinFunction>> cubin_functions(std::string_view bytes) {
  const Error damaged = invalid_input("cubin", "is not a whole 64-bit ELF file");
  if (bytes.size() < kHeaderSize || bytes.substr(0, 4) != "\177ELF" || bytes[4] != 2)
    return damaged;
  Image image(bytes);
  const auto table = image.get<std::uint64_t>(40);
  const auto count = image.get<std::uint16_t>(60);
  const auto names_index = image.get<std::uint16_t>(62);
  image.part(table, count * kSectionSize);
  std::vector<Section> sections(count);
  for (std::size_t i = 0; i < sections.size(); ++i) {
    const std::uint64_t at = table + i * kSectionSize;
    sections[i] = {image.get<std::uint32_t>(at), image.get<std::uint32_t>(at + 4),
                   image.get<std::uint32_t>(at + 40), image.get<std::uint64_t>(at + 24),
                   image.get<std::uint64_t>(at + 32)};
  }
  if (image.bad() || names_index >= sections.size()) return damaged;
  const auto contents = [&](const Section& section) {
    return section.type == kNoBits ? std::string_view{} : image.part(section.offset, section.size);
  };
  const std::string_view names = contents(sections[names_index]);

  std::map<std::uint32_t, std::uint32_t> registers;
  std::map<std::string_view, std::uint64_t> shared;
  std::vector<CubinFunction> functions;
  constexpr std::string_view kShared = ".nv.shared.";
  for (const Section& section : sections) {
    const std::string_view name = text_at(names, section.name);
    if (name == ".nv.info") registers = register_counts(image, section);
    if (name.substr(0, kShared.size()) == kShared)
      shared[name.substr(kShared.size())] = section.size;
  }
  for (const Section& section : sections) {
    if (section.type != kSymbolTable || section.link >= sections.size()) continue;
    const std::string_view strings = contents(sections[section.link]);
    for (std::uint64_t i = 0; i < section.size / kSymbolSize && !image.bad(); ++i) {
      const std::uint64_t at = section.offset + i * kSymbolSize;
      const auto name = text_at(strings, image.get<std::uint32_t>(at));
      const auto home = image.get<std::uint16_t>(at + 6);
      if ((image.get<std::uint8_t>(at + 4) & 15) != kFunctionSymbol || home == 0 || name.empty() ||
          name.front() == '$') {
        continue;
      }
      CubinFunction function;
      function.name = name;
      function.symbol = static_cast<std::uint32_t>(i);
      function.size = image.get<std::uint64_t>(at + 16);
      const auto found = registers.find(function.symbol);
      if (found != registers.end()) function.registers = found->second;
      const auto area = shared.find(name);
      if (area != shared.end()) function.shared = area->second;
      if (home < sections.size()) {
        const Section& code = sections[home];
        const auto start = image.get<std::uint64_t>(at + 8);
        if (start <= code.size && function.size <= code.size - start) {
          function.clusters = waits_for_cluster(image.part(code.offset + start, function.size));
        }
      }
      functions.push_back(std::move(function));
    }
  }
  if (image.bad()) return damaged;
  return functions;
}

std::uint64_t image_hash(std::string_view image) {
  std::uint64_t hash = 0xcbf29ce484222325U;
  for (std::size_t at = 0; at < image.size(); at += 8) {
    std::uint64_t word = 0;
    std::memcpy(&word, image.data() + at, std::min<std::size_t>(8, image.size() - at));
    hash = (hash ^ word) * 0x100000001b3U;
    hash ^= hash >> 29;
  }
  return hash ^ image.size();
}

}  // namespace smemsim::capture
