// What the tests of layout advice share: advice for a text, and for accesses given one by one.
#pragma once

#include <string>
#include <vector>

#include "catch.hpp"
#include "event_maker.hpp"
#include "expr_events.hpp"
#include "frontend/advise_source.hpp"
#include "frontend/expr/parser.hpp"
#include "sim/layout_advice.hpp"

namespace smemsim::testing {

/// A text, its arrays and the advice for them.
struct TextAdvice {
  expr::Program program;
  expr::RunOptions options;
  cli::ProgramArrays arrays;
  AdviceReport report;
  std::uint64_t wavefronts = 0;  ///< of all accesses

  const RegionAdvice& region(std::size_t i = 0) const { return report.kernels.at(0).regions.at(i); }
  const RegionAdvice& region(const std::string& name) const {
    for (const RegionAdvice& one : report.kernels.at(0).regions) {
      if (one.region.name == name) return one;
    }
    FAIL("no array " + name);
    return region(0);
  }
  const KernelAdvice& kernel() const { return report.kernels.at(0); }
  cli::PasteText paste(const RegionAdvice& advice, const LayoutProposal& one) const {
    const cli::ArrayText* array = arrays.text(advice.region.name);
    REQUIRE(array != nullptr);
    return cli::paste_text(advice.region, *array, one.change, one.pitch);
  }
  cli::LayoutCheck check(const RegionAdvice& advice, const LayoutProposal& one) const {
    return cli::check_proposal(program, {}, expr::hopper(), options, advice.region, one, wavefronts,
                               advice.wavefronts - one.wavefronts);
  }
};

inline AccessCollector::MachineOf on_hopper() {
  return [](const Launch&) -> Result<const Machine*> { return &expr::hopper(); };
}

inline TextAdvice advise_text(const std::string& text, const expr::RunOptions& options = {}) {
  INFO(text);
  auto program = expr::parse_program(expr::Source(text, ""), {});
  if (!program.ok()) FAIL(program.error().text());
  auto events = expr::run(*program, expr::hopper(), options);
  if (!events.ok()) FAIL(events.error().text());
  auto arrays = cli::arrays_of(*program, expr::hopper());
  REQUIRE(arrays.ok());
  AccessCollector collector(on_hopper());
  REQUIRE((*events)->deliver(collector).ok());
  AdviceReport report = advise(collector.take(), [&](const KernelAccesses& kernel) {
    return declared_regions(kernel, arrays->arrays);
  });
  auto all = cli::wavefronts_of(**events, expr::hopper());
  REQUIRE(all.ok());
  return {std::move(*program), options, std::move(*arrays), std::move(report), *all};
}

/// Advice as for a trace that has these accesses, each at a site of its own, `count` times.
inline KernelAccesses collect(const std::vector<Access>& accesses, std::uint64_t count = 1) {
  Launch launch;
  launch.kernel = "kernel";
  launch.block = {32, 1, 1};
  launch.dynamic_shared = 65536;
  std::vector<EventShape> shapes;
  std::vector<Event> events;
  for (const Access& one : accesses) {
    Site site;
    site.pc = static_cast<std::uint32_t>(16 * shapes.size());
    launch.sites.push_back(site);
    shapes.push_back(one.shape);
    shapes.back().site = static_cast<std::uint32_t>(shapes.size() - 1);
    Event event = one.event;
    event.shape = shapes.back().site;
    for (std::uint64_t i = 0; i < count; ++i) events.push_back(event);
  }
  AccessCollector collector(on_hopper());
  REQUIRE(collector.begin_launch(launch).ok());
  REQUIRE(collector.events({0, 0, shapes, events, 1}).ok());
  REQUIRE(collector.end_launch().ok());
  return collector.take().at(0);
}

inline AdviceReport advise_trace(const std::vector<Access>& accesses) {
  std::vector<KernelAccesses> kernels;
  kernels.push_back(collect(accesses));
  return advise(std::move(kernels), inferred_regions);
}

/// The best proposal of a kind, or null.
inline const LayoutProposal* best(const RegionAdvice& advice, LayoutChangeKind kind) {
  for (const LayoutProposal& one : advice.proposals) {
    if (one.change.kind == kind) return &one;
  }
  return nullptr;
}

}  // namespace smemsim::testing
