#include "frontend/environment.hpp"

#include <fcntl.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <ostream>
#include <streambuf>

namespace smemsim::cli {
namespace {

/// Unlike std::cout, remembers why a write failed.
class DescriptorBuffer : public std::streambuf {
 public:
  explicit DescriptorBuffer(int descriptor) : descriptor_(descriptor) {
    setp(buffer_.data(), buffer_.data() + buffer_.size());
  }
  int error() const { return error_; }

 protected:
  int_type overflow(int_type c) override {
    if (sync() != 0) return traits_type::eof();
    if (!traits_type::eq_int_type(c, traits_type::eof())) {
      *pptr() = traits_type::to_char_type(c);
      pbump(1);
    }
    return traits_type::not_eof(c);
  }
  int sync() override {
    const char* from = pbase();
    while (error_ == 0 && from < pptr()) {
      const ssize_t written = ::write(descriptor_, from, static_cast<std::size_t>(pptr() - from));
      if (written >= 0) {
        from += written;
      } else if (errno != EINTR) {
        error_ = errno;
      }
    }
    setp(buffer_.data(), buffer_.data() + buffer_.size());
    return error_ == 0 ? 0 : -1;
  }

 private:
  int descriptor_;
  int error_ = 0;
  std::array<char, 1 << 16> buffer_{};
};

const char* environment_variable(const char* name) {
  const char* value = std::getenv(name);  // NOLINT(concurrency-mt-unsafe): nothing calls setenv
  return value == nullptr ? "" : value;
}

bool is_terminal(int descriptor) {
  return ::isatty(descriptor) == 1;
}

unsigned terminal_columns() {
  if (const unsigned long set = std::strtoul(environment_variable("COLUMNS"), nullptr, 10);
      set >= 20 && set <= 10000) {
    return static_cast<unsigned>(set);
  }
  winsize size{};
  if (::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0) return size.ws_col;
  return 80;
}

void take_standard_descriptors() {
  for (int descriptor = 0; descriptor <= 2; ++descriptor) {
    if (::fcntl(descriptor, F_GETFD) != -1) continue;
    // The lowest free descriptor is the closed one. Opened the wrong way round on purpose: using it
    // fails as it would on the closed descriptor.
    [[maybe_unused]] const int opened = ::open("/dev/null", descriptor == 0 ? O_WRONLY : O_RDONLY);
  }
}

}  // namespace

bool want_color(ColorMode mode, bool is_terminal_stream) {
  if (mode != ColorMode::automatic) return mode == ColorMode::always;
  return is_terminal_stream && *environment_variable("NO_COLOR") == '\0' &&
         std::string_view(environment_variable("TERM")) != "dumb";
}

struct StandardStreams::State {
  DescriptorBuffer out_buffer{STDOUT_FILENO}, err_buffer{STDERR_FILENO};
  std::ostream out{&out_buffer}, err{&err_buffer};
  Environment environment{out, err};
};

StandardStreams::StandardStreams() {
  take_standard_descriptors();
  state_ = std::make_unique<State>();
  state_->err << std::unitbuf;
  Environment& environment = state_->environment;
  environment.out_is_terminal = is_terminal(STDOUT_FILENO);
  environment.err_is_terminal = is_terminal(STDERR_FILENO);
  environment.columns = environment.out_is_terminal ? terminal_columns() : 0;
  environment.color = want_color(ColorMode::automatic, environment.out_is_terminal);
}

StandardStreams::~StandardStreams() = default;

Environment& StandardStreams::environment() {
  return state_->environment;
}

Status StandardStreams::finish() {
  state_->out.flush();
  const int error = state_->out_buffer.error();
  if (error == 0 || error == EPIPE) return {};
  return io_error("standard output", std::string("cannot write: ") + std::strerror(error));
}

}  // namespace smemsim::cli
