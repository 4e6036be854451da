#include <unistd.h>

#include <csignal>
#include <string>
#include <vector>

#include "frontend/environment.hpp"

namespace {

/// Nothing needs cleaning up: a partly written file stays, and readers cope with it.
extern "C" void on_interrupt(int) {
  ::_exit(static_cast<int>(smemsim::cli::ExitStatus::interrupted));
}

}  // namespace

int main(int argc, char** argv) {
  using namespace smemsim::cli;
  std::signal(SIGPIPE, SIG_IGN);  // a closed pipe shows as a failed write: see StandardStreams
  if (std::signal(SIGINT, SIG_IGN) != SIG_IGN) std::signal(SIGINT, on_interrupt);

  StandardStreams streams;
  const std::vector<std::string> arguments(argv + (argc > 0 ? 1 : 0), argv + argc);
  ExitStatus status = run_command_line(arguments, streams.environment());
  if (const smemsim::Status written = streams.finish(); !written.ok()) {
    print_error(streams.environment(), written.error());
    if (status == ExitStatus::ok) status = exit_status_of(written.error());
  }
  return static_cast<int>(status);
}
