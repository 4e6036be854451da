// smemsim capture -- APP: runs any CUDA program and traces its kernels.
#include <fmt/format.h>
#include <unistd.h>
#include <CLI/CLI.hpp>

#include <bit>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <memory>

#include "frontend/capture_finish.hpp"
#include "frontend/capture_measure.hpp"
#include "frontend/capture_options.hpp"
#include "frontend/capture_process.hpp"
#include "frontend/commands/all.hpp"
#include "frontend/text.hpp"
#include "trace/measured_file.hpp"

namespace smemsim::cli {
namespace {

namespace fs = std::filesystem;

struct Options {
  std::string output = "smemsim.smt";
  std::string kernel, launches, blocks, cuda;
  std::uint64_t max_records = capture::Options{}.max_records;
  std::uint64_t ring_mib = capture::Options{}.ring_bytes >> 20;
  bool measure = false;
  std::vector<std::string> program;
};

/// A folder beside the output for what the library writes, removed in the end.
class Workplace {
 public:
  static Result<std::unique_ptr<Workplace>> make(const std::string& output) {
    std::string path = fs::absolute(output).string() + ".parts-XXXXXX";
    if (mkdtemp(path.data()) == nullptr) return io_error(path, std::strerror(errno));
    return std::unique_ptr<Workplace>(new Workplace(path));
  }
  ~Workplace() {
    std::error_code ignored;
    if (!kept_) fs::remove_all(path_, ignored);
  }
  Workplace(const Workplace&) = delete;
  Workplace& operator=(const Workplace&) = delete;

  const std::string& path() const { return path_; }
  void keep() { kept_ = true; }

 private:
  explicit Workplace(std::string path) : path_(std::move(path)) {}

  std::string path_;
  bool kept_ = false;
};

std::string quoted(const std::string& word) {
  const bool plain = !word.empty() && word.find_first_of(" '\"*?<>|&;()$`\\") == std::string::npos;
  return plain ? word : "'" + word + "'";
}

/// The command for the trace: as typed, without the folders of absolute paths.
std::string describe(const Options& options) {
  std::string text = "smemsim capture";
  const auto add = [&](const char* name, const std::string& value) {
    if (!value.empty()) text.append(" ").append(name).append(" ").append(quoted(value));
  };
  add("--kernel", options.kernel);
  add("--launches", options.launches);
  add("--blocks", options.blocks);
  text += " --";
  for (const std::string& word : options.program) {
    const bool path = !word.empty() && word.front() == '/';
    text += " " + quoted(path ? fs::path(word).filename().string() : word);
  }
  return text;
}

Result<capture::Options> library_options(const Options& options, const capture::Tools& tools,
                                         const std::string& directory) {
  capture::Options out;
  out.directory = directory;
  out.sanitizer = tools.sanitizer;
  out.command = describe(options);
  out.kernel = options.kernel;
  out.max_records = options.max_records;
  out.ring_bytes = std::bit_ceil(options.ring_mib) << 20;
  if (!options.launches.empty()) {
    auto launches = capture::parse_launches(options.launches);
    if (!launches) return launches.error();
    out.launches = *launches;
  }
  auto blocks = capture::parse_blocks(options.blocks);
  if (!blocks) return blocks.error();
  out.blocks = *blocks;
  return out;
}

std::string ending_text(const std::string& program, const capture::Ending& ending) {
  const std::string name = printable(fs::path(program).filename().string());
  if (ending.signal != 0) {
    return fmt::format("{} was killed by signal {} ({})", name, ending.signal,
                       strsignal(ending.signal));
  }
  return fmt::format("{} ended with status {}", name, ending.status);
}

Error nothing_recorded(const Options& options, const capture::FinishReport& report) {
  if (report.processes == 0) {
    return io_error("capture", "the program made no CUDA call that could be observed",
                    "is it a CUDA program, and does the driver honour CUDA_INJECTION64_PATH?");
  }
  return io_error("capture", "no kernel launch was recorded",
                  options.kernel.empty() && options.launches.empty()
                      ? "did the program launch a kernel?"
                      : "did a launch match --kernel and --launches?");
}

Result<ExitStatus> run(const Options& options, Environment& environment) {
  const char* verbose = std::getenv(capture::kDebugVariable);
  const bool debug = verbose != nullptr && *verbose != '\0' && *verbose != '0';
  SMEMSIM_TRY(capture::check_driver());
  auto tools = capture::find_tools(options.cuda);
  if (!tools) return tools.error();
  capture::MeasureTools measure_tools;
  if (options.measure) {
    auto found = capture::find_measure_tools(options.cuda);
    if (!found) return found.error();
    measure_tools = *std::move(found);
  }
  // What makes no sense is told before anything is created.
  if (auto checked = library_options(options, *tools, ""); !checked) return checked.error();
  auto workplace = Workplace::make(options.output);
  if (!workplace) return workplace.error();
  if (debug) (*workplace)->keep();
  const auto settings = library_options(options, *tools, (*workplace)->path());
  if (!settings) return settings.error();

  environment.out.flush();
  environment.err.flush();
  const auto ending = capture::run_program(
      options.program,
      {{"CUDA_INJECTION64_PATH", tools->library}, {capture::kOptionsVariable, encode(*settings)}});
  if (!ending) return ending.error();

  std::error_code ignored;
  const auto report = capture::finish_capture(
      {(*workplace)->path(), options.output, tools->nvdisasm, fs::current_path(ignored).string()});
  if (!report) {
    (*workplace)->keep();
    environment.err << fmt::format("smemsim: note: what was recorded stays in {}\n",
                                   (*workplace)->path());
    return report.error();
  }
  for (const std::string& problem : report->problems) {
    environment.err << "smemsim: warning: " << printable(problem) << '\n';
  }
  if (debug) environment.err << "smemsim: note: logs are in " << (*workplace)->path() << '\n';
  if (tools->nvdisasm.empty()) {
    environment.err << "smemsim: warning: nvdisasm was not found: the trace has no machine code\n";
  }
  const bool failed = ending->status != 0 || ending->signal != 0;
  if (failed) {
    environment.err << "smemsim: note: " << ending_text(options.program[0], *ending) << '\n';
  }
  if (report->launches == 0) return nothing_recorded(options, *report);
  environment.err << fmt::format("smemsim: wrote {}: {} of {}, {}\n", options.output,
                                 count_of(report->launches, "launch", "launches"),
                                 count_of(report->kernels, "kernel"),
                                 count_of(report->events, "event"));
  if (ending->signal == SIGINT) return ExitStatus::interrupted;
  if (failed) {
    if (options.measure) environment.err << "smemsim: note: not measured, since it failed\n";
    return ExitStatus::check_failed;
  }
  if (options.measure) {
    SMEMSIM_TRY(capture::measure(measure_tools, *settings, trace::measured_path_of(options.output),
                                 options.program));
  }
  return ExitStatus::ok;
}

}  // namespace

RunCommand setup_capture(CLI::App& app) {
  auto options = std::make_shared<Options>();
  app.description(
      "Runs a CUDA program and records what its kernels do with shared memory. The program needs "
      "no "
      "change and no rebuild; compile with -lineinfo to see source lines. Needs an NVIDIA GPU and "
      "the CUDA toolkit. Exits 1 when the program failed; its trace is written all the same.");
  app.footer(
      "smemsim capture -- ./my_program --its-options       # every kernel, into smemsim.smt\n"
      "smemsim capture -o gemm.smt --kernel '*gemm*' -- python3 train.py\n"
      "smemsim capture --kernel softmax --launches 100-109 --blocks spread:8 -- python3 train.py\n"
      "smemsim capture -o t.smt --measure -- ./my_program && smemsim diff t.smt");
  app.add_option("-o,--output", options->output, "trace to write (default: smemsim.smt)");
  app.add_option("--kernel", options->kernel,
                 "record only kernels whose demangled name matches ('*', '?'): the whole name, or "
                 "the name without template arguments and parameters");
  app.add_option("--launches", options->launches,
                 "record only these launches of matching kernels: A-B, A- or A, from 0");
  app.add_option("--blocks", options->blocks,
                 "blocks of each grid to record: all, N (the first N), i,j,k, A-B or spread:N "
                 "(default: grids of up to 64 blocks whole, else spread:32)");
  app.add_flag(
      "--measure", options->measure,
      "then run the program once more, not recorded, under Nsight Compute (ncu), and write "
      "what the hardware counted in the recorded launches beside the trace, as "
      "NAME.measured.json for `smemsim diff`; needs python3");
  app.add_option("--max-records", options->max_records,
                 "start no further block of a launch after this many records (default: 50000000)");
  app.add_option("--cuda", options->cuda, "folder of the CUDA toolkit (default: search)");
  app.add_option("--buffer", options->ring_mib,
                 "MiB of pinned memory between the device and the recorder (default: 64)")
      ->check(CLI::Range(1U, 65536U));
  app.add_option("APP", options->program, "the program and its arguments, after --")->required();
  return [options](Environment& environment) { return run(*options, environment); };
}

}  // namespace smemsim::cli
