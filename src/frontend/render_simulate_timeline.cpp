// The timeline of `smemsim simulate`, for people and for Perfetto.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <tuple>

#include "frontend/render_simulate.hpp"
#include "frontend/text.hpp"

namespace smemsim::cli {
namespace {

char letter(Stall stall) {
  switch (stall) {
    case Stall::selected:
      return '#';
    case Stall::wait:
      return '.';
    case Stall::short_scoreboard:
      return 's';
    case Stall::long_scoreboard:
      return 'l';
    case Stall::mio_throttle:
      return 'm';
    case Stall::lg_throttle:
      return 'g';
    case Stall::math_pipe_throttle:
      return 'p';
    case Stall::dispatch_stall:
      return 'd';
    case Stall::barrier:
      return 'b';
    case Stall::membar:
      return 'f';
    case Stall::branch_resolving:
      return 'j';
    case Stall::no_instruction:
      return 'i';
    case Stall::not_selected:
      return '-';
    case Stall::count_:
      break;
  }
  return ' ';
}

using WarpKey = std::tuple<std::uint32_t, std::uint32_t>;  // start of the block, warp

}  // namespace

std::string timeline_text(const KernelCycles& kernel, double from, double cycles,
                          std::size_t width) {
  const auto length = static_cast<std::size_t>(std::max(cycles, 0.0));
  constexpr std::size_t kLabel = 16;
  const std::size_t shown = width > kLabel + 20 ? std::min(length, width - kLabel) : length;
  std::map<WarpKey, std::string> rows;
  for (const TimelineEntry& entry : kernel.timeline) {
    std::string& row = rows[{entry.warp.start, entry.warp.warp}];
    row.resize(shown, ' ');
    const auto at = static_cast<std::size_t>(entry.cycle - from);
    const auto waited = std::min(static_cast<std::size_t>(entry.waited), at);
    for (std::size_t i = at - waited; i < at && i < shown; ++i) {
      if (row[i] == ' ') row[i] = letter(entry.stall);
    }
    if (at < shown) row[at] = '#';
  }
  std::string out = fmt::format("  timeline from cycle {:.0f}, one column each:\n", from);
  for (const auto& [key, row] : rows) {
    out += fmt::format("  block {:<3}warp {:<2}{}\n", std::get<0>(key), std::get<1>(key), row);
  }
  out +=
      "  # issued; what the warp waited for: . stall count, s short and l long scoreboard,\n"
      "  m MIO and g LG throttle, p math pipe, b barrier, f fence, j branch, i fetch, - not "
      "selected\n";
  return out;
}

std::string timeline_events(const std::vector<SimulateEntry>& entries) {
  nlohmann::json events = nlohmann::json::array();
  std::uint32_t process = 0;
  for (const SimulateEntry& entry : entries) {
    std::map<WarpKey, std::uint32_t> threads;
    const auto meta = [&](const char* what, std::uint32_t thread, const std::string& text) {
      events.push_back({{"ph", "M"},
                        {"name", what},
                        {"pid", process},
                        {"tid", thread},
                        {"args", {{"name", text}}}});
    };
    meta("process_name", 0, printable(entry.now.kernel) + " (1 us = 1 cycle)");
    for (const TimelineEntry& one : entry.now.timeline) {
      const auto [found, added] = threads.try_emplace(
          {one.warp.start, one.warp.warp}, static_cast<std::uint32_t>(threads.size() + 1));
      if (added) {
        meta("thread_name", found->second,
             fmt::format("sub-core {} block {} warp {}", one.warp.sub_core, one.warp.block,
                         one.warp.warp));
      }
      const std::uint32_t thread = found->second;
      const auto slice = [&](std::string title, double at, double length) {
        events.push_back({{"ph", "X"},
                          {"name", std::move(title)},
                          {"pid", process},
                          {"tid", thread},
                          {"ts", at},
                          {"dur", length}});
      };
      if (one.waited >= 1) {
        slice(std::string(name(one.stall)), one.cycle - one.waited, one.waited);
      }
      slice(one.text.empty() ? "instruction" : printable(one.text), one.cycle, 1);
    }
    ++process;
  }
  const nlohmann::json root = {{"traceEvents", std::move(events)}, {"displayTimeUnit", "ns"}};
  return root.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
}

}  // namespace smemsim::cli
