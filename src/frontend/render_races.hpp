// How a RaceReport is shown: one function for each format, listed in one table.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "frontend/command.hpp"
#include "sim/race_report.hpp"

namespace smemsim::cli {

struct RacesView {
  std::string trace;               ///< as on the command line
  bool show_suppressed = false;    ///< text only; the other formats mark them
  std::vector<std::string> notes;  ///< what the reader should know, one sentence each
};

struct RacesFormat {
  std::string_view name;  ///< of --format
  Status (*render)(const RaceReport&, const RacesView&, Environment&);
};

/// Every format; the first is the default.
std::span<const RacesFormat> races_formats();

/// "(3,1,0)": the thread's position in its block, x first.
std::string thread_text(const LaunchRaces& launch, std::uint32_t thread);

/// "2 errors, 1 warning", or "no findings". Suppressed ones are left out.
std::string races_verdict(const RaceReport& report);

Status render_races_text(const RaceReport&, const RacesView&, Environment&);
Status render_races_json(const RaceReport&, const RacesView&, Environment&);
Status render_races_sarif(const RaceReport&, const RacesView&, Environment&);
Status render_races_csv(const RaceReport&, const RacesView&, Environment&);

}  // namespace smemsim::cli
