// smemsim occupancy: how many blocks an SM holds, and what would change that.
#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <memory>

#include "frontend/commands/all.hpp"
#include "frontend/options.hpp"
#include "frontend/render_occupancy.hpp"
#include "sim/cycle/cycle_parameters.hpp"
#include "trace/machine_file.hpp"
#include "trace/open.hpp"

namespace smemsim::cli {
namespace {

struct Options {
  TraceOptions trace;
  OutputOptions output;
  std::string machine;
  bool json = false;
  BlockResources block;
  bool threads_given = false;
};

OccupancyEntry entry_of(const Machine& machine, const BlockResources& block) {
  OccupancyEntry out;
  out.machine = machine.name;
  out.limits = machine.occupancy;
  out.block = block;
  out.result = occupancy(out.limits, block);
  return out;
}

/// Gives a trace to two analyses at once.
class BothSinks : public TraceSink {
 public:
  BothSinks(TraceSink& first, TraceSink& second) : first_(first), second_(second) {}
  Status begin_launch(const Launch& launch) override {
    SMEMSIM_TRY(first_.begin_launch(launch));
    return second_.begin_launch(launch);
  }
  Status program(const Program& program) override {
    SMEMSIM_TRY(first_.program(program));
    return second_.program(program);
  }
  Status events(const EventBatch& batch) override {
    SMEMSIM_TRY(first_.events(batch));
    return second_.events(batch);
  }
  Status end_launch() override {
    SMEMSIM_TRY(first_.end_launch());
    return second_.end_launch();
  }

 private:
  TraceSink& first_;
  TraceSink& second_;
};

/// One entry for each different set of resources of a kernel; staging and work add up.
Result<std::vector<OccupancyEntry>> entries_of_trace(const Options& options,
                                                     Environment& environment) {
  auto source = open_trace(options.trace);
  if (!source.ok()) return source.error();
  MachineChoice machines(options.machine);
  StagingAnalysis stagings;
  WorkAnalysis works([&](const Launch& launch) { return machines(launch); });
  BothSinks both(stagings, works);
  {
    ProgressSink progress(both, environment);
    SMEMSIM_TRY(source.value()->read(progress));
  }
  std::vector<OccupancyEntry> out;
  for (std::size_t i = 0; i < stagings.launches().size(); ++i) {
    const Staging& staging = stagings.launches()[i];
    const KernelWork& work = works.launches()[i];
    const Launch& launch = staging.launch;
    auto machine = machines(launch);
    if (!machine.ok()) return machine.error();
    BlockResources block = options.block;
    block.threads = launch.threads();
    block.registers = launch.registers;
    block.shared_bytes = std::uint64_t{launch.static_shared} + launch.dynamic_shared;
    OccupancyEntry* known = nullptr;
    for (OccupancyEntry& entry : out) {
      if (entry.kernel == launch.kernel && entry.machine == (*machine)->name &&
          entry.block.threads == block.threads && entry.block.registers == block.registers &&
          entry.block.shared_bytes == block.shared_bytes) {
        known = &entry;
      }
    }
    if (known == nullptr) {
      out.push_back(entry_of(**machine, block));
      known = &out.back();
      known->kernel = launch.kernel;
      known->staging = staging;
      known->work = work;
    } else {
      *known->work += work;
      known->staging->staged_bytes += staging.staged_bytes;
      known->staging->read_bytes += staging.read_bytes;
      known->staging->global_bytes += staging.global_bytes;
    }
  }
  // Roofs need the sum of the work; the machine of an entry is that of its launches.
  for (OccupancyEntry& entry : out) {
    auto machine = machines(entry.staging->launch);
    if (!machine.ok()) return machine.error();
    const double sms = entry.staging->launch.device.sms != 0 ? entry.staging->launch.device.sms
                                                             : (*machine)->cycle->sms;
    entry.sms = sms;
    entry.roofline = roofline(*entry.work, **machine, sms);
  }
  return out;
}

Result<ExitStatus> run(Options& options, Environment& environment) {
  std::vector<OccupancyEntry> entries;
  if (!options.trace.trace.empty()) {
    if (options.threads_given) {
      return usage_error("--threads", "a trace knows its blocks; give either a trace or --threads");
    }
    auto found = entries_of_trace(options, environment);
    if (!found.ok()) return found.error();
    entries = std::move(*found);
  } else {
    if (!options.threads_given) {
      return usage_error("--threads", "expected the threads of a block, or a trace",
                         "for example --threads 256 --registers 64 --shared 49152");
    }
    auto machine = trace::load_machine(options.machine);
    if (!machine.ok()) return machine.error();
    entries.push_back(entry_of(*machine, options.block));
  }
  if (options.json) options.output.format = "json";
  const auto render = [&](Environment& there) -> Status {
    if (options.output.format == "json") return render_occupancy_json(entries, there);
    if (options.output.format == "csv") return render_occupancy_csv(entries, there);
    return render_occupancy_text(entries, there);
  };
  SMEMSIM_TRY(write_output(options.output, environment, render));
  return ExitStatus::ok;
}

}  // namespace

RunCommand setup_occupancy(CLI::App& app) {
  auto options = std::make_shared<Options>();
  app.description(
      "Tells how many blocks of a kernel an SM holds at once, which resource limits that, and at "
      "how many shared bytes or registers the next block would fit. The rules are those of "
      "NVIDIA's occupancy calculator. Of a trace also: how often each staged byte is used, and "
      "which roof of the roofline model is the lowest.");
  app.footer(
      "smemsim occupancy --threads 256 --registers 64 --shared 49152\n"
      "smemsim occupancy --threads 128 --shared 33792 --machine sm_86 --json\n"
      "smemsim occupancy my.smt                       # of each kernel of a trace");
  app.add_option("TRACE", options->trace.trace, "a trace whose kernels to look at");
  app.add_option("--kernel", options->trace.kernel, "only launches whose kernel name matches")
      ->type_name("GLOB");
  const CLI::Option* threads =
      app.add_option("--threads", options->block.threads, "threads of a block")
          ->type_name("N")
          ->check(CLI::Range(1U, 1U << 20));
  app.add_option("--registers", options->block.registers,
                 "registers of a thread (default: unknown)")
      ->type_name("N")
      ->check(CLI::Range(0U, 1U << 16));
  app.add_option("--shared", options->block.shared_bytes,
                 "static + dynamic shared bytes of a block, as 49152 or 48K")
      ->type_name("BYTES")
      ->transform(bytes_with_unit())
      ->check(CLI::Range(std::uint64_t{0}, std::uint64_t{1} << 32));
  app.add_option("--barriers", options->block.barriers, "hardware barriers that the kernel uses")
      ->type_name("N")
      ->check(CLI::Range(0U, 16U))
      ->capture_default_str();
  app.add_option("--carveout", options->block.carveout,
                 "shared bytes that the SM is split to (default: the most it has)")
      ->type_name("BYTES")
      ->transform(bytes_with_unit());
  add_machine_option(app, options->machine);
  add_output_options(app, options->output, {"text", "json", "csv"});
  app.add_flag("--json", options->json, "the same as --format json");
  return [options, threads](Environment& environment) {
    options->threads_given = threads->count() > 0;
    return run(*options, environment);
  };
}

}  // namespace smemsim::cli
