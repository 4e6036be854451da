// Small Accel-Sim traces for tests, in both forms.
#pragma once

#include <string>
#include <vector>

namespace smemsim::test {

/// One instruction of a warp, as the tracer writes it behind the position.
struct AccelsimStep {
  int block = 0, warp = 0;
  std::string text;
};

struct AccelsimText {
  std::string name = "_Z9transposePfPKf";
  int version = 5;
  int binary = 80;
  int line_info = 0;
  int shared = 4096;
  bool window = true;  ///< tells where the windows are
  std::string extra;   ///< words between the warp and the instruction in the raw form
  std::vector<AccelsimStep> steps;

  std::string header() const {
    std::string out = "-kernel name = " + name +
                      "\n-kernel id = 3\n-grid dim = (2,2,1)\n-block dim = (64,1,1)\n-shmem = " +
                      std::to_string(shared) +
                      "\n-nregs = 24\n-binary version = " + std::to_string(binary) +
                      "\n-cuda stream id = 7\n";
    if (window) {
      out += "-shmem base_addr = 0x00007f1200000000\n-local mem base_addr = 0x00007f1202000000\n";
    }
    return out + "-nvbit version = 1.7.4\n-accelsim tracer version = " + std::to_string(version) +
           "\n-enable lineinfo = " + std::to_string(line_info) +
           "\n\n#traces format = [line_num] PC mask dest_num [reg_dests] opcode src_num [reg_srcs] "
           "mem_width [adrrescompress?] [mem_addresses] immediate\n\n";
  }

  std::string raw() const {
    std::string out = header();
    for (const AccelsimStep& step : steps) {
      out += std::to_string(step.block % 2) + " " + std::to_string(step.block / 2) + " 0 " +
             std::to_string(step.warp) + " " + extra + step.text + " \n";
    }
    return out;
  }

  std::string grouped() const {
    std::string out = header();
    for (int block = 0; block < 4; ++block) {
      std::string warps;
      for (int warp = 0; warp < 2; ++warp) {
        std::string lines;
        int count = 0;
        for (const AccelsimStep& step : steps) {
          if (step.block != block || step.warp != warp) continue;
          lines += step.text + " \n";
          ++count;
        }
        if (count == 0) continue;
        warps += "\nwarp = " + std::to_string(warp) + "\ninsts = " + std::to_string(count) + "\n" +
                 lines;
      }
      if (warps.empty()) continue;
      out += "\n#BEGIN_TB\n\nthread block = " + std::to_string(block % 2) + "," +
             std::to_string(block / 2) + ",0\n" + warps + "\n#END_TB\n";
    }
    return out;
  }
};

/// Two of four blocks, two warps each.
inline AccelsimText two_warps() {
  AccelsimText text;
  for (const int warp : {0, 1}) {
    for (const int block : {0, 3}) {
      const auto add = [&](const std::string& line) { text.steps.push_back({block, warp, line}); };
      add("0000 ffffffff 1 R1 IMAD.MOV.U32 2 R255 R255 0 0");
      add("0010 ffffffff 1 R4 LDG.E 1 R2 4 1 0x7f0000000000 4 0");
      add("0020 ffffffff 0 STS 2 R7 R4 4 1 0x7f1200000000 4 0");
      add("0030 ffffffff 0 BAR.SYNC.DEFER_BLOCKING 0 0 0");
      add("0040 00000003 1 R5 LDS.U 1 R2 4 0 0x00007f1200000000 0x00007f1200000080 0");
      add("0050 ffffffff 0 EXIT 0 0 0");
    }
  }
  return text;
}

}  // namespace smemsim::test
