#pragma once

#include "metalcore/pipeline.hpp"

#import <Metal/Metal.h>

#include <optional>
#include <string>
#include <vector>

namespace metalcore {

/// What a value of one of Metal's data types is made of.
struct TypeDescription {
  std::string name;           ///< as MSL spells it: "float4"; "struct"
  std::optional<DType> dtype; ///< of a scalar, or of a vector's elements
  std::size_t vector_width = 1;
};

TypeDescription describe_type(MTLDataType type);

/// Empty, with `unsupported` naming the argument, when the kernel takes what metalcore cannot bind.
std::optional<std::vector<Argument>> reflect(MTLComputePipelineReflection *reflection,
                                             std::string &unsupported);

} // namespace metalcore
