#pragma once

#include "hostmetal/image/reflection.hpp"

#include <llvm/ADT/StringRef.h>

#include <string>

namespace hostmetal::lowering {

/// MTLDataTypePointer.
inline constexpr image::DataType pointer_type = 60;
/// MTLDataTypeVisibleFunctionTable.
inline constexpr image::DataType function_table_type = 115;

/// The MTLDataType of a type as MSL spells it ("float4", "ulong", "half3x3"); struct for any other
/// name, pointer for one that ends in '*'.
image::DataType data_type_of(llvm::StringRef msl_name);

/// Bytes of a scalar or vector constant of that MTLDataType; 0 for types that no constant has.
uint32_t constant_size(image::DataType type);

/// How MSL spells a scalar or vector MTLDataType; "type N" for other values.
std::string name_of(image::DataType type);

} // namespace hostmetal::lowering
