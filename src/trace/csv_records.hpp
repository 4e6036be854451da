// Records of a CSV text as RFC 4180 has them: fields may be quoted and then hold commas, doubled
// quotes and line ends.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sim/result.hpp"

namespace smemsim::trace {

class CsvRecords {
 public:
  CsvRecords(std::string_view text, std::string file) : rest_(text), file_(std::move(file)) {}

  /// The next record that is not an empty line; nothing at the end.
  Result<std::optional<std::vector<std::string>>> next();
  /// Line on which the last record began, from 1.
  std::uint64_t line() const { return record_line_; }

 private:
  std::string_view rest_;
  std::string file_;
  std::uint64_t line_ = 1, record_line_ = 0;
};

}  // namespace smemsim::trace
