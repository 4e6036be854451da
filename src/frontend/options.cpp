#include "frontend/options.hpp"

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <fstream>

#include "frontend/suggest.hpp"
#include "frontend/text.hpp"
#include "trace/machine_file.hpp"
#include "trace/open.hpp"

namespace smemsim::cli {

CLI::Validator one_of(std::vector<std::string> allowed) {
  return CLI::Validator(
      [allowed = std::move(allowed)](const std::string& value) {
        if (std::find(allowed.begin(), allowed.end(), value) != allowed.end()) return std::string();
        const std::string near = nearest(value, allowed);
        return fmt::format("'{}' is not one of {}{}", value, fmt::join(allowed, ", "),
                           near.empty() ? "" : "; did you mean '" + near + "'?");
      },
      "");
}

CLI::Validator bytes_with_unit() {
  return CLI::Validator(
      [](std::string& value) {
        const std::size_t digits = value.find_first_not_of("0123456789");
        if (digits == std::string::npos) return std::string();
        const std::string unit = value.substr(digits);
        const auto is = [&](char letter) {
          const std::string big(1, letter), small(1, static_cast<char>(letter - 'A' + 'a'));
          return unit == big || unit == small || unit == big + "B" || unit == big + "iB";
        };
        const unsigned shift = is('K') ? 10 : is('M') ? 20 : 0;
        if (digits == 0 || digits > 9 || shift == 0) {
          return fmt::format("'{}' is not a number of bytes, such as 49152 or 48K", value);
        }
        value = std::to_string(std::stoull(value.substr(0, digits)) << shift);
        return std::string();
      },
      "");
}

void add_trace_options(CLI::App& app, TraceOptions& options) {
  app.add_option("TRACE", options.trace, "a trace (.smt or JSON Lines); '-' reads standard input")
      ->required();
  app.add_option("--kernel", options.kernel,
                 "only launches whose kernel name matches; '*' and '?' are wildcards")
      ->type_name("GLOB");
}

Result<std::unique_ptr<TraceSource>> open_trace(const TraceOptions& options) {
  return trace::open_trace(options.trace, {options.kernel});
}

void add_machine_option(CLI::App& app, std::string& machine) {
  app.add_option("--machine", machine,
                 "a built-in machine (see `smemsim machines`) or a machine file; default: the "
                 "trace's device, else sm_90")
      ->type_name("NAME|FILE");
}

Result<const Machine*> MachineChoice::operator()(const Launch& launch) {
  std::string name = given_;
  if (name.empty() && !launch.device.arch.empty()) {
    // sm_90a and sm_90 differ in instructions, not in shared memory.
    std::string arch = launch.device.arch;
    if (arch.back() == 'a' || arch.back() == 'f') arch.pop_back();
    const auto machines = trace::embedded_machines();
    const bool known = std::any_of(machines.begin(), machines.end(),
                                   [&](const auto& machine) { return machine.name == arch; });
    if (known) {
      name = arch;
    } else {
      const std::string note =
          fmt::format("no built-in machine for {}; the costs are those of sm_90",
                      printable(launch.device.arch));
      if (std::find(notes_.begin(), notes_.end(), note) == notes_.end()) notes_.push_back(note);
    }
  }
  std::unique_ptr<Machine>& machine = machines_[name];
  if (machine == nullptr) {
    Result<Machine> loaded = trace::load_machine(name);
    if (!loaded.ok()) return loaded.error();
    machine = std::make_unique<Machine>(std::move(loaded).value());
  }
  return static_cast<const Machine*>(machine.get());
}

void add_output_options(CLI::App& app, OutputOptions& options, std::vector<std::string> formats) {
  options.format = formats.front();
  app.add_option("--format", options.format, fmt::format("{}", fmt::join(formats, ", ")))
      ->type_name("FORMAT")
      ->check(one_of(formats))
      ->capture_default_str();
  app.add_option("-o,--output", options.path, "write to FILE instead of standard output")
      ->type_name("FILE");
  app.add_option_function<std::string>(
         "--color",
         [&options](const std::string& value) {
           options.color = value == "always"  ? ColorMode::always
                           : value == "never" ? ColorMode::never
                                              : ColorMode::automatic;
         },
         "auto, always or never; auto colours a terminal unless NO_COLOR is set")
      ->type_name("WHEN")
      ->check(one_of({"auto", "always", "never"}))
      ->default_str("auto");
}

Status write_output(const OutputOptions& options, Environment& environment,
                    const std::function<Status(Environment&)>& render) {
  if (options.path.empty() || options.path == "-") {
    Environment there = environment;
    if (options.color != ColorMode::automatic) there.color = options.color == ColorMode::always;
    return render(there);
  }
  const auto failed = [&](const char* what) {
    return io_error(options.path, fmt::format("cannot {}: {}", what, std::strerror(errno)));
  };
  errno = 0;
  std::ofstream file(options.path, std::ios::binary | std::ios::trunc);
  if (!file) return failed("create");
  Environment there{file, environment.err};
  there.err_is_terminal = environment.err_is_terminal;
  there.columns = 0;
  there.color = options.color == ColorMode::always;
  SMEMSIM_TRY(render(there));
  file.close();
  if (!file) return failed("write");
  return {};
}

Status write_result(Environment& environment, const std::string& path, std::string_view text) {
  const OutputOptions options{.format = {}, .path = path};
  return write_output(options, environment, [&](Environment& there) -> Status {
    there.out << text;
    return {};
  });
}

using Clock = std::chrono::steady_clock;

struct ProgressSink::State {
  bool terminal = false;
  bool shown = false;
  std::string kernel;
  std::uint64_t events = 0;
  std::uint32_t batches = 0;
  Clock::time_point next = Clock::now() + std::chrono::seconds(1);
};

ProgressSink::ProgressSink(TraceSink& sink, Environment& environment)
    : sink_(sink), environment_(environment), state_(std::make_unique<State>()) {
  state_->terminal = environment.err_is_terminal;
}

ProgressSink::~ProgressSink() {
  if (state_->shown) environment_.err << "\r\x1b[K" << std::flush;
}

Status ProgressSink::begin_launch(const Launch& launch) {
  state_->kernel = elide(printable(launch.kernel), 40);
  return sink_.begin_launch(launch);
}

Status ProgressSink::events(const EventBatch& batch) {
  state_->events += batch.events.size();
  // Looking at the clock costs more than a small batch does.
  if (state_->terminal && ++state_->batches % 256 == 0 && Clock::now() >= state_->next) show();
  return sink_.events(batch);
}

void ProgressSink::show() {
  state_->shown = true;
  state_->next = Clock::now() + std::chrono::milliseconds(200);
  environment_.err << fmt::format("\r\x1b[K{} events  {}", with_commas(state_->events),
                                  state_->kernel)
                   << std::flush;
}

}  // namespace smemsim::cli
