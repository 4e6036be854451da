#include "frontend/capture_options.hpp"

#include <algorithm>
#include <charconv>
#include <optional>

#include "trace/launch_filter.hpp"

namespace smemsim::capture {
namespace {

std::optional<std::uint64_t> number(std::string_view text) {
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (text.empty() || error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return value;
}

std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  for (;;) {
    const std::size_t end = text.find(separator);
    parts.push_back(text.substr(0, end));
    if (end == std::string_view::npos) return parts;
    text.remove_prefix(end + 1);
  }
}

Error bad_blocks(std::string_view text) {
  return usage_error("--blocks", "'" + std::string(text) + "' names no blocks",
                     "use all, auto, N, i,j,k, A-B or spread:N");
}

Result<BlockChoice> parse_list(std::string_view text) {
  BlockChoice choice;
  choice.kind = BlockChoice::Kind::list;
  for (const std::string_view part : split(text, ',')) {
    if (part.empty() && !choice.list.empty()) continue;  // "7," is the list of one block
    const auto block = number(part);
    if (!block || *block > ~std::uint32_t{0}) return bad_blocks(text);
    choice.list.push_back(static_cast<std::uint32_t>(*block));
  }
  std::sort(choice.list.begin(), choice.list.end());
  choice.list.erase(std::unique(choice.list.begin(), choice.list.end()), choice.list.end());
  if (choice.list.size() > kMaxListedBlocks) {
    return usage_error("--blocks",
                       "more than " + std::to_string(kMaxListedBlocks) + " blocks listed",
                       "use a range");
  }
  return choice;
}

/// Values of the option line: everything but printable ASCII without ';' and '%' as %XX.
std::string escape(std::string_view text) {
  static constexpr char kDigits[] = "0123456789abcdef";
  std::string out;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte > 32 && byte < 127 && c != ';' && c != '%') {
      out += c;
    } else {
      out += '%';
      out += kDigits[byte >> 4];
      out += kDigits[byte & 15];
    }
  }
  return out;
}

std::string unescape(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    unsigned byte = 0;
    if (text[i] == '%' && i + 2 < text.size() &&
        std::from_chars(text.data() + i + 1, text.data() + i + 3, byte, 16).ec == std::errc{}) {
      out += static_cast<char>(byte);
      i += 2;
    } else {
      out += text[i];
    }
  }
  return out;
}

}  // namespace

Result<BlockChoice> parse_blocks(std::string_view text) {
  BlockChoice choice;
  if (text.empty() || text == "auto") return choice;
  if (text == "all") {
    choice.kind = BlockChoice::Kind::all;
    return choice;
  }
  constexpr std::string_view kSpread = "spread:";
  const bool spread = text.substr(0, kSpread.size()) == kSpread;
  if (const auto count = number(spread ? text.substr(kSpread.size()) : text)) {
    if (*count == 0) return bad_blocks(text);
    choice.kind = spread ? BlockChoice::Kind::spread : BlockChoice::Kind::first;
    choice.count = *count;
    return choice;
  }
  if (text.find(',') != std::string_view::npos) return parse_list(text);
  const std::size_t dash = text.find('-');
  if (dash == std::string_view::npos) return bad_blocks(text);
  const auto first = number(text.substr(0, dash));
  const auto last = number(text.substr(dash + 1));
  if (!first || !last || *last < *first) return bad_blocks(text);
  choice.kind = BlockChoice::Kind::range;
  choice.first = *first;
  choice.last = *last;
  return choice;
}

std::string to_text(const BlockChoice& choice) {
  switch (choice.kind) {
    case BlockChoice::Kind::automatic:
      return "auto";
    case BlockChoice::Kind::all:
      return "all";
    case BlockChoice::Kind::first:
      return std::to_string(choice.count);
    case BlockChoice::Kind::spread:
      return "spread:" + std::to_string(choice.count);
    case BlockChoice::Kind::range:
      return std::to_string(choice.first) + "-" + std::to_string(choice.last);
    case BlockChoice::Kind::list:
      break;
  }
  std::string out;
  for (const std::uint32_t block : choice.list) out += std::to_string(block) + ",";
  if (choice.list.size() > 1) out.pop_back();
  return out;
}

Selection select_blocks(const BlockChoice& choice, const Dim3& grid, const Dim3& cluster) {
  const std::uint64_t blocks = grid.count();
  Selection selection;
  const auto range = [&](std::uint64_t first, std::uint64_t last) {
    selection.first = first;
    selection.last = std::min(last, blocks - 1);
    selection.blocks = first >= blocks ? 0 : selection.last - first + 1;
    selection.all = selection.blocks == blocks;
  };
  // A sample keeps clusters whole: their blocks work on each other's shared memory.
  const auto spread = [&](std::uint64_t count) {
    const std::uint64_t size = std::max<std::uint64_t>(1, cluster.count());
    const std::uint64_t units = std::max<std::uint64_t>(1, blocks / size);
    const std::uint64_t wanted = std::clamp<std::uint64_t>((count + size - 1) / size, 1, units);
    selection.by_cluster = size > 1;
    selection.stride = units / wanted;
    selection.last = (wanted - 1) * selection.stride;
    selection.blocks = wanted * size;
    selection.all = selection.blocks >= blocks;
    if (selection.all) selection.blocks = blocks;
  };
  switch (choice.kind) {
    case BlockChoice::Kind::automatic:
      if (blocks <= kSmallGrid)
        range(0, blocks - 1);
      else
        spread(kSample);
      break;
    case BlockChoice::Kind::all:
      range(0, blocks - 1);
      break;
    case BlockChoice::Kind::first:
      range(0, choice.count - 1);
      break;
    case BlockChoice::Kind::range:
      range(choice.first, choice.last);
      break;
    case BlockChoice::Kind::spread:
      spread(choice.count);
      break;
    case BlockChoice::Kind::list:
      selection.use_list = true;
      selection.blocks = static_cast<std::uint64_t>(
          std::count_if(choice.list.begin(), choice.list.end(),
                        [&](std::uint32_t block) { return block < blocks; }));
      break;
  }
  return selection;
}

bool selects_block(const Selection& selection, const std::vector<std::uint32_t>& list,
                   std::uint64_t block, const Dim3& grid, const Dim3& cluster) {
  if (selection.all) return true;
  std::uint64_t unit = block;
  if (selection.by_cluster) {
    const std::uint64_t x = block % grid.x / cluster.x;
    const std::uint64_t y = block / grid.x % grid.y / cluster.y;
    const std::uint64_t z = block / grid.x / grid.y / cluster.z;
    unit = (z * (grid.y / cluster.y) + y) * (grid.x / cluster.x) + x;
  }
  if (selection.use_list) {
    return unit <= ~std::uint32_t{0} &&
           std::binary_search(list.begin(), list.end(), static_cast<std::uint32_t>(unit));
  }
  return unit >= selection.first && unit <= selection.last &&
         (unit - selection.first) % selection.stride == 0;
}

bool same_device_choice(const Selection& a, const Selection& b) {
  if (a.all || b.all) return a.all == b.all;
  return a.use_list == b.use_list && a.by_cluster == b.by_cluster && a.first == b.first &&
         a.last == b.last && a.stride == b.stride;
}

Result<LaunchRange> parse_launches(std::string_view text) {
  const std::size_t dash = text.find('-');
  const auto first = number(text.substr(0, dash));
  LaunchRange range;
  if (first) {
    range.first = *first;
    if (dash == std::string_view::npos)
      range.last = *first;
    else if (dash + 1 < text.size())
      range.last = number(text.substr(dash + 1)).value_or(0);
  }
  if (!first || range.last < range.first) {
    return usage_error("--launches", "'" + std::string(text) + "' is not a range of launches",
                       "use A-B, A- or A; the first launch is 0");
  }
  return range;
}

std::string encode(const Options& options) {
  std::string out;
  const auto add = [&](std::string_view key, std::string_view value) {
    out.append(key).append("=").append(escape(value)).append(";");
  };
  add("directory", options.directory);
  add("sanitizer", options.sanitizer);
  add("command", options.command);
  add("kernel", options.kernel);
  add("launches",
      std::to_string(options.launches.first) + "-" + std::to_string(options.launches.last));
  add("blocks", to_text(options.blocks));
  add("max_records", std::to_string(options.max_records));
  add("ring_bytes", std::to_string(options.ring_bytes));
  return out;
}

Result<Options> decode(std::string_view text) {
  Options options;
  for (const std::string_view field : split(text, ';')) {
    if (field.empty()) continue;
    const std::size_t equals = field.find('=');
    if (equals == std::string_view::npos) {
      return usage_error(kOptionsVariable, "'" + std::string(field) + "' has no value");
    }
    const std::string_view key = field.substr(0, equals);
    const std::string value = unescape(field.substr(equals + 1));
    if (key == "directory")
      options.directory = value;
    else if (key == "sanitizer")
      options.sanitizer = value;
    else if (key == "command")
      options.command = value;
    else if (key == "kernel")
      options.kernel = value;
    else if (key == "launches") {
      auto range = parse_launches(value);
      if (!range) return range.error();
      options.launches = *range;
    } else if (key == "blocks") {
      auto blocks = parse_blocks(value);
      if (!blocks) return blocks.error();
      options.blocks = *blocks;
    } else if (key == "max_records" || key == "ring_bytes") {
      const auto count = number(value);
      if (!count) return usage_error(kOptionsVariable, "'" + value + "' is not a number");
      (key == "max_records" ? options.max_records : options.ring_bytes) = *count;
    }  // A library older than the program ignores what it does not know.
  }
  return options;
}

std::string base_name(std::string_view demangled) {
  // Parameters start at the first '(' outside of template arguments that is not part of
  // "(anonymous namespace)"; template arguments are dropped; a return type ends at the last space
  // outside of them.
  constexpr std::string_view kAnonymous = "(anonymous namespace)";
  std::string out;
  int depth = 0;
  for (std::size_t i = 0; i < demangled.size(); ++i) {
    const char c = demangled[i];
    if (c == '<') ++depth;
    if (depth == 0) {
      if (demangled.substr(i, kAnonymous.size()) == kAnonymous) {
        out += kAnonymous;
        i += kAnonymous.size() - 1;
        continue;
      }
      if (c == '(' || c == '[') break;
      if (c == ' ')
        out.clear();
      else
        out += c;
    }
    if (c == '>' && depth > 0) --depth;
  }
  return out;
}

bool kernel_matches(std::string_view glob, std::string_view demangled) {
  return glob.empty() || trace::glob_matches(glob, demangled) ||
         trace::glob_matches(glob, base_name(demangled));
}

}  // namespace smemsim::capture
