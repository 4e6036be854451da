// Text helpers of the renderers: numbers for people, fitting into columns, harmless output.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace smemsim::cli {

/// Columns that a UTF-8 text takes (one per code point).
std::size_t display_width(std::string_view text);

/// The text with control characters and broken UTF-8 replaced by '?': traces are hostile, and a
/// terminal obeys escape sequences.
std::string printable(std::string_view text);

/// At most `width` columns, with "..." where something was cut: `keep_end` cuts in front (paths,
/// whose end tells most), otherwise at the end.
std::string elide(std::string_view text, std::size_t width, bool keep_end = false);

/// Lines of at most `width` columns, broken at spaces; a longer word stays whole.
std::vector<std::string> wrap(std::string_view text, std::size_t width);

/// Every line of `text` behind `spaces` spaces.
std::string indent(std::string_view text, std::size_t spaces);

/// 1234567 -> "1,234,567".
std::string with_commas(std::uint64_t value);

/// part / whole as "12.3 %"; "0 %" and "100 %" only when exact; "-" for a whole of zero.
std::string percent(std::uint64_t part, std::uint64_t whole);

/// "1 lane", "2 lanes", "1,024 lanes".
std::string count_of(std::uint64_t value, std::string_view singular, std::string_view plural = {});

/// part / whole with one decimal, "0.0" for a whole of zero.
std::string mean(std::uint64_t sum, std::uint64_t count);

/// A field for CSV, quoted where RFC 4180 wants it.
std::string csv_field(std::string_view text);

}  // namespace smemsim::cli
