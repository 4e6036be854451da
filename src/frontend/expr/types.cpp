#include "frontend/expr/types.hpp"

#include <algorithm>
#include <array>

namespace smemsim::expr {

namespace {

struct ScalarRow {
  std::string_view names;  // comma-separated; the first is the one that errors print
  TypeKind kind;
  std::uint8_t size;
  bool is_signed;
};

constexpr auto kInteger = TypeKind::integer;
constexpr auto kFloating = TypeKind::floating;
constexpr ScalarRow kScalars[] = {
    {"bool", kInteger, 1, false},
    {"char,signed char,int8_t", kInteger, 1, true},
    {"unsigned char,uchar,uint8_t,byte", kInteger, 1, false},
    {"short,int16_t", kInteger, 2, true},
    {"unsigned short,ushort,uint16_t", kInteger, 2, false},
    {"int,int32_t", kInteger, 4, true},
    {"unsigned,uint,uint32_t", kInteger, 4, false},
    {"long long,long,int64_t,ptrdiff_t,intptr_t", kInteger, 8, true},
    {"unsigned long long,unsigned long,ulong,uint64_t,size_t,uintptr_t", kInteger, 8, false},
    {"float,tf32,tfloat32_t", kFloating, 4, true},
    {"double", kFloating, 8, true},
    {"half,__half,half_t,float16,fp16", kFloating, 2, true},
    {"bfloat16,__nv_bfloat16,nv_bfloat16,bfloat16_t,bf16", kFloating, 2, true},
    {"fp8,__nv_fp8_e4m3,__nv_fp8_e5m2,float_e4m3_t,float_e5m2_t,fp8_e4m3,fp8_e5m2", kFloating, 1,
     true},
};

struct VectorRow {
  std::string_view names;
  std::string_view element;
  std::uint8_t count;
  std::uint8_t align;
};

constexpr VectorRow kVectors[] = {
    {"char1", "char", 1, 1},
    {"char2", "char", 2, 2},
    {"char3", "char", 3, 1},
    {"char4", "char", 4, 4},
    {"uchar1", "uchar", 1, 1},
    {"uchar2", "uchar", 2, 2},
    {"uchar3", "uchar", 3, 1},
    {"uchar4", "uchar", 4, 4},
    {"short1", "short", 1, 2},
    {"short2", "short", 2, 4},
    {"short3", "short", 3, 2},
    {"short4", "short", 4, 8},
    {"ushort1", "ushort", 1, 2},
    {"ushort2", "ushort", 2, 4},
    {"ushort3", "ushort", 3, 2},
    {"ushort4", "ushort", 4, 8},
    {"int1", "int", 1, 4},
    {"int2", "int", 2, 8},
    {"int3", "int", 3, 4},
    {"int4", "int", 4, 16},
    {"uint1", "uint", 1, 4},
    {"uint2", "uint", 2, 8},
    {"uint3", "uint", 3, 4},
    {"uint4", "uint", 4, 16},
    {"dim3", "uint", 3, 4},
    {"long1,longlong1", "long long", 1, 8},
    {"long2,longlong2", "long long", 2, 16},
    {"long3,longlong3", "long long", 3, 8},
    {"long4,longlong4", "long long", 4, 16},
    {"ulong1,ulonglong1", "size_t", 1, 8},
    {"ulong2,ulonglong2", "size_t", 2, 16},
    {"ulong3,ulonglong3", "size_t", 3, 8},
    {"ulong4,ulonglong4", "size_t", 4, 16},
    {"float1", "float", 1, 4},
    {"float2", "float", 2, 8},
    {"float3", "float", 3, 4},
    {"float4", "float", 4, 16},
    {"double1", "double", 1, 8},
    {"double2", "double", 2, 16},
    {"double3", "double", 3, 8},
    {"double4", "double", 4, 16},
    {"half2,__half2", "half", 2, 4},
    {"bfloat162,__nv_bfloat162,nv_bfloat162", "bfloat16", 2, 4},
    {"fp8x2,__nv_fp8x2_e4m3,__nv_fp8x2_e5m2", "fp8", 2, 2},
    {"fp8x4,__nv_fp8x4_e4m3,__nv_fp8x4_e5m2", "fp8", 4, 4},
};

template <typename Visit>
void for_each_name(std::string_view names, Visit visit) {
  while (!names.empty()) {
    const std::size_t comma = std::min(names.find(','), names.size());
    visit(std::string(names.substr(0, comma)));
    names.remove_prefix(std::min(comma + 1, names.size()));
  }
}

}  // namespace

const Member* Type::member(std::string_view wanted) const {
  const auto found = std::find_if(members.begin(), members.end(),
                                  [&](const Member& m) { return m.name == wanted; });
  return found == members.end() ? nullptr : &*found;
}

std::vector<std::uint64_t> extents(const Type& type) {
  std::vector<std::uint64_t> out;
  for (const Type* t = &type; t->is(TypeKind::array); t = t->element) out.push_back(t->count);
  return out;
}

const Type* innermost(const Type* type) {
  while (type->is(TypeKind::array)) type = type->element;
  return type;
}

AccessPieces access_pieces(const Type& type) {
  const std::uint64_t width =
      std::min<std::uint64_t>({type.align, 16, std::max<std::uint64_t>(type.size, 1)});
  return {width, type.size / width};
}

TypeTable::TypeTable() {
  Type nothing;
  nothing.name = "void";
  void_ = add(std::move(nothing));
  names_["void"] = void_;
  add_scalars();
  add_vectors();
  int_ = find("int");
  float_ = find("float");
}

void TypeTable::add_scalars() {
  for (const ScalarRow& row : kScalars) {
    Type type;
    type.kind = row.kind;
    type.name = row.names.substr(0, row.names.find(','));
    type.size = type.align = row.size;
    type.is_signed = row.is_signed;
    const Type* added = add(std::move(type));
    for_each_name(row.names, [&](std::string name) { names_[std::move(name)] = added; });
  }
}

void TypeTable::add_vectors() {
  constexpr std::array<std::string_view, 4> kMembers = {"x", "y", "z", "w"};
  for (const VectorRow& row : kVectors) {
    Type type;
    type.kind = TypeKind::vector;
    type.name = row.names.substr(0, row.names.find(','));
    const Type* element = find(row.element);
    type.size = element->size * row.count;
    type.align = row.align;
    for (std::size_t i = 0; i < row.count; ++i) {
      type.members.push_back({std::string(kMembers[i]), element, i * element->size});
    }
    const Type* added = add(std::move(type));
    for_each_name(row.names, [&](std::string name) { names_[std::move(name)] = added; });
  }
}

const Type* TypeTable::find(std::string_view name) const {
  const auto found = names_.find(name);
  return found == names_.end() ? nullptr : found->second;
}

std::vector<std::string> TypeTable::names() const {
  std::vector<std::string> out;
  out.reserve(names_.size());
  for (const auto& [name, type] : names_) out.push_back(name);
  return out;
}

const Type* TypeTable::add(Type type) {
  types_.push_back(std::move(type));
  const Type* added = &types_.back();
  if (added->is(TypeKind::structure)) names_[added->name] = added;
  return added;
}

const Type* TypeTable::array_of(const Type* element, std::uint64_t count) {
  const Type*& known = arrays_[{element, count}];
  if (known == nullptr) {
    Type type;
    type.kind = TypeKind::array;
    // "float[32]" of 4 makes "float[4][32]": the new extent goes before the others.
    const std::size_t bracket = std::min(element->name.find('['), element->name.size());
    const std::string extent = "[" + (count == 0 ? std::string() : std::to_string(count)) + "]";
    type.name = element->name.substr(0, bracket) + extent + element->name.substr(bracket);
    type.size = element->size * count;
    type.align = element->align;
    type.element = element;
    type.count = count;
    known = add(std::move(type));
  }
  return known;
}

const Type* TypeTable::pointer_to(const Type* element) {
  const Type*& known = pointers_[element];
  if (known == nullptr) {
    Type type;
    type.kind = TypeKind::pointer;
    type.name = element->name + "*";
    type.size = type.align = 8;
    type.element = element;
    known = add(std::move(type));
  }
  return known;
}

const Type* TypeTable::integer(std::uint64_t size, bool is_signed) const {
  switch (size) {
    case 1:
      return find(is_signed ? "char" : "uchar");
    case 2:
      return find(is_signed ? "short" : "ushort");
    case 8:
      return find(is_signed ? "long long" : "size_t");
    default:
      return find(is_signed ? "int" : "uint");
  }
}

}  // namespace smemsim::expr
