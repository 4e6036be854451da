#include "frontend/expr/layout_program.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "frontend/expr/layout.hpp"
#include "frontend/expr/types.hpp"
#include "frontend/suggest.hpp"

namespace smemsim::expr {

namespace {

constexpr std::uint64_t kMostElements = std::uint64_t{1} << 20;

/// What to write for the byte offset of a coordinate.
struct Shape {
  std::uint64_t elements = 0;      ///< coordinates
  std::uint64_t cosize = 0;        ///< elements that the array needs
  std::vector<std::string> lines;  ///< declarations
  std::string offset;              ///< byte offset in terms of the coordinates "c" or "row", "col"
  bool two = false;                ///< takes row and col
  bool grouped = false;            ///< a coordinate stands for a whole access
  std::uint64_t columns = 0;       ///< with `two`
};

std::vector<std::string> split(const std::string& text) {
  std::vector<std::string> out(1);
  int open = 0;
  for (const char c : text) {
    open += (c == '(' || c == '[') - (c == ')' || c == ']');
    if (c == ',' && open == 0) {
      out.emplace_back();
    } else {
      out.back() += c;
    }
  }
  return out;
}

/// Largest swizzled element offset + 1; swizzles permute aligned groups, so walk the coordinates.
std::uint64_t cosize(const Layout& layout, std::uint64_t element_bytes) {
  std::uint64_t most = 0;
  for (std::int64_t c = 0; c < layout.size(); ++c) {
    const std::uint64_t at = layout.byte_offset(layout.linear(c), element_bytes);
    most = std::max(most, at / element_bytes + 1);
  }
  return most;
}

/// Cuts the mode of stride 1 into groups of `width` elements; false when it cannot be.
bool group_elements(IntTuple& shape, IntTuple& stride, std::int64_t width) {
  for (std::size_t i = 0; i < shape.parts.size(); ++i) {
    if (group_elements(shape.parts[i], stride.parts[i], width)) return true;
  }
  if (shape.is_tuple() || stride.value != 1 || shape.value % width != 0) return false;
  shape.value /= width;
  stride.value = width;
  return true;
}

Result<Shape> cute_shape(const LayoutQuestion& question, const Type& element, std::size_t given) {
  auto parsed = parse_layout(question.layout);
  if (!parsed.ok()) return parsed.error();
  Layout layout = std::move(*parsed);
  if (question.swizzle_bytes) layout.swizzle_on_bytes = true;
  if (static_cast<std::uint64_t>(layout.size()) > kMostElements) {
    return invalid_input("layout", "the layout has more than 2^20 elements");
  }
  const std::uint64_t whole = cosize(layout, element.size);
  const std::uint64_t per_access = question.access_bytes / element.size;
  // Without coordinates, neighbouring threads take neighbouring groups.
  if (given == 0 && per_access > 1 &&
      !group_elements(layout.shape, layout.stride, static_cast<std::int64_t>(per_access))) {
    return usage_error(
        "--access",
        fmt::format("no mode of the layout holds groups of {} neighbouring elements", per_access),
        "give --coord, or access one element at a time");
  }
  if (given > 1 && given != layout.rank()) {
    return usage_error("--coord",
                       fmt::format("the layout has {} modes, not {}", layout.rank(), given));
  }
  Shape out;
  out.elements = static_cast<std::uint64_t>(layout.size());
  for (std::int64_t c = 0; c < layout.size(); ++c) {
    if (layout.linear(c) < 0)
      return invalid_input("layout", "a negative stride leads below the start");
  }
  out.cosize = whole;
  out.grouped = per_access > 1 && given == 0;
  const Swizzle s = layout.swizzle;
  const std::string swizzle = fmt::format("Swizzle<{},{},{}>", s.bits, s.base, s.shift);
  const std::string plain = to_string(layout.shape) + ":" + to_string(layout.stride);
  if (layout.swizzle_on_bytes || s.bits == 0) {
    out.lines.push_back(fmt::format("layout L = {};", plain));
    out.offset = fmt::format("L(@) * {}", element.size);
    if (s.bits != 0) out.offset = fmt::format("{}({})", swizzle, out.offset);
  } else {
    out.lines.push_back(fmt::format("layout L = {} o {};", swizzle, plain));
    out.offset = fmt::format("L(@) * {}", element.size);
  }
  return out;
}

/// "name(a,b,c) o (rows,cols)" -> numbers; empty when the text does not start with the name.
Result<std::vector<std::int64_t>> named_numbers(const std::string& text, const std::string& name,
                                                std::size_t wanted) {
  if (text.rfind(name + "(", 0) != 0) return std::vector<std::int64_t>{};
  std::vector<std::int64_t> out;
  const std::size_t compose = text.find(" o ");
  const auto error = [&] {
    return invalid_input("layout", fmt::format("expected {}({}) o (rows,cols)", name,
                                               wanted == 3 ? "vec,per_phase,max_phase" : "bytes"));
  };
  if (compose == std::string::npos) return error();
  for (const std::string& part :
       {text.substr(name.size(), compose - name.size()), text.substr(compose + 3)}) {
    auto tuple = parse_layout(part);  // a tuple is a shape
    if (!tuple.ok()) return tuple.error();
    if (tuple->shape.parts.empty()) out.push_back(tuple->shape.value);
    for (const IntTuple& number : tuple->shape.parts) out.push_back(number.value);
  }
  if (out.size() != wanted + 2) return error();
  for (const std::int64_t value : out) {
    if (value <= 0 || value > (1 << 20))
      return invalid_input("layout", "numbers must be from 1 to 2^20");
  }
  return out;
}

Result<Shape> shape_of(const LayoutQuestion& question, const Type& element, std::size_t given) {
  auto triton = named_numbers(question.layout, "triton_swizzled", 3);
  if (!triton.ok()) return triton.error();
  auto nvmma = named_numbers(question.layout, "nvmma", 1);
  if (!nvmma.ok()) return nvmma.error();
  if (triton->empty() && nvmma->empty()) return cute_shape(question, element, given);
  if (given == 1) return usage_error("--coord", "this layout takes a row and a column: 'row, col'");
  const std::vector<std::int64_t>& numbers = triton->empty() ? *nvmma : *triton;
  Shape out;
  out.two = true;
  const auto rows = static_cast<std::uint64_t>(numbers[numbers.size() - 2]);
  out.columns = static_cast<std::uint64_t>(numbers.back());
  out.elements = rows * out.columns;
  if (out.elements > kMostElements)
    return invalid_input("layout", "the layout has more than 2^20 elements");
  out.cosize = out.elements;
  if (!triton->empty()) {
    out.offset = fmt::format("triton_swizzle(row, col, {}, {}, {}, {}) * {}", out.columns,
                             numbers[0], numbers[1], numbers[2], element.size);
  } else {
    const std::int64_t mode = numbers[0];
    if (mode != 16 && mode != 32 && mode != 64 && mode != 128) {
      return invalid_input("layout", "nvmma takes 16 (no swizzle), 32, 64 or 128 bytes");
    }
    const auto wide = static_cast<std::uint64_t>(mode);
    out.cosize = (out.columns * element.size + wide - 1) / wide * wide * rows / element.size;
    out.offset = fmt::format("nvmma_offset(row, col * {}, {}, {})", element.size, rows, mode);
  }
  return out;
}

}  // namespace

Result<std::string> layout_program(const LayoutQuestion& question) {
  const TypeTable types;
  const Type* element = types.find(question.element);
  if (element == nullptr || element->size == 0) {
    const std::string near = cli::nearest(question.element, types.names());
    return usage_error("--element", "no type '" + question.element + "'",
                       near.empty() ? "half, float, float4, ..." : "did you mean '" + near + "'?");
  }
  const std::uint64_t bytes = question.access_bytes == 0 ? element->size : question.access_bytes;
  if (bytes % element->size != 0 || bytes > 16 || (bytes & (bytes - 1)) != 0) {
    return usage_error("--access",
                       fmt::format("an access is 1, 2, 4, 8 or 16 bytes and whole elements of {} "
                                   "bytes, not {}",
                                   element->size, bytes));
  }
  const std::vector<std::string> given =
      question.coordinates.empty() ? std::vector<std::string>{} : split(question.coordinates);
  auto shape = shape_of(question, *element, given.size());
  if (!shape.ok()) return shape.error();

  constexpr std::string_view kMovers[] = {"uchar", "ushort", "uint", "uint2", "uint4"};
  std::size_t mover = 0;
  while ((std::uint64_t{1} << mover) < bytes) ++mover;
  const std::uint64_t per_access = bytes / element->size;
  const std::uint64_t step = shape->grouped ? 1 : per_access;  // coordinates of an access

  std::string text;
  for (const std::string& line : shape->lines) text += line + "\n";
  text += fmt::format("__shared__ __align__(1024) {} data[{}];\n", question.element,
                      std::max(shape->cosize, per_access));
  const std::string thread = "threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z)";
  std::string coordinates = "c";
  std::string indent;
  if (!given.empty()) {
    coordinates = question.coordinates;
    if (shape->two) text += fmt::format("int row = {}; int col = {};\n", given[0], given[1]);
  } else {
    const std::string times = step == 1 ? "" : fmt::format(" * {}", step);
    text += fmt::format(
        "for (int c = ({}){}; c < {}; c += blockDim.x * blockDim.y * blockDim.z{}) {{\n", thread,
        times, shape->elements, times);
    if (shape->two)
      text +=
          fmt::format("  int row = c / {}; int col = c % {};\n", shape->columns, shape->columns);
    indent = "  ";
  }
  std::string offset = shape->offset;
  if (const std::size_t at = offset.find('@'); at != std::string::npos)
    offset.replace(at, 1, coordinates);
  text += fmt::format("{}*({}*)((char*)data + {}){};\n", indent, kMovers[mover], offset,
                      question.store ? " = 0" : "");
  if (given.empty()) text += "}\n";
  return text;
}

}  // namespace smemsim::expr
