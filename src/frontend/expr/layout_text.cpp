// Reads the text form of layouts.
#include <cctype>

#include "frontend/expr/layout.hpp"

namespace smemsim::expr {

namespace {

constexpr std::int64_t kLargestExtent = std::int64_t{1} << 31;
constexpr int kDeepestTuple = 32;

class LayoutReader {
 public:
  explicit LayoutReader(std::string_view text) : text_(text) {}

  Result<Layout> read() {
    Layout layout;
    SMEMSIM_TRY(prefixes(layout));
    SMEMSIM_TRY(tuple(layout.shape, 0));
    if (accept(":")) {
      SMEMSIM_TRY(strides(layout));
    } else {
      std::int64_t next = 1;
      layout.stride = compact(layout.shape, next);
    }
    blanks();
    if (at_ != text_.size()) return error("expected the end of the layout");
    if (!congruent(layout.shape, layout.stride)) {
      return error("the stride must have the same tuples as the shape, as in (8,(4,2)):(4,(1,32))");
    }
    return layout;
  }

 private:
  Error error(const std::string& message) const {
    const std::string found =
        at_ < text_.size() ? ", found '" + std::string(1, text_[at_]) + "'" : "";
    return invalid_input("layout, column " + std::to_string(at_ + 1), message + found,
                         "for example 'Swizzle<3,4,3> o (8,64):(64,1)'");
  }
  void blanks() {
    while (at_ < text_.size() && std::isspace(static_cast<unsigned char>(text_[at_])) != 0) ++at_;
  }
  bool accept(std::string_view wanted) {
    blanks();
    if (text_.substr(at_, wanted.size()) != wanted) return false;
    at_ += wanted.size();
    return true;
  }
  bool accept_compose() {
    blanks();
    const std::size_t before = at_;
    if (accept("o") &&
        (at_ == text_.size() || std::isalnum(static_cast<unsigned char>(text_[at_])) == 0)) {
      return true;
    }
    at_ = before;
    return accept("∘");
  }

  Status integer(std::int64_t& out) {
    blanks();
    if (at_ < text_.size() && text_[at_] == '_') ++at_;  // CuTe's mark of a static integer
    const bool negative = accept("-");
    if (at_ >= text_.size() || std::isdigit(static_cast<unsigned char>(text_[at_])) == 0) {
      return error("expected a number");
    }
    out = 0;
    for (; at_ < text_.size() && std::isdigit(static_cast<unsigned char>(text_[at_])) != 0; ++at_) {
      out = out * 10 + (text_[at_] - '0');
      if (out > kLargestExtent) return error("this number is larger than 2^31");
    }
    if (negative) out = -out;
    return {};
  }

  Status tuple(IntTuple& out, int depth) {
    if (depth > kDeepestTuple) return error("tuples are nested too deeply");
    if (!accept("(")) {
      SMEMSIM_TRY(integer(out.value));
      return {};
    }
    do {
      out.parts.emplace_back();
      SMEMSIM_TRY(tuple(out.parts.back(), depth + 1));
    } while (accept(","));
    if (!accept(")")) return error("expected , or )");
    return {};
  }

  Status positive(const IntTuple& shape, std::int64_t& total) {
    for (const IntTuple& part : shape.parts) SMEMSIM_TRY(positive(part, total));
    if (shape.is_tuple()) return {};
    if (shape.value <= 0) return error("an extent of the shape must be at least 1");
    if (total > kLargestExtent / shape.value)
      return error("the layout has more than 2^31 elements");
    total *= shape.value;
    return {};
  }

  Status strides(Layout& layout) {
    std::int64_t total = 1;
    SMEMSIM_TRY(positive(layout.shape, total));
    total = 1;
    if (accept("LayoutLeft") || accept("GenColMajor")) {
      layout.stride = compact(layout.shape, total);
    } else if (accept("LayoutRight") || accept("GenRowMajor")) {
      layout.stride = compact_right(layout.shape, total);
    } else {
      SMEMSIM_TRY(tuple(layout.stride, 0));
    }
    return {};
  }

  static IntTuple compact(const IntTuple& shape, std::int64_t& next) {
    IntTuple out;
    if (!shape.is_tuple()) {
      out.value = next;
      next *= shape.value;
    }
    for (const IntTuple& part : shape.parts) out.parts.push_back(compact(part, next));
    return out;
  }
  static IntTuple compact_right(const IntTuple& shape, std::int64_t& next) {
    IntTuple out;
    if (!shape.is_tuple()) {
      out.value = next;
      next *= shape.value;
    }
    out.parts.resize(shape.parts.size());
    for (std::size_t i = shape.parts.size(); i-- > 0;) {
      out.parts[i] = compact_right(shape.parts[i], next);
    }
    return out;
  }
  static bool congruent(const IntTuple& shape, const IntTuple& stride) {
    if (shape.parts.size() != stride.parts.size()) return false;
    for (std::size_t i = 0; i < shape.parts.size(); ++i) {
      if (!congruent(shape.parts[i], stride.parts[i])) return false;
    }
    return true;
  }

  Status swizzle(Layout& layout) {
    std::int64_t values[3] = {};
    for (int i = 0; i < 3; ++i) {
      if (i > 0 && !accept(",")) return error("expected , in Swizzle<B,M,S>");
      SMEMSIM_TRY(integer(values[i]));
      if (values[i] > 31 || values[i] < -31) return error("B, M and S must be between -31 and 31");
    }
    if (!accept(">")) return error("expected > after Swizzle<B,M,S");
    layout.swizzle = {static_cast<std::int32_t>(values[0]), static_cast<std::int32_t>(values[1]),
                      static_cast<std::int32_t>(values[2])};
    if (const Status status = check_swizzle(layout.swizzle); !status.ok()) {
      return error(status.error().message);
    }
    return {};
  }

  Status prefixes(Layout& layout) {
    blanks();
    if (accept("Swizzle<") || accept("Sw<")) {
      SMEMSIM_TRY(swizzle(layout));
    } else {
      const std::size_t mode_end = text_.find('B', at_);
      const auto mode = mode_end == std::string_view::npos
                            ? std::nullopt
                            : tma_swizzle(text_.substr(at_, mode_end + 1 - at_));
      if (!mode) return {};
      layout.swizzle = *mode;
      layout.swizzle_on_bytes = true;
      at_ = mode_end + 1;
    }
    if (!accept_compose()) return error("expected 'o' and a layout after the swizzle");
    if (accept("smem_ptr")) {
      layout.swizzle_on_bytes = true;
      const std::size_t compose = text_.find(" o ", at_);
      if (compose == std::string_view::npos)
        return error("expected 'o' and a layout after smem_ptr");
      at_ = compose + 3;
    }
    return {};
  }

  std::string_view text_;
  std::size_t at_ = 0;
};

}  // namespace

Result<Layout> parse_layout(std::string_view text) {
  return LayoutReader(text).read();
}

}  // namespace smemsim::expr
