// Which lines of global memory several blocks of a trace use.
#include <unordered_map>

#include "sim/cycle/stream.hpp"

namespace smemsim {

void find_shared_lines(const std::vector<std::unique_ptr<BlockTrace>>& blocks) {
  struct Users {
    std::uint32_t last = ~std::uint32_t{0}, count = 0;
  };
  std::unordered_map<std::uint64_t, Users> users;
  for (std::uint32_t i = 0; i < blocks.size(); ++i) {
    for (const LineUse& use : blocks[i]->lines) {
      Users& line = users[use.line];
      if (line.last == i) continue;
      line.last = i;
      ++line.count;
    }
  }
  for (const auto& block : blocks) {
    for (LineUse& use : block->lines) {
      const std::uint32_t count = users[use.line].count;
      use.shared = count > 1;
      use.everywhere = count > 1 && count == blocks.size();
    }
  }
}

}  // namespace smemsim
