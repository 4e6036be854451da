// Colour and weight of text on a terminal; nothing at all elsewhere.
#pragma once

#include <string>
#include <string_view>

namespace smemsim::cli {

enum class Style { plain, strong, faint, good, warning, bad };

/// Wraps text in the escape sequences of a style when colour is on.
class Painter {
 public:
  explicit Painter(bool color) : color_(color) {}
  std::string operator()(Style style, std::string_view text) const;

 private:
  bool color_;
};

}  // namespace smemsim::cli
