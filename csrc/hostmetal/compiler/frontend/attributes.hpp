/// MSL's attributes. clang sees each `[[name(arguments)]]` as an annotation "msl.<name>" with its
/// arguments; later stages read those.
#pragma once

#include "llvm/ADT/StringRef.h"

#include <cstdint>
#include <optional>

namespace clang {
class AnnotateAttr;
class ASTContext;
class Decl;
} // namespace clang

namespace hostmetal::frontend {

/// Makes the attributes known to clang. Call before the first parse; idempotent, thread-safe.
void register_attributes();

bool is_attribute_name(llvm::StringRef name);
/// Attributes of a kernel's argument that hand it an identifier or size: `thread_position_in_grid`…
bool is_thread_attribute(llvm::StringRef name);

/// The annotation for `[[name]]` on a declaration, or null.
const clang::AnnotateAttr *find_attribute(const clang::Decl &declaration, llvm::StringRef name);
/// A function that pipelines link: [[visible]] or [[stitchable]].
bool is_visible(const clang::Decl &function);
/// Name of an MSL annotation; empty for other annotations.
llvm::StringRef attribute_name(const clang::AnnotateAttr &attribute);
/// First argument as an integer; empty if it is absent or not a non-negative constant.
std::optional<uint64_t> integer_argument(const clang::AnnotateAttr &attribute,
                                         const clang::ASTContext &context);

} // namespace hostmetal::frontend
