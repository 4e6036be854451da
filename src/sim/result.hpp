// Result<T>: a value or an Error. Bad input is a value in smemsim; a broken invariant is an assert.
#pragma once

#include <cassert>
#include <string>
#include <utility>
#include <variant>

namespace smemsim {

/// What went wrong, in the terms of the exit status that it leads to.
enum class ErrorKind {
  usage,          ///< the command line or a machine parameter makes no sense (exit 2)
  invalid_input,  ///< a file or an expression breaks its format (exit 3)
  io,             ///< something cannot be read, written or run (exit 4)
};

/// One error, told once: where, what, and what to do about it.
struct Error {
  ErrorKind kind = ErrorKind::invalid_input;
  std::string place;    ///< file, line or byte offset; lane; parameter name. May be empty.
  std::string message;  ///< what is wrong and what was expected; no trailing full stop.
  std::string hint;     ///< what the user can do. May be empty.

  /// "place: message (hint)", leaving out the empty parts.
  std::string text() const {
    std::string out = place.empty() ? message : place + ": " + message;
    if (!hint.empty()) out += " (" + hint + ")";
    return out;
  }
};

inline Error invalid_input(std::string place, std::string message, std::string hint = {}) {
  return {ErrorKind::invalid_input, std::move(place), std::move(message), std::move(hint)};
}
inline Error usage_error(std::string place, std::string message, std::string hint = {}) {
  return {ErrorKind::usage, std::move(place), std::move(message), std::move(hint)};
}
inline Error io_error(std::string place, std::string message, std::string hint = {}) {
  return {ErrorKind::io, std::move(place), std::move(message), std::move(hint)};
}

/// A T or an Error. Ask `ok()` (or convert to bool) before `value()`.
template <typename T>
class [[nodiscard]] Result {
 public:
  Result(T value) : state_(std::in_place_index<0>, std::move(value)) {}      // NOLINT: implicit
  Result(Error error) : state_(std::in_place_index<1>, std::move(error)) {}  // NOLINT: implicit

  bool ok() const { return state_.index() == 0; }
  explicit operator bool() const { return ok(); }

  const T& value() const& {
    assert(ok());
    return *std::get_if<0>(&state_);
  }
  T& value() & {
    assert(ok());
    return *std::get_if<0>(&state_);
  }
  T&& value() && {
    assert(ok());
    return std::move(*std::get_if<0>(&state_));
  }
  const T& operator*() const& { return value(); }
  T& operator*() & { return value(); }
  T&& operator*() && { return std::move(*this).value(); }
  const T* operator->() const { return &value(); }
  T* operator->() { return &value(); }

  const Error& error() const {
    assert(!ok());
    return *std::get_if<1>(&state_);
  }

 private:
  std::variant<T, Error> state_;
};

/// Success without a value, or an Error.
class [[nodiscard]] Status {
 public:
  Status() = default;
  Status(Error error) : error_(std::move(error)), failed_(true) {}  // NOLINT: implicit

  bool ok() const { return !failed_; }
  explicit operator bool() const { return ok(); }
  const Error& error() const {
    assert(failed_);
    return error_;
  }

 private:
  Error error_;
  bool failed_ = false;
};

}  // namespace smemsim

/// Leaves the enclosing function with the error of `expr`, if it has one.
#define SMEMSIM_TRY(expr)                                     \
  do {                                                        \
    if (auto smemsim_status = (expr); !smemsim_status.ok()) { \
      return smemsim_status.error();                          \
    }                                                         \
  } while (false)
