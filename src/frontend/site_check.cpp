#include "frontend/site_check.hpp"

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <ostream>
#include <vector>

#include "frontend/render_coalescing.hpp"
#include "frontend/render_report.hpp"
#include "frontend/text.hpp"

namespace smemsim::cli {
namespace {

const std::vector<std::string>& conflict_names() {
  static const std::vector<std::string> kFields{"excess", "wavefronts", "ways",
                                                "share",  "conflicts",  "executed"};
  return kFields;
}

const std::vector<std::string>& coalescing_names() {
  static const std::vector<std::string> kFields{"excess", "sectors", "per_request",
                                                "share",  "lines",   "requests"};
  return kFields;
}

double in_percent(std::uint64_t part, std::uint64_t whole) {
  return whole == 0 ? 0 : 100 * static_cast<double>(part) / static_cast<double>(whole);
}

double field_value(std::string_view field, const SiteConflicts& row,
                   const KernelConflicts& kernel) {
  const ConflictTotals& totals = row.totals;
  if (field == "excess") return static_cast<double>(totals.excess());
  if (field == "wavefronts") return static_cast<double>(totals.wavefronts);
  if (field == "ways") return row.worst_ways;
  if (field == "conflicts") return static_cast<double>(totals.conflicts);
  if (field == "executed") return static_cast<double>(totals.executed);
  return in_percent(totals.wavefronts, kernel.totals.wavefronts);  // "share"
}

double field_value(std::string_view field, const SiteCoalescing& row,
                   const KernelCoalescing& kernel) {
  const SectorTotals& totals = row.totals;
  if (field == "excess") return static_cast<double>(totals.excess());
  if (field == "sectors") return static_cast<double>(totals.sectors);
  if (field == "lines") return static_cast<double>(totals.lines);
  if (field == "requests") return static_cast<double>(totals.requests);
  if (field == "per_request") return in_percent(totals.sectors, totals.requests) / 100;
  return in_percent(totals.sectors, kernel.totals.sectors);  // "share"
}

ExitStatus tell(const FailExpression& condition, const std::vector<std::string>& found,
                std::size_t sites, Environment& environment) {
  constexpr std::size_t kShown = 10;
  if (found.empty()) return ExitStatus::ok;
  environment.out.flush();
  environment.err << fmt::format("smemsim: check failed: '{}' holds for {} of {}\n",
                                 printable(condition.text()), found.size(),
                                 count_of(sites, "site"));
  for (std::size_t i = 0; i < found.size() && i < kShown; ++i) {
    environment.err << "  " << found[i] << '\n';
  }
  if (found.size() > kShown) {
    environment.err << fmt::format("  ... {} more\n", found.size() - kShown);
  }
  return ExitStatus::check_failed;
}

}  // namespace

std::span<const std::string> conflict_fields() {
  return conflict_names();
}

std::span<const std::string> coalescing_fields() {
  return coalescing_names();
}

void add_fail_option(CLI::App& app, std::string& condition) {
  app.add_option(
         "--fail-on", condition,
         fmt::format("exit with status 1 when a site fulfils the condition, such as "
                     "'excess > 0 and share >= 5%'; fields: {}; with --global: {}",
                     fmt::join(conflict_names(), ", "), fmt::join(coalescing_names(), ", ")))
      ->type_name("CONDITION");
}

Result<std::optional<FailExpression>> parse_condition(const std::string& text, bool global) {
  if (text.empty()) return std::optional<FailExpression>();
  auto parsed = FailExpression::parse(text, global ? coalescing_fields() : conflict_fields());
  if (!parsed.ok()) return parsed.error();
  return std::optional<FailExpression>(*std::move(parsed));
}

ExitStatus check_sites(const FailExpression& condition, const ConflictReport& report,
                       Environment& environment) {
  std::vector<std::string> found;
  std::size_t sites = 0;
  for (const KernelConflicts& kernel : report.kernels) {
    for (const SiteConflicts& row : kernel.sites) {
      ++sites;
      const auto value = [&](std::string_view field) { return field_value(field, row, kernel); };
      if (!condition.holds(value)) continue;
      found.push_back(fmt::format("site {}, {} in {}: excess {}, wavefronts {}, ways {}, share {}",
                                  row.number, site_place(row), kernel_name(kernel),
                                  with_commas(row.totals.excess()),
                                  with_commas(row.totals.wavefronts), row.worst_ways,
                                  percent(row.totals.wavefronts, kernel.totals.wavefronts)));
    }
  }
  return tell(condition, found, sites, environment);
}

ExitStatus check_sites(const FailExpression& condition, const CoalescingReport& report,
                       Environment& environment) {
  std::vector<std::string> found;
  std::size_t sites = 0;
  for (const KernelCoalescing& kernel : report.kernels) {
    for (const SiteCoalescing& row : kernel.sites) {
      ++sites;
      const auto value = [&](std::string_view field) { return field_value(field, row, kernel); };
      if (!condition.holds(value)) continue;
      found.push_back(fmt::format("{} in {}: excess {}, sectors {} in {}, share {}",
                                  coalescing_place(row.site), printable(kernel.kernel),
                                  with_commas(row.totals.excess()), with_commas(row.totals.sectors),
                                  count_of(row.totals.requests, "request"),
                                  percent(row.totals.sectors, kernel.totals.sectors)));
    }
  }
  return tell(condition, found, sites, environment);
}

}  // namespace smemsim::cli
