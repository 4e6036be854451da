// The source text that advice prints, pasted into the program it was asked about, takes the
// promised wavefronts: declaration and index as they stand, of paddings, row XORs and swizzles.
#include <regex>
#include <set>

#include "layout_fixture.hpp"

namespace smemsim::testing {
namespace {

using expr::with_block;

std::string replace_word(const std::string& text, const std::string& word, const std::string& by) {
  return std::regex_replace(text, std::regex("\\b" + word + "\\b"), by);
}

/// The place behind the ']' that closes the '[' at `at`.
std::size_t behind_bracket(const std::string& text, std::size_t at) {
  int depth = 0;
  do {
    if (text[at] == '[') ++depth;
    if (text[at] == ']') --depth;
    ++at;
  } while (depth > 0 && at < text.size());
  return at;
}

/// `text` (whose first line declares the array) with the proposal's declaration, and its index for
/// every use of the array, the subscripts put in for r, c, i and o.
std::string pasted(const std::string& text, const std::string& name, const cli::PasteText& paste,
                   const std::vector<std::uint64_t>& extents, std::uint64_t flat_columns) {
  const std::size_t line = text.find('\n');
  const std::string index = paste.index.substr(0, paste.index.find("  //"));
  const bool by_offset = std::regex_search(index, std::regex("\\bo\\b"));
  std::string out = paste.declaration + '\n';
  std::string rest = text.substr(line + 1);
  while (true) {
    const std::size_t use = rest.find(name + '[');
    if (use == std::string::npos) return out + rest;
    out += rest.substr(0, use);
    std::vector<std::string> subscripts;
    std::size_t at = use + name.size();
    for (std::size_t d = 0; d < extents.size(); ++d) {
      const std::size_t end = behind_bracket(rest, at);
      subscripts.push_back('(' + rest.substr(at + 1, end - at - 2) + ')');
      at = end;
    }
    rest = rest.substr(at);
    std::string put = index;
    if (by_offset) {
      std::string offset = subscripts[0];
      for (std::size_t d = 1; d < extents.size(); ++d) {
        offset = '(' + offset + " * " + std::to_string(extents[d]) + " + " + subscripts[d] + ')';
      }
      put = replace_word(put, "o", offset);
    } else if (extents.size() == 1 && flat_columns != 0) {
      const std::string columns = std::to_string(flat_columns);
      put = replace_word(put, "c", '(' + subscripts[0] + " % " + columns + ')');
      put = replace_word(put, "r", '(' + subscripts[0] + " / " + columns + ')');
    } else {
      const std::vector<std::string> names = extents.size() == 3
                                                 ? std::vector<std::string>{"i", "r", "c"}
                                                 : std::vector<std::string>{"r", "c"};
      // All at once: a subscript may use a name that is also an index of the proposal.
      for (std::size_t d = 0; d < names.size(); ++d) {
        put = replace_word(put, names[d], "@" + std::to_string(d));
      }
      for (std::size_t d = 0; d < names.size(); ++d) {
        put = std::regex_replace(put, std::regex("@" + std::to_string(d)), subscripts[d]);
      }
    }
    out += put;
  }
}

struct Pasted {
  std::set<LayoutChangeKind> kinds;
  std::size_t proposals = 0;
};

Pasted check_pasted(const std::string& text, const expr::RunOptions& options) {
  const TextAdvice advice = advise_text(text, options);
  REQUIRE(advice.kernel().regions.size() == 1);
  const RegionAdvice& region = advice.region();
  const cli::ArrayText& array = *advice.arrays.text(region.region.name);
  Pasted out;
  for (const LayoutProposal& one : region.proposals) {
    const std::uint64_t columns =
        one.change.pitch == 0 ? 0 : one.change.pitch / region.region.element;
    const std::string changed =
        pasted(text, array.name, advice.paste(region, one), array.extents, columns);
    INFO(text << "\n-> " << changed);
    auto events = expr::run_text(expr::Source(changed, ""), {}, expr::hopper(), options);
    if (!events.ok()) FAIL(events.error().text());
    CHECK(*cli::wavefronts_of(**events, expr::hopper()) ==
          advice.wavefronts - region.wavefronts + one.wavefronts);
    out.kinds.insert(one.change.kind);
    ++out.proposals;
  }
  return out;
}

TEST_CASE("layout: pasted declarations and indices take the promised wavefronts") {
  const std::vector<std::pair<std::string, expr::RunOptions>> questions{
      {"__shared__ float tile[32][32];\ntile[threadIdx.y][threadIdx.x] = 1; __syncthreads(); "
       "tile[threadIdx.x][threadIdx.y]",
       with_block(32, 32)},
      {"__shared__ __align__(128) half tile[64][64];\n"
       "for (int k = 0; k < 64; k += 16) ldmatrix_x4(&tile[lane % 16][k + lane / 16 * 8]);",
       with_block(32)},
      {"__shared__ __align__(16) float s[32][32];\n*(float4*)&s[lane][4 * warp] ; s[warp][lane] = "
       "2;",
       with_block(128)},
      {"__shared__ double d[4][16][16];\nd[threadIdx.y][threadIdx.x][3]; d[2][5][threadIdx.x] = 0;",
       with_block(16, 4)},
      {"__shared__ float s[1024];\ns[threadIdx.x * 32 + threadIdx.y] = 0; s[threadIdx.y * 32 + "
       "lane]",
       with_block(32, 32)},
      {"__shared__ char b[128][32];\nb[threadIdx.x][threadIdx.y]", with_block(32, 4)},
      // Rows, columns and both diagonals: no padding serves all of them.
      {"__shared__ float t[32][32];\nt[threadIdx.y][lane] = 0; t[lane][threadIdx.y]; "
       "t[lane][(lane + threadIdx.y) & 31]; t[lane][(31 - lane + threadIdx.y) & 31]",
       with_block(32, 32)},
      {"__shared__ half2 h[64][16];\nh[threadIdx.x][threadIdx.y]; h[threadIdx.y * 4][lane % 16] = "
       "h[0][0];",
       with_block(32, 16)}};
  Pasted all;
  for (const auto& [text, options] : questions) {
    const Pasted one = check_pasted(text, options);
    CHECK(one.proposals >= 1);
    all.kinds.insert(one.kinds.begin(), one.kinds.end());
    all.proposals += one.proposals;
  }
  CHECK(all.kinds.size() == 3);
  CHECK(all.proposals >= 16);
}

}  // namespace
}  // namespace smemsim::testing
