#include "trace/csv_records.hpp"

namespace smemsim::trace {

Result<std::optional<std::vector<std::string>>> CsvRecords::next() {
  while (!rest_.empty() && (rest_.front() == '\n' || rest_.front() == '\r')) {
    line_ += rest_.front() == '\n' ? 1 : 0;
    rest_.remove_prefix(1);
  }
  if (rest_.empty()) return std::optional<std::vector<std::string>>();
  record_line_ = line_;
  std::vector<std::string> fields(1);
  bool quoted = false;
  while (!rest_.empty()) {
    const char c = rest_.front();
    rest_.remove_prefix(1);
    if (c == '\n') ++line_;
    if (quoted) {
      if (c != '"') {
        fields.back() += c;
      } else if (rest_.starts_with('"')) {
        fields.back() += '"';
        rest_.remove_prefix(1);
      } else {
        quoted = false;
      }
    } else if (c == '"' && fields.back().empty()) {
      quoted = true;
    } else if (c == ',') {
      fields.emplace_back();
    } else if (c == '\n') {
      break;
    } else if (c != '\r') {
      fields.back() += c;
    }
  }
  if (quoted) {
    return invalid_input(file_ + ":" + std::to_string(record_line_), "a quote is never closed");
  }
  return std::optional(std::move(fields));
}

}  // namespace smemsim::trace
