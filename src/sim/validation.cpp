#include "sim/validation.hpp"

#include <algorithm>
#include <cmath>
#include <map>

#include "sim/bank_model.hpp"
#include "sim/occupancy.hpp"
#include "sim/retry_loop.hpp"

namespace smemsim {
namespace {

constexpr double kCycleSlack = 0.5;
constexpr double kAtomicSlack = 0.55;
constexpr double kRelativeSlack = 0.05;

/// Counts rows and keeps examples for one operation.
class Tally {
 public:
  Tally(OperationAgreement& out, std::size_t max_examples) : out_(out), max_(max_examples) {}

  void compare(std::uint64_t line, const char* quantity, double measured, double predicted,
               bool agrees) {
    out_.worst_error = std::max(out_.worst_error, std::abs(measured - predicted));
    if (agrees) return;
    row_agrees_ = false;
    if (out_.examples.size() < max_) {
      out_.examples.push_back({line, quantity, measured, predicted});
    }
  }
  void end_row() {
    ++out_.rows;
    out_.agreeing += row_agrees_ ? 1 : 0;
    row_agrees_ = true;
  }

 private:
  OperationAgreement& out_;
  std::size_t max_;
  bool row_agrees_ = true;
};

OperationAgreement& entry(ValidationReport& report, std::map<std::string, std::size_t>& index,
                          const std::string& op) {
  const auto [at, added] = index.try_emplace(op, report.operations.size());
  if (added) report.operations.push_back({.op = op, .examples = {}});
  return report.operations[at->second];
}

}  // namespace

bool cycles_agree(const EventShape& shape, double measured, std::uint32_t predicted) {
  const double slack = is_atomic(shape.op) ? kAtomicSlack : kCycleSlack;
  return std::abs(measured - predicted) <= std::max(slack, kRelativeSlack * predicted);
}

OperationAgreement ValidationReport::total() const {
  OperationAgreement sum;
  sum.op = "total";
  for (const OperationAgreement& op : operations) {
    sum.rows += op.rows;
    sum.agreeing += op.agreeing;
    sum.unmodelled += op.unmodelled;
    sum.worst_error = std::max(sum.worst_error, op.worst_error);
  }
  return sum;
}

bool ValidationReport::all_agree() const {
  const OperationAgreement sum = total();
  return sum.agreeing == sum.rows;
}

ValidationReport validate_patterns(const std::vector<PatternRow>& rows, const SharedMemory& machine,
                                   std::size_t max_examples) {
  ValidationReport report;
  report.quantity = !rows.empty() && rows.front().cycles ? "throughput" : "counters";
  std::map<std::string, std::size_t> index;
  for (const PatternRow& row : rows) {
    OperationAgreement& out = entry(report, index, row.op);
    // An update without an instruction of its own is measured as the whole loop.
    const AccessCost cost = row.shape.op == Operation::cas_spin
                                ? retry_loop_cost(row.shape, row.event, machine)
                                : access_cost(row.shape, row.event, machine);
    const AccessRule* rule = machine.rule(row.shape.op, row.shape.width, row.shape.matrices);
    const bool uncounted = rule != nullptr && rule->uncounted;
    if (!cost.modelled || (uncounted && !cost.bypass)) {
      ++out.rows;
      ++out.unmodelled;
      continue;
    }
    Tally tally(out, max_examples);
    const auto exact = [&](const char* quantity, std::optional<std::uint32_t> measured,
                           std::uint32_t predicted) {
      if (measured) {
        tally.compare(row.line, quantity, *measured, predicted, *measured == predicted);
      }
    };
    // Copies past L1 are measured by the counter that sees them.
    exact("wavefronts", row.wavefronts, uncounted ? *cost.bypass : cost.wavefronts);
    exact("conflicts", row.conflicts, cost.conflicts);
    if (row.cycles) {
      tally.compare(row.line, "cycles", *row.cycles, cost.cycles,
                    cycles_agree(row.shape, *row.cycles, cost.cycles));
    }
    tally.end_row();
  }
  return report;
}

ValidationReport validate_occupancy(
    const std::vector<OccupancyRow>& rows,
    const std::function<const OccupancyLimits*(const std::string& arch)>& limits,
    std::size_t max_examples) {
  ValidationReport report;
  report.quantity = "occupancy";
  std::map<std::string, std::size_t> index;
  for (const OccupancyRow& row : rows) {
    OperationAgreement& out = entry(report, index, row.arch);
    const OccupancyLimits* machine = limits(row.arch);
    if (machine == nullptr) {
      ++out.rows;
      ++out.unmodelled;
      continue;
    }
    const OccupancyResult model = occupancy(
        *machine, {.threads = row.threads, .registers = row.registers, .shared_bytes = row.shared});
    Tally tally(out, max_examples);
    const auto exact = [&](const char* quantity, std::uint64_t measured, std::uint64_t predicted) {
      tally.compare(row.line, quantity, static_cast<double>(measured),
                    static_cast<double>(predicted), measured == predicted);
    };
    exact("blocks_per_sm", row.blocks_per_sm, model.blocks);
    exact("warps_per_sm", row.warps_per_sm, model.warps);
    exact("lim_warps", row.warp_limit, model.limit_warps);
    exact("lim_regs", row.register_limit, model.limit_registers);
    exact("lim_smem", row.shared_limit, model.limit_shared);
    exact("lim_blocks", row.block_limit, model.limit_blocks);
    exact("alloc_regs_per_block", row.registers_per_block, model.registers_per_block);
    exact("alloc_smem_per_block", row.shared_per_block, model.shared_per_block);
    tally.end_row();
  }
  return report;
}

}  // namespace smemsim
