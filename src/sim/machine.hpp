// The parameters of one SM generation. Plain data: built-in machines are embedded machine files
// (machines/*.json, docs/machine-file.md), read by trace/machine_file.hpp.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "sim/lanes.hpp"
#include "sim/operation.hpp"
#include "sim/result.hpp"

namespace smemsim {

/// What makes lanes of one pass wait for each other in a bank.
enum class BankCount : std::uint8_t {
  words,  ///< different words of the bank; lanes on the same word are served together (multicast)
  lanes,  ///< every lane's access of the bank counts, also on the same word (atomics)
  one,    ///< one lane of each bank is served; the others fail and their code tries again
};

/// How the data stage serves one kind of access. First matching rule of a machine wins.
struct AccessRule {
  std::vector<Operation> operations;
  std::uint8_t width = 0;        ///< bytes per lane (per row for matrix operations)
  std::uint8_t matrices = 0;     ///< 0 = not a matrix operation
  std::vector<LaneMask> passes;  ///< lanes served together, in service order
  /// Loads may be served in fewer passes when every active lane has lane^x inactive or at the same
  /// address, for one of these x over the whole warp.
  std::vector<std::uint8_t> merge_xor;
  std::vector<LaneMask> merged_passes;
  BankCount count = BankCount::words;
  std::uint32_t wavefronts_per_word = 1;  ///< data-stage cycles for each serialised word
  std::uint32_t floor = 1;                ///< fewest data-stage cycles an instruction occupies
  std::uint32_t merged_floor = 1;
  bool through_tags =
      false;               ///< an asynchronous copy through L1: copy_model.hpp adds the tag stage
  bool uncounted = false;  ///< the data-stage counters do not see this access (cost 0)
};

/// The tag stage of asynchronous copies through L1 (see copy_model.hpp).
struct CopyRule {
  bool known = false;              ///< false: the machine file says nothing; costs are unmodelled
  std::uint32_t line_bytes = 128;  ///< L1 tag line
  std::uint32_t hits = 0;  ///< 1: the lines are in L1, no tag stage; 0: each needs its tag pass
  /// Tag sets: set index bit i = parity of (line number & set_hash[i]).
  std::vector<std::uint64_t> set_hash;
};

/// Shared memory of one SM and its rules.
struct SharedMemory {
  std::uint32_t banks = 32;
  std::uint32_t bank_bytes = 4;  ///< bytes of one bank per data-stage cycle
  std::uint32_t lanes = 32;      ///< of a warp
  std::vector<AccessRule> rules;
  CopyRule copies;

  /// The rule for an access, or null when the machine has no such instruction.
  const AccessRule* rule(Operation op, unsigned width, unsigned matrices) const;
};

/// Limits that decide how many blocks an SM holds (see occupancy.hpp).
struct OccupancyLimits {
  std::uint32_t max_warps = 64;   ///< per SM
  std::uint32_t max_blocks = 32;  ///< per SM
  std::uint32_t max_threads_per_block = 1024;
  std::uint32_t registers_per_sm = 65536;
  std::uint32_t max_registers_per_thread = 255;
  std::uint32_t register_granularity = 256;  ///< registers, per warp
  std::uint32_t sub_cores = 4;
  std::uint32_t warp_granularity = 4;       ///< warps, in the per-block register check
  std::uint32_t shared_per_sm = 233472;     ///< bytes
  std::uint32_t shared_per_block = 232448;  ///< bytes, with opt-in
  std::uint32_t shared_default = 49152;     ///< bytes a block may use without opt-in
  std::uint32_t shared_reserved = 1024;     ///< bytes the driver adds to each block
  std::uint32_t shared_granularity = 128;   ///< bytes
  std::vector<std::uint32_t> carveouts;     ///< possible shared sizes of the SM, bytes
  std::uint32_t barriers_per_sm = 0;        ///< hardware barriers; 0 = no limit
};

/// Where the number of one parameter or rule comes from.
struct Provenance {
  bool measured = false;  ///< by us, on the device that `text` names; else literature
  std::string text;
};

struct CycleParameters;

struct Machine {
  Machine();
  Machine(const Machine& other);
  Machine(Machine&&) noexcept;
  Machine& operator=(const Machine& other);
  Machine& operator=(Machine&&) noexcept;
  ~Machine();

  std::string name;         ///< "sm_90"
  std::string description;  ///< for people
  SharedMemory shared;
  OccupancyLimits occupancy;
  /// Never null, copied with the machine; defaults are the H200's. Behind a pointer so that the
  /// bank model does not depend on the cycle model's header.
  std::unique_ptr<CycleParameters> cycle;
  /// Key: a parameter's path (machine_parameters.hpp), "access_rules.N" or "copies".
  std::map<std::string, Provenance> provenance;
};

}  // namespace smemsim
