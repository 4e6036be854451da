// The file that one process writes: launches as they end, so that whatever happens to the process
// later, they stay.
#pragma once

#include <memory>
#include <mutex>
#include <string>

#include "launch_record.hpp"
#include "trace/byte_io.hpp"
#include "trace/smt_writer.hpp"

namespace smemsim::capture {

class Output {
 public:
  /// Writes PREFIX.smt, and PREFIX.launches with a line for each launch: the name of the file that
  /// holds its machine code.
  explicit Output(std::string prefix) : prefix_(std::move(prefix)) {}

  void write(trace::LaunchBuilder& launch, const std::string& image);
  /// Ends the file with its index. Nothing can be written after it.
  void finish();

 private:
  std::mutex mutex_;
  std::string prefix_;
  bool failed_ = false;
  std::unique_ptr<trace::ByteSink> file_, images_;
  std::unique_ptr<trace::SmtWriter> writer_;
};

}  // namespace smemsim::capture
