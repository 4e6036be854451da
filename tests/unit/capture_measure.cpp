// `smemsim capture --measure`: what it asks tools/measure for, with a profiler that is a script.
#include "frontend/capture_measure.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <regex>

#include "catch.hpp"
#include "trace/measured_file.hpp"

using namespace smemsim;
using namespace smemsim::capture;

namespace {

namespace fs = std::filesystem;

/// A folder that goes in the end, and variables that get back their values.
class Place {
 public:
  Place() {
    std::string path = (fs::temp_directory_path() / "smemsim-test-XXXXXX").string();
    REQUIRE(mkdtemp(path.data()) != nullptr);
    path_ = path;
  }
  ~Place() {
    for (const auto& [name, value] : before_) setenv(name.c_str(), value.c_str(), 1);
    unsetenv("SMEMSIM_MEASURE");
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }
  Place(const Place&) = delete;
  Place& operator=(const Place&) = delete;

  void set(const char* name, const std::string& value) {
    const char* old = std::getenv(name);
    if (old != nullptr) before_.emplace_back(name, old);
    setenv(name, value.c_str(), 1);
  }
  std::string program(const std::string& name, const std::string& text) const {
    const fs::path path = path_ / name;
    std::ofstream(path) << text;
    chmod(path.c_str(), 0755);
    return path.string();
  }
  std::string path() const { return path_.string(); }

 private:
  fs::path path_;
  std::vector<std::pair<std::string, std::string>> before_;
};

/// Writes the table that ncu would, with its own arguments for the test to look at.
constexpr const char* kProfiler = R"sh(#!/bin/sh
[ "$1" = --version ] && exit
echo "$@" > "$(dirname "$0")/arguments"
while [ "$1" != --log-file ]; do shift; done
cat > "$2" <<'END'
==PROF== Connected
"ID","Kernel Name","Block Size","Grid Size","Metric Name","Metric Unit","Metric Value"
"0","copy(float *)","(32, 8, 1)","(4, 1, 1)","sm__cycles_elapsed.max","cycle","1,234"
END
)sh";

TEST_CASE("a glob becomes an expression for the profiler's names") {
  const auto matches = [](const std::string& glob, const std::string& name) {
    return std::regex_search(name, std::regex(kernel_expression(glob)));
  };
  for (const char* glob : {"transpose", "trans*", "tr?nspose", "*pose", "void transpose*"}) {
    CAPTURE(glob);
    CHECK(matches(glob, "void transpose<float, 32>(const float *, float *)"));
    CHECK_FALSE(matches(glob, "void matmul<float, 32>(const float *, float *)"));
  }
  CHECK(matches("copy", "copy(float *)"));
  CHECK_FALSE(matches("copy", "copy_padded(float *)"));
  CHECK_FALSE(matches("opy", "copy(float *)"));
  CHECK(matches("copy<4>(float*, int)", "copy<4>(float *, int)"));
  CHECK(matches("void ns::copy<float, 4>(*", "void ns::copy<float, 4>(float *)"));
  CHECK_FALSE(matches("copy<4>*", "copy<8>(float *)"));
}

TEST_CASE("only the launches that were recorded are measured") {
  const MeasureTools tools{"python3", "measure", ""};
  Options options;
  const auto words = [&](const std::vector<std::string>& program) {
    std::string out;
    for (const std::string& word : measure_command(tools, options, "t.json", program)) {
      out += word + " ";
    }
    return out;
  };
  CHECK(words({"./app", "-n", "3"}) == "python3 measure -o t.json -- ./app -n 3 ");
  options.launches = parse_launches("100-109").value();
  options.kernel = "a*";
  CHECK(words({"app"}) == "python3 measure -o t.json --kernel " + kernel_expression("a*") +
                              " --launch-skip 100 --launch-count 10 -- app ");
  options.kernel.clear();
  options.launches = parse_launches("7-").value();
  CHECK(words({"app"}) == "python3 measure -o t.json --launch-skip 7 -- app ");
  options.launches = parse_launches("0").value();
  CHECK(words({"/x/smemsim-kernels", "run"}) ==
        "python3 measure -o t.json --launch-count 1 --clocks -- /x/smemsim-kernels run ");
}

TEST_CASE("what a measurement lacks is named") {
  Place place;
  const auto error = [] {
    const auto tools = find_measure_tools("");
    return tools.ok() ? "none" : tools.error().text();
  };
  place.set("PATH", place.path());
  place.set("CUDA_HOME", place.path());
  CHECK_THAT(error(), ContainsSubstring("python3 was not found"));
  place.program("python3", "");
  place.set("SMEMSIM_MEASURE", place.path() + "/none");
  CHECK_THAT(error(), ContainsSubstring("the script that measures was not found"));
  place.set("SMEMSIM_MEASURE", SMEMSIM_SOURCE_DIR "/tools/measure");
  place.program("ncu", "");
  CHECK(error() == "none");
}

TEST_CASE("the measurement lies where diff looks for it") {
  Place place;
  place.program("ncu", kProfiler);
  place.set("PATH", place.path() + ":" + std::getenv("PATH"));
  place.set("SMEMSIM_MEASURE", SMEMSIM_SOURCE_DIR "/tools/measure");
  const auto tools = find_measure_tools("");
  REQUIRE(tools.ok());
  Options options;
  options.kernel = "copy";
  options.launches = parse_launches("2-3").value();
  const std::string output = trace::measured_path_of(place.path() + "/t.smt");
  CHECK(output == place.path() + "/t.measured.json");
  REQUIRE(measure(*tools, options, output, {"true", "--flag"}).ok());

  std::ifstream file(place.path() + "/arguments");
  const std::string arguments((std::istreambuf_iterator<char>(file)), {});
  CHECK_THAT(arguments, ContainsSubstring("--clock-control none"));
  CHECK_THAT(arguments, ContainsSubstring("--kernel-name regex:" + kernel_expression("copy")));
  CHECK_THAT(arguments, ContainsSubstring("--launch-skip 2 --launch-count 2 true --flag"));
  for (const char* counter :
       {"sm__cycles_elapsed.max", "sm__cycles_active.sum", "gpu__time_duration.sum",
        "smsp__inst_executed.sum", "sm__warps_active.avg.pct_of_peak_sustained_active"}) {
    CHECK_THAT(arguments, ContainsSubstring(counter));
  }
  const auto bytes = trace::open_source(output);
  REQUIRE(bytes.ok());
  const auto run = trace::read_measured_run(**bytes);
  REQUIRE(run.ok());
  REQUIRE(run->launches.size() == 1);
  CHECK_FALSE(run->every_launch);
  CHECK(run->launches[0].counters.at("sm__cycles_elapsed.max") == 1234);

  place.program("ncu", "#!/bin/sh\nexit 9\n");
  const Status failed = measure(*tools, options, output, {"true"});
  REQUIRE_FALSE(failed.ok());
  CHECK(failed.error().kind == ErrorKind::io);
  CHECK_THAT(failed.error().text(), ContainsSubstring("the measurement ended with status 4"));
}

}  // namespace
