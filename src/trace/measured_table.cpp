#include "trace/measured_table.hpp"

#include <fmt/format.h>
#include <charconv>
#include <map>
#include <string_view>

#include "trace/gzip.hpp"
#include "trace/lane_list.hpp"

namespace smemsim::trace {
namespace {

constexpr std::uint64_t kMaxTableBytes = std::uint64_t{1} << 30;

/// Calls `visit(part)` for each piece of `text` between separators.
template <typename Visit>
void split(std::string_view text, char separator, Visit&& visit) {
  while (true) {
    const std::size_t at = text.find(separator);
    visit(text.substr(0, at));
    if (at == std::string_view::npos) return;
    text.remove_prefix(at + 1);
  }
}

template <typename Number>
bool parse_number(std::string_view text, Number& out) {
  const auto [at, error] = std::from_chars(text.data(), text.data() + text.size(), out);
  return error == std::errc() && at == text.data() + text.size();
}

/// One CSV table (no quoting: none of the formats needs it), with columns by name.
class CsvReader {
 public:
  CsvReader(std::string_view text, std::string file) : rest_(text), file_(std::move(file)) {
    next_line();
    split(line_text_, ',',
          [&](std::string_view name) { columns_.emplace(std::string(name), columns_.size()); });
  }

  bool has(const std::string& column) const { return columns_.contains(column); }
  std::uint64_t line() const { return line_; }

  /// Moves to the next row that is not empty.
  Result<bool> next_row() {
    while (next_line()) {
      if (line_text_.empty()) continue;
      fields_.clear();
      split(line_text_, ',', [&](std::string_view field) { fields_.push_back(field); });
      if (fields_.size() != columns_.size()) {
        return error(fmt::format("expected {} fields, found {}", columns_.size(), fields_.size()));
      }
      return true;
    }
    return false;
  }

  std::string_view field(const std::string& column) const {
    const auto at = columns_.find(column);
    return at == columns_.end() ? std::string_view() : fields_[at->second];
  }

  template <typename Number>
  Status number(const std::string& column, Number& out) const {
    if (parse_number(field(column), out)) return {};
    return error(fmt::format("{}: expected a number, found \"{}\"", column, field(column)));
  }

  Error error(std::string message) const {
    return invalid_input(fmt::format("{}:{}", file_, line_), std::move(message));
  }

 private:
  bool next_line() {
    if (rest_.empty()) return false;
    const std::size_t end = rest_.find('\n');
    line_text_ = rest_.substr(0, end);
    if (line_text_.ends_with('\r')) line_text_.remove_suffix(1);
    rest_.remove_prefix(end == std::string_view::npos ? rest_.size() : end + 1);
    ++line_;
    return true;
  }

  std::string_view rest_, line_text_;
  std::string file_;
  std::uint64_t line_ = 0;
  std::map<std::string, std::size_t> columns_;
  std::vector<std::string_view> fields_;
};

/// Lane offsets, one per lane, as base and offsets of an event.
Status lane_offsets(const CsvReader& csv, const std::string& column, std::vector<std::int64_t>& out,
                    std::uint64_t& base, LaneMask active) {
  std::vector<std::int64_t> lanes;
  bool bad = false;
  split(csv.field(column), ' ', [&](std::string_view text) {
    std::int64_t value = 0;
    bad |= !parse_number(text, value) || value < 0 || lanes.size() >= kMaxLanes;
    if (!bad) lanes.push_back(value);
  });
  if (bad || (active & ~first_lanes(static_cast<unsigned>(lanes.size()))) != 0) {
    return csv.error(fmt::format("{}: expected a byte offset for every active lane", column));
  }
  const auto first = active == 0 ? 0 : lanes[static_cast<unsigned>(std::countr_zero(active))];
  base = static_cast<std::uint64_t>(first);
  for (unsigned lane = 0; lane < lanes.size(); ++lane) {
    out.push_back(has_lane(active, lane) ? lanes[lane] - first : 0);
  }
  return {};
}

Result<MeasuredTable> read_patterns(CsvReader& csv) {
  std::vector<PatternRow> rows;
  while (true) {
    const auto more = csv.next_row();
    if (!more) return more.error();
    if (!*more) return MeasuredTable(std::move(rows));
    PatternRow row;
    row.line = csv.line();
    row.op = csv.field("op");
    auto shape = pattern_operation(row.op);
    if (!shape) return csv.error(shape.error().message);
    row.shape = *std::move(shape);
    const auto active = parse_lane_mask(csv.field("active_mask"));
    if (!active) return csv.error("active_mask: expected a hexadecimal lane mask");
    row.shape.active = *active;
    SMEMSIM_TRY(lane_offsets(csv, "lane_byte_offsets", row.shape.offsets, row.event.base, *active));
    if (traits(row.shape.op).has_source) {
      SMEMSIM_TRY(lane_offsets(csv, "lane_global_byte_offsets", row.shape.source_offsets,
                               row.event.source, *active));
    }
    if (csv.has("cycles_per_instruction")) {
      SMEMSIM_TRY(csv.number("cycles_per_instruction", row.cycles.emplace()));
    }
    if (csv.has("shared_wavefronts")) {
      SMEMSIM_TRY(csv.number("shared_wavefronts", row.wavefronts.emplace()));
      SMEMSIM_TRY(csv.number("shared_bank_conflicts", row.conflicts.emplace()));
    }
    rows.push_back(std::move(row));
  }
}

Result<MeasuredTable> read_occupancy(CsvReader& csv) {
  std::vector<OccupancyRow> rows;
  while (true) {
    const auto more = csv.next_row();
    if (!more) return more.error();
    if (!*more) return MeasuredTable(std::move(rows));
    OccupancyRow row;
    row.line = csv.line();
    row.arch = csv.field("arch");
    const std::pair<const char*, std::uint32_t*> numbers[] = {
        {"regs", &row.registers},
        {"block", &row.threads},
        {"dyn_smem", &row.shared},
        {"blocks_per_sm", &row.blocks_per_sm},
        {"warps_per_sm", &row.warps_per_sm},
        {"lim_warps", &row.warp_limit},
        {"lim_regs", &row.register_limit},
        {"lim_smem", &row.shared_limit},
        {"lim_blocks", &row.block_limit},
        {"alloc_regs_per_block", &row.registers_per_block},
        {"alloc_smem_per_block", &row.shared_per_block},
    };
    for (const auto& [column, target] : numbers) SMEMSIM_TRY(csv.number(column, *target));
    rows.push_back(std::move(row));
  }
}

}  // namespace

Result<EventShape> pattern_operation(const std::string& name) {
  static const std::map<std::string, EventShape, std::less<>> kOperations = [] {
    std::map<std::string, EventShape, std::less<>> out;
    const auto add = [&](const std::string& text, Operation op, unsigned width,
                         unsigned matrices = 0) {
      EventShape shape;
      shape.op = op;
      shape.width = static_cast<std::uint8_t>(width);
      shape.matrices = static_cast<std::uint8_t>(matrices);
      out.emplace(text, shape);
    };
    for (const auto& [type, width] :
         {std::pair{"u8", 1u}, std::pair{"u16", 2u}, std::pair{"b32", 4u}, std::pair{"b64", 8u},
          std::pair{"b128", 16u}}) {
      add(std::string("ld.") + type, Operation::load, width);
      add(std::string("st.") + type, Operation::store, width);
    }
    for (const unsigned n : {1u, 2u, 4u}) {
      add("ldmatrix.x" + std::to_string(n), Operation::ldmatrix, 16, n);
      // .trans changes where the elements go in registers, not which rows are read.
      add("ldmatrix.x" + std::to_string(n) + ".trans", Operation::ldmatrix, 16, n);
      add("stmatrix.x" + std::to_string(n), Operation::stmatrix, 16, n);
    }
    add("atom.add.u32", Operation::atomic, 4);
    add("atom.exch.b32", Operation::atomic, 4);
    add("red.add.u32", Operation::reduce, 4);
    add("red.popc.inc.u32", Operation::increment, 4);
    add("red.add.f32", Operation::cas_spin, 4);
    add("red.add.u64", Operation::cas_spin, 8);
    add("atom.exch.b64", Operation::atomic, 8);
    add("atom.cas.b32", Operation::cas, 4);
    add("atom.cas.b64", Operation::cas, 8);
    for (const unsigned width : {4u, 8u, 16u}) {
      add("cp.async.ca." + std::to_string(width), Operation::cp_async_ca, width);
    }
    add("cp.async.cg.16", Operation::cp_async_cg, 16);
    return out;
  }();
  const auto at = kOperations.find(name);
  if (at == kOperations.end()) {
    return invalid_input("op", fmt::format("unknown operation \"{}\"", name));
  }
  return at->second;
}

Result<MeasuredTable> read_measured_table(ByteSource& source) {
  auto bytes = read_all(source, kMaxTableBytes);
  if (!bytes) return bytes.error();
  auto text = gunzip(*std::move(bytes), source.name(), kMaxTableBytes);
  if (!text) return text.error();
  CsvReader csv(*text, source.name());
  if (csv.has("op") && csv.has("active_mask") && csv.has("lane_byte_offsets")) {
    const bool counters = csv.has("shared_wavefronts") && csv.has("shared_bank_conflicts");
    if (counters || csv.has("cycles_per_instruction")) return read_patterns(csv);
    return invalid_input(source.name() + ":1",
                         "a pattern table needs the columns shared_wavefronts and "
                         "shared_bank_conflicts, or cycles_per_instruction");
  }
  if (csv.has("arch") && csv.has("blocks_per_sm")) return read_occupancy(csv);
  return invalid_input(source.name() + ":1",
                       "unknown table: the header line matches none of the formats",
                       "docs/measured-tables.md describes them");
}

}  // namespace smemsim::trace
