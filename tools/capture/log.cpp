#include "log.hpp"

#include <sys/syscall.h>
#include <unistd.h>

#include <chrono>
#include <cstdarg>
#include <cstdio>
#include <mutex>

namespace smemsim::capture {
namespace {

constexpr int kMostProblems = 300;

struct Log {
  std::mutex mutex;
  std::string prefix;
  std::FILE* problems = nullptr;
  std::FILE* log = nullptr;
  int count = 0;
  std::chrono::steady_clock::time_point start = std::chrono::steady_clock::now();
};

// Never destroyed: messages may come while the program is ending.
Log& state() {
  static Log* const log = new Log;
  return *log;
}

void print(std::FILE* file, const char* format, std::va_list arguments) {
  std::vfprintf(file, format, arguments);
  std::fputc('\n', file);
  std::fflush(file);
}

void print_time(const Log& log) {
  const std::chrono::duration<double> time = std::chrono::steady_clock::now() - log.start;
  std::fprintf(log.log, "%10.6f %ld ", time.count(), static_cast<long>(syscall(SYS_gettid)));
}

}  // namespace

void open_log(const std::string& prefix, bool debug) {
  Log& log = state();
  const std::lock_guard lock(log.mutex);
  log.prefix = prefix;
  if (debug) log.log = std::fopen((prefix + ".log").c_str(), "we");
}

void problem(const char* format, ...) {
  Log& log = state();
  const std::lock_guard lock(log.mutex);
  std::va_list arguments;
  if (log.log != nullptr) {
    va_start(arguments, format);
    print_time(log);
    std::fputs("PROBLEM ", log.log);
    print(log.log, format, arguments);
    va_end(arguments);
  }
  if (log.prefix.empty() || ++log.count > kMostProblems) return;
  if (log.problems == nullptr) log.problems = std::fopen((log.prefix + ".problems").c_str(), "we");
  if (log.problems == nullptr) return;
  va_start(arguments, format);
  print(log.problems, format, arguments);
  va_end(arguments);
}

void debug(const char* format, ...) {
  Log& log = state();
  if (log.log == nullptr) return;
  const std::lock_guard lock(log.mutex);
  std::va_list arguments;
  va_start(arguments, format);
  print_time(log);
  print(log.log, format, arguments);
  va_end(arguments);
}

}  // namespace smemsim::capture
