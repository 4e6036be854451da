#include "trace/metadata_codec.hpp"

#include <algorithm>
#include <limits>
#include <type_traits>

#include "trace/launch_fields.hpp"
#include "trace/smt_format.hpp"

namespace smemsim::trace {
namespace {

// A field is varint(number * 2 + kind), then a varint (kind 0) or a length and bytes (kind 1).
enum FieldKind : std::uint64_t { kNumber = 0, kBytes = 1 };

void put_number(std::string& out, int number, std::uint64_t value) {
  put_varint(out, static_cast<std::uint64_t>(number) * 2 + kNumber);
  put_varint(out, value);
}

void put_bytes(std::string& out, int number, std::string_view bytes) {
  put_varint(out, static_cast<std::uint64_t>(number) * 2 + kBytes);
  put_text(out, bytes);
}

std::string encode_dim(const Dim3& dim) {
  std::string out;
  for (const std::uint32_t part : {dim.x, dim.y, dim.z}) put_varint(out, part);
  return out;
}

/// Puts the fields whose values differ from the defaults.
struct FieldPutter {
  std::string& out;
  void operator()(int number, const char*, const std::string& value) const {
    if (!value.empty()) put_bytes(out, number, value);
  }
  void operator()(int number, const char*, const Dim3& value) const {
    if (value != Dim3{}) put_bytes(out, number, encode_dim(value));
  }
  template <typename Integer>
  void operator()(int number, const char* name, const Integer& value) const {
    const bool lanes = std::string_view(name) == "warp_lanes";
    if (value != (lanes ? DeviceInfo{}.warp_lanes : 0)) put_number(out, number, value);
  }
};

bool narrow(std::uint64_t value, std::uint32_t& out) {
  out = static_cast<std::uint32_t>(value);
  return value <= std::numeric_limits<std::uint32_t>::max();
}
bool narrow(std::uint64_t value, std::uint64_t& out) {
  out = value;
  return true;
}

/// Sets the member with the wanted number, if there is one and the kind fits.
struct FieldTaker {
  std::uint64_t wanted;
  std::uint64_t kind;
  std::uint64_t value;
  std::string_view bytes;
  bool& fits;

  void operator()(int number, const char*, std::string& member) const {
    if (wanted != static_cast<std::uint64_t>(number)) return;
    fits = kind == kBytes;
    member = bytes;
  }
  void operator()(int number, const char*, Dim3& member) const {
    if (wanted != static_cast<std::uint64_t>(number)) return;
    ByteCursor in(bytes);
    fits = kind == kBytes;
    for (std::uint32_t* part : {&member.x, &member.y, &member.z}) {
      fits = narrow(in.varint(), *part) && fits;
    }
    fits = fits && !in.failed() && in.remaining() == 0;
  }
  template <typename Integer>
  requires std::is_unsigned_v<Integer>
  void operator()(int number, const char*, Integer& member) const {
    if (wanted != static_cast<std::uint64_t>(number)) return;
    fits = narrow(value, member) && kind == kNumber;
  }
};

Error damaged(const ByteCursor& in, const std::string& what) {
  return invalid_input({}, what + " at byte " + std::to_string(in.position()) + " of the chunk");
}

}  // namespace

std::string encode_launch(const Launch& launch, const LaunchReferences& references) {
  std::string out;
  visit_launch_fields(launch, FieldPutter{out});
  visit_device_fields(launch.device, FieldPutter{out});
  put_number(out, kSiteTableField, references.site_table);
  for (const std::uint64_t program : references.programs) put_number(out, kProgramField, program);
  return out;
}

Result<Launch> decode_launch(std::string_view raw, LaunchReferences& references) {
  Launch launch;
  bool has_sites = false;
  std::uint64_t last = 0;
  ByteCursor in(raw);
  while (in.remaining() != 0 || in.failed()) {
    const std::uint64_t key = in.varint();
    const std::uint64_t number = key / 2, kind = key % 2;
    const std::uint64_t value = kind == kNumber ? in.varint() : 0;
    const std::string_view bytes = kind == kBytes ? in.text() : std::string_view{};
    if (in.failed()) return damaged(in, "a launch field that is cut off");
    if (number < last || (number == last && number <= kSiteTableField)) {
      return damaged(in, "launch field " + std::to_string(number) + " out of order");
    }
    last = number;
    bool fits = true;
    const FieldTaker taker{number, kind, value, bytes, fits};
    visit_launch_fields(launch, taker);
    visit_device_fields(launch.device, taker);
    if (number == kSiteTableField) {
      references.site_table = value;
      has_sites = true;
      fits = kind == kNumber;
    } else if (number == kProgramField) {
      references.programs.push_back(value);
      fits = kind == kNumber;
    }
    if (!fits)
      return damaged(in, "a value that launch field " + std::to_string(number) + " cannot have");
  }
  if (!has_sites) return damaged(in, "a launch without a site table");
  return launch;
}

std::string encode_sites(const std::vector<Site>& sites) {
  std::string out;
  put_varint(out, sites.size());
  std::string record;
  for (const Site& site : sites) {
    record.clear();
    put_text(record, site.function);
    put_varint(record, site.pc);
    put_text(record, site.instruction);
    put_text(record, site.file);
    put_varint(record, site.line);
    put_text(out, record);
  }
  return out;
}

Result<std::vector<Site>> decode_sites(std::string_view raw) {
  ByteCursor in(raw);
  const std::uint64_t count = in.varint();
  if (in.failed() || count > smt::kMaxSites || count > in.remaining()) {
    return damaged(in, "a table of " + std::to_string(count) + " sites; expected at most " +
                           std::to_string(smt::kMaxSites) + " and as many as it has bytes for");
  }
  std::vector<Site> sites;
  sites.reserve(count);
  for (std::uint64_t i = 0; i < count; ++i) {
    // A later version may append to a record: what follows the known parts is left alone.
    ByteCursor record(in.text());
    Site& site = sites.emplace_back();
    site.function = record.text();
    const bool pc_fits = narrow(record.varint(), site.pc);
    site.instruction = record.text();
    site.file = record.text();
    if (!narrow(record.varint(), site.line) || !pc_fits || record.failed() || in.failed()) {
      return damaged(in, "site " + std::to_string(i) + " is damaged");
    }
  }
  if (in.remaining() != 0) return damaged(in, "bytes after the last site");
  return sites;
}

std::string encode_program(const Program& program) {
  std::string out;
  put_text(out, program.function);
  put_varint(out, program.files.size());
  for (const std::string& file : program.files) put_text(out, file);
  put_varint(out, program.instructions.size());
  std::uint64_t pc = 0, line = 0;
  std::string record;
  for (const ProgramInstruction& instruction : program.instructions) {
    record.clear();
    put_signed(record, instruction.pc - pc);
    put_fixed(record, instruction.encoding_low);
    put_fixed(record, instruction.encoding_high);
    put_text(record, instruction.text);
    put_varint(record, instruction.file);
    put_signed(record, instruction.line - line);
    put_text(out, record);
    pc = instruction.pc;
    line = instruction.line;
  }
  return out;
}

Result<Program> decode_program(std::string_view raw) {
  ByteCursor in(raw);
  Program program;
  program.function = in.text();
  const std::uint64_t files = in.varint();
  if (in.failed() || files > smt::kMaxFiles || files > in.remaining()) {
    return damaged(in, "a program of " + std::to_string(files) + " source files");
  }
  for (std::uint64_t i = 0; i < files; ++i) program.files.emplace_back(in.text());
  const std::uint64_t count = in.varint();
  if (in.failed() || count > smt::kMaxInstructions || count > in.remaining()) {
    return damaged(in, "a program of " + std::to_string(count) + " instructions");
  }
  program.instructions.reserve(std::min<std::uint64_t>(count, in.remaining() / 21));
  std::uint64_t pc = 0, line = 0;
  for (std::uint64_t i = 0; i < count; ++i) {
    ByteCursor record(in.text());
    ProgramInstruction& instruction = program.instructions.emplace_back();
    pc += record.signed_varint();
    instruction.encoding_low = record.fixed<std::uint64_t>();
    instruction.encoding_high = record.fixed<std::uint64_t>();
    instruction.text = record.text();
    const bool file_fits = narrow(record.varint(), instruction.file);
    line += record.signed_varint();
    if (!narrow(pc, instruction.pc) || !narrow(line, instruction.line) || !file_fits ||
        record.failed() || in.failed()) {
      return damaged(in, "instruction " + std::to_string(i) + " is damaged");
    }
    if (instruction.file >= program.files.size() && instruction.line != 0) {
      return damaged(in, "instruction " + std::to_string(i) + " of an unknown source file");
    }
  }
  if (in.remaining() != 0) return damaged(in, "bytes after the last instruction");
  return program;
}

}  // namespace smemsim::trace
