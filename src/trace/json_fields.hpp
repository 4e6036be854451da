// Checked access to the members of one JSON object: every error names the key, and a key that
// nobody asked for is an error with a suggestion.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sim/result.hpp"

namespace smemsim::trace {

class JsonFields {
 public:
  /// `object` must be a JSON object and outlive this.
  explicit JsonFields(const nlohmann::json& object) : object_(object) {}

  /// The member, or null; from here on the key is a known one.
  const nlohmann::json* find(std::string_view key);

  // Each gives `fallback` when the key is absent or its value is wrong; the latter is an error.
  std::uint64_t number(std::string_view key, std::uint64_t fallback, std::uint64_t max);
  std::int64_t signed_number(std::string_view key, std::int64_t fallback);
  bool flag(std::string_view key);
  std::string text(std::string_view key);

  /// Records an error on the key; the first one counts.
  void fail(std::string_view key, const std::string& message, std::string hint = {});
  /// Records that a key that the line needs is not there; names a mistyped one when there is one.
  void missing(std::string_view key, const std::string& message, std::string hint = {});
  bool failed() const { return error_.has_value(); }

  /// The first error so far (without a place), also when a key was not asked for.
  Status finish();

 private:
  const nlohmann::json& object_;
  std::vector<std::string_view> known_;
  std::optional<Error> error_;
};

/// A whole number >= 0, written as such or as a string in decimal or (0x...) hexadecimal.
std::optional<std::uint64_t> json_number(const nlohmann::json& value);

}  // namespace smemsim::trace
