#include "frontend/help.hpp"

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <vector>

#include "frontend/text.hpp"

namespace smemsim::cli {
namespace {

constexpr unsigned kIndent = 2;

/// Piped help is as wide as a person reads comfortably.
unsigned help_width(unsigned columns) {
  return columns == 0 ? 80U : std::clamp(columns, 40U, 100U);
}

struct Row {
  std::string left, right;
};

std::vector<std::string> split_lines(std::string_view text) {
  std::vector<std::string> lines;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    lines.emplace_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

/// Two columns; a left part that is too long pushes its right part to the next line.
std::string two_columns(const std::vector<Row>& rows, unsigned width) {
  std::size_t left = 0;
  for (const Row& row : rows) {
    if (row.left.size() <= 26) left = std::max(left, row.left.size());
  }
  left += kIndent + 2;
  std::string out;
  for (const Row& row : rows) {
    out += std::string(kIndent, ' ') + row.left;
    bool first = true;
    for (const std::string& line : wrap(row.right, width > left + 16 ? width - left : 16)) {
      if (first && row.left.size() + kIndent + 2 <= left) {
        out += std::string(left - kIndent - row.left.size(), ' ');
      } else {
        out += '\n' + std::string(left, ' ');
      }
      first = false;
      out += line;
    }
    out += '\n';
  }
  return out;
}

std::string value_name(const CLI::Option& option) {
  if (option.get_items_expected_max() == 0) return {};
  return ' ' + option.get_type_name();
}

std::string option_names(const CLI::Option& option) {
  std::vector<std::string> names;
  for (const std::string& name : option.get_snames()) names.push_back('-' + name);
  for (const std::string& name : option.get_lnames()) names.push_back("--" + name);
  return fmt::format("{}{}", fmt::join(names, ", "), value_name(option));
}

std::string description(const CLI::Option& option) {
  std::string text = option.get_description();
  if (!option.get_default_str().empty() && option.get_items_expected_max() > 0) {
    text += fmt::format(" (default: {})", option.get_default_str());
  }
  return text;
}

/// Example lines; remarks after '#' go where they do not fit.
std::string examples(const std::string& text, unsigned width) {
  if (text.empty()) return {};
  std::string out = "Examples:\n";
  std::size_t widest = 0;
  for (const std::string& line : split_lines(text)) {
    widest = std::max(widest, display_width(line) + kIndent);
  }
  for (std::string line : split_lines(text)) {
    const std::size_t remark = line.find("  #");
    if (widest > width && remark != std::string::npos) {
      line.erase(line.find_last_not_of(' ', remark) + 1);
    }
    out += std::string(kIndent, ' ') + line + '\n';
  }
  return out + '\n';
}

}  // namespace

std::string usage_line(const CommandEntry& entry, const CLI::App& app) {
  std::string out = fmt::format("Usage: smemsim {} [options]", entry.name);
  for (const CLI::Option* option : app.get_options()) {
    if (!option->get_positional()) continue;
    const std::string name = option->get_name();
    const std::string many = option->get_items_expected_max() > 1 ? "..." : "";
    out += option->get_required() ? fmt::format(" {}{}", name, many)
                                  : fmt::format(" [{}{}]", name, many);
  }
  return out;
}

std::string command_help(const CommandEntry& entry, const CLI::App& app, unsigned columns) {
  const unsigned width = help_width(columns);
  std::string out;
  const std::string about =
      app.get_description().empty() ? std::string(entry.summary) + "." : app.get_description();
  for (const std::string& line : wrap(about, width)) out += line + '\n';
  out += '\n' + examples(app.get_footer(), width);
  out += usage_line(entry, app) + '\n';

  std::vector<Row> positionals;
  std::vector<std::string> groups;
  for (const CLI::Option* option : app.get_options()) {
    if (option->get_positional()) {
      positionals.push_back({option->get_name(), description(*option)});
    } else if (const std::string& group = option->get_group();
               !group.empty() && std::find(groups.begin(), groups.end(), group) == groups.end()) {
      groups.push_back(group);
    }
  }
  if (!positionals.empty()) out += '\n' + two_columns(positionals, width);
  // CLI11 puts --help first and in the default group; people look for it last.
  for (const std::string& group : groups) {
    std::vector<Row> rows;
    for (const CLI::Option* option : app.get_options()) {
      if (option->get_positional() || option->get_group() != group) continue;
      const Row row{option_names(*option), description(*option)};
      if (option == app.get_help_ptr()) continue;
      rows.push_back(row);
    }
    if (group == groups.front() && app.get_help_ptr() != nullptr) {
      rows.push_back({option_names(*app.get_help_ptr()), "show this help"});
    }
    out += fmt::format("\n{}:\n{}", group, two_columns(rows, width));
  }
  return out;
}

std::string program_help(unsigned columns) {
  const unsigned width = help_width(columns);
  std::string out;
  for (const std::string& line :
       wrap("smemsim tells what a CUDA kernel's shared-memory accesses cost, why, and what to "
            "change, with or without a GPU at hand.",
            width)) {
    out += line + '\n';
  }
  out += '\n' + examples(std::string(kProgramExamples), width);
  std::vector<Row> rows;
  for (const CommandEntry& entry : commands()) {
    rows.push_back({std::string(entry.name), std::string(entry.summary)});
  }
  out += fmt::format("Usage: smemsim COMMAND [options]\n\nCommands:\n{}", two_columns(rows, width));
  out +=
      fmt::format("\nOptions:\n{}", two_columns({{"-h, --help",
                                                  "show this help; `smemsim COMMAND --help` shows "
                                                  "a command's options"},
                                                 {"--version", "show the version"}},
                                                width));
  out += '\n';
  for (const std::string& line :
       wrap("Exit status: 0 fine, 1 a check that you asked for failed, 2 wrong usage, 3 invalid "
            "input, 4 cannot read or write, 70 internal error, 130 interrupted.",
            width)) {
    out += line + '\n';
  }
  return out;
}

}  // namespace smemsim::cli
