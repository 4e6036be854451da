// A kernel launch as the trace describes it: geometry, resources, sites and the program.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace smemsim {

struct Dim3 {
  std::uint32_t x = 1, y = 1, z = 1;
  std::uint64_t count() const { return std::uint64_t{x} * y * z; }
  friend bool operator==(const Dim3&, const Dim3&) = default;
};

/// One static instruction that produced events. Unknown parts stay empty.
struct Site {
  std::string function;     ///< kernel or device function (mangled as in the module)
  std::uint32_t pc = 0;     ///< byte offset in the function
  std::string instruction;  ///< SASS text, or the source expression for sites without machine code
  std::string file;         ///< source file as the compiler recorded it
  std::uint32_t line = 0;   ///< 1-based; 0 = unknown

  friend bool operator==(const Site&, const Site&) = default;
};

/// One machine instruction of a kernel.
struct ProgramInstruction {
  std::uint32_t pc = 0;             ///< byte offset in the function
  std::uint64_t encoding_low = 0;   ///< bits 0..63 of the 128-bit word
  std::uint64_t encoding_high = 0;  ///< bits 64..127: control bits are 105..125 of the word
  std::string text;                 ///< disassembly
  std::uint32_t file = 0;           ///< index into Program::files
  std::uint32_t line = 0;           ///< 0 = unknown

  friend bool operator==(const ProgramInstruction&, const ProgramInstruction&) = default;
};

/// All instructions of one function, in address order.
struct Program {
  std::string function;
  std::vector<std::string> files;
  std::vector<ProgramInstruction> instructions;

  friend bool operator==(const Program&, const Program&) = default;
};

/// What is known of the device that ran the launch; zeros and empty strings are unknown.
struct DeviceInfo {
  std::string name;  ///< as the driver names it
  std::string arch;  ///< "sm_90"
  std::uint32_t sms = 0;
  std::uint32_t warp_lanes = 32;
  std::uint64_t shared_per_sm = 0;         ///< bytes
  std::uint64_t shared_per_block_max = 0;  ///< bytes, with opt-in
  std::uint32_t shared_reserved = 0;       ///< bytes of each block's window kept by the driver
  std::uint32_t clock_khz = 0;
  std::string driver;   ///< version
  std::string toolkit;  ///< version

  friend bool operator==(const DeviceInfo&, const DeviceInfo&) = default;
};

struct Launch {
  std::string kernel;    ///< demangled name
  std::string function;  ///< name in the module; Site::function and Program::function use it
  DeviceInfo device;
  Dim3 grid, block, cluster;
  std::uint32_t static_shared = 0;   ///< bytes
  std::uint32_t dynamic_shared = 0;  ///< bytes
  std::uint32_t registers = 0;       ///< per thread; 0 = unknown
  std::uint32_t first_shared = 0;    ///< lowest offset of the window that the kernel owns
  std::uint64_t launch_index = 0;    ///< of this kernel launch in the traced program, from 0
  std::uint64_t stream = 0;
  std::uint64_t recorded_blocks = 0;  ///< how many of grid.count() have events; 0 = all
  std::uint64_t dropped_events = 0;   ///< events that the source saw and could not keep
  std::string command;                ///< how the trace was made; no machine paths
  std::string note;                   ///< for people: what the source assumed or left out
  std::vector<Site> sites;

  /// Bytes from 0 that an access of the block may touch.
  std::uint64_t shared_end() const {
    return std::uint64_t{first_shared} + static_shared + dynamic_shared;
  }
  std::uint32_t threads() const { return static_cast<std::uint32_t>(block.count()); }

  friend bool operator==(const Launch&, const Launch&) = default;
};

}  // namespace smemsim
