// Accesses with published wavefront counts or conflict degrees, as texts. Where a profiler counter
// was published, the number is that counter per instruction.
#include "expr_events.hpp"

namespace smemsim::expr {

namespace {

struct Case {
  const char* text;
  std::uint32_t wavefronts;
  std::uint32_t excess;
};

void check(const std::vector<Case>& cases, const RunOptions& options = {}) {
  for (const Case& c : cases) {
    INFO(c.text);
    const AccessCost cost = cost_of(c.text, options);
    CHECK(cost.wavefronts == c.wavefronts);
    CHECK(cost.excess() == c.excess);
  }
}

}  // namespace

TEST_CASE("Transposing through a 32 x 32 tile and its padded twin") {
  check({{"__shared__ float t[32][32]; t[threadIdx.y][threadIdx.x] = 0;", 1, 0},
         {"__shared__ float t[32][32]; t[threadIdx.x][threadIdx.y]", 32, 31},
         {"__shared__ float t[32][33]; t[threadIdx.x][threadIdx.y]", 1, 0}});
}

TEST_CASE("ldmatrix of half tiles: published counters of tensor-core matrix products") {
  check({{"__shared__ half a[16][16]; ldmatrix_x4(&a[lane % 16][lane / 16 * 8]);", 8, 4},
         {"__shared__ half b[16][8]; ldmatrix_x2_trans(&b[lane % 16][0]);", 2, 0},
         {"__shared__ half b[16][128]; ldmatrix_x2_trans(&b[lane % 16][0]);", 16, 14},
         {"__shared__ half b[16][128 + 8]; ldmatrix_x2_trans(&b[lane % 16][0]);", 2, 0},
         {"__shared__ half a[16][16 + 8]; ldmatrix_x4(&a[lane % 16][lane / 16 * 8]);", 4, 0},
         {"__shared__ half a[16][16]; int r = lane % 16;"
          "ldmatrix_x4(&a[r][8 * ((lane / 16) ^ (r / 4 % 2))]);",
          4, 0}});
}

TEST_CASE("16-byte loads: four wavefronts are ideal, one row for all lanes is the worst") {
  check(
      {{"__shared__ float4 t[1024]; t[8 * lane]", 32, 28},
       {"__shared__ float4 t[1024]; t[lane]", 4, 0},
       {"__shared__ float s[256]; s[lane * 4]", 4, 3},
       {"__shared__ float4 t[32]; t[lane % 4]", 4, 0},
       {"__shared__ float4 t[32]; t[lane / 2 % 4]", 2, 0},
       {"__shared__ float4 t[32]; t[0]", 2, 0},
       {"__shared__ float s[8][128]; reinterpret_cast<float4*>(&s[threadIdx.y][0])[lane]", 4, 0}});
}

TEST_CASE("Rows of attention and matrix kernels") {
  check({{"__shared__ half s[64][128]; *(int*)&s[lane / 4][lane % 4 * 2] = 0;", 8, 7},
         {"__shared__ char v[32][32]; v[lane][0]", 8, 7},
         {"__shared__ float a[8][32]; a[lane / 4][lane % 4]", 8, 7},
         {"__shared__ float a[8][36]; a[lane / 4][lane % 4]", 1, 0},
         {"__shared__ float s[64]; s[lane * 2]", 2, 1},
         {"__shared__ half s[16][128]; ldmatrix_x1(&s[lane % 8][0]);", 8, 7},
         {"__shared__ half s[16][128 + 16]; ldmatrix_x1(&s[lane % 8][0]);", 2, 1},
         {"__shared__ half s[16][128 + 8]; ldmatrix_x1(&s[lane % 8][0]);", 1, 0}});
}

TEST_CASE("Re-laying 4 x 32 words as 32 x 4") {
  check({{"__shared__ unsigned s[128]; int i = 1; s[(i ^ (lane >> 3)) * 32 + lane]", 1, 0},
         {"__shared__ unsigned s[128]; int i = 1; s[4 * lane + (i ^ (lane >> 3))] = 0;", 1, 0},
         {"__shared__ unsigned s[128]; int i = 1; s[4 * lane + i] = 0;", 4, 3},
         {"__shared__ uint4 s[32]; s[lane] = 0;", 4, 0}});
}

TEST_CASE("Columns of float tiles by row length, plain and swizzled") {
  check({{"__shared__ float t[32][64]; t[lane][0]", 32, 31},
         {"__shared__ float t[32][16]; t[lane][0]", 16, 15},
         {"__shared__ float t[1024]; t[swizzle<5,0,5>(32 * lane)]", 1, 0},
         {"__shared__ float t[1024]; t[swizzle<3,0,5>(32 * lane)]", 4, 3},
         {"__shared__ float t[1024]; t[swizzle<2,0,5>(32 * lane)]", 8, 7},
         {"__shared__ float t[32][20]; t[lane][0]", 4, 3}});
}

TEST_CASE("Eight lanes with a stride of eight words") {
  RunOptions eight = with_block(8);
  check({{"__shared__ float t[64]; t[8 * lane]", 2, 1},
         {"__shared__ float t[64]; t[swizzle<3,0,3>(8 * lane)]", 1, 0}},
        eight);
}

TEST_CASE("Two-dimensional blocks: a warp spans two rows of threads") {
  const RunOptions square = with_block(16, 2);
  check({{"__shared__ float t[16][16]; t[threadIdx.x][threadIdx.y]", 8, 7},
         {"__shared__ float t[16][17]; t[threadIdx.x][threadIdx.y]", 2, 1},
         {"__shared__ float t[16][18]; t[threadIdx.x][threadIdx.y]", 1, 0}},
        square);
}

TEST_CASE("Elements smaller than a word") {
  check({{"__shared__ half s[64]; s[lane]", 1, 0},
         {"__shared__ signed char s[64]; s[lane]", 1, 0},
         {"__shared__ half s[32][32]; s[lane][0]", 16, 15},
         {"__shared__ half s[32][33]; s[lane][0]", 1, 0},
         {"__shared__ half s[64][64]; s[lane][0]", 32, 31},
         {"__shared__ half s[64][65]; s[lane][0]", 2, 1},
         {"__shared__ int8_t s[32][32]; s[lane][0]", 8, 7}});
}

TEST_CASE("Members of arrays of structs") {
  check({{"__shared__ float3 s[32]; s[lane].x", 1, 0},
         {"struct S { float a[5]; }; __shared__ S s[32]; s[lane].a[0]", 1, 0},
         {"struct S { float a[6]; }; __shared__ S s[32]; s[lane].a[0]", 2, 1},
         {"struct S { float a[8]; }; __shared__ S s[32]; s[lane].a[0]", 8, 7},
         {"__shared__ float4 s[32]; s[lane].x", 4, 3}});
}

TEST_CASE("Lanes that share banks with a shifted part of the warp") {
  check({{"__shared__ float s[64]; s[lane >= 16 && lane < 20 ? lane + 16 : lane]", 2, 1}});
}

TEST_CASE("Float rows under 16-byte accesses: +1 faults, +4 and an XOR of chunks are free") {
  check({{"__shared__ float s[32][32]; *(float4*)&s[lane][0]", 32, 28},
         {"__shared__ float s[32][36]; *(float4*)&s[lane][0]", 4, 0},
         {"__shared__ float s[32][32]; *(float4*)&s[lane][4 * (lane & 7)]", 4, 0},
         {"__shared__ float s[32][36]; s[lane][0]", 4, 3}});
  const Error error = run_error("__shared__ float s[32][33]; *(float4*)&s[lane][0]");
  CHECK(error.message.find("not a multiple of 16") != std::string::npos);
}

}  // namespace smemsim::expr
