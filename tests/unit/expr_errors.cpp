// Mistakes in a text: where the error points, what it says, what it suggests.
#include "expr_events.hpp"

namespace smemsim::expr {

namespace {

struct Mistake {
  const char* text;
  const char* place;
  const char* message;  // part of it
  const char* hint;     // part of it
};

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

void check(const std::vector<Mistake>& mistakes, const RunOptions& options = {}) {
  for (const Mistake& m : mistakes) {
    const Error error = run_error(m.text, options);
    INFO(m.text << "\n" << error.text());
    CHECK(error.kind == ErrorKind::invalid_input);
    CHECK(error.place == m.place);
    CHECK(contains(error.message, m.message));
    CHECK(contains(error.hint, m.hint));
  }
}

}  // namespace

TEST_CASE("Syntax errors point at line and column and say what was expected") {
  check({{"__shared__ float t[32;", "line 1, column 22", "expected ']' after the extent, found ';'",
          ""},
         {"__shared__ float t[4];\nt[lane", "line 2, column 7",
          "expected ']' after the index, found the end of the text", ""},
         {"__shared__ flaot t[4];", "line 1, column 12", "expected a type, found 'flaot'",
          "did you mean 'float'?"},
         {"__shared__ float tile[4]; tiel[0]", "line 1, column 27", "'tiel' is not declared",
          "did you mean 'tile'?"},
         {"int x = tx;", "line 1, column 9", "'tx' is not declared", "int tx = threadIdx.x;"},
         {"int x = 09;", "line 1, column 9", "cannot end a number", ""},
         {"int x = 1 + ;", "line 1, column 13", "expected an expression, found ';'", ""},
         {"int x = 1 @ 2;", "line 1, column 11", "has no meaning here", ""},
         {"/* never closed", "line 1, column 1", "this comment does not end", ""},
         {"if (lane) { int a = 1;", "line 1, column 11", "this block does not end", ""},
         {"int x = 1; int x = 2;", "line 1, column 16", "'x' is already declared on line 1", ""},
         {"int x = 1 1;", "line 1, column 11", "expected ';' after the declaration", ""},
         {"1 = 2;", "line 1, column 1", "this is a value, not a place", ""},
         {"syncthreads();", "line 1, column 1", "the function 'syncthreads' is not known",
          "__syncthreads"},
         {"switch (lane) {}", "line 1, column 1", "'switch' is not part of the language", ""},
         {"void f(int x) {}", "line 1, column 6", "functions are not part of the language", ""}});
}

TEST_CASE("The caret lies under the place") {
  const Error error = run_error("__shared__ float t[8];\nt[lane] = t[lane] + undefined;");
  CHECK(contains(error.message,
                 "\n  2 | t[lane] = t[lane] + undefined;\n    |                     ^^^^^^^^^"));
}

TEST_CASE("Sizes and declarations that make no sense") {
  check({{"__shared__ float t[0];", "line 1, column 20", "at least 1", ""},
         {"__shared__ float t[-3];", "line 1, column 20", "at least 1", ""},
         {"__shared__ float t[n];", "line 1, column 20", "'n' is not declared", "--define n="},
         {"int n = 4; __shared__ float t[n];", "line 1, column 31", "must be a constant integer",
          "const int n"},
         {"__shared__ float t[100000][100000];", "line 1, column 19", "more than 1 GiB", ""},
         {"__shared__ float t[60000];", "line 1, column 18",
          "240000 bytes; a block of sm_90 may have 232448", ""},
         {"extern __shared__ float t[4];", "line 1, column 25", "has no extent: write t[]", ""},
         {"__shared__ float t[4] = {1};", "line 1, column 18", "cannot be initialised", ""}});
}

TEST_CASE("Accesses that a GPU would fault on") {
  check({{"__shared__ float t[16]; t[lane]", "line 1, column 25",
          "lane 16 of warp 0 accesses byte 64 of 't' (float[16])", ""},
         {"__shared__ float t[16]; t[lane - 4]", "line 1, column 25",
          "lane 0 of warp 0 accesses byte -16", ""},
         {"__shared__ float t[64]; *(float2*)&t[lane]", "line 1, column 25", "not a multiple of 8",
          "multiple of the access width"}});
}

TEST_CASE("Values that are not known are refused where an address needs them") {
  check({{"__shared__ int t[64]; t[t[lane]]", "line 1, column 23",
          "the address of this access is not known", "--define"},
         {"__shared__ int t[64]; if (t[lane] > 3) t[0] = 1;", "line 1, column 27",
          "this condition is not known", ""},
         {"__global__ void k(int n) { __shared__ int t[64]; t[n] = 1; }", "line 1, column 50",
          "is not known", "--define NAME=VALUE"}});
}

TEST_CASE("Arithmetic that C leaves undefined") {
  check(
      {{"__shared__ int t[64]; t[8 / lane]", "line 1, column 25", "division by zero in lane 0", ""},
       {"__shared__ int t[64]; t[1 << (lane + 8)]", "line 1, column 25",
        "the shift count is 32 in lane 24", ""}});
}

TEST_CASE("Endless loops and endless nesting end") {
  RunOptions options;
  options.step_limit = 10000;
  check(
      {{"while (true) {}", "line 1, column 1", "stopped after 10000 steps", "--max-steps"},
       {"for (int i = 0; i < 10; i += 0) ;", "line 1, column 1", "stopped after 10000 steps", ""}},
      options);
  const Error error = run_error("int x = " + std::string(5000, '(') + "1;");
  CHECK(contains(error.message, "nested too deeply"));
  const Error macros = run_error(
      "#define A B B\n#define B C C\n#define C D D\n#define D E E\n"
      "#define E F F\n#define F G G\n#define G A\nint x = A;");
  CHECK(macros.kind == ErrorKind::invalid_input);
}

TEST_CASE("Any prefix of a text gives an error or a result, never a crash") {
  const std::string text =
      "#define N 4\nstruct S { float4 a; int b[2]; };\n__shared__ __align__(16) S s[N][8];\n"
      "layout L = Swizzle<2,0,3> o (4,8):(8,1);\nfor (int k = 0; k < 2; ++k) { if (lane < 8) "
      "s[k][lane].b[k] += L(k, lane) ? 1 : 0x2u; else { ldmatrix_x4(&s[lane % N][0]); } }\n"
      "__syncthreads(); atomicAdd(&s[0][0].b[1], 1);";
  for (std::size_t length = 0; length <= text.size(); ++length) {
    const auto events = run_text(Source(text.substr(0, length), ""), {}, hopper(), {});
    if (length == text.size() && !events.ok()) FAIL(events.error().text());
    if (!events.ok()) CHECK(!events.error().message.empty());
  }
}

}  // namespace smemsim::expr
