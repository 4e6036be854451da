#include "trace/ncu_source.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>
#include <set>
#include <vector>

#include "trace/csv_records.hpp"

namespace smemsim::trace {
namespace {

using Record = std::vector<std::string>;

constexpr std::size_t kNone = ~std::size_t{0};

/// Names of one column: as the page shows it, and as its metric is called.
using Names = std::array<std::string_view, 2>;
constexpr Names kExecuted{"Instructions Executed", "inst_executed"};
constexpr Names kWavefronts{"L1 Wavefronts Shared", "memory_l1_wavefronts_shared"};
constexpr Names kIdeal{"L1 Wavefronts Shared Ideal", "memory_l1_wavefronts_shared_ideal"};
constexpr Names kExcessive{"L1 Wavefronts Shared Excessive",
                           "derived__memory_l1_wavefronts_shared_excessive"};

std::size_t column(const Record& header, const Names& names) {
  const auto found = std::find_if(header.begin(), header.end(), [&](const std::string& field) {
    return field == names[0] || field == names[1];
  });
  return found == header.end() ? kNone : static_cast<std::size_t>(found - header.begin());
}

bool is_header(const Record& record) {
  return std::find(record.begin(), record.end(), "Address") != record.end() &&
         std::find(record.begin(), record.end(), "Source") != record.end();
}

bool is_title(const Record& record) {
  return record.size() >= 2 && (record[0] == "Kernel Name" || record[0] == "Function Name");
}

std::optional<double> number(std::string text) {
  std::erase(text, ',');
  double value = 0;
  const auto [at, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || at != text.data() + text.size() || text.empty()) return std::nullopt;
  return value;
}

std::optional<std::uint64_t> address(std::string_view text) {
  while (text.starts_with(' ')) text.remove_prefix(1);
  while (text.ends_with(' ')) text.remove_suffix(1);
  if (text.starts_with("0x")) text.remove_prefix(2);
  std::uint64_t value = 0;
  const auto [at, error] = std::from_chars(text.data(), text.data() + text.size(), value, 16);
  if (error != std::errc() || at != text.data() + text.size() || text.empty()) return std::nullopt;
  return value;
}

/// Where a table has what.
struct Columns {
  std::size_t fields = 0;
  std::size_t address = kNone, text = kNone;
  std::size_t executed = kNone, wavefronts = kNone, ideal = kNone, excessive = kNone;

  explicit Columns(const Record& header) : fields(header.size()) {
    address = column(header, {"Address", "Address"});
    // The first "Source" of a page with both languages is that of the high-level one.
    for (std::size_t i = 0; i < header.size(); ++i) {
      if (header[i] == "Source" && (text == kNone || i > address)) text = i;
    }
    executed = column(header, kExecuted);
    wavefronts = column(header, kWavefronts);
    ideal = column(header, kIdeal);
    excessive = column(header, kExcessive);
  }
};

/// Instructions of one kernel, at the addresses that the device had them.
struct Kernel {
  std::string name;
  std::set<std::uint64_t> addresses;
  std::vector<std::pair<std::uint64_t, MeasuredSite>> sites;

  MeasuredLaunch launch() const {
    MeasuredLaunch out;
    out.kernel = name;
    out.geometry_known = false;
    for (const auto& [at, site] : sites) {
      out.sites.push_back(site);
      out.sites.back().pc = static_cast<std::uint32_t>(at - *addresses.begin());
    }
    return out;
  }
};

std::string first_line(std::string text) {
  const std::size_t begin = text.find_first_not_of(" \t");
  if (begin == std::string::npos) return {};
  text.erase(0, begin);
  while (text.ends_with(' ') || text.ends_with(';')) text.pop_back();
  return text;
}

}  // namespace

bool is_ncu_source_page(std::string_view text) {
  CsvRecords csv(text, {});
  for (;;) {
    const auto record = csv.next();
    if (!record || !*record || (**record)[0] == "ID") return false;
    if (is_header(**record)) return true;
  }
}

Result<MeasuredRun> read_ncu_source_page(std::string_view text, const std::string& file) {
  CsvRecords csv(text, file);
  std::vector<Kernel> kernels;
  std::optional<Columns> columns;
  std::string title;
  bool fresh = false, any_wavefronts = false;
  for (;;) {
    auto next = csv.next();
    if (!next) return next.error();
    if (!*next) break;
    const Record& record = **next;
    if (is_title(record)) {
      title = record[1];
      columns.reset();
      continue;
    }
    if (is_header(record)) {
      columns.emplace(record);
      any_wavefronts = any_wavefronts || columns->wavefronts != kNone;
      fresh = true;
      continue;
    }
    if (!columns || columns->address >= record.size()) continue;
    const auto at = address(record[columns->address]);
    if (!at) continue;  // a source line, or the end of the table
    const std::string place = file + ":" + std::to_string(csv.line());
    if (record.size() != columns->fields) {
      return invalid_input(place, "expected " + std::to_string(columns->fields) +
                                      " fields, found " + std::to_string(record.size()));
    }
    // Tables of one kernel's source files follow each other; the same instruction again is the next
    // launch.
    const bool continues = !kernels.empty() && kernels.back().name == title &&
                           (!fresh || !kernels.back().addresses.contains(*at));
    if (!continues) kernels.emplace_back().name = title;
    fresh = false;
    Kernel& kernel = kernels.back();
    if (!kernel.addresses.insert(*at).second) continue;  // one instruction, several source lines
    const auto value = [&](std::size_t index) {
      return index == kNone ? std::nullopt : number(record[index]);
    };
    MeasuredSite site;
    site.instruction = first_line(record[columns->text]);
    site.executed = value(columns->executed);
    site.wavefronts = value(columns->wavefronts);
    site.ideal = value(columns->ideal);
    if (const auto excess = value(columns->excessive); excess && site.wavefronts && !site.ideal) {
      site.ideal = *site.wavefronts - *excess;
    }
    kernel.sites.emplace_back(*at, std::move(site));
  }
  if (!any_wavefronts) {
    return invalid_input(file, "the source page has no column \"L1 Wavefronts Shared\"",
                         "collect it with --section SourceCounters or --set full");
  }
  MeasuredRun run;
  for (const Kernel& kernel : kernels) {
    const auto span = *kernel.addresses.rbegin() - *kernel.addresses.begin();
    if (span > 0xffffffff) {
      return invalid_input(file,
                           "the instructions of '" + kernel.name + "' lie more than 4 GiB apart");
    }
    run.launches.push_back(kernel.launch());
  }
  return run;
}

}  // namespace smemsim::trace
