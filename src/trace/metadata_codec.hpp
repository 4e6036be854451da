// Launches, site tables and programs <-> raw bytes of their .smt chunks.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "sim/launch.hpp"
#include "sim/result.hpp"

namespace smemsim::trace {

/// What a launch chunk holds beside the launch: numbers of tables written before.
struct LaunchReferences {
  std::uint64_t site_table = 0;
  std::vector<std::uint64_t> programs;
};

/// Everything of the launch except its sites.
std::string encode_launch(const Launch& launch, const LaunchReferences& references);
Result<Launch> decode_launch(std::string_view raw, LaunchReferences& references);

std::string encode_sites(const std::vector<Site>& sites);
Result<std::vector<Site>> decode_sites(std::string_view raw);

std::string encode_program(const Program& program);
Result<Program> decode_program(std::string_view raw);

}  // namespace smemsim::trace
