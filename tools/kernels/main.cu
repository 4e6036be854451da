// smemsim-kernels: lists, runs and checks the bundled kernels.
#include <fnmatch.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>

#include "families.cuh"

namespace {

using namespace suite;

enum Exit { kRight = 0, kWrong = 1, kUsage = 2, kNoDevice = 4 };

const char kUsageText[] =
    "usage: smemsim-kernels list [GLOB...]\n"
    "       smemsim-kernels run GLOB... [--repeat N] [--clocks FILE] [--size small|full]\n"
    "\n"
    "  list             one line per variant: family/variant and what it shows\n"
    "  run              run the matching variants and check their results\n"
    "  --repeat N       run each of them N times (default 1)\n"
    "  --clocks FILE    write kernel,block,smid,begin,end of every block as CSV\n"
    "  --size SIZE      full (default) fills every SM a few times; small is a few blocks\n"
    "\n"
    "Exit status: 0 all right, 1 a wrong result, 2 wrong usage, 4 no CUDA device or cannot "
    "write.\n";

struct Options {
  std::string command;
  std::vector<std::string> globs;
  int repeat = 1;
  bool full = true;
  std::string clocks;
};

[[noreturn]] void usage_error(const std::string& message) {
  std::fprintf(stderr, "smemsim-kernels: %s\n%s", message.c_str(), kUsageText);
  std::exit(kUsage);
}

Options parse(int argc, char** argv) {
  if (argc < 2) usage_error("a command is missing");
  Options options;
  options.command = argv[1];
  if (options.command == "--help" || options.command == "-h" || options.command == "help") {
    std::fputs(kUsageText, stdout);
    std::exit(kRight);
  }
  if (options.command != "list" && options.command != "run") {
    usage_error("unknown command '" + options.command + "'");
  }
  for (int i = 2; i < argc; ++i) {
    const std::string word = argv[i];
    if (word == "--help" || word == "-h") {
      std::fputs(kUsageText, stdout);
      std::exit(kRight);
    }
    if (word.rfind("-", 0) != 0) {
      options.globs.push_back(word);
      continue;
    }
    if (options.command != "run" ||
        (word != "--repeat" && word != "--clocks" && word != "--size")) {
      usage_error("unknown option '" + word + "'");
    }
    if (i + 1 == argc) usage_error(word + " needs a value");
    const std::string value = argv[++i];
    if (word == "--repeat") {
      char* end = nullptr;
      const long count = std::strtol(value.c_str(), &end, 10);
      if (value.empty() || *end != '\0' || count < 1 || count > 1000000) {
        usage_error("--repeat needs a number from 1 to 1000000, not '" + value + "'");
      }
      options.repeat = static_cast<int>(count);
    } else if (word == "--size") {
      if (value != "small" && value != "full") usage_error("--size is small or full");
      options.full = value == "full";
    } else {
      if (value.empty()) usage_error("--clocks needs a file name");
      options.clocks = value;
    }
  }
  if (options.command == "run" && options.globs.empty()) {
    usage_error("run needs a variant or a glob such as 'transpose/*' ('*' for all)");
  }
  return options;
}

Suite select(const Suite& suite, const std::vector<std::string>& globs) {
  if (globs.empty()) return suite;
  for (const std::string& glob : globs) {
    bool any = false;
    for (const Variant& variant : suite) any |= fnmatch(glob.c_str(), variant.name, 0) == 0;
    if (!any) usage_error("no variant matches '" + glob + "' (see smemsim-kernels list)");
  }
  Suite selected;
  for (const Variant& variant : suite) {
    for (const std::string& glob : globs) {
      if (fnmatch(glob.c_str(), variant.name, 0) == 0) {
        selected.push_back(variant);
        break;
      }
    }
  }
  return selected;
}

void write_clocks(std::ofstream& file, const Variant& variant, const Session& session) {
  for (std::size_t block = 0; block < session.clocks().size(); ++block) {
    const BlockClock& clock = session.clocks()[block];
    file << variant.kernel << ',' << block << ',' << clock.smid << ',' << clock.begin << ','
         << clock.end << '\n';
  }
}

// What is wrong with one run; empty if nothing is.
std::string run_once(const Variant& variant, Session& session) {
  try {
    return variant.run(session);
  } catch (const std::exception& error) {
    return error.what();
  }
}

int run(const Suite& suite, const Options& options) {
  int devices = 0;
  const cudaError_t status = cudaGetDeviceCount(&devices);
  if (status != cudaSuccess || devices == 0) {
    std::fprintf(stderr, "smemsim-kernels: no CUDA device: %s\n", cudaGetErrorString(status));
    return kNoDevice;
  }
  std::ofstream clocks;
  if (!options.clocks.empty()) {
    clocks.open(options.clocks);
    if (!clocks) {
      std::fprintf(stderr, "smemsim-kernels: cannot write '%s': %s\n", options.clocks.c_str(),
                   std::strerror(errno));
      return kNoDevice;
    }
    clocks << "kernel,block,smid,begin,end\n";
  }
  int wrong = 0;
  for (const Variant& variant : suite) {
    std::string problem;
    for (int i = 0; i < options.repeat && problem.empty(); ++i) {
      Session session(options.full, clocks.is_open());
      problem = run_once(variant, session);
      if (clocks.is_open()) write_clocks(clocks, variant, session);
    }
    if (problem.empty()) {
      std::printf("ok %s\n", variant.name);
    } else {
      std::printf("FAILED %s: %s\n", variant.name, problem.c_str());
      ++wrong;
    }
    std::fflush(stdout);  // keep what is known if a later variant hangs
  }
  if (clocks.is_open() && !clocks.flush()) {
    std::fprintf(stderr, "smemsim-kernels: cannot write '%s'\n", options.clocks.c_str());
    return kNoDevice;
  }
  return wrong == 0 ? kRight : kWrong;
}

}  // namespace

int main(int argc, char** argv) {
  const Options options = parse(argc, argv);
  const Suite suite = select(all_families(), options.globs);
  if (options.command == "run") return run(suite, options);
  for (const Variant& variant : suite) std::printf("%-28s %s\n", variant.name, variant.what);
  return kRight;
}
