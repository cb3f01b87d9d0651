#pragma once

#include "hostmetal/image/reflection.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace hostmetal::api {

/// Bytes of a scalar or vector in a buffer (a float3 takes 16); 0 for types that no
/// function constant has.
uint64_t size_of(image::DataType type);

/// MSL's name of a type, such as "float4"; "type 60" for one without a name.
std::string name_of(image::DataType type);

/// A value for one function constant of a kernel.
struct Constant {
  uint32_t index;
  image::DataType data_type;
  std::string bytes; ///< size_of(data_type)
};

/// Values that were set, by index and by name; a name goes before an index.
class ConstantValues {
public:
  /// Copies the value, of which only the elements of a vector are read.
  void set(uint32_t index, image::DataType type, const void *value);
  void set(const std::string &name, image::DataType type, const void *value);
  void clear();

  /// The values for the constants that a function uses. Throws Failure when one that it needs was
  /// not set, or was set to a value of another type.
  std::vector<Constant> resolve(const image::Function &function) const;

private:
  struct Value {
    image::DataType type;
    std::string bytes;
  };
  const Value *find(const image::FunctionConstant &constant) const;

  std::map<uint32_t, Value> by_index_;
  std::map<std::string, Value> by_name_;
};

} // namespace hostmetal::api
