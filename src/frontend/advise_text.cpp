#include "frontend/advise_text.hpp"

#include <fmt/format.h>

#include <bit>

#include "frontend/text.hpp"

namespace smemsim::cli {
namespace {

std::string type_of(std::uint64_t element) {
  switch (element) {
    case 1:
      return "unsigned char";
    case 2:
      return "half";
    default:
      return "float";
  }
}

std::string declaration(const ArrayText& array) {
  std::string out = array.prefix + array.type + ' ' + array.name;
  for (const std::uint64_t extent : array.extents) {
    out += extent == 0 ? "[]" : fmt::format("[{}]", extent);
  }
  return out + ';';
}

/// r and c for two dimensions, i before them for three, i0, i1, ... for more.
std::vector<std::string> index_names(std::size_t rank) {
  std::vector<std::string> out;
  for (std::size_t d = 0; d + 2 < rank; ++d) out.push_back(rank == 3 ? "i" : fmt::format("i{}", d));
  if (rank >= 2) out.emplace_back("r");
  out.emplace_back(rank >= 2 ? "c" : "i");
  return out;
}

std::string plain_index(const ArrayText& array) {
  std::string out = array.name;
  for (const std::string& index : index_names(array.extents.size())) out += '[' + index + ']';
  return out;
}

bool is_flat(const ArrayText& array, const RowPitch& pitch) {
  return array.extents.size() == 1 && pitch.dimension == RowPitch::kInferred;
}

std::uint64_t rows_of(const LayoutRegion& region, const LayoutChange& change) {
  return (region.bytes + change.pitch - 1) / change.pitch;
}

void padding_text(const LayoutRegion& region, ArrayText array, const LayoutChange& change,
                  const RowPitch& pitch, PasteText& out) {
  const std::uint64_t more = change.pad / pitch.unit;
  if (is_flat(array, pitch)) {
    const std::uint64_t columns = (change.pitch + change.pad) / region.element;
    out.summary = fmt::format("pad each row of {} by {}", count_of(change.pitch, "byte"),
                              count_of(change.pad / region.element, "element"));
    if (array.extents[0] != 0) array.extents[0] = rows_of(region, change) * columns;
    out.declaration = declaration(array);
    out.index = fmt::format("{}[r * {} + c]", array.name, columns);
    return;
  }
  if (pitch.dimension != RowPitch::kInferred && pitch.dimension == array.extents.size()) {
    out.summary = fmt::format("pad each element by {}", count_of(change.pad, "byte"));
    out.declaration =
        fmt::format("struct {} {{ ...; char padding[{}]; }};", array.type, change.pad);
    out.index = plain_index(array);
    return;
  }
  const std::size_t d =
      pitch.dimension == RowPitch::kInferred ? array.extents.size() - 1 : pitch.dimension;
  const bool innermost = d + 1 == array.extents.size();
  array.extents[d] += more;
  out.summary = innermost ? fmt::format("pad each row by {} ({})", count_of(more, "element"),
                                        count_of(change.pad, "byte"))
                          : fmt::format("pad dimension {} by {} ({})", d + 1, count_of(more, "row"),
                                        count_of(change.pad, "byte"));
  out.declaration = declaration(array);
  out.index = plain_index(array);
}

void row_xor_text(const LayoutRegion& region, const ArrayText& array, const LayoutChange& change,
                  const RowPitch& pitch, PasteText& out) {
  out.declaration = declaration(array);
  const std::string chunk = change.chunk == region.element
                                ? "columns"
                                : fmt::format("chunks of {}", count_of(change.chunk, "byte"));
  out.summary = fmt::format("XOR the {} of a row with its number{}", chunk,
                            change.rows > 1 ? fmt::format(" / {}", change.rows) : "");
  if (is_flat(array, pitch)) {
    const std::string operand = xor_operand(region, array, change, pitch, {"r"});
    out.index =
        fmt::format("{}[r * {} + (c ^ {})]", array.name, change.pitch / region.element, operand);
    return;
  }
  std::vector<std::string> names = index_names(array.extents.size());
  const std::string last = names.back();
  names.pop_back();
  out.index = array.name;
  for (const std::string& name : names) out.index += '[' + name + ']';
  out.index += '[' + last + " ^ " + xor_operand(region, array, change, pitch, names) + ']';
}

void swizzle_text(const LayoutRegion& region, ArrayText array, const XorBits& bits,
                  PasteText& out) {
  const auto log2 = static_cast<unsigned>(std::countr_zero(region.element));
  const std::uint64_t mask = ((std::uint64_t{1} << bits.bits) - 1) << (bits.base - log2);
  std::string meaning = "o";
  const std::vector<std::string> names = index_names(array.extents.size());
  if (array.extents.size() > 1) {
    meaning = names[0];
    for (std::size_t d = 1; d < names.size(); ++d) {
      const std::string so_far = d == 1 ? meaning : fmt::format("({})", meaning);
      meaning = fmt::format("{} * {} + {}", so_far, array.extents[d], names[d]);
    }
    meaning = "o = " + meaning;
    std::uint64_t all = 1;
    for (const std::uint64_t extent : array.extents) all *= extent;
    array.extents = {all};
  }
  out.declaration = declaration(array);
  out.index = fmt::format("{}[o ^ ((o >> {}) & {})]", array.name, bits.shift, mask);
  if (meaning != "o") out.index += "  // " + meaning;
  out.summary = "swizzle the offset";
}

}  // namespace

ArrayText inferred_array(const LayoutRegion& region, std::uint64_t pitch) {
  ArrayText out;
  out.type = type_of(region.element);
  if (pitch == 0) {
    out.extents = {region.bytes / region.element};
  } else {
    out.extents = {(region.bytes + pitch - 1) / pitch, pitch / region.element};
  }
  return out;
}

std::string xor_operand(const LayoutRegion& region, const ArrayText& array,
                        const LayoutChange& change, const RowPitch& pitch,
                        const std::vector<std::string>& indices) {
  // The row's number counts all rows of that length; the outer indices matter only where the
  // inner one's extent is not a whole number of XOR periods.
  const std::size_t dims =
      pitch.dimension == RowPitch::kInferred ? indices.size() : pitch.dimension;
  std::string row = indices[dims - 1];
  std::uint64_t period = change.rows * change.ways;
  std::uint64_t scale = 1;
  for (std::size_t d = dims; d-- > 1 && !is_flat(array, pitch);) {
    scale *= array.extents[d];
    if (scale % period == 0) break;
    row = fmt::format("{} * {} + {}", indices[d - 1], scale, row);
  }
  if (row.find(' ') != std::string::npos) row = '(' + row + ')';
  std::string out = change.rows == 1 ? fmt::format("({} & {})", row, change.ways - 1)
                                     : fmt::format("(({} >> {}) & {})", row,
                                                   std::countr_zero(change.rows), change.ways - 1);
  const std::uint64_t elements = change.chunk / region.element;
  if (elements > 1) out = fmt::format("({} << {})", out, std::countr_zero(elements));
  return out;
}

PasteText paste_text(const LayoutRegion& region, const ArrayText& array, const LayoutChange& change,
                     const RowPitch& pitch) {
  PasteText out;
  switch (change.kind) {
    case LayoutChangeKind::padding:
      padding_text(region, array, change, pitch, out);
      break;
    case LayoutChangeKind::row_xor:
      row_xor_text(region, array, change, pitch, out);
      break;
    case LayoutChangeKind::swizzle:
      swizzle_text(region, array, change.swizzle, out);
      break;
  }
  if (const auto bits = change.as_swizzle(); bits && std::has_single_bit(region.element)) {
    const auto log2 = static_cast<unsigned>(std::countr_zero(region.element));
    out.cute_bytes = fmt::format("Swizzle<{},{},{}>", bits->bits, bits->base, bits->shift);
    out.cute_elements =
        fmt::format("Swizzle<{},{},{}>", bits->bits, bits->base - log2, bits->shift);
  }
  return out;
}

}  // namespace smemsim::cli
