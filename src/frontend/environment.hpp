// The process's own streams and terminal, as an Environment; and when colour is wanted.
#pragma once

#include <memory>
#include <string_view>

#include "frontend/command.hpp"

namespace smemsim::cli {

/// The argument of --color.
enum class ColorMode { automatic, always, never };

/// Whether to colour a stream: --color decides; else a set and non-empty NO_COLOR, TERM=dumb or a
/// stream that is not a terminal turn colour off.
bool want_color(ColorMode mode, bool is_terminal);

/// Standard output and error of this process. The constructor makes sure that the descriptors
/// 0, 1 and 2 are taken, so that no file the program opens can become "standard output".
class StandardStreams {
 public:
  StandardStreams();
  ~StandardStreams();
  StandardStreams(const StandardStreams&) = delete;
  StandardStreams& operator=(const StandardStreams&) = delete;

  Environment& environment();
  /// Writes what is buffered. An error (the disk is full, standard output is closed) is told once;
  /// a reader that has seen enough (a closed pipe) is none.
  Status finish();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace smemsim::cli
