// Where shared arrays lie, and the same text under another layout.
#include "expr_events.hpp"

namespace smemsim::expr {

TEST_CASE("Static arrays lie in the order of declaration at their alignments") {
  // Offsets as nvcc 13.0 gives them for sm_90 (shared addresses start at 0x400).
  const Seen seen = run_events(
      "__shared__ char c[3]; __shared__ double d[5]; __shared__ float f[7]; __shared__ float4 q[2];"
      "__shared__ short h[3]; c[0]; d[0]; f[0]; q[0]; h[0]");
  const std::uint64_t offsets[] = {0x400, 0x408, 0x430, 0x450, 0x470};
  REQUIRE(seen.events_seen.size() == 5);
  for (std::size_t i = 0; i < 5; ++i) CHECK(seen.events_seen[i].address(0) == offsets[i]);
  CHECK(seen.launch.first_shared == 1024);
  CHECK(seen.launch.static_shared == 0x70 + 6);
}

TEST_CASE("extern arrays start behind the static ones, at 16 bytes") {
  const Seen seen =
      run_events("__shared__ float a[33]; extern __shared__ float dyn[]; a[lane]; dyn[lane] = 0;");
  CHECK(seen.events_seen[1].address(0) == 1024 + 144);
  CHECK(seen.launch.static_shared == 132);
  CHECK(seen.launch.dynamic_shared >= 12 + 128);
}

TEST_CASE("Padding an array changes where its elements are, not which ones are accessed") {
  const std::string text = "__shared__ float t[32][32]; t[lane][3]; t[0][lane]";
  RunOptions options;
  CHECK(costs(run_events(text, options))[0].wavefronts == 32);
  options.transforms["t"].padding = {0, 1};
  const Seen padded = run_events(text, options);
  CHECK(costs(padded)[0].wavefronts == 1);
  CHECK(padded.events_seen[0].address(2) == 1024 + 4 * (2 * 33 + 3));
  CHECK(padded.launch.static_shared == 32 * 33 * 4);
}

TEST_CASE("Swizzling an array permutes its bytes") {
  const std::string text = "__shared__ float t[32][32]; t[lane][3]; t[0][lane]";
  RunOptions options;
  options.transforms["t"].remap = swizzle_elements({5, 0, 5}, 4);
  const Seen swizzled = run_events(text, options);
  CHECK(costs(swizzled)[0].wavefronts == 1);
  CHECK(costs(swizzled)[1].wavefronts == 1);
  CHECK(swizzled.events_seen[0].address(2) == 1024 + 4 * (2 * 32 + (3 ^ 2)));
}

TEST_CASE("A pad that misaligns a wide access is an error, as on the GPU") {
  RunOptions options;
  options.transforms["t"].padding = {0, 1};
  const Error error = run_error("__shared__ float t[32][32]; *(float4*)&t[lane][0]", options);
  CHECK(error.message.find("not a multiple of 16") != std::string::npos);
}

TEST_CASE("A layout for an array that is not there is refused") {
  RunOptions options;
  options.transforms["u"].padding = {1};
  CHECK(run_error("__shared__ float t[32]; t[lane]", options).kind == ErrorKind::usage);
}

}  // namespace smemsim::expr
