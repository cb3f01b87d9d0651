/// How AIR and Metal's reflection call types: "float4", "packed_half3", "float4x4", "Params".
#pragma once

#include "clang/AST/Type.h"

#include <optional>
#include <string>

namespace hostmetal::frontend {

/// A `metal::vec<T, N>`, or a scalar as a vector of one.
struct VectorShape {
  clang::QualType element;
  unsigned count = 1;
  bool is_packed = false;
};

/// Empty for types that are neither scalars nor vectors.
std::optional<VectorShape> vector_shape(clang::QualType type);

/// MSL's name of a type, without qualifiers and address space.
std::string msl_type_name(clang::QualType type);

/// Itanium code of a scalar or vector type ("b", "f", "Dv4_j"), which ends the name of a function
/// constant's global. Empty for types that a function constant cannot have.
std::string type_code(clang::QualType type);

/// The class template instance `metal::<name><…>` behind a type, or null.
const clang::CXXRecordDecl *metal_record(clang::QualType type, llvm::StringRef name);

} // namespace hostmetal::frontend
