// Damaged Accel-Sim traces, and lists of kernels.
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "accelsim_text.hpp"
#include "catch.hpp"
#include "trace_fixtures.hpp"

namespace smemsim::test {
namespace {

std::string error_of(const std::string& bytes) {
  const ReadBack read = read_back(bytes);
  return read.error.empty() ? "no error" : read.error;
}

TEST_CASE("damaged traces: one error with file and line") {
  AccelsimText text = two_warps();
  const std::string good = text.grouped();
  const auto without = [&](const std::string& part, const std::string& instead = "") {
    std::string out = good;
    const std::size_t at = out.find(part);
    REQUIRE(at != std::string::npos);
    return out.replace(at, part.size(), instead);
  };
  CHECK_THAT(error_of(without("-grid dim = (2,2,1)\n")),
             ContainsSubstring("t:14: the header ends without \"-grid dim = ...\""));
  CHECK_THAT(error_of(without("(2,2,1)", "(2,0,1)")),
             ContainsSubstring("t:3: -grid dim: expected (x,y,z)"));
  CHECK_THAT(error_of(good.substr(0, 100)), ContainsSubstring("ends within the header"));
  CHECK_THAT(error_of(good.substr(0, good.size() - 9)), ContainsSubstring("before the #END_TB"));
  CHECK_THAT(error_of(without("insts = 6", "insts = 7")),
             ContainsSubstring("warp 0 has 6 instructions; its \"insts =\" says 7"));
  CHECK_THAT(error_of(without("#BEGIN_TB\n", "")),
             ContainsSubstring("t:19: expected an instruction or #BEGIN_TB"));
  CHECK_THAT(error_of(without("#END_TB\n", "")), ContainsSubstring("#BEGIN_TB within a block"));
  CHECK_THAT(error_of(without("thread block = 0,0,0", "thread block = 0,2,0")),
             ContainsSubstring("block (0,2,0) is not in the grid"));
  CHECK_THAT(error_of(without("thread block = 1,1,0", "thread block = 0,0,0")),
             ContainsSubstring("block 0 comes a second time"));
  CHECK_THAT(error_of(without("warp = 1", "warp = 2")),
             ContainsSubstring("warp 2 of a block of 2"));
  CHECK_THAT(error_of(without("STS 2 R7 R4 4 1 0x7f1200000000 4", "STS 2 R7 R4 4 3")),
             ContainsSubstring("t:26: expected the form of its addresses (0, 1 or 2), found '3'"));
  CHECK_THAT(error_of(without("STS 2 R7 R4 4 1 0x7f1200000000 4 0", "STS 2 R7 R4 4 1 0x7f12000")),
             ContainsSubstring("t:26: the line ends before the stride"));
  CHECK_THAT(error_of(without("0x00007f1200000080 0", "0")),
             ContainsSubstring("the line ends before an immediate operand"));
  CHECK_THAT(error_of(without("ffffffff 0 STS 2", "fffffff0f 0 STS 2")),
             ContainsSubstring("t:26: a mask of more than 32 lanes"));
  CHECK_THAT(error_of(without("0x7f1200000000 4", "0x7e1200000000 4")),
             ContainsSubstring("t:26: STS: lane 0 is at 0x7e1200000000, which is not in the shared "
                               "window at 0x7f1200000000"));
  CHECK_THAT(error_of(without("0 BAR.SYNC", "x BAR.SYNC")), ContainsSubstring("found 'x'"));
  CHECK_THAT(error_of(without("-nregs", std::string("-nreg\0", 6))),
             ContainsSubstring("traceDsm turns .tracez into .traceg"));
  std::string raw = text.raw();
  raw.replace(raw.find("\n0 0 0 0 0010"), 1, "\nx ");
  CHECK_THAT(error_of(raw), ContainsSubstring("found 'x'"));
}

/// A folder that goes in the end.
class Folder {
 public:
  Folder() {
    std::string path = (std::filesystem::temp_directory_path() / "smemsim-test-XXXXXX").string();
    REQUIRE(mkdtemp(path.data()) != nullptr);
    path_ = path + "/";
  }
  ~Folder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  std::string add(const std::string& name, const std::string& bytes) const {
    std::ofstream(path_ + name, std::ios::binary) << bytes;
    return path_ + name;
  }

 private:
  std::string path_;
};

TEST_CASE("a list gives its kernels in order") {
  const Folder folder;
  AccelsimText second = two_warps();
  second.name = "_Z6matmulPf";
  folder.add("kernel-1.trace", two_warps().raw());
  folder.add("kernel-2.traceg", second.grouped());
  const std::string list = folder.add("kernelslist.g",
                                      "MemcpyHtoD,0x0000000502000000,800000\nkernel-2.traceg\n"
                                      "MemcpyHtoD,0x0000000502000000,8\nkernel-1.trace\n");
  const auto kernels = [&](const std::string& glob) {
    const auto source = trace::open_trace(list, {glob});
    REQUIRE(source.ok());
    std::string out;
    for (int pass = 0; pass < 2; ++pass) {
      Recorder recorder;
      REQUIRE((*source)->read(recorder).ok());
      CHECK(recorder.broken.empty());
      out.clear();
      for (const RecordedLaunch& launch : recorder.launches) out += launch.launch.kernel + ";";
    }
    for (const std::string& warning : (*source)->warnings()) out += warning;
    return out;
  };
  CHECK(kernels("") == "matmul(float*);transpose(float*, float const*);");
  CHECK(kernels("transpose") == "transpose(float*, float const*);");
  CHECK_THAT(kernels("reduce*"), ContainsSubstring("no kernel matches 'reduce*'"));

  const std::string broken = folder.add("broken.g", "kernel-1.trace\nkernel-9.trace\n");
  const auto source = trace::open_trace(broken);
  REQUIRE(source.ok());
  Recorder recorder;
  const Status status = (*source)->read(recorder);
  REQUIRE_FALSE(status.ok());
  CHECK(status.error().kind == ErrorKind::io);
  CHECK_THAT(status.error().text(), ContainsSubstring("broken.g:2: "));
  CHECK_THAT(status.error().text(), ContainsSubstring("must lie beside their list"));
}

}  // namespace
}  // namespace smemsim::test
