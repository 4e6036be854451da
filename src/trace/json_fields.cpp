#include "trace/json_fields.hpp"

#include <algorithm>

#include "trace/jsonl_words.hpp"
#include "trace/suggest.hpp"

namespace smemsim::trace {

std::optional<std::uint64_t> json_number(const nlohmann::json& value) {
  if (value.is_number_unsigned()) return value.get<std::uint64_t>();
  if (value.is_string()) return parse_number(value.get_ref<const std::string&>());
  return std::nullopt;
}

const nlohmann::json* JsonFields::find(std::string_view key) {
  known_.push_back(key);
  const auto at = object_.find(key);
  return at == object_.end() ? nullptr : &*at;
}

std::uint64_t JsonFields::number(std::string_view key, std::uint64_t fallback, std::uint64_t max) {
  const nlohmann::json* value = find(key);
  if (value == nullptr) return fallback;
  const std::optional<std::uint64_t> number = json_number(*value);
  if (number && *number <= max) return *number;
  fail(key, "expected a whole number from 0 to " + std::to_string(max));
  return fallback;
}

std::int64_t JsonFields::signed_number(std::string_view key, std::int64_t fallback) {
  const nlohmann::json* value = find(key);
  if (value == nullptr) return fallback;
  // A JSON number past the signed range is unsigned: then only its top bit tells.
  const bool fits = value->is_number_integer() &&
                    (!value->is_number_unsigned() || value->get<std::uint64_t>() <= INT64_MAX);
  if (fits) return value->get<std::int64_t>();
  fail(key, "expected a whole number");
  return fallback;
}

bool JsonFields::flag(std::string_view key) {
  const nlohmann::json* value = find(key);
  if (value == nullptr) return false;
  if (value->is_boolean()) return value->get<bool>();
  fail(key, "expected true or false");
  return false;
}

std::string JsonFields::text(std::string_view key) {
  const nlohmann::json* value = find(key);
  if (value == nullptr) return {};
  if (value->is_string()) return value->get<std::string>();
  fail(key, "expected a string");
  return {};
}

void JsonFields::fail(std::string_view key, const std::string& message, std::string hint) {
  if (!error_) error_ = invalid_input({}, "\"" + std::string(key) + "\": " + message, hint);
}

void JsonFields::missing(std::string_view key, const std::string& message, std::string hint) {
  for (const auto& [other, value] : object_.items()) {
    const bool is_known = std::find(known_.begin(), known_.end(), other) != known_.end();
    if (!is_known && !nearest_name(other, {key}).empty()) {
      hint = "is \"" + other + "\" meant to be it?";
    }
  }
  fail(key, "missing; " + message, std::move(hint));
}

Status JsonFields::finish() {
  if (error_) return *error_;
  for (const auto& [key, value] : object_.items()) {
    if (std::find(known_.begin(), known_.end(), key) == known_.end()) {
      return invalid_input({}, "unknown key \"" + key + "\"", suggestion(key, known_));
    }
  }
  return {};
}

}  // namespace smemsim::trace
