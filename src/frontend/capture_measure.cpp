#include "frontend/capture_measure.hpp"

#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <optional>

#include "frontend/capture_process.hpp"

namespace smemsim::capture {
namespace {

namespace fs = std::filesystem;

bool runs(const fs::path& path) {
  std::error_code error;
  return fs::is_regular_file(path, error) && ::access(path.c_str(), X_OK) == 0;
}

/// Where smemsim is in its build folder, in the source tree or installed.
std::optional<fs::path> find_script() {
  if (const std::string given = environment_text("SMEMSIM_MEASURE"); !given.empty()) {
    return fs::exists(given) ? std::optional(fs::path(given)) : std::nullopt;
  }
  std::error_code error;
  const fs::path folder = fs::read_symlink("/proc/self/exe", error).parent_path();
  if (error) return std::nullopt;
  for (const char* place : {"smemsim-measure", "../libexec/smemsim/measure", "tools/measure",
                            "../tools/measure", "../../tools/measure"}) {
    if (runs(folder / place)) return fs::weakly_canonical(folder / place, error);
  }
  return std::nullopt;
}

std::optional<fs::path> find_profiler(const std::string& toolkit) {
  std::vector<fs::path> folders = toolkit_folders();
  if (!toolkit.empty()) {
    folders.insert(folders.begin(), toolkit);
  } else if (auto found = program_in_path("ncu")) {
    return found;
  }
  for (const fs::path& folder : folders) {
    if (runs(folder / "bin" / "ncu")) return folder / "bin" / "ncu";
  }
  return program_in_path("ncu");
}

}  // namespace

Result<MeasureTools> find_measure_tools(const std::string& toolkit) {
  MeasureTools tools;
  const auto python = program_in_path("python3");
  if (!python) {
    return io_error("capture --measure", "python3 was not found in $PATH",
                    "install it, or capture without --measure");
  }
  tools.python = python->string();
  const auto script = find_script();
  if (!script) {
    return io_error("capture --measure", "the script that measures was not found",
                    "name smemsim's tools/measure in SMEMSIM_MEASURE");
  }
  tools.script = script->string();
  const auto profiler = find_profiler(toolkit);
  if (!profiler) {
    return io_error("capture --measure", "ncu of the CUDA toolkit was not found",
                    "install Nsight Compute (package nsight-compute), add its folder to $PATH, or "
                    "capture without --measure");
  }
  tools.path = profiler->parent_path().string() + ":" + environment_text("PATH");
  return tools;
}

std::string kernel_expression(std::string_view glob) {
  std::string whole;
  for (const char c : glob) {
    if (c == '*') {
      whole += ".*";
    } else if (c == '?') {
      whole += '.';
    } else if (c == ' ') {
      whole += " *";
    } else if (std::string_view(",()<>&").find(c) != std::string_view::npos) {
      whole += std::string(" *") + (c == '(' || c == ')' ? "\\" : "") + c + " *";
    } else if (std::string_view(".[]{}+^$|\\").find(c) != std::string_view::npos) {
      whole += std::string("\\") + c;
    } else {
      whole += c;
    }
  }
  // The whole name, or the name without return type, template arguments and parameters.
  return "^((.* )?" + whole + "(<.*)?(\\(.*)?|" + whole + ")$";
}

std::vector<std::string> measure_command(const MeasureTools& tools, const Options& options,
                                         const std::string& output,
                                         const std::vector<std::string>& program) {
  std::vector<std::string> command{tools.python, tools.script, "-o", output};
  const auto add = [&](const char* name, const std::string& value) {
    command.emplace_back(name);
    command.push_back(value);
  };
  if (!options.kernel.empty()) add("--kernel", kernel_expression(options.kernel));
  const LaunchRange every;
  if (options.launches.first != 0) add("--launch-skip", std::to_string(options.launches.first));
  if (options.launches.last != every.last) {
    add("--launch-count", std::to_string(options.launches.last - options.launches.first + 1));
  }
  // The bundled kernels also write the clocks of their blocks.
  if (fs::path(program[0]).filename() == "smemsim-kernels") command.emplace_back("--clocks");
  command.emplace_back("--");
  command.insert(command.end(), program.begin(), program.end());
  return command;
}

Status measure(const MeasureTools& tools, const Options& options, const std::string& output,
               const std::vector<std::string>& program) {
  const auto ending =
      run_program(measure_command(tools, options, output, program), {{"PATH", tools.path}});
  if (!ending) return ending.error();
  if (ending->signal == 0 && ending->status == 0) return {};
  const std::string how = ending->signal != 0
                              ? "was killed by signal " + std::to_string(ending->signal)
                              : "ended with status " + std::to_string(ending->status);
  return io_error("capture --measure", "the measurement " + how,
                  "the trace is whole; tools/measure can be run again on its own");
}

}  // namespace smemsim::capture
