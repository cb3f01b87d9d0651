#include "hostmetal/compiler/lowering/data_types.hpp"

#include <array>
#include <iterator>

namespace hostmetal::lowering {
namespace {

constexpr image::DataType mtl_struct = 1;

struct Scalar {
  llvm::StringLiteral name;
  image::DataType first; ///< MTLDataType of the scalar; those of 2, 3 and 4 components follow
  uint32_t size;
};

// A vector of three takes the room of four, as in memory.
constexpr Scalar scalars[] = {
    {"float", 3, 4},  {"half", 16, 2},   {"int", 29, 4},   {"uint", 33, 4},
    {"short", 37, 2}, {"ushort", 41, 2}, {"char", 45, 1},  {"uchar", 49, 1},
    {"bool", 53, 1},  {"long", 81, 8},   {"ulong", 85, 8}, {"bfloat", 121, 2},
};

struct Alias {
  llvm::StringLiteral name, means;
};
constexpr Alias aliases[] = {
    {"int32_t", "int"},         {"uint32_t", "uint"},       {"int16_t", "short"},
    {"uint16_t", "ushort"},     {"int8_t", "char"},         {"uint8_t", "uchar"},
    {"int64_t", "long"},        {"uint64_t", "ulong"},      {"size_t", "ulong"},
    {"ptrdiff_t", "long"},      {"unsigned int", "uint"},   {"unsigned short", "ushort"},
    {"unsigned char", "uchar"}, {"unsigned long", "ulong"}, {"atomic_int", "int"},
    {"atomic_uint", "uint"},    {"atomic_float", "float"},  {"atomic_bool", "bool"},
    {"atomic_ulong", "ulong"},
};

struct Matrix {
  llvm::StringLiteral element;
  image::DataType first; ///< MTLDataType of 2x2; then 2x3, 2x4, 3x2, …
};
constexpr Matrix matrices[] = {{"float", 7}, {"half", 20}};

} // namespace

image::DataType data_type_of(llvm::StringRef name) {
  if (name.ends_with("*"))
    return pointer_type;
  name.consume_front("packed_");
  name.consume_front("metal::");
  for (const Alias &alias : aliases)
    if (name == alias.name)
      name = alias.means;
  for (const Scalar &scalar : scalars) {
    llvm::StringRef rest = name;
    if (!rest.consume_front(scalar.name))
      continue;
    if (rest.empty())
      return scalar.first;
    if (rest.size() == 1 && rest[0] >= '2' && rest[0] <= '4')
      return scalar.first + static_cast<uint32_t>(rest[0] - '1');
  }
  for (const Matrix &matrix : matrices) {
    llvm::StringRef rest = name;
    if (rest.consume_front(matrix.element) && rest.size() == 3 && rest[1] == 'x' &&
        rest[0] >= '2' && rest[0] <= '4' && rest[2] >= '2' && rest[2] <= '4')
      return matrix.first + static_cast<uint32_t>(rest[0] - '2') * 3 +
             static_cast<uint32_t>(rest[2] - '2');
  }
  return mtl_struct;
}

uint32_t constant_size(image::DataType type) {
  for (const Scalar &scalar : scalars)
    if (type >= scalar.first && type < scalar.first + 4) {
      uint32_t components = type - scalar.first + 1;
      return scalar.size * (components == 3 ? 4 : components);
    }
  return 0;
}

std::string name_of(image::DataType type) {
  for (const Scalar &scalar : scalars)
    if (type >= scalar.first && type < scalar.first + 4) {
      uint32_t components = type - scalar.first + 1;
      return scalar.name.str() + (components == 1 ? "" : std::to_string(components));
    }
  return "type " + std::to_string(type);
}

} // namespace hostmetal::lowering
