// Types of the CUDA-like language: sizes and alignments as nvcc has them on 64-bit Linux.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace smemsim::expr {

enum class TypeKind : std::uint8_t {
  nothing,    ///< void
  integer,    ///< bool, char, ..., unsigned long long
  floating,   ///< half, bfloat16, float, double: values are never known
  vector,     ///< float4, half2, dim3, ...: one access moves it whole
  structure,  ///< struct declared in the text
  array,
  pointer,
};

struct Type;

struct Member {
  std::string name;
  const Type* type = nullptr;
  std::uint64_t offset = 0;  ///< bytes
};

struct Type {
  TypeKind kind = TypeKind::nothing;
  std::string name;               ///< as errors print it
  std::uint64_t size = 0;         ///< bytes; 0 for void and for arrays of unknown length
  std::uint64_t align = 1;        ///< bytes
  bool is_signed = false;         ///< integers
  const Type* element = nullptr;  ///< of arrays and pointers
  std::uint64_t count = 0;        ///< elements of an array; 0 = unknown (extern [])
  std::vector<Member> members;    ///< of vectors and structures

  bool is(TypeKind wanted) const { return kind == wanted; }
  const Member* member(std::string_view wanted) const;
};

/// Extents of an array type, outermost first; empty for other types.
std::vector<std::uint64_t> extents(const Type& type);
/// What remains of an array after all subscripts.
const Type* innermost(const Type* type);

/// The pieces in which the compiler moves a value of the type: `width` is the largest power of two
/// up to 16 that the alignment allows, `count` pieces follow each other.
/// (float3: three of 4 bytes; a 24-byte struct aligned to 8: three of 8 bytes.)
struct AccessPieces {
  std::uint64_t width = 0, count = 0;
};
AccessPieces access_pieces(const Type& type);

/// Owns every type of one program; pointers stay valid as long as it lives. Not copied.
class TypeTable {
 public:
  TypeTable();
  TypeTable(const TypeTable&) = delete;
  TypeTable& operator=(const TypeTable&) = delete;
  TypeTable(TypeTable&&) = default;
  TypeTable& operator=(TypeTable&&) = default;

  /// Built-in or declared type of that name ("unsigned int" is normalised by the parser), or null.
  const Type* find(std::string_view name) const;
  std::vector<std::string> names() const;
  const Type* add(Type type);  ///< a named structure or an unnamed helper
  void add_alias(const std::string& name, const Type* type) { names_[name] = type; }
  const Type* array_of(const Type* element, std::uint64_t count);
  const Type* pointer_to(const Type* element);

  const Type* void_type() const { return void_; }
  const Type* int_type() const { return int_; }
  const Type* float_type() const { return float_; }
  /// Integer type of that size in bytes.
  const Type* integer(std::uint64_t size, bool is_signed) const;

 private:
  void add_scalars();
  void add_vectors();

  std::deque<Type> types_;
  std::map<std::string, const Type*, std::less<>> names_;
  std::map<std::pair<const Type*, std::uint64_t>, const Type*> arrays_;
  std::map<const Type*, const Type*> pointers_;
  const Type* void_ = nullptr;
  const Type* int_ = nullptr;
  const Type* float_ = nullptr;
};

}  // namespace smemsim::expr
