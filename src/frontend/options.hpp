// Options that several commands share: same names, same words, same meaning everywhere.
#pragma once

#include <CLI/CLI.hpp>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "frontend/command.hpp"
#include "frontend/environment.hpp"
#include "sim/launch.hpp"
#include "sim/machine.hpp"
#include "sim/trace_sink.hpp"

namespace smemsim::cli {

/// TRACE and --kernel.
struct TraceOptions {
  std::string trace;
  std::string kernel;
};
void add_trace_options(CLI::App& app, TraceOptions& options);
/// The trace that they name, ready to read.
Result<std::unique_ptr<TraceSource>> open_trace(const TraceOptions& options);

/// --machine.
void add_machine_option(CLI::App& app, std::string& machine);

/// Finds the machine of each launch: the one given with --machine, else the built-in one of the
/// launch's device, else the default one, with a note that says so.
class MachineChoice {
 public:
  /// `given`: the argument of --machine, "" = none.
  explicit MachineChoice(std::string given) : given_(std::move(given)) {}
  /// The machine lives as long as this object.
  Result<const Machine*> operator()(const Launch& launch);
  /// What the user should know about the choices so far, one sentence each.
  const std::vector<std::string>& notes() const { return notes_; }

 private:
  std::string given_;
  std::map<std::string, std::unique_ptr<Machine>> machines_;
  std::vector<std::string> notes_;
};

/// --format, -o/--output and --color.
struct OutputOptions {
  std::string format;
  std::string path;
  ColorMode color = ColorMode::automatic;
};
/// `formats`: names to choose from, the first is the default.
void add_output_options(CLI::App& app, OutputOptions& options, std::vector<std::string> formats);

/// Runs `render` on where the result goes: standard output, or the file of -o, where nothing is
/// fitted to a terminal. Colour follows --color.
Status write_output(const OutputOptions& options, Environment& environment,
                    const std::function<Status(Environment&)>& render);

/// Writes a finished text to the file at `path`, or to standard output for "" and "-".
Status write_result(Environment& environment, const std::string& path, std::string_view text);

/// A check for CLI11: the value is one of `allowed`; the error names the nearest.
CLI::Validator one_of(std::vector<std::string> allowed);

/// For CLI11: turns "48K", "48KiB" and "1M" into bytes (K = 1024); plain numbers stay.
CLI::Validator bytes_with_unit();

/// Passes a trace on to `sink` and shows on a terminal's stderr how far a long run is.
class ProgressSink : public TraceSink {
 public:
  ProgressSink(TraceSink& sink, Environment& environment);
  ~ProgressSink() override;
  ProgressSink(const ProgressSink&) = delete;
  ProgressSink& operator=(const ProgressSink&) = delete;

  Status begin_launch(const Launch& launch) override;
  Status program(const Program& program) override { return sink_.program(program); }
  Status events(const EventBatch& batch) override;
  Status end_launch() override { return sink_.end_launch(); }

 private:
  struct State;
  void show();

  TraceSink& sink_;
  Environment& environment_;
  std::unique_ptr<State> state_;
};

}  // namespace smemsim::cli
