// The header of one kernel of an Accel-Sim trace.
#include <cxxabi.h>

#include <cstdlib>
#include <memory>

#include "trace/accelsim_file.hpp"
#include "trace/trace_rules.hpp"

namespace smemsim::trace {
namespace {

/// "(32,8,1)"
bool read_dim(std::string_view text, Dim3& out) {
  if (!text.starts_with('(') || !text.ends_with(')')) return false;
  text = text.substr(1, text.size() - 2);
  std::uint32_t* const parts[] = {&out.x, &out.y, &out.z};
  for (int i = 0; i < 3; ++i) {
    const std::size_t comma = i == 2 ? text.size() : text.find(',');
    std::int64_t number = 0;
    if (comma == std::string_view::npos || !accelsim_decimal(text.substr(0, comma), number) ||
        number < 1 || number > 0x7fffffff) {
      return false;
    }
    *parts[i] = static_cast<std::uint32_t>(number);
    text.remove_prefix(std::min(comma + 1, text.size()));
  }
  return true;
}

std::string demangled(const std::string& name) {
  int status = 0;
  const std::unique_ptr<char, void (*)(void*)> text(
      abi::__cxa_demangle(name.c_str(), nullptr, nullptr, &status), std::free);
  return status == 0 && text ? std::string(text.get()) : name;
}

}  // namespace

Status AccelsimFile::read_header() {
  for (;;) {
    std::string_view text;
    const Result<bool> more = lines_.next(text);
    if (!more) return more.error();
    if (!*more) {
      return invalid_input(lines_.place(), "the file ends within the header of the kernel");
    }
    if (text.find('\0') != std::string_view::npos) {
      return invalid_input(lines_.place(), "this is not text; a .tracez file?",
                           "Accel-Sim's traceDsm turns .tracez into .traceg");
    }
    if (text.starts_with('#')) return placed(finish_header());
    if (!text.empty()) SMEMSIM_TRY(placed(header_line(text)));
  }
}

Status AccelsimFile::header_line(std::string_view text) {
  const std::size_t equal = text.find(" = ");
  if (!text.starts_with('-') || equal == std::string_view::npos) {
    return invalid_input({}, "expected \"-name = value\" of the header of a kernel");
  }
  const std::string_view key = text.substr(1, equal - 1);
  std::string_view value = text.substr(equal + 3);
  while (value.ends_with(' ')) value.remove_suffix(1);
  Launch& launch = header_.launch;
  const auto expected = [&](const char* what) {
    return invalid_input({}, "-" + std::string(key) + ": expected " + what);
  };
  const auto whole = [&](std::int64_t most, auto& member) -> Status {
    std::int64_t number = 0;
    if (!accelsim_decimal(value, number) || number < 0 || number > most) {
      return expected("a whole number");
    }
    member = static_cast<std::remove_reference_t<decltype(member)>>(number);
    return {};
  };
  constexpr std::int64_t kMost = 0x7fffffff;
  if (key == "kernel name") {
    launch.function = std::string(value);
    launch.kernel = demangled(launch.function);
    name_seen_ = true;
  } else if (key == "kernel id") {
    SMEMSIM_TRY(whole(kMost, launch.launch_index));
    if (launch.launch_index != 0) --launch.launch_index;  // the tracer counts from 1
  } else if (key == "grid dim") {
    if (!read_dim(value, launch.grid)) return expected("(x,y,z)");
    grid_seen_ = true;
  } else if (key == "block dim") {
    if (!read_dim(value, launch.block)) return expected("(x,y,z)");
    block_seen_ = true;
  } else if (key == "shmem") {
    return whole(kMost, launch.static_shared);
  } else if (key == "nregs") {
    return whole(kMost, launch.registers);
  } else if (key == "binary version") {
    std::uint32_t version = 0;
    SMEMSIM_TRY(whole(kMost, version));
    launch.device.arch = "sm_" + std::to_string(version);
    // The driver keeps the first 1024 bytes of each block's window from sm_90 on.
    constexpr std::uint32_t kReserves = 90, kReserved = 1024;
    if (version >= kReserves) launch.first_shared = kReserved;
  } else if (key == "cuda stream id") {
    // A pointer, printed in decimal.
    std::int64_t stream = 0;
    if (accelsim_decimal(value, stream)) launch.stream = static_cast<std::uint64_t>(stream);
  } else if (key == "shmem base_addr") {
    if (!accelsim_hexadecimal(value, header_.shared_base)) return expected("an address 0x...");
  } else if (key == "local mem base_addr") {
    if (!accelsim_hexadecimal(value, header_.local_base)) return expected("an address 0x...");
  } else if (key == "nvbit version") {
    header_.tracer = "NVBit " + std::string(value);
  } else if (key == "accelsim tracer version") {
    SMEMSIM_TRY(whole(kMost, header_.layout.version));
  } else if (key == "enable lineinfo") {
    int on = 0;
    SMEMSIM_TRY(whole(1, on));
    header_.layout.line_info = on != 0;
  }
  return {};
}

Status AccelsimFile::finish_header() {
  if (!name_seen_ || !grid_seen_ || !block_seen_) {
    const char* missing = !name_seen_ ? "kernel name" : !grid_seen_ ? "grid dim" : "block dim";
    return invalid_input({}, "the header ends without \"-" + std::string(missing) + " = ...\"");
  }
  if (header_.layout.version != 0) {
    header_.tracer = "Accel-Sim tracer version " + std::to_string(header_.layout.version) +
                     (header_.tracer.empty() ? "" : ", " + header_.tracer);
  }
  return check_launch(header_.launch);
}

}  // namespace smemsim::trace
