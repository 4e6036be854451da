// JSON Lines as people write them, and what they are told when it is wrong.
#include "catch.hpp"
#include "trace_fixtures.hpp"

namespace smemsim::test {
namespace {

std::vector<WholeEvent> events_of(const std::string& text) {
  const ReadBack out = read_back(text);
  REQUIRE(out.error == "");
  REQUIRE(out.launches.size() == 1);
  REQUIRE(out.launches[0].events.size() == 1);
  return out.launches[0].events.begin()->second;
}

std::vector<std::uint64_t> addresses(const WholeEvent& event) {
  std::vector<std::uint64_t> out;
  for_each_lane(event.shape.active, [&](unsigned lane) {
    out.push_back(lane_address(event.shape, {0, event.base, event.source}, lane));
  });
  return out;
}

TEST_CASE("a file may be nothing but accesses") {
  const ReadBack out = read_back(R"({"op":"ld","bytes":4,"addr":[0,4,null,12]})");
  REQUIRE(out.error == "");
  const RecordedLaunch& launch = out.launches.at(0);
  CHECK(launch.launch.grid.count() == 1);
  CHECK(launch.launch.block.count() == 32);
  CHECK(launch.launch.sites.at(0).instruction == "ld, 4 bytes");
  const WholeEvent& event = launch.events.at({0, 0}).at(0);
  CHECK(event.shape.op == Operation::load);
  CHECK(event.shape.width == 4);
  CHECK(event.shape.active == 0b1011);
  CHECK(addresses(event) == std::vector<std::uint64_t>{0, 4, 12});
}

TEST_CASE("base and stride stand for a list") {
  const auto events = events_of(
      R"({"op":"st","bytes":8,"base":"0x10","stride":8}
{"op":"st","bytes":8,"base":16,"stride":8,"lanes":"2-3"}
{"op":"st","bytes":8,"addr":{"base":100,"stride":-4},"lanes":"0x00000005"}
{"op":"cp.async.cg","bytes":16,"base":0,"stride":16,"source":[5,6],"lanes":"0,1"})");
  CHECK(lane_count(events.at(0).shape.active) == 32);
  CHECK(addresses(events.at(0)).at(31) == 16 + 31 * 8);
  CHECK(addresses(events.at(1)) == std::vector<std::uint64_t>{32, 40});
  CHECK(addresses(events.at(2)) == std::vector<std::uint64_t>{100, 92});
  CHECK(events.at(3).source == 5);
  CHECK(events.at(3).shape.source_offsets == std::vector<std::int64_t>{0, 1});
}

TEST_CASE("sites come from numbers, names, source lines or the operation") {
  const ReadBack out = read_back(R"({"site":{"function":"f","pc":16}}
{"op":"exit","site":0}
{"op":"exit","site":"tile load"}
{"op":"exit","site":"dir/a.cu:12"}
{"op":"exit","site":"tile load"}
{"op":"ldmatrix","matrices":4,"base":0,"stride":16})");
  REQUIRE(out.error == "");
  const std::vector<Site>& sites = out.launches.at(0).launch.sites;
  REQUIRE(sites.size() == 4);
  CHECK(sites[0] == Site{"f", 16, "", "", 0});
  CHECK(sites[1] == Site{"", 0, "tile load", "", 0});
  CHECK(sites[2] == Site{"", 0, "", "dir/a.cu", 12});
  CHECK(sites[3] == Site{"", 0, "ldmatrix.x4", "", 0});
}

TEST_CASE("a position holds until the next one; an event may have its own") {
  const ReadBack out = read_back(R"({"block":2,"warp":3}
{"op":"exit"}
{"op":"exit","warp":1}
{"op":"exit"})");
  REQUIRE(out.error == "");
  const RecordedLaunch& launch = out.launches.at(0);
  CHECK(launch.events.at({2, 3}).size() == 2);
  CHECK(launch.events.at({2, 1}).size() == 1);
  CHECK(launch.launch.grid.count() == 3);
  CHECK(launch.launch.block.count() == 128);
  CHECK(launch.launch.recorded_blocks == 1);
}

TEST_CASE("scalars have the names of their operation") {
  const auto events = events_of(R"({"op":"bar.sync","barrier":1,"threads":64}
{"op":"warpsync","mask":"0xff"}
{"op":"mbarrier.expect_tx","addr":64,"arrivals":1,"tx_bytes":4096}
{"op":"shfl","a":3,"b":4})");
  CHECK(events.at(0).shape.a == 1);
  CHECK(events.at(0).shape.b == 64);
  CHECK(events.at(1).shape.a == 0xff);
  CHECK(events.at(2).base == 64);
  CHECK(events.at(2).shape.b == 4096);
  CHECK(events.at(3).shape.b == 4);
}

TEST_CASE("blank lines, CR LF, a byte order mark and a missing last line end do no harm") {
  const auto events = events_of("\xef\xbb\xbf{\"op\":\"exit\"}\r\n\r\n  \n{\"op\":\"exit\"}");
  CHECK(events.size() == 2);
}

TEST_CASE("errors name the line, the key and a way out") {
  const auto row = GENERATE(table<std::string, std::string>({
      {R"({"op":"lds","bytes":4})", "t:2: \"op\": unknown operation 'lds' (did you mean 'ld'?)"},
      {R"({"op":"ld","byte":4,"base":0,"stride":4})", "is \"byte\" meant to be it?"},
      {R"({"op":"exit","lane":"0"})", "unknown key \"lane\" (did you mean 'lanes'?)"},
      {R"({"op":"ld","bytes":4,"addr":[0,4)", "t:2: not valid JSON: column 33"},
      {R"({"op":"ld","bytes":4})", "\"addr\": missing"},
      {R"({"op":"ld","bytes":4,"base":0})", "\"stride\": missing"},
      {R"({"op":"ld","bytes":4,"base":0,"stride":1.5})", "\"stride\": expected a whole number"},
      {R"({"op":"ld","bytes":4,"addr":[-4]})", "\"addr\": lane 0: expected a whole number >= 0"},
      {R"({"op":"ld","bytes":4,"addr":[0,4],"lanes":"0-2"})", "no address for lane 2"},
      {R"({"op":"ld","bytes":4,"addr":[0],"base":0})", "stands beside \"base\""},
      {R"({"op":"ld","bytes":999,"addr":[0]})", "\"bytes\": expected a whole number from 0 to 255"},
      {R"({"op":"exit","lanes":"0-32"})", "\"lanes\": expected lanes below 32"},
      {R"({"op":"cp.async.ca","bytes":4,"addr":[0]})", "\"source\": missing"},
      {R"({"op":"mbarrier.init","count":1})", "\"addr\": missing; mbarrier.init needs one address"},
      {R"({"op":"exit","site":3})", "there is no site 3 among the 0 so far"},
      {R"({"op":"exit","block":4294967295})", "\"block\": expected a whole number from 0 to"},
      {R"({"op":"exit","values_known":1})", "\"values_known\": expected true or false"},
      {R"({"launch":{"kernle":"x"}})", "unknown key \"kernle\" (did you mean 'kernel'?)"},
      {R"({"launch":{"grid":[0,1,1]}})", "a grid of 0 x 1 x 1 blocks is empty or too large"},
      {R"({"launch":{"device":{"warp_lanes":65}}})", "a warp of 65 lanes"},
      {R"({"launch":[]})", "\"launch\": expected an object"},
      {R"({"site":{"index":1}})", "this is site 0 of the launch"},
      {R"({"instruction":{"pc":0}})", "without a {\"program\":...} line before it"},
      {R"({"schema":"smemsim/trace/9"})", "this program reads \"smemsim/trace/1\""},
      {R"({"opp":"ld"})", "no event (\"op\") and nothing else that is known (did you mean 'op'?)"},
      {R"([1,2])", "expected a JSON object"},
      {R"(1e999)", "t:2: not valid JSON"},
  }));
  const std::string line = std::get<0>(row);
  CAPTURE(line);
  const ReadBack out = read_back("{\"schema\":\"smemsim/trace/1\"}\n" + line + "\n");
  CHECK_THAT(out.error, ContainsSubstring("t:2: "));
  CHECK_THAT(out.error, ContainsSubstring(std::get<1>(row)));
}

TEST_CASE("positions outside a launch that gives its size are errors") {
  const std::string launch = R"({"launch":{"grid":[2,1,1],"block":64}})";
  CHECK(read_back(launch + "\n" + R"({"op":"exit","block":1,"warp":1})").error == "");
  CHECK_THAT(read_back(launch + "\n" + R"({"op":"exit","block":2})").error,
             ContainsSubstring("\"block\": expected a whole number from 0 to 1"));
  CHECK_THAT(read_back(launch + "\n" + R"({"op":"exit","warp":2})").error,
             ContainsSubstring("\"warp\": expected a whole number from 0 to 1"));
}

TEST_CASE("a line without end is refused before it fills the memory") {
  const std::string text = "{\"note\":\"" + std::string(3U << 20, 'x');
  CHECK_THAT(read_back(text).error, ContainsSubstring("t:1: the line is longer than"));
}

TEST_CASE("exported lines are short and readable") {
  const std::string text = converted(R"({"op":"ld","bytes":4,"base":0,"stride":4,"site":"a.cu:1"}
{"op":"st","bytes":4,"addr":[4,0,12],"warp":1}
{"op":"warpsync","mask":255,"warp":1,"lanes":"0x55"})",
                                     trace::TraceFormat::jsonl);
  CHECK(text == R"({"schema":"smemsim/trace/1"}
{"launch":{"grid":[1,1,1],"block":[64,1,1]}}
{"site":{"index":0,"file":"a.cu","line":1}}
{"site":{"index":1,"instruction":"st, 4 bytes"}}
{"site":{"index":2,"instruction":"warpsync"}}
{"op":"ld","bytes":4,"site":0,"base":0,"stride":4}
{"block":0,"warp":1}
{"op":"st","bytes":4,"site":1,"lanes":"0-2","addr":[4,0,12]}
{"op":"warpsync","site":2,"mask":"0x000000ff","lanes":"0,2,4,6"}
)");
}

}  // namespace
}  // namespace smemsim::test
