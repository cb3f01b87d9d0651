#include "hostmetal/api/constant_values.hpp"

#include "hostmetal/api/failure.hpp"

#include <array>
#include <cstring>

namespace hostmetal::api {

namespace {

struct Scalar {
  const char *name;
  image::DataType first; ///< the MTLDataType of the scalar; its vectors follow it
  uint64_t size;
};

constexpr std::array<Scalar, 12> scalars{{
    {"float", 3, 4},
    {"half", 16, 2},
    {"int", 29, 4},
    {"uint", 33, 4},
    {"short", 37, 2},
    {"ushort", 41, 2},
    {"char", 45, 1},
    {"uchar", 49, 1},
    {"bool", 53, 1},
    {"long", 81, 8},
    {"ulong", 85, 8},
    {"bfloat", 121, 2},
}};

struct Shape {
  const Scalar *scalar;
  uint64_t elements;
};

Shape shape_of(image::DataType type) {
  for (const Scalar &scalar : scalars)
    if (type >= scalar.first && type < scalar.first + 4)
      return {&scalar, type - scalar.first + 1};
  return {nullptr, 0};
}

std::string copy(image::DataType type, const void *value) {
  const Shape shape = shape_of(type);
  std::string bytes(size_of(type), '\0');
  if (shape.scalar)
    std::memcpy(bytes.data(), value, shape.elements * shape.scalar->size);
  return bytes;
}

std::string described(const image::FunctionConstant &constant) {
  return "Function constant \"" + constant.name + "\" (index " + std::to_string(constant.index) +
         ")";
}

} // namespace

uint64_t size_of(image::DataType type) {
  const Shape shape = shape_of(type);
  if (!shape.scalar)
    return 0;
  return shape.scalar->size * (shape.elements == 3 ? 4 : shape.elements);
}

std::string name_of(image::DataType type) {
  const Shape shape = shape_of(type);
  if (!shape.scalar)
    return "type " + std::to_string(type);
  return shape.scalar->name + (shape.elements == 1 ? "" : std::to_string(shape.elements));
}

void ConstantValues::set(uint32_t index, image::DataType type, const void *value) {
  by_index_.insert_or_assign(index, Value{type, copy(type, value)});
}

void ConstantValues::set(const std::string &name, image::DataType type, const void *value) {
  by_name_.insert_or_assign(name, Value{type, copy(type, value)});
}

void ConstantValues::clear() {
  by_index_.clear();
  by_name_.clear();
}

const ConstantValues::Value *ConstantValues::find(const image::FunctionConstant &constant) const {
  if (const auto named = by_name_.find(constant.name); named != by_name_.end())
    return &named->second;
  if (const auto indexed = by_index_.find(constant.index); indexed != by_index_.end())
    return &indexed->second;
  return nullptr;
}

std::vector<Constant> ConstantValues::resolve(const image::Function &function) const {
  std::vector<Constant> resolved;
  for (const image::FunctionConstant &constant : function.constants) {
    const Value *value = find(constant);
    if (!value && constant.is_required)
      throw Failure(Failure::Kind::compile_failure,
                    described(constant) + " of function \"" + function.name +
                        "\" must be given a value of type " + name_of(constant.data_type) + ".");
    if (!value)
      continue;
    if (value->type != constant.data_type)
      throw Failure(Failure::Kind::compile_failure,
                    described(constant) + " of function \"" + function.name + "\" is of type " +
                        name_of(constant.data_type) + ", and the value given is of type " +
                        name_of(value->type) + ".");
    resolved.push_back({constant.index, value->type, value->bytes});
  }
  return resolved;
}

} // namespace hostmetal::api
