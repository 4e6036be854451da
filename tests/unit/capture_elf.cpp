#include "frontend/capture_elf.hpp"

#include <cstring>

#include "catch.hpp"

using namespace smemsim;
using namespace std::string_literals;
using namespace smemsim::capture;

namespace {

template <typename T>
void put(std::string& out, T value) {
  char bytes[sizeof value];
  std::memcpy(bytes, &value, sizeof value);
  out.append(bytes, sizeof value);
}

/// A cubin's skeleton: one kernel "k" (24 registers, 5,120 bytes of shared memory) and a function
/// "$k$f" within its code.
std::string small_cubin(std::string code = std::string(128, '\0')) {
  struct Section {
    std::uint32_t name, type, link;
    std::string bytes;
    std::uint64_t size;
  };
  const std::string names = "\0.strtab\0.symtab\0.nv.info\0.text.k\0.nv.shared.k\0"s;
  const auto name = [&](const char* text) {
    return static_cast<std::uint32_t>(names.find("\0"s + text) + 1);
  };
  const std::string strings = "\0k\0$k$f\0"s;
  const auto symbol = [](std::uint32_t text, std::uint8_t info, std::uint16_t section,
                         std::uint64_t value, std::uint64_t size) {
    std::string out;
    put(out, text);
    put(out, info);
    put(out, std::uint8_t{0});
    put(out, section);
    put(out, value);
    put(out, size);
    return out;
  };
  std::string info;
  for (const std::uint32_t word : {0x00082f04U, 2U, 24U}) put(info, word);
  const std::string symbols =
      symbol(0, 0, 0, 0, 0) + symbol(3, 2, 4, 64, 64) + symbol(1, 0x12, 4, 0, 128);
  const std::vector<Section> sections{
      {0, 0, 0, "", 0},
      {name(".strtab"), 3, 0, names + strings, names.size() + strings.size()},
      {name(".symtab"), 2, 6, symbols, symbols.size()},
      {name(".nv.info"), 0x70000000, 2, info, info.size()},
      {name(".text.k"), 1, 0, code, code.size()},
      {name(".nv.shared.k"), 8, 0, "", 5120},
      {name(".strtab"), 3, 0, strings, strings.size()}};
  std::string body, table;
  for (const Section& section : sections) {
    put(table, section.name);
    put(table, section.type);
    put(table, std::uint64_t{0});
    put(table, std::uint64_t{0});
    put(table, std::uint64_t{64 + body.size()});
    put(table, section.size);
    put(table, section.link);
    put(table, std::uint32_t{0});
    put(table, std::uint64_t{1});
    put(table, std::uint64_t{0});
    body += section.bytes;
  }
  std::string header("\177ELF\2\1\1", 7);
  header.resize(40);
  put(header, std::uint64_t{64 + body.size()});
  header.resize(60);
  put(header, static_cast<std::uint16_t>(sections.size()));
  put(header, std::uint16_t{1});
  return header + body + table;
}

}  // namespace

TEST_CASE("a cubin tells its functions and their resources") {
  const auto functions = cubin_functions(small_cubin());
  REQUIRE(functions.ok());
  REQUIRE(functions->size() == 1);
  const CubinFunction& kernel = functions->front();
  CHECK(kernel.name == "k");
  CHECK(kernel.symbol == 2);
  CHECK(kernel.size == 128);
  CHECK(kernel.registers == 24);
  CHECK(kernel.shared == 5120);
  CHECK_FALSE(kernel.clusters);
}

TEST_CASE("a cubin tells which functions wait for their cluster") {
  std::string code(128, '\0');
  code[32] = '\xc7';  // UCGABAR_ARV: 0x00000000000079c7
  code[33] = '\x79';
  CHECK(cubin_functions(small_cubin(code))->front().clusters);
  code.insert(8, 8, '\0');  // not at the start of an instruction
  code.resize(128);
  CHECK_FALSE(cubin_functions(small_cubin(code))->front().clusters);
}

TEST_CASE("a damaged cubin is an error or has fewer functions, never more") {
  const std::string whole = small_cubin();
  for (std::size_t size = 0; size < whole.size(); ++size) {
    const auto functions = cubin_functions(std::string_view(whole).substr(0, size));
    CAPTURE(size);
    CHECK_FALSE(functions.ok());
  }
  for (std::size_t at = 0; at < whole.size(); ++at) {
    std::string damaged = whole;
    damaged[at] = static_cast<char>(damaged[at] ^ 0xff);
    const auto functions = cubin_functions(damaged);
    if (functions.ok()) CHECK(functions->size() <= 3);
  }
}

TEST_CASE("images that differ have different numbers") {
  const std::string whole = small_cubin();
  std::string other = whole;
  other.back() = static_cast<char>(other.back() + 1);
  CHECK(image_hash(whole) == image_hash(std::string(whole)));
  CHECK(image_hash(whole) != image_hash(other));
  CHECK(image_hash(whole) != image_hash(whole + '\0'));
}
