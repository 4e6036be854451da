#include "trace/line_reader.hpp"

#include <span>

namespace smemsim::trace {

Result<bool> LineReader::next(std::string_view& line) {
  std::size_t searched = begin_;
  for (;;) {
    const std::size_t end = buffer_.find('\n', searched);
    const bool whole = end != std::string::npos;
    if (whole || at_end_) {
      if (!whole && begin_ == buffer_.size()) return false;
      line = std::string_view(buffer_).substr(begin_, whole ? end - begin_ : std::string::npos);
      begin_ = whole ? end + 1 : buffer_.size();
      if (line.ends_with('\r')) line.remove_suffix(1);
      ++number_;
      return true;
    }
    if (buffer_.size() - begin_ > kMaxLine) {
      return invalid_input(source_.name() + ":" + std::to_string(number_ + 1),
                           "the line is longer than " + std::to_string(kMaxLine) + " bytes");
    }
    buffer_.erase(0, begin_);
    begin_ = 0;
    searched = buffer_.size();
    constexpr std::size_t kStep = std::size_t{1} << 16;
    buffer_.resize(searched + kStep);
    const Result<std::size_t> got =
        source_.read(std::as_writable_bytes(std::span(buffer_)).subspan(searched));
    if (!got) return got.error();
    buffer_.resize(searched + *got);
    at_end_ = *got < kStep;
  }
}

}  // namespace smemsim::trace
