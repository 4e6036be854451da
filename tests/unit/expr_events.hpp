// Runs a text and collects its events with absolute addresses, for the tests of the language.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "catch.hpp"
#include "frontend/expr/evaluator.hpp"
#include "sim/bank_model.hpp"
#include "trace/machine_file.hpp"

namespace smemsim::expr {

struct SeenEvent {
  EventShape shape;
  Event event;
  std::uint64_t block = 0;
  std::uint32_t warp = 0;

  std::uint64_t address(unsigned lane) const { return lane_address(shape, event, lane); }
};

struct Seen : TraceSink {
  Launch launch;
  std::vector<SeenEvent> events_seen;

  Status begin_launch(const Launch& started) override {
    launch = started;
    return {};
  }
  Status events(const EventBatch& batch) override {
    for (const Event& event : batch.events) {
      events_seen.push_back({batch.shapes[event.shape], event, batch.block, batch.warp});
    }
    return {};
  }
  Status end_launch() override { return {}; }
};

inline const Machine& hopper() {
  static const Machine machine = trace::load_machine("sm_90").value();
  return machine;
}

inline RunOptions with_block(std::uint32_t x, std::uint32_t y = 1, std::uint32_t z = 1) {
  RunOptions options;
  options.block = {x, y, z};
  return options;
}

using Defines = std::map<std::string, std::int64_t>;

inline Seen run_events(const std::string& text, const RunOptions& options = {},
                       const Defines& defines = {}, const Machine& machine = hopper()) {
  INFO(text);
  auto events = run_text(Source(text, ""), defines, machine, options);
  if (!events.ok()) FAIL(events.error().text());
  Seen seen;
  const Status status = (*events)->deliver(seen);
  REQUIRE(status.ok());
  return seen;
}

/// The error that a text gives; fails when it gives none.
inline Error run_error(const std::string& text, const RunOptions& options = {},
                       const Defines& defines = {}) {
  INFO(text);
  auto events = run_text(Source(text, ""), defines, hopper(), options);
  REQUIRE(!events.ok());
  return events.error();
}

/// Costs of the shared accesses in the order of the events.
inline std::vector<AccessCost> costs(const Seen& seen, const Machine& machine = hopper()) {
  std::vector<AccessCost> out;
  for (const SeenEvent& e : seen.events_seen) {
    if (!is_shared_access(e.shape.op)) continue;
    const Status status = check_access(e.shape, e.event, machine.shared);
    if (!status.ok()) FAIL(status.error().text());
    out.push_back(access_cost(e.shape, e.event, machine.shared));
  }
  return out;
}

/// Cost of the only shared access of a text.
inline AccessCost cost_of(const std::string& text, const RunOptions& options = {}) {
  const std::vector<AccessCost> all = costs(run_events(text, options));
  INFO(text);
  REQUIRE(all.size() == 1);
  return all[0];
}

}  // namespace smemsim::expr
