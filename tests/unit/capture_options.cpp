#include "frontend/capture_options.hpp"

#include "catch.hpp"

using namespace smemsim;
using namespace smemsim::capture;

TEST_CASE("blocks are named in every documented way") {
  const auto text =
      GENERATE(as<std::string>{}, "auto", "all", "8", "1,5,9", "7,", "3-12", "spread:6");
  const auto choice = parse_blocks(text);
  REQUIRE(choice.ok());
  CHECK(to_text(*choice) == text);
}

TEST_CASE("an empty choice of blocks is the automatic one") {
  CHECK(parse_blocks("").value().kind == BlockChoice::Kind::automatic);
}

TEST_CASE("listed blocks are sorted and unique") {
  CHECK(parse_blocks("9,1,9,5").value().list == std::vector<std::uint32_t>{1, 5, 9});
}

TEST_CASE("choices of blocks that make no sense are usage errors") {
  const auto text = GENERATE(as<std::string>{}, "0", "x", "5-3", "-3", "3-", ",",
                             "spread:", "spread:0", "1,x", "99999999999,1", "1.5");
  const auto choice = parse_blocks(text);
  CAPTURE(text);
  REQUIRE_FALSE(choice.ok());
  CHECK(choice.error().kind == ErrorKind::usage);
}

TEST_CASE("a small grid is recorded whole, a large one by a spread sample") {
  const BlockChoice automatic;
  CHECK(select_blocks(automatic, {8, 8, 1}, {}).all);
  const Selection sample = select_blocks(automatic, {100, 100, 1}, {});
  CHECK_FALSE(sample.all);
  CHECK(sample.blocks == 32);
  CHECK(sample.stride == 10000 / 32);
  CHECK(sample.last == 31 * sample.stride);
}

TEST_CASE("a sample keeps clusters whole") {
  const Selection sample = select_blocks(parse_blocks("spread:6").value(), {64, 1, 1}, {4, 1, 1});
  CHECK(sample.by_cluster);
  CHECK(sample.blocks == 8);  // two clusters of four
  CHECK(sample.stride == 8);
  CHECK(sample.last == 8);
}

TEST_CASE("a choice is cut to the grid") {
  CHECK(select_blocks(parse_blocks("8").value(), {3, 1, 1}, {}).all);
  CHECK(select_blocks(parse_blocks("2-9").value(), {4, 1, 1}, {}).blocks == 2);
  CHECK(select_blocks(parse_blocks("8-9").value(), {4, 1, 1}, {}).blocks == 0);
  CHECK(select_blocks(parse_blocks("1,3,9").value(), {4, 1, 1}, {}).blocks == 2);
  CHECK(select_blocks(parse_blocks("spread:9").value(), {4, 1, 1}, {}).all);
}

TEST_CASE("launch ranges") {
  CHECK(parse_launches("3-5").value() == LaunchRange{3, 5});
  CHECK(parse_launches("7").value() == LaunchRange{7, 7});
  CHECK(parse_launches("7-").value().contains(1'000'000));
  for (const char* text : {"", "x", "-5", "5-3", "5-x"}) {
    CAPTURE(text);
    CHECK_FALSE(parse_launches(text).ok());
  }
}

TEST_CASE("options survive the way through the environment") {
  Options options;
  options.directory = "/tmp/a folder;with=signs%20";
  options.sanitizer = "/cuda/libsanitizer-public.so";
  options.command = "smemsim capture -- ./app 'x;y'\n";
  options.kernel = "*gemm*<float, 4>*";
  options.launches = {2, 9};
  options.blocks = parse_blocks("4,8").value();
  options.max_records = 77;
  options.ring_bytes = 1 << 20;
  const auto back = decode(encode(options));
  REQUIRE(back.ok());
  CHECK(*back == options);
}

TEST_CASE("a damaged option text is an error") {
  CHECK_FALSE(decode("directory").ok());
  CHECK_FALSE(decode("max_records=many").ok());
  CHECK_FALSE(decode("blocks=none").ok());
  CHECK(decode("from_the_future=1;").ok());
}

TEST_CASE("the base name of a kernel has no return type, arguments or parameters") {
  CHECK(base_name("transpose(float*, int)") == "transpose");
  CHECK(base_name("void ns::copy<int, (ns::Kind)3>(int*)") == "ns::copy");
  CHECK(base_name("void (anonymous namespace)::fill<float>(float*)") ==
        "(anonymous namespace)::fill");
  CHECK(base_name("triton_mm_kernel") == "triton_mm_kernel");
}

TEST_CASE("the host knows which blocks the device records") {
  const Dim3 grid{8, 4, 1}, cluster{2, 1, 1};
  for (const char* text : {"all", "3", "2-5", "spread:6", "1,4,31"}) {
    CAPTURE(text);
    const BlockChoice choice = parse_blocks(text).value();
    for (const Dim3& size : {Dim3{1, 1, 1}, cluster}) {
      const Selection selection = select_blocks(choice, grid, size);
      std::uint64_t count = 0;
      for (std::uint64_t block = 0; block < grid.count(); ++block) {
        if (selects_block(selection, choice.list, block, grid, size)) ++count;
      }
      CHECK(count == selection.blocks);
      CHECK(same_device_choice(selection, selection));
    }
  }
  const BlockChoice whole = parse_blocks("all").value();
  CHECK_FALSE(same_device_choice(select_blocks(whole, grid, cluster),
                                 select_blocks(parse_blocks("3").value(), grid, cluster)));
}

TEST_CASE("kernels are meant by their whole or their base name") {
  const std::string kernel = "void at::native::softmax_warp_forward<float, 10>(float*, int)";
  CHECK(kernel_matches("", kernel));
  CHECK(kernel_matches("*softmax*", kernel));
  CHECK(kernel_matches("at::native::softmax_warp_forward", kernel));
  CHECK(kernel_matches("*<float, 10>*", kernel));
  CHECK_FALSE(kernel_matches("softmax", kernel));
}
