#include "frontend/capture_process.hpp"

#include <dlfcn.h>
#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <optional>

namespace smemsim::capture {
namespace {

namespace fs = std::filesystem;

std::vector<char*> pointers(const std::vector<std::string>& texts) {
  std::vector<char*> out;
  out.reserve(texts.size() + 1);
  for (const std::string& text : texts) out.push_back(const_cast<char*>(text.c_str()));
  out.push_back(nullptr);
  return out;
}

bool is_there(const fs::path& path) {
  std::error_code error;
  return fs::exists(path, error);
}

std::optional<fs::path> sanitizer_in(const fs::path& toolkit) {
  for (const char* folder : {"compute-sanitizer", "extras/compute-sanitizer"}) {
    const fs::path candidate = toolkit / folder / "libsanitizer-public.so";
    if (is_there(candidate)) return candidate;
  }
  return std::nullopt;
}

std::optional<fs::path> find_library() {
  constexpr const char* kName = "libsmemsim-capture.so";
  if (const std::string given = environment_text("SMEMSIM_CAPTURE_LIB"); !given.empty()) {
    const fs::path path(given);
    return is_there(path) ? std::optional(fs::absolute(path)) : std::nullopt;
  }
  std::error_code error;
  const fs::path program = fs::read_symlink("/proc/self/exe", error);
  if (error) return std::nullopt;
  const fs::path folder = program.parent_path();
  for (const char* place : {"", "tools/capture", "../lib", "../lib64", "../lib/smemsim",
                            "../lib/x86_64-linux-gnu", "../lib/aarch64-linux-gnu"}) {
    const fs::path candidate = folder / place / kName;
    if (is_there(candidate)) return fs::weakly_canonical(candidate, error);
  }
  return std::nullopt;
}

volatile std::sig_atomic_t running_child = 0;

void pass_on(int signal) {
  if (running_child > 0) kill(static_cast<pid_t>(running_child), signal);
}

/// Sets how signals are taken while the program runs, and sets it back.
class SignalGuard {
 public:
  SignalGuard() {
    struct sigaction ignore = {};
    ignore.sa_handler = SIG_IGN;
    struct sigaction forward = {};
    forward.sa_handler = pass_on;
    forward.sa_flags = SA_RESTART;
    sigaction(SIGINT, &ignore, &interrupt_);
    sigaction(SIGQUIT, &ignore, &quit_);
    sigaction(SIGTERM, &forward, &terminate_);
    sigaction(SIGHUP, &forward, &hang_up_);
  }
  ~SignalGuard() { restore(); }
  SignalGuard(const SignalGuard&) = delete;
  SignalGuard& operator=(const SignalGuard&) = delete;

  void restore() const {
    sigaction(SIGINT, &interrupt_, nullptr);
    sigaction(SIGQUIT, &quit_, nullptr);
    sigaction(SIGTERM, &terminate_, nullptr);
    sigaction(SIGHUP, &hang_up_, nullptr);
  }

 private:
  struct sigaction interrupt_ = {}, quit_ = {}, terminate_ = {}, hang_up_ = {};
};

Ending wait_for(pid_t child) {
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  if (WIFSIGNALED(status)) return {0, WTERMSIG(status)};
  return {WEXITSTATUS(status), 0};
}

}  // namespace

std::string environment_text(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

std::optional<fs::path> program_in_path(const std::string& program) {
  const std::string path = environment_text("PATH");
  for (std::size_t start = 0; start <= path.size();) {
    const std::size_t end = std::min(path.find(':', start), path.size());
    const fs::path candidate = fs::path(path.substr(start, end - start)) / program;
    if (end != start && ::access(candidate.c_str(), X_OK) == 0) {
      std::error_code error;
      const fs::path real = fs::canonical(candidate, error);
      if (!error) return real;
    }
    start = end + 1;
  }
  return std::nullopt;
}

std::vector<fs::path> toolkit_folders() {
  std::vector<fs::path> folders;
  for (const char* name : {"CUDA_HOME", "CUDA_PATH", "CUDA_ROOT"}) {
    if (const std::string value = environment_text(name); !value.empty())
      folders.emplace_back(value);
  }
  if (const auto nvcc = program_in_path("nvcc"))
    folders.push_back(nvcc->parent_path().parent_path());
  folders.emplace_back("/usr/local/cuda");
  folders.emplace_back("/opt/cuda");
  folders.emplace_back("/usr/lib/nvidia-cuda-toolkit");
  // Newest first, where several are installed side by side.
  std::vector<fs::path> versions;
  std::error_code error;
  for (const fs::directory_entry& entry : fs::directory_iterator("/usr/local", error)) {
    if (entry.path().filename().string().rfind("cuda-", 0) == 0) versions.push_back(entry.path());
  }
  std::sort(versions.rbegin(), versions.rend());
  folders.insert(folders.end(), versions.begin(), versions.end());
  return folders;
}

Status run_to_file(const std::vector<std::string>& command, const std::string& path) {
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_addopen(&actions, 1, path.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
  posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0);
  pid_t child = 0;
  const int error = posix_spawnp(&child, command[0].c_str(), &actions, nullptr,
                                 pointers(command).data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  if (error != 0) return io_error(command[0], std::strerror(error));
  const Ending ending = wait_for(child);
  if (ending.signal != 0) {
    return io_error(command[0], "killed by signal " + std::to_string(ending.signal));
  }
  if (ending.status != 0) {
    return io_error(command[0], "ended with status " + std::to_string(ending.status));
  }
  return {};
}

Result<Ending> run_program(const std::vector<std::string>& command,
                           const std::vector<std::pair<std::string, std::string>>& variables) {
  int report[2];  // tells why the program could not be started; closed when it was
  if (pipe2(report, O_CLOEXEC) != 0) return io_error("pipe", std::strerror(errno));
  std::vector<char*> arguments = pointers(command);
  const SignalGuard guard;
  const pid_t child = fork();
  if (child < 0) {
    close(report[0]);
    close(report[1]);
    return io_error("fork", std::strerror(errno));
  }
  if (child == 0) {
    guard.restore();
    for (const auto& [name, value] : variables) setenv(name.c_str(), value.c_str(), 1);
    execvp(arguments[0], arguments.data());
    const int reason = errno;
    [[maybe_unused]] const ssize_t written = write(report[1], &reason, sizeof reason);
    _exit(127);
  }
  running_child = child;
  close(report[1]);
  int reason = 0;
  ssize_t got = 0;
  while ((got = read(report[0], &reason, sizeof reason)) < 0 && errno == EINTR) {
  }
  close(report[0]);
  const Ending ending = wait_for(child);
  running_child = 0;
  if (got == static_cast<ssize_t>(sizeof reason)) {
    return io_error(command[0], std::strerror(reason), "the program could not be started");
  }
  return ending;
}

Status check_driver() {
  // The library is there wherever the driver is; asking it more would take the device.
  void* driver = dlopen("libcuda.so.1", RTLD_LAZY | RTLD_LOCAL);
  if (driver == nullptr) {
    return io_error("capture", "no NVIDIA driver on this machine (libcuda.so.1 cannot be loaded)",
                    "run on a machine with an NVIDIA GPU; traces can be analysed anywhere");
  }
  dlclose(driver);
  if (!is_there("/dev/nvidiactl") && !is_there("/dev/dxg") && !is_there("/dev/nvgpu")) {
    return io_error("capture", "no NVIDIA GPU on this machine (there is no /dev/nvidiactl)",
                    "run on a machine with an NVIDIA GPU; in a container, pass the GPU through");
  }
  return {};
}

Result<Tools> find_tools(const std::string& toolkit) {
  Tools tools;
  const auto library = find_library();
  if (!library) {
    return io_error("capture", "libsmemsim-capture.so was not found",
                    "build it where the CUDA toolkit is: cmake -S tools/capture -B build-capture "
                    "&& cmake --build build-capture; then put it beside smemsim or name it in "
                    "SMEMSIM_CAPTURE_LIB");
  }
  tools.library = library->string();
  const std::vector<fs::path> folders =
      toolkit.empty() ? toolkit_folders() : std::vector<fs::path>{toolkit};
  for (const fs::path& folder : folders) {
    const auto sanitizer = sanitizer_in(folder);
    if (!sanitizer) continue;
    tools.toolkit = folder.string();
    tools.sanitizer = fs::absolute(*sanitizer).string();
    if (is_there(folder / "bin" / "nvdisasm")) {
      tools.nvdisasm = fs::absolute(folder / "bin" / "nvdisasm").string();
    }
    break;
  }
  if (tools.sanitizer.empty()) {
    return io_error(
        "capture",
        "the CUDA toolkit's Sanitizer API (compute-sanitizer/libsanitizer-public.so) "
        "was not found" +
            (toolkit.empty() ? std::string() : " in " + toolkit),
        "install the toolkit's cuda-sanitizer package, or name the toolkit with --cuda");
  }
  if (tools.nvdisasm.empty()) {
    if (const auto found = program_in_path("nvdisasm")) tools.nvdisasm = found->string();
  }
  return tools;
}

}  // namespace smemsim::capture
