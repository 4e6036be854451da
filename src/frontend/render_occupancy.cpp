// Occupancy as JSON and CSV.
#include "frontend/render_occupancy.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <ostream>

#include "frontend/text.hpp"

namespace smemsim::cli {

namespace {

using nlohmann::json;

json limit_json(std::uint32_t limit) {
  return limit == kNoLimit ? json() : json(limit);
}

json steps_json(const std::vector<OccupancyStep>& steps) {
  json out = json::array();
  for (const OccupancyStep& step : steps)
    out.push_back({{"up_to", step.most}, {"blocks", step.blocks}});
  return out;
}

json staging_json(const OccupancyEntry& entry) {
  const Staging& staging = *entry.staging;
  const bool known = entry.work->has_program && staging.staged_bytes != 0;
  const double flop = entry.work->total_flop();
  return {{"flop_per_staged_byte",
           known ? json(flop / static_cast<double>(staging.staged_bytes)) : json()},
          {"staged_bytes", staging.staged_bytes},
          {"read_bytes", staging.read_bytes},
          {"global_bytes", staging.global_bytes},
          {"reuse", staging.reuse()}};
}

json work_json(const OccupancyEntry& entry) {
  const KernelWork& work = *entry.work;
  json flop = json::object();
  for (std::size_t i = 0; i < kFlopKinds; ++i) {
    if (work.flop[i] > 0) flop[std::string(name(static_cast<FlopKind>(i)))] = work.flop[i];
  }
  json roofs = json::array();
  for (const Roof& roof : entry.roofline.roofs) {
    roofs.push_back({{"roof", roof.name},
                     {"unit", roof.unit},
                     {"peak_per_cycle", roof.peak},
                     {"amount", roof.amount},
                     {"flop_per_unit", roof.intensity},
                     {"attainable_flop_per_cycle", roof.attainable}});
  }
  json out = {{"flop", work.has_program ? std::move(flop) : json()},
              {"warp_instructions", work.instructions},
              {"uncertain_instructions", work.uncertain},
              {"shared_wavefronts", work.wavefronts},
              {"sector_bytes", work.sector_bytes},
              {"touched_bytes", work.touched_known ? json(work.touched_bytes) : json()},
              {"sms", entry.sms},
              {"peaks_known", entry.roofline.peaks_known},
              {"roofs", std::move(roofs)},
              {"lowest_roof", json()}};
  if (!entry.roofline.roofs.empty()) {
    out["lowest_roof"] = entry.roofline.roofs[entry.roofline.lowest].name;
  }
  return out;
}

}  // namespace

Status render_occupancy_json(const std::vector<OccupancyEntry>& entries, Environment& environment) {
  json out = {{"schema", "smemsim/occupancy/1"}, {"kernels", json::array()}};
  for (const OccupancyEntry& entry : entries) {
    const OccupancyResult& result = entry.result;
    json limiters = json::array();
    for (const OccupancyLimiter limiter : result.limiters) limiters.push_back(name(limiter));
    json row = {{"kernel", printable(entry.kernel)},
                {"machine", entry.machine},
                {"threads", entry.block.threads},
                {"registers", entry.block.registers},
                {"shared_bytes", entry.block.shared_bytes},
                {"blocks_per_sm", result.blocks},
                {"warps_per_sm", result.warps},
                {"max_warps_per_sm", entry.limits.max_warps},
                {"occupancy", result.fraction(entry.limits)},
                {"limited_by", limiters},
                {"limits",
                 {{"warps", limit_json(result.limit_warps)},
                  {"registers", limit_json(result.limit_registers)},
                  {"shared memory", limit_json(result.limit_shared)},
                  {"blocks", limit_json(result.limit_blocks)},
                  {"barriers", limit_json(result.limit_barriers)}}},
                {"registers_per_block", result.registers_per_block},
                {"shared_bytes_per_block", result.shared_per_block},
                {"smallest_carveout_bytes", result.smallest_carveout},
                {"blocks_by_shared_bytes", steps_json(shared_steps(entry.limits, entry.block))},
                {"blocks_by_registers", steps_json(register_steps(entry.limits, entry.block))}};
    if (entry.staging) {
      row["staging"] = staging_json(entry);
      row["roofline"] = work_json(entry);
    }
    out["kernels"].push_back(std::move(row));
  }
  environment.out << out.dump(2) << '\n';
  return {};
}

Status render_occupancy_csv(const std::vector<OccupancyEntry>& entries, Environment& environment) {
  environment.out << "kernel,machine,resource,up_to,blocks_per_sm,warps_per_sm\n";
  for (const OccupancyEntry& entry : entries) {
    const auto rows = [&](std::string_view resource, const std::vector<OccupancyStep>& steps) {
      for (const OccupancyStep& step : steps) {
        environment.out << fmt::format("{},{},{},{},{},{}\n", csv_field(entry.kernel),
                                       entry.machine, resource, step.most, step.blocks,
                                       step.blocks * entry.result.warps_per_block);
      }
    };
    rows("shared_bytes", shared_steps(entry.limits, entry.block));
    rows("registers", register_steps(entry.limits, entry.block));
  }
  return {};
}

}  // namespace smemsim::cli
