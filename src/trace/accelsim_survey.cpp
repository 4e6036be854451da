#include "trace/accelsim_survey.hpp"

#include <algorithm>

#include "trace/trace_rules.hpp"

namespace smemsim::trace {
namespace {

constexpr std::uint64_t kWindow = std::uint64_t{1} << 24;
constexpr std::size_t kMostOpcodes = 4096;  // no instruction set has more
constexpr std::size_t kMostSites = std::size_t{1} << 18;

void count(std::map<std::string, std::uint64_t>& counts, std::string_view opcode) {
  const std::string key(opcode);
  if (counts.size() < kMostOpcodes || counts.contains(key)) ++counts[key];
}

bool has_site(AccelsimKind kind) {
  return kind != AccelsimKind::plain && kind != AccelsimKind::unmodelled &&
         kind != AccelsimKind::unknown;
}

bool needs_addresses(AccelsimKind kind) {
  switch (kind) {
    case AccelsimKind::shared:
    case AccelsimKind::matrix:
    case AccelsimKind::global:
    case AccelsimKind::generic:
    case AccelsimKind::copy:
    case AccelsimKind::copy_arrive:
      return true;
    default:
      return false;
  }
}

std::string hexadecimal_text(std::uint64_t value) {
  std::string out;
  do {
    out.insert(out.begin(), "0123456789abcdef"[value % 16]);
    value /= 16;
  } while (value != 0);
  return "0x" + out;
}

}  // namespace

AccelsimInstructions::AccelsimInstructions(std::string function) : function_(std::move(function)) {
  Site slots;
  slots.function = function_;
  slots.instruction = "other instructions";
  sites_.push_back(std::move(slots));
}

Result<const AccelsimInstruction*> AccelsimInstructions::of(const AccelsimLine& line) {
  std::vector<AccelsimInstruction>& here = by_pc_[line.pc];
  for (const AccelsimInstruction& known : here) {
    if (known.opcode == line.opcode) return &known;
  }
  AccelsimInstruction& added = here.emplace_back();
  added.opcode = std::string(line.opcode);
  added.meaning = accelsim_opcode(line.opcode);
  if (!has_site(added.meaning.kind)) {
    added.site = kAccelsimSlots;
    return &added;
  }
  if (sites_.size() == kMostSites) {
    return invalid_input({}, "more than " + std::to_string(kMostSites) + " different instructions");
  }
  added.site = static_cast<std::uint32_t>(sites_.size());
  Site site;
  site.function = function_;
  site.pc = line.pc;
  site.instruction = added.opcode;
  site.line = line.source_line;
  sites_.push_back(std::move(site));
  return &added;
}

std::optional<std::uint64_t> accelsim_shared_offset(std::uint64_t address, std::uint64_t base) {
  const std::uint64_t offset = base != 0 && address >= base ? address - base : address;
  if (offset > 0xffffffff) return std::nullopt;
  return offset % kWindow;  // above it stands the block's own rank in its cluster
}

bool accelsim_in_window(std::uint64_t address, std::uint64_t base) {
  return base != 0 && address >= base && address - base < kWindow;
}

AccelsimBarrier accelsim_barrier(const AccelsimLine& line, unsigned version) {
  constexpr std::uint64_t kBarriers = 16, kLeastThreads = 32;
  const auto first = static_cast<std::uint64_t>(line.immediate);
  const auto second = static_cast<std::uint64_t>(line.immediate2);
  AccelsimBarrier out;
  constexpr unsigned kTwoImmediates = 6;
  if (version >= kTwoImmediates && line.sources == 0) {
    out.number = first < kBarriers ? first : second;
    out.threads = first < kBarriers ? second : first;
    out.clear = out.number < kBarriers;
    if (!out.clear) out.number = 1;
    return out;
  }
  // One value is left: a number below 16 is a barrier's, one of 32 or more a count of threads.
  out.clear = line.sources == 0 && first < kBarriers;
  out.number = first < kBarriers ? first : 1;
  out.threads = first >= kLeastThreads && first <= kMaxThreadsPerBlock ? first : 0;
  return out;
}

Status AccelsimSurvey::read(AccelsimFile& file, AccelsimLosses& losses) {
  for (;;) {
    const Result<bool> more = file.next();
    if (!more) return more.error();
    if (!*more) break;
    const auto [at, entered] = last_lines_.try_emplace(file.block(), file.line_number());
    at->second = file.line_number();
    const Result<const AccelsimInstruction*> instruction = instructions_.of(file.line());
    Status status = instruction ? look_at(file, **instruction, losses) : instruction.error();
    if (!status) {
      Error error = status.error();
      error.place = file.place();
      return error;
    }
  }
  if (generic_ && header_.shared_base == 0) ++losses.kernels_without_window;
  return {};
}

Status AccelsimSurvey::look_at(const AccelsimFile& file, const AccelsimInstruction& instruction,
                               AccelsimLosses& losses) {
  const AccelsimLine& line = file.line();
  const AccelsimOpcode& meaning = instruction.meaning;
  if (meaning.kind == AccelsimKind::unknown) count(losses.unknown, line.opcode);
  if (line.active == 0) return {};
  if (meaning.kind == AccelsimKind::unmodelled) {
    count(losses.unmodelled, accelsim_base(line.opcode));
  }
  if (needs_addresses(meaning.kind) && !line.has_addresses) {
    count(losses.without_addresses, accelsim_base(line.opcode));
    return {};
  }
  switch (meaning.kind) {
    case AccelsimKind::shared:
    case AccelsimKind::matrix:
      return note_shared(line, meaning.width);
    case AccelsimKind::copy_arrive:
      return note_shared(line, 8);  // an mbarrier
    case AccelsimKind::generic:
      generic_ = true;
      note_window(line, meaning.width);
      return {};
    case AccelsimKind::copy:
      copies_ = true;
      if (file.grouped()) ++losses.copies_without_destination;
      if (!file.grouped()) note_window(line, meaning.width);
      return {};
    case AccelsimKind::block_barrier:
      if (!accelsim_barrier(line, header_.layout.version).clear) ++losses.unclear_barriers;
      return {};
    default:
      return {};
  }
}

Status AccelsimSurvey::note_shared(const AccelsimLine& line, unsigned bytes) {
  for (unsigned lane = 0; lane < kAccelsimLanes; ++lane) {
    if (!has_lane(line.active, lane)) continue;
    const auto offset = accelsim_shared_offset(line.addresses[lane], header_.shared_base);
    if (!offset) {
      return invalid_input({}, std::string(line.opcode) + ": lane " + std::to_string(lane) +
                                   " is at " + hexadecimal_text(line.addresses[lane]) +
                                   ", which is not in the shared window at " +
                                   hexadecimal_text(header_.shared_base));
    }
    lowest_ = std::min(lowest_, *offset);
    end_ = std::max(end_, *offset + bytes);
  }
  return {};
}

void AccelsimSurvey::note_window(const AccelsimLine& line, unsigned bytes) {
  for (unsigned lane = 0; lane < kAccelsimLanes; ++lane) {
    if (!has_lane(line.active, lane)) continue;
    if (!accelsim_in_window(line.addresses[lane], header_.shared_base)) continue;
    const std::uint64_t offset = line.addresses[lane] - header_.shared_base;
    lowest_ = std::min(lowest_, offset);
    end_ = std::max(end_, offset + bytes);
  }
}

Launch AccelsimSurvey::launch(const AccelsimFile& file) const {
  Launch out = header_.launch;
  out.sites = instructions_.sites();
  if (lowest_ < out.first_shared) out.first_shared = 0;
  // As a capture does: the window covers what was accessed.
  if (end_ > out.shared_end())
    out.dynamic_shared += static_cast<std::uint32_t>(end_ - out.shared_end());
  if (last_lines_.size() != out.grid.count()) out.recorded_blocks = last_lines_.size();
  out.note = "imported from an Accel-Sim trace";
  if (!header_.tracer.empty()) out.note += " (" + header_.tracer + ")";
  if (copies_ && file.grouped()) out.note += "; it lacks where LDGSTS writes in shared memory";
  return out;
}

std::vector<std::string> AccelsimLosses::messages() const {
  std::vector<std::string> out;
  const auto executions = [](std::uint64_t number) {
    return std::to_string(number) + (number == 1 ? " execution" : " executions");
  };
  for (const auto& [opcode, number] : unknown) {
    out.push_back("unknown opcode " + opcode + ": " + executions(number) +
                  ", imported as issue slots only");
  }
  for (const auto& [opcode, number] : unmodelled) {
    out.push_back(opcode + ": " + executions(number) +
                  ", imported as issue slots only: the trace does not tell its shared accesses");
  }
  for (const auto& [opcode, number] : without_addresses) {
    out.push_back(opcode + ": " + executions(number) +
                  " without addresses, imported as issue slots only");
  }
  if (copies_without_destination != 0) {
    out.push_back("LDGSTS: " + executions(copies_without_destination) +
                  " imported as global loads: the grouped form (.traceg) lacks where they write in "
                  "shared memory; import the raw .trace instead");
  }
  if (unclear_barriers != 0) {
    out.push_back("BAR: " + executions(unclear_barriers) +
                  " whose barrier number the trace does not hold, imported as barrier 1 where only "
                  "the thread count is known");
  }
  if (kernels_without_window != 0) {
    out.push_back("generic LD, ST and ATOM of " + std::to_string(kernels_without_window) +
                  (kernels_without_window == 1 ? " kernel" : " kernels") +
                  " are taken for global accesses: the header has no \"shmem base_addr\"");
  }
  return out;
}

}  // namespace smemsim::trace
